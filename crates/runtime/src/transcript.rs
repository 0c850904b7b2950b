//! What was said, in words, for agents that take a conversation as text.

use std::fmt::Write;

use plexus_domain::{Content, Part, text::shorten};

/// How much of what one agent said reaches another.
const QUOTE_CHARS: usize = 8_000;

/// A message's parts in words; what a model cannot read is named.
pub(crate) fn say(parts: &[Part]) -> String {
    let mut said = String::new();
    for part in parts {
        if !said.is_empty() {
            said.push_str("\n\n");
        }
        let name = part.name.as_deref().unwrap_or("unnamed");
        let _ = match &part.content {
            Content::Text { text } => write!(said, "{text}"),
            Content::Data { data } => write!(said, "```json\n{data}\n```"),
            Content::File { size, .. } => write!(said, "[file: {name}, {size} bytes]"),
            Content::Link { url } => write!(said, "[link: {url}]"),
            Content::Tool(_) | Content::Reasoning { .. } | Content::Approval { .. } => Ok(()),
        };
    }
    said
}

/// Foreign text as a block quote, cut where it is long.
pub(crate) fn quoted(text: &str) -> String {
    format!("> {}", shorten(text, QUOTE_CHARS).replace('\n', "\n> "))
}
