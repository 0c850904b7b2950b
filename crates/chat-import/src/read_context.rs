//! What the formats share while they read a file: the files of its archive, bounds, and what was left out.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::Value;

use crate::{
    archive::ArchivedFiles,
    content::{FileContent, ImportedFile, ImportedPart, placeholder},
    fields::text_of,
    limits::{MAX_VALUE_BYTES, MAX_VALUES_BYTES, MAX_VERSIONS_BYTES},
    omission::{Omission, Omissions},
};

/// Reason in the text that stands for a file.
const NOT_EXPORTED: &str = "not in the export";

pub struct ReadContext {
    files: ArchivedFiles,
    pub omissions: Omissions,
    /// Bytes of JSON that may still become values.
    values: usize,
    /// Bytes of versions of documents that may still be made.
    pub versions: usize,
    /// A file without a name that the current message had and the export has not; true for an image.
    unnamed: Option<bool>,
}

/// A file as a message refers to it.
#[derive(Default)]
pub struct FileReference<'a> {
    /// Ids, or addresses that contain one.
    pub ids: Vec<&'a str>,
    pub name: Option<String>,
    pub media_type: Option<String>,
    pub is_image: bool,
}

impl ReadContext {
    pub fn new(files: ArchivedFiles) -> Self {
        Self {
            files,
            omissions: Omissions::default(),
            values: MAX_VALUES_BYTES,
            versions: MAX_VERSIONS_BYTES,
            unnamed: None,
        }
    }

    /// Returns the file of a `data:` URL or of the archive, else counts it and returns the text that stands for it. A file
    /// without a name has none, unless the message has nothing else, see [`Self::finish`].
    pub fn file(&mut self, reference: FileReference<'_>) -> Option<ImportedPart> {
        let FileReference { ids, name, media_type, is_image } = reference;
        let is_image = is_image || media_type.as_ref().is_some_and(|kind| kind.starts_with("image"));
        if let Some((kind, bytes)) = ids.iter().find_map(|id| from_data_url(id)) {
            let name = name.unwrap_or_else(|| default_name(&kind));
            let content = FileContent::Inline(bytes);
            return Some(ImportedPart::File(ImportedFile {
                name,
                is_image: kind.starts_with("image"),
                media_type: Some(kind),
                content,
            }));
        }
        if let Some(found) = self.files.find(&ids, name.as_deref()) {
            let name = name.unwrap_or_else(|| found.name.clone());
            let content = FileContent::Archived(found.file);
            return Some(ImportedPart::File(ImportedFile { name, media_type, is_image, content }));
        }
        self.omissions.add(if is_image { Omission::Image } else { Omission::File }, 1);
        if name.is_none() {
            self.unnamed = Some(is_image);
        }
        name.map(|name| ImportedPart::text(placeholder(is_image, Some(&name), NOT_EXPORTED)))
    }

    /// Returns the parts of a message: a message with only a file that is not in the export has a text that says so.
    pub fn finish(&mut self, parts: Vec<ImportedPart>) -> Vec<ImportedPart> {
        match self.unnamed.take() {
            Some(is_image) if parts.is_empty() => {
                vec![ImportedPart::text(placeholder(is_image, None, NOT_EXPORTED))]
            }
            _ => parts,
        }
    }

    /// Returns the value of short JSON, and the text of longer JSON.
    pub fn value(&mut self, json: &str) -> Value {
        if json.len() <= MAX_VALUE_BYTES.min(self.values)
            && let Ok(value) = serde_json::from_str(json)
        {
            self.values -= json.len();
            return value;
        }
        Value::String(text_of(json).unwrap_or_else(|| json.to_owned()))
    }

    /// Returns arguments or a result: the object or array of JSON in a text, else the text.
    pub fn value_in(&mut self, text: String) -> Value {
        if text.starts_with(['{', '[']) { self.value(&text) } else { Value::String(text) }
    }

    /// Returns arguments or a result that are JSON, or JSON in a text.
    pub fn argument(&mut self, json: &str) -> Value {
        match text_of(json) {
            Some(text) => self.value_in(text),
            None => self.value(json),
        }
    }
}

/// Returns media type and bytes of a `data:` URL in base64 (RFC 2397).
fn from_data_url(url: &str) -> Option<(String, Vec<u8>)> {
    let (kind, data) = url.strip_prefix("data:")?.split_once(',')?;
    let kind = kind.strip_suffix(";base64")?;
    let bytes = STANDARD.decode(data.trim()).ok()?;
    let kind = kind.split(';').next().unwrap_or_default();
    (!bytes.is_empty()).then(|| (kind.to_owned(), bytes))
}

fn default_name(media_type: &str) -> String {
    let extension = match media_type {
        "image/jpeg" => "jpg",
        "image/svg+xml" => "svg",
        "text/plain" => "txt",
        other => other.rsplit('/').next().unwrap_or_default(),
    };
    let extension: String = extension.chars().filter(char::is_ascii_alphanumeric).take(8).collect();
    let kind = if media_type.starts_with("image/") { "image" } else { "file" };
    if extension.is_empty() { kind.to_owned() } else { format!("{kind}.{extension}") }
}
