//! The log of a team, and its public share link.

use axum::{
    Json,
    extract::{Path, Query, State},
    http::StatusCode,
};
use plexus_domain::{ChatId, team::LogEntry};
use plexus_hub::{Caller, Error, Hub, teams};
use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::IntoParams;

use super::id;
use crate::{
    app_state::AppState,
    pages::team::share::link,
    web::{auth::ApiCaller, error::ApiResult},
};

/// Maximum number of entries per page.
const MAX_ENTRIES: usize = 200;

/// Page of a team's log.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct Entries {
    /// Number of the entry after which the page starts; default: the beginning.
    after: Option<u64>,
}

/// Returns the entries of a team's log.
#[utoipa::path(get, path = "/teams/{team}/log", operation_id = "teams.log", tag = "Teams",
    params(("team" = ChatId, Path), Entries), security(("token" = ["read"])),
    responses((status = OK, description = "Entries, oldest first, and the number of the last one for the \
        next page.", body = Object)))]
pub async fn log(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
    Path(team_id): Path<String>,
    Query(asked): Query<Entries>,
) -> ApiResult<Json<Value>> {
    Ok(Json(page(&site.hub, &caller, id(&team_id)?, asked.after).await?))
}

/// Returns the entries after a number, or the first ones.
pub async fn page(hub: &Hub, caller: &Caller, team: ChatId, after: Option<u64>) -> Result<Value, Error> {
    let entries = teams::log(hub, caller, team, after, MAX_ENTRIES).await?;
    let next = (entries.len() == MAX_ENTRIES).then(|| entries.last().map(LogEntry::seq));
    let items: Vec<Value> = entries.iter().map(entry).collect();
    Ok(json!({ "items": items, "next": next.flatten() }))
}

fn entry(entry: &LogEntry) -> Value {
    json!({ "seq": entry.seq(), "at": entry.at(), "by": entry.by(), "event": entry.event() })
}

/// Creates a share link with which anyone can read your team.
///
/// The team must have ended. A previous link becomes invalid.
#[utoipa::path(post, path = "/teams/{team}/share", operation_id = "teams.share", tag = "Teams",
    params(("team" = ChatId, Path)), security(("token" = ["read", "team"])),
    responses((status = CREATED, description = "The share link. It is shown only once.", body = Object)))]
pub async fn share(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
    Path(team_id): Path<String>,
) -> ApiResult<(StatusCode, Json<Value>)> {
    Ok((StatusCode::CREATED, Json(shared(&site, &caller, id(&team_id)?).await?)))
}

/// Creates a share link.
pub async fn shared(site: &AppState, caller: &Caller, team: ChatId) -> Result<Value, Error> {
    let word = teams::share(&site.hub, caller, team).await?;
    Ok(json!({ "url": link(site, &word) }))
}

/// Revokes the share link of a team.
#[utoipa::path(delete, path = "/teams/{team}/share", operation_id = "teams.unshare", tag = "Teams",
    params(("team" = ChatId, Path)), security(("token" = ["team"])),
    responses((status = NO_CONTENT, description = "The share link is removed.")))]
pub async fn unshare(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
    Path(team_id): Path<String>,
) -> ApiResult<StatusCode> {
    teams::unshare(&site.hub, &caller, id(&team_id)?).await?;
    Ok(StatusCode::NO_CONTENT)
}
