//! Origin check: browser pages may call only from the hub's own origin or from origins configured by the
//! operator. Programs send no origin.

use axum::{
    extract::{Request, State},
    http::{HeaderValue, Method, StatusCode, header},
    middleware::Next,
    response::Response,
};
use tower_http::cors::{AllowHeaders, AllowOrigin, CorsLayer, ExposeHeaders};
use url::Url;

use super::envelope;
use crate::{app_state::AppState, web::host_check::is_ours};

pub async fn check(State(site): State<AppState>, request: Request, next: Next) -> Response {
    match request.headers().get(header::ORIGIN) {
        Some(origin) if !is_allowed(&site, origin) => {
            let words = "This origin is not allowed. The operator can add it to PLEXUS_MCP_ALLOWED_ORIGINS.";
            envelope::error(StatusCode::FORBIDDEN, envelope::INVALID_REQUEST, words)
        }
        _ => next.run(request).await,
    }
}

/// Answers CORS preflight requests for allowed origins.
pub fn cors(site: AppState) -> CorsLayer {
    let exposed = [header::WWW_AUTHENTICATE, header::HeaderName::from_static("mcp-session-id")];
    CorsLayer::new()
        .allow_origin(AllowOrigin::predicate(move |origin, _| is_allowed(&site, origin)))
        .allow_methods([Method::POST])
        .allow_headers(AllowHeaders::mirror_request())
        .expose_headers(ExposeHeaders::list(exposed))
}

fn is_allowed(site: &AppState, origin: &HeaderValue) -> bool {
    let Ok(origin) = origin.to_str() else { return false };
    site.hub.config().mcp_allowed_origins.iter().any(|known| known.eq_ignore_ascii_case(origin))
        || is_own(site, origin)
}

fn is_own(site: &AppState, origin: &str) -> bool {
    let public = &site.hub.config().public_url;
    let Ok(url) = origin.parse::<Url>() else { return false };
    url.scheme() == public.scheme() && is_ours(site, url.authority())
}
