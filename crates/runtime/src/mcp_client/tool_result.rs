//! Converts results of MCP tools to text and images, both bounded.

use base64::{
    Engine as _, alphabet,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use bytes::Bytes;
use plexus_domain::{
    media_type::{essence, is_text},
    sanitized_text::{ellipsize, multi_line, one_line},
};
use rmcp::model::{CallToolResult, ContentBlock, Resource, ResourceContents};

/// Maximum characters of a tool result that a model receives.
const MAX_RESULT_CHARS: usize = 16_000;
/// Maximum characters of a name, address or type that is told.
const MAX_LABEL_CHARS: usize = 300;
/// Maximum images of one result. Further ones are told as text.
const MAX_IMAGES: usize = 4;
/// Types of images that models read.
const IMAGE_TYPES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];
/// Text of a result without content.
const EMPTY: &str = "[the tool returned no content]";

/// Result of a tool call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolResult {
    /// Text, with a note in the place of each image and of what models cannot read.
    pub text: String,
    pub images: Vec<ToolImage>,
    pub is_error: bool,
}

impl ToolResult {
    /// Returns the result of a call that failed.
    pub const fn failed(text: String) -> Self {
        Self { text, images: Vec::new(), is_error: true }
    }
}

/// Image that a tool returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolImage {
    /// One of the types that models read.
    pub media_type: &'static str,
    pub bytes: Bytes,
}

pub fn outcome(result: &CallToolResult) -> ToolResult {
    let mut images = Vec::new();
    let said: Vec<String> = result.content.iter().map(|block| words(block, &mut images)).collect();
    let is_blank = said.iter().all(|text| text.trim().is_empty());
    let text = match &result.structured_content {
        Some(value) if is_blank && !value.is_null() => value.to_string(),
        _ if is_blank => EMPTY.to_owned(),
        _ => said.join("\n\n"),
    };
    let text = ellipsize(&multi_line(&text), MAX_RESULT_CHARS);
    ToolResult { text, images, is_error: result.is_error == Some(true) }
}

/// Returns the text of a content block, or a note if it is none. Adds its image.
fn words(content: &ContentBlock, images: &mut Vec<ToolImage>) -> String {
    match content {
        ContentBlock::Text(text) => text.text.clone(),
        ContentBlock::Image(image) => file("an image", &image.data, &image.mime_type, images),
        ContentBlock::Audio(audio) => {
            format!(
                "[a recording that models cannot hear: {}]",
                about(&audio.mime_type, decode(&audio.data).as_deref())
            )
        }
        ContentBlock::Resource(embedded) => resource(&embedded.resource, images),
        ContentBlock::ResourceLink(link) => link_words(link),
        _ => "[content of an unknown type]".to_owned(),
    }
}

fn resource(resource: &ResourceContents, images: &mut Vec<ToolImage>) -> String {
    match resource {
        ResourceContents::TextResourceContents { uri, text, .. } => headed(uri, text),
        ResourceContents::BlobResourceContents { uri, blob, mime_type, .. } => {
            let media_type = mime_type.as_deref().unwrap_or_default();
            let bytes = decode(blob);
            let text = bytes.as_deref().filter(|_| is_text(media_type) || media_type.is_empty());
            match text.map(std::str::from_utf8) {
                Some(Ok(text)) if !text.contains('\0') => headed(uri, text),
                _ => headed(uri, &file("a file", blob, media_type, images)),
            }
        }
        _ => "[a resource of an unknown type]".to_owned(),
    }
}

fn headed(uri: &str, text: &str) -> String {
    if uri.is_empty() { text.to_owned() } else { format!("{}:\n{text}", label(uri)) }
}

/// Returns the note about binary content, `what` with its article. Adds it to the images if it is one that models read.
fn file(what: &str, data: &str, media_type: &str, images: &mut Vec<ToolImage>) -> String {
    let bytes = decode(data);
    let about = about(media_type, bytes.as_deref());
    let Some(bytes) = bytes else { return format!("[{what} that cannot be decoded: {about}]") };
    let Some(media_type) = image_type(&bytes, media_type) else {
        return format!("[{what} that models cannot read: {about}]");
    };
    if images.len() == MAX_IMAGES {
        return format!("[one more image, left out: only {MAX_IMAGES} are shown]");
    }
    let note = format!("[image {}: {media_type}, {} bytes]", images.len() + 1, bytes.len());
    images.push(ToolImage { media_type, bytes: bytes.into() });
    note
}

/// Returns the type of an image by its first bytes, since some servers tell a wrong one. `None` for other content.
fn image_type(bytes: &[u8], told: &str) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => IMAGE_TYPES.into_iter().find(|known| *known == essence(told)).filter(|_| !bytes.is_empty()),
    }
}

fn about(media_type: &str, bytes: Option<&[u8]>) -> String {
    let media_type = if media_type.is_empty() { "unknown type".to_owned() } else { label(media_type) };
    bytes.map_or_else(|| media_type.clone(), |bytes| format!("{media_type}, {} bytes", bytes.len()))
}

fn link_words(link: &Resource) -> String {
    let name = link.title.as_deref().unwrap_or(&link.name);
    let size = link.size.map(|size| format!("{size} bytes"));
    let about: Vec<String> =
        link.mime_type.iter().cloned().chain(size).chain(link.description.clone()).collect();
    let about = if about.is_empty() { String::new() } else { format!(" ({})", label(&about.join(", "))) };
    format!("[link: {} {}{about}]", label(name), label(&link.uri))
}

fn label(text: &str) -> String {
    ellipsize(&one_line(text), MAX_LABEL_CHARS)
}

/// Decodes base64 of either alphabet, with or without padding, as a data URL or in lines.
fn decode(data: &str) -> Option<Vec<u8>> {
    const LENIENT: GeneralPurposeConfig =
        GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    const STANDARD: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, LENIENT);
    let data =
        data.strip_prefix("data:").and_then(|url| url.split_once(";base64,")).map_or(data, |(_, data)| data);
    let plain = |letter: char| match letter {
        '-' => '+',
        '_' => '/',
        other => other,
    };
    let data: String = data.chars().filter(|letter| !letter.is_ascii_whitespace()).map(plain).collect();
    STANDARD.decode(data).ok()
}

#[cfg(test)]
mod tests {
    use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
    use serde_json::{Value, json};

    use super::*;

    const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\xfb\xff picture";

    fn read(result: &Value) -> ToolResult {
        let message = serde_json::to_vec(&json!({ "id": 1, "result": result })).unwrap();
        let message = super::super::lenient_json::parse_message(&message).unwrap();
        outcome(&serde_json::from_value(message["result"].clone()).unwrap())
    }

    #[test]
    fn text_of_every_kind_reaches_the_model() {
        let csv = STANDARD.encode("a,b\n1,2");
        for (block, expected) in [
            (json!({ "type": "text", "text": "plain" }), "plain"),
            (
                json!({ "type": "resource", "resource": { "uri": "repo://a/README.md", "text": "# Hi" } }),
                "repo://a/README.md:\n# Hi",
            ),
            (
                json!({ "type": "resource", "resource": { "uri": "f://a.csv", "blob": csv, "mimeType": "text/csv; charset=utf-8" } }),
                "f://a.csv:\na,b\n1,2",
            ),
            (json!({ "type": "resource", "resource": { "uri": "f://a", "blob": csv } }), "f://a:\na,b\n1,2"),
            (
                json!({ "type": "resource", "resource": { "uri": "f://a.pdf", "blob": csv, "mimeType": "application/pdf" } }),
                "f://a.pdf:\n[a file that models cannot read: application/pdf, 7 bytes]",
            ),
            (
                json!({ "type": "resource_link", "name": "q3", "uri": "r://q3", "title": "Report", "mimeType": "application/pdf", "description": "Third quarter" }),
                "[link: Report r://q3 (application/pdf, Third quarter)]",
            ),
            (
                json!({ "type": "audio", "data": csv, "mimeType": "audio/wav" }),
                "[a recording that models cannot hear: audio/wav, 7 bytes]",
            ),
            (
                json!({ "type": "image", "data": "?", "mimeType": "image/png" }),
                "[an image that cannot be decoded: image/png]",
            ),
            (
                json!({ "type": "image", "data": csv, "mimeType": "image/svg+xml" }),
                "[an image that models cannot read: image/svg+xml, 7 bytes]",
            ),
            (json!({ "type": "text", "text": "" }), EMPTY),
        ] {
            let read = read(&json!({ "content": [block] }));
            assert_eq!(
                (read.text.as_str(), read.images.len(), read.is_error),
                (expected, 0, false),
                "{block}"
            );
        }
    }

    #[test]
    fn images_keep_their_bytes_and_are_bounded() {
        let data_url = format!("data:image/png;base64,{}", STANDARD.encode(PNG));
        let lines = STANDARD.encode(PNG).replace('P', "P\n");
        let blob = json!({ "type": "resource", "resource": { "uri": "s://1", "blob": STANDARD.encode(PNG), "mimeType": "image/png" } });
        for block in [
            json!({ "type": "image", "data": STANDARD.encode(PNG), "mimeType": "image/png" }),
            json!({ "type": "image", "data": URL_SAFE_NO_PAD.encode(PNG), "mimeType": "image/jpeg" }),
            json!({ "type": "image", "data": data_url, "mimeType": "" }),
            json!({ "type": "image", "data": lines, "mimeType": "application/octet-stream" }),
            blob,
        ] {
            let read = read(&json!({ "content": [block] }));
            assert_eq!(read.images, [ToolImage { media_type: "image/png", bytes: PNG.into() }], "{block}");
            assert!(read.text.contains("[image 1: image/png, 18 bytes]"), "{}", read.text);
        }
        let image = json!({ "type": "image", "data": STANDARD.encode(PNG), "mimeType": "image/png" });
        let many = read(&json!({ "content": vec![image; 6] }));
        assert_eq!((many.images.len(), many.text.matches("left out").count()), (MAX_IMAGES, 2));
    }

    #[test]
    fn structured_content_alone_is_a_result() {
        for (result, expected) in [
            (json!({ "structuredContent": { "sum": 3 } }), "{\"sum\":3}"),
            (json!({ "content": [], "structuredContent": [1] }), "[1]"),
            (json!({ "content": [{ "type": "text", "text": " " }], "structuredContent": "x" }), "\"x\""),
            (json!({ "content": [{ "type": "text", "text": "3" }], "structuredContent": { "sum": 3 } }), "3"),
            (json!({ "content": [], "structuredContent": null }), EMPTY),
            (json!({ "content": null, "isError": true }), EMPTY),
            (json!({ "content": "bare" }), "bare"),
            (json!({ "content": { "type": "text", "text": "one" } }), "one"),
        ] {
            assert_eq!(read(&result).text, expected, "{result}");
        }
    }
}
