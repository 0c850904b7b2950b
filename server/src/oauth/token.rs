//! Token endpoint (authorization code: RFC 6749 section 4.1.3, refresh token: section 6) and token revocation
//! (RFC 7009).

use axum::{
    Json,
    extract::State,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use plexus_domain::Error as Refusal;
use plexus_hub::oauth_server::{self, IssuedTokens, TokenRefusal};
use serde_json::json;

use crate::{
    app_state::AppState,
    web::{
        auth::ClientIp,
        error::{public_message, retry_after},
        form::Fields,
    },
};

pub async fn give(State(site): State<AppState>, ClientIp(ip): ClientIp, fields: Fields) -> Response {
    if let Err(error) = oauth_server::admit(&site.hub, ip) {
        return unkept(error_response(error.into()));
    }
    let (client, resource) = (fields.get("client_id"), fields.get("resource"));
    let given = match fields.get("grant_type") {
        "authorization_code" => {
            let (code, redirect) = (fields.get("code"), fields.get("redirect_uri"));
            oauth_server::exchange(&site.hub, client, code, redirect, fields.get("code_verifier"), resource)
                .await
        }
        "refresh_token" => {
            oauth_server::refresh(&site.hub, client, fields.get("refresh_token"), resource).await
        }
        _ => {
            return refuse(
                "unsupported_grant_type",
                "Supported grant types: authorization_code and refresh_token.",
            );
        }
    };
    unkept(given.map_or_else(error_response, |tokens| token_response(&tokens)))
}

pub(super) fn error_response(refused: TokenRefusal) -> Response {
    match refused {
        TokenRefusal::Grant => refuse(
            "invalid_grant",
            "The code or token is unknown, used, expired, or belongs to another client.",
        ),
        TokenRefusal::Target => refuse("invalid_target", "The user authorized another resource."),
        TokenRefusal::Fault(error) => {
            let (status, refusal) = public_message(error);
            let code = match refusal {
                Refusal::RateLimited { .. } => "temporarily_unavailable",
                _ => "server_error",
            };
            let body = json!({ "error": code, "error_description": refusal.to_string() });
            let mut response = (status, Json(body)).into_response();
            if let Some(seconds) = retry_after(&refusal) {
                response.headers_mut().insert(header::RETRY_AFTER, seconds);
            }
            response
        }
    }
}

/// Revokes a token. Returns 200 for unknown tokens too, as RFC 7009 requires.
pub async fn revoke(State(site): State<AppState>, ClientIp(ip): ClientIp, fields: Fields) -> Response {
    if let Err(error) = oauth_server::admit(&site.hub, ip) {
        return unkept(error_response(error.into()));
    }
    let Some(token) = fields.given("token") else {
        return refuse("invalid_request", "Missing token to revoke.");
    };
    match oauth_server::withdraw(&site.hub, fields.get("client_id"), token).await {
        Ok(()) => StatusCode::OK.into_response(),
        Err(refused) => error_response(refused),
    }
}

fn token_response(tokens: &IssuedTokens) -> Response {
    Json(json!({
        "access_token": tokens.access,
        "token_type": "Bearer",
        "expires_in": tokens.lives.as_secs(),
        "refresh_token": tokens.refresh,
        "scope": tokens.scopes.join(" "),
    }))
    .into_response()
}

fn refuse(error: &str, description: &str) -> Response {
    let body = json!({ "error": error, "error_description": description });
    (StatusCode::BAD_REQUEST, Json(body)).into_response()
}

fn unkept(mut response: Response) -> Response {
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
