//! What a team leaves: its log, and the link with which others may read it.

use axum::{
    Json,
    extract::{Path, Query, State},
    http::StatusCode,
};
use plexus_domain::{ChatId, team::Entry};
use plexus_hub::{Caller, Error, Hub, teams};
use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::IntoParams;

use super::id;
use crate::{
    pages::team::share::link,
    state::Site,
    web::{caller::Called, error::ApiResult},
};

/// Entries in one answer.
const MOST_ENTRIES: usize = 200;

/// Which entries.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct Entries {
    /// Those after this number; from the first unless given.
    after: Option<u64>,
}

/// What a team has said and done, as its log has it.
#[utoipa::path(get, path = "/teams/{team}/log", operation_id = "teams.log", tag = "Teams",
    params(("team" = ChatId, Path), Entries), security(("token" = ["read"])),
    responses((status = OK, description = "Entries, the oldest first, and the number to go on after.", body = Object)))]
pub async fn log(
    State(site): State<Site>,
    Called(caller): Called,
    Path(team_id): Path<String>,
    Query(asked): Query<Entries>,
) -> ApiResult<Json<Value>> {
    Ok(Json(page(&site.hub, &caller, id(&team_id)?, asked.after).await?))
}

/// The entries after a number, or the first ones.
pub async fn page(hub: &Hub, caller: &Caller, team: ChatId, after: Option<u64>) -> Result<Value, Error> {
    let entries = teams::log(hub, caller, team, after, MOST_ENTRIES).await?;
    let next = (entries.len() == MOST_ENTRIES).then(|| entries.last().map(Entry::seq));
    let items: Vec<Value> = entries.iter().map(entry).collect();
    Ok(json!({ "items": items, "next": next.flatten() }))
}

fn entry(entry: &Entry) -> Value {
    json!({ "number": entry.seq(), "at": entry.at(), "by": entry.by(), "event": entry.event() })
}

/// Makes a link with which anybody may read a team of yours that has ended, in place of the one before.
#[utoipa::path(post, path = "/teams/{team}/share", operation_id = "teams.share", tag = "Teams",
    params(("team" = ChatId, Path)), security(("token" = ["read", "team"])),
    responses((status = CREATED, description = "The link, which is not shown again.", body = Object)))]
pub async fn share(
    State(site): State<Site>,
    Called(caller): Called,
    Path(team_id): Path<String>,
) -> ApiResult<(StatusCode, Json<Value>)> {
    Ok((StatusCode::CREATED, Json(shared(&site, &caller, id(&team_id)?).await?)))
}

/// A new link to a team.
pub async fn shared(site: &Site, caller: &Caller, team: ChatId) -> Result<Value, Error> {
    let word = teams::share(&site.hub, caller, team).await?;
    Ok(json!({ "url": link(site, &word) }))
}

/// Makes that link good for nothing.
#[utoipa::path(delete, path = "/teams/{team}/share", operation_id = "teams.unshare", tag = "Teams",
    params(("team" = ChatId, Path)), security(("token" = ["team"])),
    responses((status = NO_CONTENT, description = "It leads nowhere.")))]
pub async fn unshare(
    State(site): State<Site>,
    Called(caller): Called,
    Path(team_id): Path<String>,
) -> ApiResult<StatusCode> {
    teams::unshare(&site.hub, &caller, id(&team_id)?).await?;
    Ok(StatusCode::NO_CONTENT)
}
