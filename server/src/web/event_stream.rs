//! What all streams of server-sent events share.

use std::time::Duration;

use axum::{
    body::Body,
    http::{HeaderValue, header},
    response::{IntoResponse as _, Response},
};

/// A silent stream says something this often, so that nothing in between takes it for dead.
pub const HEARTBEAT: Duration = Duration::from_secs(15);

/// The answer that carries the events: nothing in between keeps, changes or collects them.
pub fn event_stream(events: Body) -> Response {
    let mut response = events.into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store, no-transform"));
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}
