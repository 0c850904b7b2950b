//! What a message is made of.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{ApprovalId, Digest};

/// One piece of a message, in the order it is shown.
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Part {
    #[serde(flatten)]
    pub content: Content,
    /// Parts with the same name form one A2A artifact; none is the message's own text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifact: Option<String>,
    /// A file name or a title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
}

#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Content {
    /// Markdown.
    Text { text: String },
    /// Any JSON value, shown as such.
    Data { data: Value },
    /// Bytes kept by the hub, named by their digest.
    File { blob: Digest, size: u64 },
    /// Something that lives elsewhere; never fetched by the browser.
    Link { url: String },
    /// A tool that the agent used.
    Tool(ToolUse),
    /// What a model thought on the way, shown collapsed.
    Reasoning { text: String },
    /// A question that only yes or no answers, bound to exact arguments.
    Approval {
        approval: ApprovalId,
        tool: String,
        arguments: Value,
        /// None while it waits for its answer.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        decision: Option<Decision>,
    },
}

/// What became of a question that only yes or no answers.
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    Allowed,
    Refused,
    /// Nobody answered in time; the same as a no.
    Unanswered,
}

#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolUse {
    pub tool: String,
    pub arguments: Value,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub took_ms: Option<u64>,
}

impl Part {
    pub fn text(text: impl Into<String>) -> Self {
        Self::from(Content::Text { text: text.into() })
    }

    /// The markdown of a text part.
    pub fn as_text(&self) -> Option<&str> {
        match &self.content {
            Content::Text { text } => Some(text),
            _ => None,
        }
    }
}

impl From<Content> for Part {
    fn from(content: Content) -> Self {
        Self { content, artifact: None, name: None, media_type: None }
    }
}

/// The text parts of a message, joined by empty lines: what a title, an index or a plain reader sees.
pub fn plain_text(parts: &[Part]) -> String {
    parts.iter().filter_map(Part::as_text).collect::<Vec<_>>().join("\n\n")
}
