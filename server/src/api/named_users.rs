//! The users that an agent with restricted access names.

use axum::{
    Json,
    extract::{Path, Query, State},
    http::StatusCode,
};
use plexus_domain::Address;
use plexus_hub::{Error, Hub, agents::named_users, caller::Caller};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::agent::AgentPath;
use crate::{
    app_state::AppState,
    web::{auth::ApiCaller, error::ApiResult, json_body::JsonBody},
};

/// The users that an agent names, in the order in which they were added.
#[derive(Serialize, ToSchema)]
pub struct NamedUsers {
    items: Vec<NamedUser>,
    /// Always null: the list is complete.
    #[schema(required)]
    next: Option<String>,
}

#[derive(Serialize, ToSchema)]
struct NamedUser {
    name: String,
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewNamedUser {
    /// Name of a user of this hub, with or without `@`.
    user: String,
}

/// The user in the query. An empty name matches no user: the error for a missing permission then takes precedence
/// over that for a missing parameter.
#[derive(Deserialize)]
pub struct WhichUser {
    #[serde(default)]
    user: String,
}

/// Lists the users that your agent names.
///
/// With access `listed`, only you and they find, see and call the agent.
#[utoipa::path(get, path = "/agents/{owner}/{name}/users", operation_id = "agents.users", tag = "Agents",
    params(AgentPath), security(("token" = ["agents"])),
    responses((status = OK, description = "The users.", body = NamedUsers)))]
pub async fn list(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
    Path(at): Path<AgentPath>,
) -> ApiResult<Json<NamedUsers>> {
    Ok(Json(of(&site.hub, &caller, &at.address()?).await?))
}

/// Returns the users that an agent names, for callers that may change it.
pub async fn of(hub: &Hub, caller: &Caller, agent: &Address) -> Result<NamedUsers, Error> {
    let users = named_users::list(hub, caller, agent).await?;
    Ok(NamedUsers {
        items: users.into_iter().map(|user| NamedUser { name: user.name.to_string() }).collect(),
        next: None,
    })
}

/// Adds a user of this hub to those that your agent names; idempotent.
///
/// It has an effect while the access of the agent is `listed`.
#[utoipa::path(post, path = "/agents/{owner}/{name}/users", operation_id = "agents.add_user", tag = "Agents",
    params(AgentPath), request_body = NewNamedUser, security(("token" = ["agents"])),
    responses((status = NO_CONTENT, description = "The agent names the user.")))]
pub async fn add(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
    Path(at): Path<AgentPath>,
    JsonBody(body): JsonBody<NewNamedUser>,
) -> ApiResult<StatusCode> {
    named_users::add(&site.hub, &caller, &at.address()?, &body.user).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Removes a user from those that your agent names.
///
/// Open streams and running answers of the agent for this user end.
#[utoipa::path(delete, path = "/agents/{owner}/{name}/users", operation_id = "agents.remove_user", tag = "Agents",
    params(AgentPath, ("user" = String, Query, description = "Name of the user.")),
    security(("token" = ["agents"])), responses((status = NO_CONTENT, description = "The user is removed.")))]
pub async fn remove(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
    Path(at): Path<AgentPath>,
    Query(which): Query<WhichUser>,
) -> ApiResult<StatusCode> {
    named_users::remove(&site.hub, &caller, &at.address()?, &which.user).await?;
    Ok(StatusCode::NO_CONTENT)
}
