//! What the MCP servers of an agent are shown to let the hub in.

use axum::{
    Json,
    extract::{Path, Query, State},
    http::StatusCode,
};
use plexus_domain::Address;
use plexus_hub::{
    Caller, Hub, Result,
    agents::{
        credentials::Scheme,
        tool_credentials::{self, ForServer},
    },
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::agent::At;
use crate::{
    state::Site,
    web::{body::JsonBody, caller::Called, error::ApiResult},
};

#[derive(Serialize, ToSchema)]
pub struct ToolServers {
    items: Vec<ToolServer>,
}

/// An MCP server of an agent, and what is kept for it.
#[derive(Serialize, ToSchema)]
struct ToolServer {
    url: String,
    /// How it is shown what is kept; null while nothing is.
    #[schema(required)]
    scheme: Option<Scheme>,
}

/// What one MCP server is shown from now on.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct GivenToServer {
    /// The address of the server, as it is attached.
    url: String,
    /// The header that an API key is sent in, such as `X-API-Key`; a bearer token without it.
    #[serde(default)]
    header: String,
    secret: String,
}

/// Which server. An empty one names none, which a caller without permission does not learn.
#[derive(Deserialize)]
pub struct WhichServer {
    #[serde(default)]
    url: String,
}

/// Lists the MCP servers of your agent that are reached at an address, and says for which of them something is kept.
#[utoipa::path(get, path = "/agents/{owner}/{name}/tools/credentials", operation_id = "agents.tool_servers", tag = "Agents",
    params(At), security(("token" = ["agents"])),
    responses((status = OK, description = "The servers.", body = ToolServers)))]
pub async fn list(
    State(site): State<Site>,
    Called(caller): Called,
    Path(at): Path<At>,
) -> ApiResult<Json<ToolServers>> {
    Ok(Json(of(&site.hub, &caller, &at.address()?).await?))
}

/// The tool servers of an agent, which only those who may change it see.
pub async fn of(hub: &Hub, caller: &Caller, agent: &Address) -> Result<ToolServers> {
    let found = tool_credentials::servers(hub, caller, agent).await?;
    let server = |found: tool_credentials::ToolServer| ToolServer { url: found.url, scheme: found.scheme };
    Ok(ToolServers { items: found.into_iter().map(server).collect() })
}

/// Gives a token or key for an MCP server of your agent, once the server takes it. It is never told again.
#[utoipa::path(put, path = "/agents/{owner}/{name}/tools/credentials", operation_id = "agents.give_tool_credentials",
    tag = "Agents", params(At), request_body = GivenToServer, security(("token" = ["agents"])),
    responses((status = NO_CONTENT, description = "It is kept.")))]
pub async fn give(
    State(site): State<Site>,
    Called(caller): Called,
    Path(at): Path<At>,
    JsonBody(body): JsonBody<GivenToServer>,
) -> ApiResult<StatusCode> {
    let GivenToServer { url, header, secret } = body;
    tool_credentials::give(&site.hub, &caller, &at.address()?, ForServer { url, header, secret }).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Drops what was given for an MCP server of your agent.
#[utoipa::path(delete, path = "/agents/{owner}/{name}/tools/credentials", operation_id = "agents.forget_tool_credentials",
    tag = "Agents", params(At, ("url" = String, Query, description = "The address of the server.")),
    security(("token" = ["agents"])), responses((status = NO_CONTENT, description = "Nothing is kept for it.")))]
pub async fn forget(
    State(site): State<Site>,
    Called(caller): Called,
    Path(at): Path<At>,
    Query(which): Query<WhichServer>,
) -> ApiResult<StatusCode> {
    tool_credentials::forget(&site.hub, &caller, &at.address()?, &which.url).await?;
    Ok(StatusCode::NO_CONTENT)
}
