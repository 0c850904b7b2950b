//! Conditional GET for generated documents: `ETag` and `If-None-Match` (RFC 9110 section 13), cacheable for
//! five minutes.

use axum::{
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use plexus_domain::Digest;

const CACHE: HeaderValue = HeaderValue::from_static("public, max-age=300");

/// Returns the document, or 304 if the client's copy is current. Varies by `Authorization`, because callers
/// see different content.
pub fn cached(asked: &HeaderMap, media_type: &'static str, body: Vec<u8>) -> Response {
    let tag = format!("\"{}\"", Digest::of(&body));
    let known = asked.get(header::IF_NONE_MATCH).is_some_and(|known| is_named(known, &tag));
    let mut response = if known {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        ([(header::CONTENT_TYPE, media_type)], body).into_response()
    };
    let answer = response.headers_mut();
    answer.insert(header::CACHE_CONTROL, CACHE);
    answer.insert(header::VARY, HeaderValue::from_static("authorization"));
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        answer.insert(header::ETAG, tag);
    }
    response
}

/// Returns whether an `If-None-Match` list contains this entity tag (RFC 9110 section 13.1.2).
fn is_named(known: &HeaderValue, tag: &str) -> bool {
    let known = known.to_str().unwrap_or_default();
    known
        .split(',')
        .map(|named| named.trim().trim_start_matches("W/"))
        .any(|named| named == tag || named == "*")
}
