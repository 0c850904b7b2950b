//! Bearer authentication for the protocol endpoints (A2A, MCP, OpenAI, Anthropic, ARD, JSON-RPC).
//!
//! A request without a token is anonymous. Session cookies are ignored here, so a page of another site cannot
//! act as the browser's user (CSRF). In conformance mode, requests without a token use the shared test
//! account.

use axum::{
    extract::{FromRequestParts, OriginalUri, Request, State},
    http::{HeaderValue, StatusCode, header, request::Parts},
    middleware::Next,
    response::{IntoResponse, Response},
};
use plexus_hub::{
    Caller, Error, accounts,
    caller::Scope,
    oauth_server::{DEFAULT_SCOPES, SCOPES},
};

use super::{
    auth::{admit, bearer},
    body_budget::BodyCharge,
    client_address::client_ip,
    host_check::RequestedOrigin,
};
use crate::{app_state::AppState, oauth::RESOURCE};

pub struct Bearer(pub Caller);

/// Authentication failure: an invalid token or an exceeded rate limit. Each protocol maps it to its own error
/// format.
pub struct InvalidToken(pub Error);

impl FromRequestParts<AppState> for Bearer {
    type Rejection = InvalidToken;

    async fn from_request_parts(parts: &mut Parts, site: &AppState) -> Result<Self, InvalidToken> {
        authenticate(parts, site, bearer(&parts.headers)).await.map(Self)
    }
}

/// Bearer authentication that also accepts the token in the header `x-api-key`, as Anthropic's clients send it.
/// A bearer token takes precedence.
pub struct ApiKey(pub Caller);

impl FromRequestParts<AppState> for ApiKey {
    type Rejection = InvalidToken;

    async fn from_request_parts(parts: &mut Parts, site: &AppState) -> Result<Self, InvalidToken> {
        let key = || parts.headers.get("x-api-key").map(|key| key.to_str().unwrap_or_default().trim());
        authenticate(parts, site, bearer(&parts.headers).or_else(key)).await.map(Self)
    }
}

async fn authenticate(parts: &Parts, site: &AppState, token: Option<&str>) -> Result<Caller, InvalidToken> {
    let authenticated = identify(parts, site, token).await;
    // Endpoints of protocols read the body before they answer, to repeat the id of the request in the error.
    if let (Err(_), Some(charge)) = (&authenticated, parts.extensions.get::<BodyCharge>()) {
        charge.refuse();
    }
    authenticated
}

async fn identify(parts: &Parts, site: &AppState, token: Option<&str>) -> Result<Caller, InvalidToken> {
    let ip = client_ip(parts, site);
    let caller = match token {
        None => Ok(match &site.conformance {
            Some(mode) => Caller { ip, ..mode.everybody.clone() },
            None => Caller::anonymous(ip),
        }),
        Some(token) => accounts::authenticate_token(&site.hub, token, parts.uri.path(), ip).await,
    };
    let caller = caller.map_err(InvalidToken)?;
    admit(parts, site, &caller).map_err(|limited| InvalidToken(limited.into()))?;
    Ok(caller)
}

impl IntoResponse for InvalidToken {
    fn into_response(self) -> Response {
        let (status, refusal) = super::error::public_message(self.0);
        (status, refusal.to_string() + "\n").into_response()
    }
}

/// Middleware: adds `WWW-Authenticate` to every 401 (RFC 6750 section 3), with the URL of the resource
/// metadata (RFC 9728 section 5.1).
pub async fn challenge(State(site): State<AppState>, request: Request, next: Next) -> Response {
    // A nested router removes the prefix from the request's path; `OriginalUri` has all of it.
    let whole = request.extensions().get::<OriginalUri>().map_or(request.uri(), |uri| &uri.0);
    let resource = resource_of(whole.path()).to_owned();
    let brought = bearer(request.headers()).is_some();
    let origin = RequestedOrigin::of(&site, request.uri(), request.headers());
    let mut response = next.run(request).await;
    if response.status() == StatusCode::UNAUTHORIZED {
        let error = if brought { "error=\"invalid_token\", " } else { "" };
        challenge_as(&origin, &resource, error, &DEFAULT_SCOPES, &mut response);
    }
    response
}

/// Adds the `insufficient_scope` challenge to a 403, so that a client can request more scopes.
pub fn lacks_scope(origin: &RequestedOrigin, path: &str, mut response: Response) -> Response {
    if response.status() == StatusCode::FORBIDDEN {
        challenge_as(origin, resource_of(path), "error=\"insufficient_scope\", ", &SCOPES, &mut response);
    }
    response
}

fn challenge_as(
    RequestedOrigin(origin): &RequestedOrigin,
    resource: &str,
    error: &str,
    scopes: &[Scope],
    response: &mut Response,
) {
    let scopes: Vec<&str> = scopes.iter().map(|scope| scope.as_str()).collect();
    let scopes = scopes.join(" ");
    let metadata = format!("{origin}{RESOURCE}{resource}");
    let value = format!("Bearer {error}scope=\"{scopes}\", resource_metadata=\"{metadata}\"");
    if let Ok(value) = HeaderValue::from_str(&value) {
        response.headers_mut().insert(header::WWW_AUTHENTICATE, value);
    }
}

/// Returns the protected resource that a path belongs to: an agent, or the base path of a protocol.
fn resource_of(path: &str) -> &str {
    let steps = match path.split('/').nth(1).unwrap_or_default() {
        "a2a" | "mcp" => 3,
        "api" | "ard" => 2,
        "rpc" | "v1" => 1,
        _ => 0,
    };
    let end = path.match_indices('/').nth(steps).map_or(path.len(), |(at, _)| at);
    // The path is not normalised and comes from the client; quotes could inject header parameters.
    let resource = path[..end].trim_end_matches('/');
    if resource.contains(['"', '\\']) { "" } else { resource }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_for_what_stands_at_the_beginning_of_a_path() {
        for (path, resource) in [
            ("/a2a/plexus/calc/rest/message:send", "/a2a/plexus/calc"),
            ("/a2a/plexus/calc/", "/a2a/plexus/calc"),
            ("/mcp", "/mcp"),
            ("/mcp/", "/mcp"),
            ("/mcp/ada/weaver", "/mcp/ada/weaver"),
            ("/api/v1/chats", "/api/v1"),
            ("/ard/v1/agents/x", "/ard/v1"),
            ("/v1/models", "/v1"),
            ("/rpc", "/rpc"),
            ("/.well-known/ard.json", ""),
            ("/mcp/a\"b/c", ""),
        ] {
            assert_eq!(resource_of(path), resource, "{path}");
        }
    }
}
