//! Host header validation against DNS rebinding: the host must be this hub's. Another site could otherwise
//! point its own domain name at this hub's address.

use axum::{
    extract::{Request, State},
    http::{StatusCode, header},
    middleware::Next,
    response::{IntoResponse as _, Response},
};

use crate::app_state::AppState;

pub async fn check(State(site): State<AppState>, request: Request, next: Next) -> Response {
    let named = request.uri().authority().map(|authority| authority.as_str().to_owned());
    let named = named.or_else(|| request.headers().get(header::HOST)?.to_str().ok().map(str::to_owned));
    match named {
        Some(host) if is_ours(&site, &host) => next.run(request).await,
        _ => (
            StatusCode::MISDIRECTED_REQUEST,
            "The Host header does not match this hub. Check PLEXUS_PUBLIC_URL.\n",
        )
            .into_response(),
    }
}

/// Returns whether the host is the public one, or on loopback a name of this machine with the same port.
pub fn is_ours(site: &AppState, host: &str) -> bool {
    let config = site.hub.config();
    let host = host.to_ascii_lowercase();
    let public = config.public_url.authority();
    if host == public {
        return true;
    }
    let port = config.public_url.port_or_known_default();
    let (name, given) = match host.rsplit_once(':') {
        Some((name, given)) if !given.ends_with(']') => (name, given.parse().ok()),
        _ => (host.as_str(), None),
    };
    config.on_loopback && matches!(name, "localhost" | "127.0.0.1" | "[::1]") && given == port
}
