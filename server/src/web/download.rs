//! Downloads of files that agents sent. Browsers must never execute them.

use axum::{
    body::Body,
    http::{HeaderMap, HeaderValue, header},
    response::{IntoResponse as _, Response},
};
use plexus_hub::blobs::{Download, inline_type};

const POLICY: &str = "default-src 'none'; sandbox";

/// Handles `GET /blobs/{sha}`: returns the bytes as an inline image or as an attachment.
pub fn respond(file: Download) -> Response {
    let image = file.media_type.as_deref().and_then(inline_type);
    let mut response = Body::from_stream(file.bytes).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_LENGTH, HeaderValue::from(file.size));
    let media_type = HeaderValue::from_static(image.unwrap_or("application/octet-stream"));
    headers.insert(header::CONTENT_TYPE, media_type);
    let way = if image.is_some() { "inline" } else { "attachment" };
    set_disposition(headers, way, file.name.as_deref());
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    // The user may lose access by leaving the chat or signing out, so nothing may be cached.
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-store"));
    response
}

/// Returns a generated document as an attachment of this name.
pub fn attachment(body: Body, media_type: &'static str, name: &str) -> Response {
    let mut response = body.into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    set_disposition(headers, "attachment", Some(name));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-store"));
    response
}

fn set_disposition(headers: &mut HeaderMap, way: &str, name: Option<&str>) {
    if let Ok(value) = HeaderValue::from_str(&disposition(way, name)) {
        headers.insert(header::CONTENT_DISPOSITION, value);
    }
}

/// Builds `Content-Disposition` with the extended file name, which allows any character (RFC 6266, RFC 8187).
fn disposition(way: &str, name: Option<&str>) -> String {
    let Some(name) = name else { return way.to_owned() };
    let encoded: String = url::form_urlencoded::byte_serialize(name.as_bytes()).collect();
    format!("{way}; filename*=UTF-8''{}", encoded.replace('+', "%20").replace('*', "%2A"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_cannot_leave_their_place() {
        assert_eq!(disposition("inline", None), "inline");
        assert_eq!(
            disposition("attachment", Some("a b+*\"\r\n;\u{e9}.csv")),
            "attachment; filename*=UTF-8''a%20b%2B%2A%22%0D%0A%3B%C3%A9.csv"
        );
    }
}
