//! Public page `/s/{word}` of a shared team, and forms to create and revoke its share link.

use axum::{
    extract::{Path, Query, State},
    http::{HeaderName, HeaderValue},
    response::{IntoResponse as _, Redirect, Response},
};
use plexus_app::view_models::team::TeamPage;
use plexus_hub::{Error, teams};

use super::{
    one,
    replay::{ReplayQuery, at},
    report::with_report,
    team,
    view::page,
};
use crate::{
    app_state::AppState,
    web::{download, page::PageContext, secret_urls},
};

/// Creates the share link and shows it; it cannot be shown again.
pub async fn make(State(site): State<AppState>, visit: PageContext, Path(id): Path<String>) -> Response {
    let made = made(&site, &visit, &id).await;
    visit.show_or_refuse(made)
}

async fn made(site: &AppState, visit: &PageContext, id: &str) -> Result<TeamPage, Error> {
    let word = teams::share(&site.hub, &visit.caller, team(id)?).await?;
    let mut page = one(site, visit, id).await?;
    if let Some(share) = page.report.as_mut().and_then(|report| report.share.as_mut()) {
        share.link = Some(link(site, &word));
    }
    Ok(page)
}

/// Returns the URL of a share link.
pub fn link(site: &AppState, word: &str) -> String {
    format!("{}s/{word}", site.hub.config().public_url)
}

pub async fn revoke(State(site): State<AppState>, visit: PageContext, Path(id): Path<String>) -> Response {
    let revoked = match team(&id) {
        Ok(team) => teams::unshare(&site.hub, &visit.caller, team).await,
        Err(refusal) => Err(refusal.into()),
    };
    match revoked {
        Ok(()) => Redirect::to(&format!("/teams/{id}")).into_response(),
        Err(error) => visit.refuse(error),
    }
}

pub async fn show(State(site): State<AppState>, visit: PageContext, Path(word): Path<String>) -> Response {
    let shown = shown(&site, &visit, &word).await;
    unlisted(visit.show_or_refuse(shown))
}

async fn shown(site: &AppState, visit: &PageContext, word: &str) -> Result<TeamPage, Error> {
    let (view, report) = teams::shared(&site.hub, &visit.caller, word).await?;
    let page = site.renderer.run(visit.caller.key(), move |renderer| page(view, true, renderer)).await?;
    Ok(with_report(page, report, &format!("/s/{word}"), visit.frame().locale))
}

pub async fn replay(
    State(site): State<AppState>,
    visit: PageContext,
    Path(word): Path<String>,
    Query(asked): Query<ReplayQuery>,
) -> Response {
    let shown = moment(&site, &visit, &word, &asked).await;
    unlisted(visit.show_or_refuse(shown))
}

async fn moment(
    site: &AppState,
    visit: &PageContext,
    word: &str,
    asked: &ReplayQuery,
) -> Result<TeamPage, Error> {
    let moment = teams::shared_moment(&site.hub, &visit.caller, word, asked.number()).await?;
    let (back, locale) = (format!("/s/{word}"), visit.frame().locale);
    site.renderer.run(visit.caller.key(), move |renderer| at(moment, &back, true, locale, renderer)).await
}

pub async fn file(
    State(site): State<AppState>,
    visit: PageContext,
    Path((word, sha256)): Path<(String, String)>,
) -> Response {
    unlisted(match teams::shared_file(&site.hub, &visit.caller, &word, &sha256).await {
        Ok(file) => download::respond(file),
        Err(error) => visit.refuse(error),
    })
}

/// Adds headers that protect the URL, because it is the credential: no caching, no indexing, no referrer.
pub fn unlisted(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(HeaderName::from_static("x-robots-tag"), HeaderValue::from_static("noindex, nofollow"));
    secret_urls::protect(headers);
    response
}
