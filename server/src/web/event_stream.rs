//! Common parts of all server-sent event streams.

use std::time::Duration;

use axum::{
    body::Body,
    http::{HeaderMap, HeaderValue, header},
    response::{IntoResponse as _, Response},
};
use plexus_domain::media_type::essence;

/// Interval of keep-alive messages on an idle stream, so that proxies do not close it.
pub const HEARTBEAT: Duration = Duration::from_secs(15);

pub const EVENT_STREAM: &str = "text/event-stream";

/// Returns whether the client accepts an event stream.
pub fn accepts_event_stream(headers: &HeaderMap) -> bool {
    let lines = headers.get_all(header::ACCEPT).iter().filter_map(|line| line.to_str().ok());
    lines.flat_map(|line| line.split(',')).any(|kind| essence(kind) == EVENT_STREAM)
}

/// Returns a `text/event-stream` response that proxies must not cache, transform or buffer.
pub fn event_stream(events: Body) -> Response {
    let mut response = events.into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(EVENT_STREAM));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store, no-transform"));
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_stream_accepts_event_stream_by_its_media_type() {
        for (accept, is) in [
            ("application/json, text/event-stream", true),
            ("Text/Event-Stream;q=0.9", true),
            ("application/json", false),
            ("text/event-streams", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT, accept.parse().unwrap());
            assert_eq!(accepts_event_stream(&headers), is, "{accept}");
        }
    }
}
