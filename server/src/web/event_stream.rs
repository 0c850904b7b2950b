//! Common parts of all server-sent event streams.

use std::time::Duration;

use axum::{
    body::Body,
    http::{HeaderValue, header},
    response::{IntoResponse as _, Response},
};

/// Interval of keep-alive messages on an idle stream, so that proxies do not close it.
pub const HEARTBEAT: Duration = Duration::from_secs(15);

/// Returns a `text/event-stream` response that proxies must not cache, transform or buffer.
pub fn event_stream(events: Body) -> Response {
    let mut response = events.into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store, no-transform"));
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}
