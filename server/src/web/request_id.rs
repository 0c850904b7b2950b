//! Request ids: one per request, in its log lines, its response header and its error page.

use axum::{
    extract::{Request, State},
    http::HeaderValue,
    middleware::Next,
    response::Response,
};
use tracing::Instrument as _;

use super::secret_urls;
use crate::app_state::AppState;

#[derive(Clone, Debug)]
pub struct RequestId(pub String);

/// Middleware: assigns the id and logs the end of the request with method, route, status and duration, never
/// its content.
pub async fn name(State(site): State<AppState>, mut request: Request, next: Next) -> Response {
    let id = hex(site.hub.env().bytes::<8>());
    request.extensions_mut().insert(RequestId(id.clone()));
    let route = secret_urls::route(request.extensions()).to_owned();
    let span = tracing::info_span!("request", id, method = %request.method(), route = route.as_str());
    let begun = std::time::Instant::now();
    let mut response = next.run(request).instrument(span.clone()).await;
    let took_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    let status = response.status().as_u16();
    span.in_scope(|| tracing::debug!(status, took_ms, "answered"));
    metrics::counter!("plexus_http_requests_total", "status" => status.to_string()).increment(1);
    if secret_urls::may_contain_secret(&route) {
        secret_urls::protect(response.headers_mut());
    }
    if let Ok(id) = HeaderValue::from_str(&id) {
        response.headers_mut().insert("x-request-id", id);
    }
    response
}

fn hex(bytes: [u8; 8]) -> String {
    format!("{:016x}", u64::from_be_bytes(bytes))
}
