//! Credentials with which the hub authenticates to the MCP servers of an agent.

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

use super::agent::AgentPath;
use crate::{
    app_state::AppState,
    web::{auth::ApiCaller, error::ApiResult, json_body::JsonBody},
};

#[derive(Serialize, ToSchema)]
pub struct ToolServers {
    items: Vec<ToolServer>,
    /// Always null: the list is complete.
    #[schema(required)]
    next: Option<String>,
}

/// An MCP server of an agent, with the scheme of its stored credentials.
#[derive(Serialize, ToSchema)]
struct ToolServer {
    url: String,
    /// Scheme of the stored credentials; null if none are stored.
    #[schema(required)]
    scheme: Option<Scheme>,
}

/// Credentials for one MCP server.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolServerCredentials {
    /// URL of the server, exactly as it is attached.
    url: String,
    /// Header that carries the API key, such as `X-API-Key`; if empty, the secret is sent as bearer token.
    #[serde(default)]
    header: String,
    secret: String,
}

/// The server in the query. An empty URL matches no server: the error for a missing permission then takes
/// precedence over that for a missing parameter.
#[derive(Deserialize)]
pub struct WhichServer {
    #[serde(default)]
    url: String,
}

/// Lists the MCP servers of your agent that have a URL, and for which of them credentials are stored.
#[utoipa::path(get, path = "/agents/{owner}/{name}/tools/credentials", operation_id = "agents.tool_servers", tag = "Agents",
    params(AgentPath), security(("token" = ["agents"])),
    responses((status = OK, description = "The servers.", body = ToolServers)))]
pub async fn list(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
    Path(at): Path<AgentPath>,
) -> ApiResult<Json<ToolServers>> {
    Ok(Json(of(&site.hub, &caller, &at.address()?).await?))
}

/// Returns the MCP servers of an agent, for callers that may change it.
pub async fn of(hub: &Hub, caller: &Caller, agent: &Address) -> Result<ToolServers> {
    let found = tool_credentials::servers(hub, caller, agent).await?;
    let server = |found: tool_credentials::ToolServer| ToolServer { url: found.url, scheme: found.scheme };
    Ok(ToolServers { items: found.into_iter().map(server).collect(), next: None })
}

/// Stores a token or API key for an MCP server of your agent.
///
/// The server must accept it first. It is never returned by the API.
#[utoipa::path(put, path = "/agents/{owner}/{name}/tools/credentials", operation_id = "agents.set_tool_credentials",
    tag = "Agents", params(AgentPath), request_body = ToolServerCredentials, security(("token" = ["agents"])),
    responses((status = NO_CONTENT, description = "The credential is stored.")))]
pub async fn set(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
    Path(at): Path<AgentPath>,
    JsonBody(body): JsonBody<ToolServerCredentials>,
) -> ApiResult<StatusCode> {
    let ToolServerCredentials { url, header, secret } = body;
    tool_credentials::set(&site.hub, &caller, &at.address()?, ForServer { url, header, secret }).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Deletes the credentials for an MCP server of your agent.
#[utoipa::path(delete, path = "/agents/{owner}/{name}/tools/credentials", operation_id = "agents.delete_tool_credentials",
    tag = "Agents", params(AgentPath, ("url" = String, Query, description = "URL of the MCP server.")),
    security(("token" = ["agents"])), responses((status = NO_CONTENT, description = "No credential is stored \
        for it.")))]
pub async fn delete(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
    Path(at): Path<AgentPath>,
    Query(which): Query<WhichServer>,
) -> ApiResult<StatusCode> {
    tool_credentials::delete(&site.hub, &caller, &at.address()?, &which.url).await?;
    Ok(StatusCode::NO_CONTENT)
}
