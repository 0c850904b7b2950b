//! Who calls at the protocol edges: a bearer token, or nobody. The cookie of a browser counts for nothing there, so a
//! page elsewhere cannot speak for the person who looks at it. On a hub for test kits nobody is the account that
//! everybody is.

use axum::{
    extract::{FromRequestParts, OriginalUri, Request, State},
    http::{HeaderValue, StatusCode, header, request::Parts},
    middleware::Next,
    response::{IntoResponse, Response},
};
use plexus_hub::{Caller, Error, accounts, caller::Scope, oauth::SCOPES};

use super::{caller::bearer, client_address::client_ip};
use crate::{oauth::RESOURCE, state::Site};

pub struct Bearer(pub Caller);

/// A token that is not good, or a caller that asks too often. Each protocol says the rest in its own words.
pub struct Unknown(pub Error);

impl FromRequestParts<Site> for Bearer {
    type Rejection = Unknown;

    async fn from_request_parts(parts: &mut Parts, site: &Site) -> Result<Self, Unknown> {
        let ip = client_ip(parts, site);
        let caller = match bearer(&parts.headers) {
            None => Ok(match &site.conformance {
                Some(mode) => Caller { ip, ..mode.everybody.clone() },
                None => Caller::nobody(ip),
            }),
            Some(token) => accounts::authenticate_token(&site.hub, token, parts.uri.path(), ip).await,
        };
        let caller = caller.map_err(Unknown)?;
        site.hub.limits().admit(&caller).map_err(|limited| Unknown(limited.into()))?;
        Ok(Self(caller))
    }
}

impl IntoResponse for Unknown {
    fn into_response(self) -> Response {
        let (status, refusal) = super::error::say(self.0);
        (status, refusal.to_string() + "\n").into_response()
    }
}

/// Says in each 401 how to get a token (RFC 6750 section 3), and where a client that can sign people in reads the rest
/// (RFC 9728 section 5.1).
pub async fn challenge(State(site): State<Site>, request: Request, next: Next) -> Response {
    // In a nested router the request itself has lost the beginning of its path.
    let whole = request.extensions().get::<OriginalUri>().map_or(request.uri(), |uri| &uri.0);
    let resource = resource_of(whole.path()).to_owned();
    let brought = request.headers().contains_key(header::AUTHORIZATION);
    let mut response = next.run(request).await;
    if response.status() == StatusCode::UNAUTHORIZED {
        challenge_as(&site, &resource, if brought { "error=\"invalid_token\", " } else { "" }, &mut response);
    }
    response
}

/// The same in a 403, for a client that can ask for more.
pub fn lacks_scope(site: &Site, path: &str, mut response: Response) -> Response {
    if response.status() == StatusCode::FORBIDDEN {
        challenge_as(site, resource_of(path), "error=\"insufficient_scope\", ", &mut response);
    }
    response
}

fn challenge_as(site: &Site, resource: &str, error: &str, response: &mut Response) {
    let scopes = SCOPES.map(Scope::as_str).join(" ");
    let metadata = format!("{}{RESOURCE}{resource}", site.hub.config().issuer());
    let value = format!("Bearer {error}scope=\"{scopes}\", resource_metadata=\"{metadata}\"");
    if let Ok(value) = HeaderValue::from_str(&value) {
        response.headers_mut().insert(header::WWW_AUTHENTICATE, value);
    }
}

/// What a token would be for at this path: an agent, or all that one protocol reaches.
fn resource_of(path: &str) -> &str {
    let steps = match path.split('/').nth(1).unwrap_or_default() {
        "a2a" | "mcp" => 3,
        "api" | "ard" => 2,
        "rpc" | "v1" => 1,
        _ => 0,
    };
    let end = path.match_indices('/').nth(steps).map_or(path.len(), |(at, _)| at);
    // The path is as it came.
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
