//! Dynamic client registration endpoint (RFC 7591).

use axum::{
    Json,
    body::Bytes,
    extract::{State, rejection::BytesRejection},
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use plexus_hub::{
    caller::Scope,
    oauth_server::{self, RegisteredClient, RegistrationError, SCOPES},
};
use serde_json::json;

use super::token::error_response;
use crate::{app_state::AppState, web::auth::ClientIp};

/// Maximum size of a registration request.
pub const MAX_BYTES: usize = 16 * 1024;

pub async fn register(
    State(site): State<AppState>,
    ClientIp(ip): ClientIp,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    if let Err(error) = oauth_server::admit(&site.hub, ip) {
        return error_response(error.into());
    }
    let Ok(body) = body else {
        let words = format!("The client metadata cannot be read. Send at most {MAX_BYTES} bytes of JSON.");
        return refuse("invalid_client_metadata", &words);
    };
    let mut response = match oauth_server::register(&site.hub, &body) {
        Ok(client) => registered(&client),
        Err(RegistrationError::RedirectUri(words)) => refuse("invalid_redirect_uri", &words),
        Err(RegistrationError::ClientMetadata(words)) => refuse("invalid_client_metadata", &words),
    };
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// Returns the metadata as registered. Clients are public: other authentication methods are replaced by
/// `none`, as section 3.2.1 allows.
fn registered(client: &RegisteredClient) -> Response {
    let body = json!({
        "client_id": client.id,
        "client_id_issued_at": client.issued_at.millis() / 1_000,
        "client_name": client.name,
        "redirect_uris": client.redirect_uris,
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
        "scope": SCOPES.map(Scope::as_str).join(" "),
    });
    (StatusCode::CREATED, Json(body)).into_response()
}

fn refuse(error: &str, description: &str) -> Response {
    let body = json!({ "error": error, "error_description": description });
    (StatusCode::BAD_REQUEST, Json(body)).into_response()
}
