//! Host header validation against DNS rebinding: the host must be this hub's. Another site could otherwise
//! point its own domain name at this hub's address.

use std::convert::Infallible;

use axum::{
    extract::{FromRequestParts, Request, State},
    http::{HeaderMap, StatusCode, Uri, header, request::Parts},
    middleware::Next,
    response::{IntoResponse as _, Response},
};
use plexus_domain::sanitized_text::{ellipsize, one_line};
use url::Url;

use crate::app_state::AppState;

/// Maximum length of a wrong host in an error message, in characters.
const MAX_SHOWN_HOST: usize = 100;

pub async fn check(State(site): State<AppState>, request: Request, next: Next) -> Response {
    let named = requested_host(request.uri(), request.headers());
    match named {
        Some(host) if own_origin(&site, host).is_some() => next.run(request).await,
        other => misdirected(&site, other.unwrap_or_default()),
    }
}

fn misdirected(site: &AppState, host: &str) -> Response {
    let public = &site.hub.config().public_url;
    let host = ellipsize(&one_line(host), MAX_SHOWN_HOST);
    let words = format!(
        "The Host header is \"{host}\", but this hub is \"{}\". Use {public}, let the proxy pass the Host header on, or set \
         PLEXUS_PUBLIC_URL.\n",
        public.authority()
    );
    (StatusCode::MISDIRECTED_REQUEST, words).into_response()
}

/// Extractor: the origin by which the client reached this hub, without a slash at the end. It may differ from the
/// public URL, as `http://localhost:3000`; clients compare it with the URL that they use (RFC 9728 section 3.3).
pub struct RequestedOrigin(pub String);

impl RequestedOrigin {
    pub fn of(site: &AppState, uri: &Uri, headers: &HeaderMap) -> Self {
        let asked = requested_host(uri, headers).and_then(|host| own_origin(site, host));
        Self(asked.unwrap_or_else(|| site.hub.config().issuer()))
    }
}

impl FromRequestParts<AppState> for RequestedOrigin {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, site: &AppState) -> Result<Self, Infallible> {
        Ok(Self::of(site, &parts.uri, &parts.headers))
    }
}

fn requested_host<'a>(uri: &'a Uri, headers: &'a HeaderMap) -> Option<&'a str> {
    let authority = uri.authority().map(|authority| authority.as_str());
    authority.or_else(|| headers.get(header::HOST)?.to_str().ok())
}

/// Returns the origin of a host and port that name this hub: as it was given if it is not the public one.
fn own_origin(site: &AppState, host: &str) -> Option<String> {
    let config = site.hub.config();
    let public = &config.public_url;
    if host.is_empty() || host.contains(['/', '\\', '?', '#', '@']) {
        return None;
    }
    let url: Url = format!("{}://{host}/", public.scheme()).parse().ok()?;
    if !config.is_own_origin(&url) {
        return None;
    }
    let is_plain = url.host_str().is_some_and(|host| !host.ends_with('.'));
    Some(if is_plain { url.origin().ascii_serialization() } else { config.issuer() })
}
