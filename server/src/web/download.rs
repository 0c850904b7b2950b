//! Downloads of files that users and agents sent. Browsers must never execute them.

use axum::{
    body::Body,
    http::{HeaderMap, HeaderValue, header},
    response::{IntoResponse as _, Response},
};
use plexus_domain::media_type::{essence, is_valid};
use plexus_hub::{agents::AgentExport, blobs::Download, media_types::inline_type};

const POLICY: &str = "default-src 'none'; sandbox";
/// A sandboxed PDF is not shown by Chromium. Its viewer is a page of the browser with its own origin, so that scripts of
/// the file cannot reach the hub.
const PDF_POLICY: &str =
    "default-src 'none'; object-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'none'";
const PDF: &str = "application/pdf";

/// Types that an audio element plays. They cannot contain scripts.
const AUDIO: [&str; 9] = [
    "audio/aac",
    "audio/flac",
    "audio/mp4",
    "audio/mpeg",
    "audio/ogg",
    "audio/wav",
    "audio/wave",
    "audio/webm",
    "audio/x-wav",
];

/// Kind of a file that browsers show by themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InlineKind {
    Image,
    Audio,
    Pdf,
}

/// Returns the kind of a file of this declared media type. SVG, HTML and XML are none: they can contain scripts.
pub fn inline_kind(media_type: &str) -> Option<InlineKind> {
    shown_as(media_type).map(|(kind, _)| kind)
}

fn shown_as(media_type: &str) -> Option<(InlineKind, &'static str)> {
    let essence = essence(media_type);
    let image = inline_type(&essence).map(|shown| (InlineKind::Image, shown));
    let audio = AUDIO.into_iter().find(|shown| essence == *shown);
    let audio = audio.map(|shown| (InlineKind::Audio, shown));
    image.or(audio).or_else(|| (essence == PDF).then_some((InlineKind::Pdf, PDF)))
}

/// Returns whether a browser could execute files of this type in the hub's origin: pages, images with scripts,
/// scripts, styles and archives of pages.
fn is_active(essence: &str) -> bool {
    const WORDS: [&str; 6] = ["html", "svg", "javascript", "ecmascript", "jscript", "wasm"];
    const ENDS: [&str; 4] = ["/xml", "+xml", "/css", "/xsl"];
    WORDS.iter().any(|word| essence.contains(word))
        || ENDS.iter().any(|end| essence.ends_with(end))
        || ["multipart/", "message/"].iter().any(|kind| essence.starts_with(kind))
}

/// Returns the declared type for an attachment, as in the part that shows the file. Files that could be executed, and
/// those whose type is malformed, have no type.
fn attachment_type(media_type: Option<&str>) -> HeaderValue {
    let unknown = || HeaderValue::from_static("application/octet-stream");
    let Some(declared) = media_type else { return unknown() };
    let essence = essence(declared);
    if !is_valid(&essence) || is_active(&essence) {
        return unknown();
    }
    HeaderValue::from_str(declared.trim()).unwrap_or_else(|_| unknown())
}

/// Handles `GET /blobs/{sha}`: returns the bytes as an inline image, audio or PDF, or as an attachment.
pub fn respond(file: Download) -> Response {
    let shown = file.media_type.as_deref().and_then(shown_as);
    let is_pdf = shown.is_some_and(|(kind, _)| kind == InlineKind::Pdf);
    let policy = if is_pdf { PDF_POLICY } else { POLICY };
    let mut response = Body::from_stream(file.bytes).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_LENGTH, HeaderValue::from(file.size));
    let media_type = match shown {
        Some((_, shown)) => HeaderValue::from_static(shown),
        None => attachment_type(file.media_type.as_deref()),
    };
    headers.insert(header::CONTENT_TYPE, media_type);
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    let way = if shown.is_some() { "inline" } else { "attachment" };
    set_disposition(headers, way, file.name.as_deref());
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy));
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

/// Returns an exported agent as an attachment.
pub fn agent(export: &AgentExport) -> serde_json::Result<Response> {
    let body = serde_json::to_vec_pretty(export)?;
    Ok(attachment(body.into(), "application/json", &format!("{}.plexus-agent.json", export.name)))
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
    fn attachments_have_the_declared_type_unless_they_could_run() {
        let unknown = "application/octet-stream";
        for (declared, expected) in [
            (Some("text/csv"), "text/csv"),
            (Some("text/csv; charset=utf-8"), "text/csv; charset=utf-8"),
            (Some("application/json"), "application/json"),
            (Some("application/vnd.ms-excel"), "application/vnd.ms-excel"),
            (Some("application/zip"), "application/zip"),
            (Some("video/mp4"), "video/mp4"),
            (
                Some("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
                "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            ),
            (Some("Text/HTML"), unknown),
            (Some("application/xhtml+xml"), unknown),
            (Some("image/svg+xml"), unknown),
            (Some("text/javascript"), unknown),
            (Some("application/x-ecmascript"), unknown),
            (Some("text/css"), unknown),
            (Some("message/rfc822"), unknown),
            (Some("multipart/x-mixed-replace"), unknown),
            (Some("text/csv\r\nx: y"), unknown),
            (Some("csv"), unknown),
            (Some(""), unknown),
            (None, unknown),
        ] {
            assert_eq!(attachment_type(declared), expected, "{declared:?}");
        }
    }

    #[test]
    fn names_of_files_cannot_leave_their_place() {
        assert_eq!(disposition("inline", None), "inline");
        assert_eq!(
            disposition("attachment", Some("a b+*\"\r\n;\u{e9}.csv")),
            "attachment; filename*=UTF-8''a%20b%2B%2A%22%0D%0A%3B%C3%A9.csv"
        );
    }
}
