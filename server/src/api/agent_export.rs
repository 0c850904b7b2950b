//! Export of a model agent, and import as a new agent.

use axum::{
    Json,
    body::Bytes,
    extract::{FromRequest, Path, Query, Request, State},
    http::StatusCode,
    response::{IntoResponse as _, Response},
};
use plexus_hub::{
    Error,
    agents::{self, AgentExport, ImportChoices, export_too_large},
    caller::Scope,
};
use serde::Deserialize;
use utoipa::IntoParams;

use super::agent::{self, Agent, AgentPath};
use crate::{
    app_state::AppState,
    web::{
        auth::{ApiCaller, WithoutAccount},
        download,
        error::{ApiError, ApiResult},
        json_body::{JSON, body_error, is_of_type, not_json},
    },
};

/// Maximum size of a request body in bytes.
pub const MAX_BODY: usize = agents::MAX_AGENT_EXPORT_BYTES;

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ImportQuery {
    /// Name in the agent's address. Default: that of the document.
    #[serde(default)]
    name: String,
    /// Model of this hub. Default: that of the document.
    #[serde(default)]
    model: String,
}

/// Exports your agent as one document of the format `plexus-agent/1`.
///
/// The agent must have instructions and a model of this hub. The document has its knowledge files, but no credentials
/// and no part of a URL that may be a key.
#[utoipa::path(get, path = "/agents/{owner}/{name}/export", operation_id = "agents.export", tag = "Agents",
    params(AgentPath), security(("token" = ["agents"])),
    responses((status = OK, description = "The agent.", body = AgentExport)))]
pub async fn export(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
    Path(at): Path<AgentPath>,
) -> ApiResult<Response> {
    let export = agents::export_agent(&site.hub, &caller, &at.address()?).await?;
    Ok(download::agent(&export).map_err(Error::fault)?)
}

/// Body of an import. The hub parses it, since it bounds the lists.
pub struct AgentDocument(Bytes);

impl FromRequest<AppState> for AgentDocument {
    type Rejection = Response;

    async fn from_request(request: Request, site: &AppState) -> Result<Self, Response> {
        if let Some(WithoutAccount(refusal)) = request.extensions().get() {
            return Err(ApiError::from(refusal.clone()).into_response());
        }
        if !is_of_type(request.headers(), &[JSON]) {
            return Err(not_json());
        }
        let body = Bytes::from_request(request, site).await.map_err(|rejection| {
            ApiError::from(body_error(&rejection, export_too_large())).into_response()
        })?;
        Ok(Self(body))
    }
}

/// Creates an agent from an exported one.
///
/// The agent is private, and you are its owner. Its MCP servers are not called until its first answer. They may need
/// credentials, which the document does not have.
#[utoipa::path(post, path = "/agents/import", operation_id = "agents.import", tag = "Agents", params(ImportQuery),
    request_body = AgentExport, security(("token" = ["read", "agents"])),
    responses((status = CREATED, description = "The new agent.", body = Agent)))]
pub async fn import(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
    Query(query): Query<ImportQuery>,
    AgentDocument(body): AgentDocument,
) -> ApiResult<(StatusCode, Json<Agent>)> {
    // The response shows the agent.
    caller.may(Scope::Read)?;
    let choices = ImportChoices { name: query.name, model: query.model };
    let imported = agents::import_agent(&site.hub, &caller, body.into(), choices).await?;
    Ok((StatusCode::CREATED, Json(agent::one(&site.hub, &caller, &imported.address).await?)))
}
