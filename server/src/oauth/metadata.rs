//! OAuth metadata documents: authorization server (RFC 8414) and protected resources (RFC 9728).

use axum::{
    Json,
    extract::{Path, State},
};
use plexus_hub::{
    agents::oauth_connect,
    caller::Scope,
    oauth_server::{DEFAULT_SCOPES, SCOPES},
};
use serde_json::{Value, json};

use super::{AUTHORIZE, REGISTER, REVOKE, TOKEN};
use crate::{app_state::AppState, web::host_check::RequestedOrigin};

pub async fn server(RequestedOrigin(issuer): RequestedOrigin) -> Json<Value> {
    Json(json!({
        "issuer": issuer,
        "authorization_endpoint": format!("{issuer}{AUTHORIZE}"),
        "token_endpoint": format!("{issuer}{TOKEN}"),
        "registration_endpoint": format!("{issuer}{REGISTER}"),
        "revocation_endpoint": format!("{issuer}{REVOKE}"),
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "token_endpoint_auth_methods_supported": ["none"],
        "revocation_endpoint_auth_methods_supported": ["none"],
        "code_challenge_methods_supported": ["S256"],
        "scopes_supported": SCOPES.map(Scope::as_str),
        "client_id_metadata_document_supported": true,
        "authorization_response_iss_parameter_supported": true,
        "service_documentation": format!("{issuer}/docs/api"),
    }))
}

/// Returns the hub's own client metadata (OAuth Client ID Metadata Document). The hub uses it as a client of
/// agents' authorization servers when the agent's owner configured no client.
pub async fn client(State(site): State<AppState>) -> Json<Value> {
    let config = site.hub.config();
    Json(json!({
        "client_id": oauth_connect::client_document(&site.hub).as_str(),
        "client_name": config.hub_name,
        "client_uri": config.public_url.as_str(),
        "redirect_uris": [oauth_connect::redirect(&site.hub).as_str()],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
    }))
}

/// Returns the resource metadata of the hub as a whole.
pub async fn whole(State(site): State<AppState>, origin: RequestedOrigin) -> Json<Value> {
    resource(&site, &origin, "")
}

/// Returns the resource metadata of one path, such as an MCP server.
pub async fn part(
    State(site): State<AppState>,
    origin: RequestedOrigin,
    Path(path): Path<String>,
) -> Json<Value> {
    resource(&site, &origin, &path)
}

fn resource(site: &AppState, RequestedOrigin(origin): &RequestedOrigin, path: &str) -> Json<Value> {
    let config = site.hub.config();
    Json(json!({
        "resource": format!("{origin}/{path}"),
        "resource_name": config.hub_name,
        "authorization_servers": [origin],
        "scopes_supported": DEFAULT_SCOPES.map(Scope::as_str),
        "bearer_methods_supported": ["header"],
        "resource_documentation": format!("{origin}/docs/api"),
    }))
}
