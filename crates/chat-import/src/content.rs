//! Parts of imported messages, and how texts of several kinds become parts.

use plexus_domain::{Part, PartBody, part::ToolUse};
use serde_json::Value;

use crate::{archive::ArchivedFile, limits::MAX_QUOTED_BYTES};

/// A part of an imported message.
#[derive(Clone, Debug, PartialEq)]
pub enum ImportedPart {
    /// Anything but a file.
    Content(Box<Part>),
    File(ImportedFile),
}

/// A file of an imported message. Its bytes are not checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportedFile {
    pub name: String,
    pub media_type: Option<String>,
    /// Whether the service showed it as an image.
    pub is_image: bool,
    pub content: FileContent,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileContent {
    Inline(Vec<u8>),
    /// A file of the archive, see [`crate::read_archived`].
    Archived(ArchivedFile),
}

impl ImportedFile {
    /// Returns the text that stands for a file that is left out.
    pub fn placeholder(&self, why: &str) -> String {
        placeholder(self.is_image, Some(&self.name), why)
    }
}

/// Returns the text that stands for a file without its content.
pub fn placeholder(is_image: bool, name: Option<&str>, why: &str) -> String {
    let kind = if is_image { "Image" } else { "File" };
    name.map_or_else(|| format!("[{kind}, {why}]"), |name| format!("[{kind}: {name}, {why}]"))
}

impl ImportedPart {
    pub fn text(text: impl Into<String>) -> Self {
        Part::text(text).into()
    }

    pub fn reasoning(text: String) -> Self {
        Part::from(PartBody::Reasoning { text }).into()
    }

    pub fn tool(tool: String, arguments: Value, result: Option<Value>) -> Self {
        let call = ToolUse { tool, arguments, result, took_ms: None, call_id: None };
        Part::from(PartBody::Tool(call)).into()
    }

    /// Returns the text of a text part.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Content(part) => part.as_text(),
            Self::File(_) => None,
        }
    }

    pub(crate) fn text_mut(&mut self) -> Option<&mut String> {
        match self {
            Self::Content(part) => match &mut part.content {
                PartBody::Text { text } | PartBody::Reasoning { text } => Some(text),
                _ => None,
            },
            Self::File(_) => None,
        }
    }

    /// Returns a call without a result.
    pub(crate) fn open_call(&mut self) -> Option<&mut ToolUse> {
        match self {
            Self::Content(part) => match &mut part.content {
                PartBody::Tool(call) if call.result.is_none() => Some(call),
                _ => None,
            },
            Self::File(_) => None,
        }
    }

    pub(crate) fn is_work(&self) -> bool {
        let Self::Content(part) = self else { return false };
        matches!(part.content, PartBody::Tool(_) | PartBody::Reasoning { .. })
    }
}

impl From<Part> for ImportedPart {
    fn from(part: Part) -> Self {
        Self::Content(Box::new(part))
    }
}

/// Returns a text that was pasted or read from a file: in the message, or as a text file if it is long.
pub fn quoted(name: Option<String>, text: String) -> ImportedPart {
    if text.len() > MAX_QUOTED_BYTES {
        let name = name.unwrap_or_else(|| "pasted.txt".to_owned());
        // The text of a PDF file is no PDF file.
        let is_text =
            ["txt", "md", "csv", "json", "log"].iter().any(|end| name.ends_with(&format!(".{end}")));
        let name = if is_text { name } else { format!("{name}.txt") };
        let content = FileContent::Inline(text.into_bytes());
        return ImportedPart::File(ImportedFile {
            name,
            media_type: Some("text/plain".to_owned()),
            is_image: false,
            content,
        });
    }
    ImportedPart::text(name.map_or_else(|| text.clone(), |name| format!("{name}:\n\n{text}")))
}

/// Returns Markdown of a document: its title, and a code block.
pub fn code_block(title: Option<&str>, language: &str, text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    let language: String =
        language.chars().filter(|c| c.is_alphanumeric() || matches!(c, '+' | '#' | '-')).take(40).collect();
    let block = format!("{fence}{language}\n{}\n{fence}", text.trim_end_matches('\n'));
    let title = title.map(escape_inline).filter(|title| !title.is_empty());
    title.map_or_else(|| block.clone(), |title| format!("**{title}**\n\n{block}"))
}

/// Returns a text of one line for use in Markdown, such as a title.
pub fn escape_inline(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut escaped = String::with_capacity(line.len());
    for c in line.chars() {
        if matches!(c, '\\' | '[' | ']' | '*' | '_' | '`' | '<' | '>') {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

/// Joins pieces of text with blank lines.
pub fn join(texts: impl IntoIterator<Item = String>) -> String {
    texts.into_iter().filter(|text| !text.trim().is_empty()).collect::<Vec<_>>().join("\n\n")
}
