//! The caller's starred agents.

use axum::{
    Json,
    extract::{Path, Query, State},
    http::StatusCode,
};
use plexus_domain::{AgentId, Timestamp, page::PageSize};
use plexus_hub::{
    Error, Hub,
    agents::stars::{self, StarCursor},
    caller::{Caller, Scope},
};
use serde::Deserialize;
use utoipa::IntoParams;

use super::{
    agent::AgentPath,
    agent_lists::{AgentList, no_size},
};
use crate::{
    app_state::AppState,
    web::{auth::ApiCaller, error::ApiResult, search_cursor},
};

/// Stars an agent; idempotent.
#[utoipa::path(put, path = "/agents/{owner}/{name}/star", operation_id = "agents.star", tag = "Agents", params(AgentPath),
    security(("token" = ["agents"])), responses((status = NO_CONTENT, description = "The star is added.")))]
pub async fn star(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
    Path(at): Path<AgentPath>,
) -> ApiResult<StatusCode> {
    stars::star(&site.hub, &caller, &at.address()?).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Removes your star from an agent.
#[utoipa::path(delete, path = "/agents/{owner}/{name}/star", operation_id = "agents.unstar", tag = "Agents", params(AgentPath),
    security(("token" = ["agents"])), responses((status = NO_CONTENT, description = "The star is removed.")))]
pub async fn unstar(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
    Path(at): Path<AgentPath>,
) -> ApiResult<StatusCode> {
    stars::unstar(&site.hub, &caller, &at.address()?).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct StarredQuery {
    /// The `next` of the previous page.
    after: Option<String>,
    /// Rows per page; default 20.
    #[param(minimum = 1, maximum = 100)]
    limit: Option<u16>,
}

/// Lists the agents that you starred, most recently starred first.
#[utoipa::path(get, path = "/starred", operation_id = "agents.starred", tag = "Agents", params(StarredQuery),
    security(("token" = ["read"])), responses((status = OK, description = "A page of the \
        list.", body = AgentList)))]
pub async fn list(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
    Query(query): Query<StarredQuery>,
) -> ApiResult<Json<AgentList>> {
    let size = query.limit.map_or(Some(PageSize::DEFAULT), |rows| PageSize::new(rows).ok());
    Ok(Json(starred(&site.hub, &caller, query.after.as_deref(), size.ok_or_else(no_size)?).await?))
}

/// Returns a page of starred agents, starting after the cursor.
pub async fn starred(
    hub: &Hub,
    caller: &Caller,
    after: Option<&str>,
    size: PageSize,
) -> Result<AgentList, Error> {
    // Check the scope first, so that a missing permission takes precedence over an invalid cursor.
    caller.may(Scope::Read)?;
    let after = match after {
        Some(text) => Some(read(text).ok_or_else(search_cursor::not_a_cursor)?),
        None => None,
    };
    let (rows, next) = stars::starred(hub, caller, after, size).await?;
    Ok(AgentList::plain(rows, next.map(token)))
}

/// Encodes a cursor.
pub fn token((at, agent): StarCursor) -> String {
    format!("{}-{agent}", at.millis())
}

/// Decodes a cursor; `None` if it is invalid.
pub fn read(text: &str) -> Option<StarCursor> {
    let (millis, agent) = text.split_once('-')?;
    Some((Timestamp::from_millis(millis.parse().ok()?), agent.parse::<AgentId>().ok()?))
}
