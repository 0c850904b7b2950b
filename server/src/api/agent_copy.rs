//! Copies of model agents.

use axum::{
    Json,
    extract::{Path, State},
    http::StatusCode,
};
use plexus_domain::Address;
use plexus_hub::{Caller, Error, Hub, agents::copy_agent, caller::Scope};
use serde::Deserialize;
use utoipa::ToSchema;

use super::agent::{self, Agent, AgentPath};
use crate::{
    app_state::AppState,
    web::{auth::ApiCaller, error::ApiResult, json_body::JsonBody},
};

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewCopy {
    /// Name in the address of the copy.
    name: String,
}

/// Copies an agent with instructions: your own, or one whose owner allows copies.
///
/// The copy is private, and you are its owner. It has the instructions, settings and knowledge files, but no credentials.
#[utoipa::path(post, path = "/agents/{owner}/{name}/copy", operation_id = "agents.copy", tag = "Agents",
    params(AgentPath), request_body = NewCopy, security(("token" = ["read", "agents"])),
    responses((status = CREATED, description = "The copy.", body = Agent)))]
pub async fn copy(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
    Path(at): Path<AgentPath>,
    JsonBody(body): JsonBody<NewCopy>,
) -> ApiResult<(StatusCode, Json<Agent>)> {
    let copied = copy_to(&site.hub, &caller, &at.address()?, &body.name).await?;
    Ok((StatusCode::CREATED, Json(copied)))
}

pub async fn copy_to(hub: &Hub, caller: &Caller, address: &Address, name: &str) -> Result<Agent, Error> {
    // The response shows the agent.
    caller.may(Scope::Read)?;
    let copied = copy_agent(hub, caller, address, name).await?;
    agent::one(hub, caller, &copied.address).await
}
