//! The caller's own credentials for an agent.

use axum::{
    Json,
    extract::{Path, State},
    http::StatusCode,
};
use plexus_domain::{Address, Error as Refusal};
use plexus_hub::{
    Caller, Error, Hub,
    agents::credentials::{self, CredentialInput, CredentialStatus, Scheme},
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::agent::AgentPath;
use crate::{
    app_state::AppState,
    web::{auth::ApiCaller, error::ApiResult, json_body::JsonBody},
};

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct OwnCredentials {
    /// User name, if the scheme needs one.
    #[serde(default)]
    user: String,
    /// Password, token or key; empty for a public OAuth client.
    #[serde(default)]
    secret: String,
}

/// The credentials that an agent requires from you.
#[derive(Serialize, ToSchema)]
pub struct RequiredCredentials {
    scheme: Scheme,
    /// Whether your credentials are stored, so that the agent can be called on your behalf.
    stored: bool,
    /// Whether your credentials are used for all callers, because you own the agent.
    shared: bool,
    /// The only origin of the agent to which your credentials, or tokens obtained with them, are sent.
    origin: String,
    /// Page on which to connect your account with OAuth; a program cannot give consent for you.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    connect_url: Option<String>,
}

/// Returns which credentials an agent requires from you.
///
/// 404 if the agent requires none.
#[utoipa::path(get, path = "/agents/{owner}/{name}/credentials", operation_id = "agents.get_credentials", tag = "Agents",
    params(AgentPath), security(("token" = ["read"])),
    responses((status = OK, description = "The required credentials and whether they are \
        stored.", body = RequiredCredentials)))]
pub async fn show(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
    Path(at): Path<AgentPath>,
) -> ApiResult<Json<RequiredCredentials>> {
    Ok(Json(required(&site.hub, &caller, &at.address()?).await?))
}

pub async fn required(hub: &Hub, caller: &Caller, address: &Address) -> Result<RequiredCredentials, Error> {
    let asked = credentials::credential_status(hub, caller, address).await?;
    let nothing = || Refusal::not_found(format!("{address} does not require your own credentials."));
    let CredentialStatus { scheme, stored, shared, origin, .. } = asked.ok_or_else(nothing)?;
    let by_person = matches!(&scheme, Scheme::Oauth2(oauth) if oauth.is_by_user());
    let page = format!("{}{address}/credentials", hub.config().public_url);
    let connect_url = by_person.then_some(page);
    Ok(RequiredCredentials { scheme, stored, shared, origin, connect_url })
}

/// Stores your own credentials for an agent. They are never returned by the API.
#[utoipa::path(put, path = "/agents/{owner}/{name}/credentials", operation_id = "agents.set_credentials", tag = "Agents",
    params(AgentPath), request_body = OwnCredentials, security(("token" = ["agents"])),
    responses((status = NO_CONTENT, description = "The credentials are stored.")))]
pub async fn set(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
    Path(at): Path<AgentPath>,
    JsonBody(body): JsonBody<OwnCredentials>,
) -> ApiResult<StatusCode> {
    let given = CredentialInput { user: body.user, secret: body.secret };
    credentials::set_credentials(&site.hub, &caller, &at.address()?, given).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Deletes your own credentials for an agent.
#[utoipa::path(delete, path = "/agents/{owner}/{name}/credentials", operation_id = "agents.delete_credentials",
    tag = "Agents", params(AgentPath), security(("token" = ["agents"])),
    responses((status = NO_CONTENT, description = "No credentials are stored.")))]
pub async fn delete(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
    Path(at): Path<AgentPath>,
) -> ApiResult<StatusCode> {
    credentials::delete_credentials(&site.hub, &caller, &at.address()?).await?;
    Ok(StatusCode::NO_CONTENT)
}
