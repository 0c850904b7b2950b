//! Who calls at the protocol edges: a bearer token, or nobody. The cookie of a browser counts for nothing there, so a
//! page elsewhere cannot speak for the person who looks at it. On a hub for test kits nobody is the account that
//! everybody is.

use axum::{
    extract::FromRequestParts,
    http::{HeaderValue, StatusCode, header, request::Parts},
    response::{IntoResponse, Response},
};
use plexus_hub::{Caller, Error, accounts, caller::Scope, oauth::SCOPES};

use super::caller::{bearer, client_ip};
use crate::{oauth::RESOURCE, state::Site};

pub struct Bearer(pub Caller);

/// A token that is not good. Each protocol says the rest in its own words.
pub struct Unknown(pub Error);

impl FromRequestParts<Site> for Bearer {
    type Rejection = Unknown;

    async fn from_request_parts(parts: &mut Parts, site: &Site) -> Result<Self, Unknown> {
        let ip = client_ip(parts, site);
        match bearer(&parts.headers) {
            None => Ok(Self(match &site.conformance {
                Some(mode) => Caller { ip, ..mode.everybody.clone() },
                None => Caller::nobody(ip),
            })),
            Some(token) => accounts::authenticate_token(&site.hub, token, parts.uri.path(), ip)
                .await
                .map(Self)
                .map_err(Unknown),
        }
    }
}

impl IntoResponse for Unknown {
    fn into_response(self) -> Response {
        let (status, refusal) = super::error::say(self.0);
        challenged(status, (status, refusal.to_string() + "\n").into_response())
    }
}

/// The same for a client that can sign people in: where it reads how (RFC 9728 section 5.1), and what it lacks.
pub fn challenged_at(site: &Site, path: &str, status: StatusCode, mut response: Response) -> Response {
    let error = match status {
        StatusCode::UNAUTHORIZED => "",
        StatusCode::FORBIDDEN => "error=\"insufficient_scope\", ",
        _ => return response,
    };
    // The path is as it came.
    let path = if path.contains(['"', '\\']) { "" } else { path };
    let scopes = SCOPES.map(Scope::as_str).join(" ");
    let metadata = format!("{}{RESOURCE}{path}", site.hub.config().issuer());
    let value = format!("Bearer {error}scope=\"{scopes}\", resource_metadata=\"{metadata}\"");
    if let Ok(value) = HeaderValue::from_str(&value) {
        response.headers_mut().insert(header::WWW_AUTHENTICATE, value);
    }
    response
}

/// A 401 says how to sign in (RFC 6750 section 3).
pub fn challenged(status: StatusCode, mut response: Response) -> Response {
    if status == StatusCode::UNAUTHORIZED {
        let value = header::HeaderValue::from_static("Bearer");
        response.headers_mut().insert(header::WWW_AUTHENTICATE, value);
    }
    response
}
