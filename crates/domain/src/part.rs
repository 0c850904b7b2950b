//! Parts: the typed pieces of a message.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    ApprovalId, Digest, Metadata,
    form_question::{FormAnswer, FormQuestion},
};

/// One part of a message, in display order.
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Part {
    #[serde(flatten)]
    pub content: PartBody,
    /// Parts with the same name form one A2A artifact. `None` for the message's own text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifact: Option<String>,
    /// File name or title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
    /// Metadata from the program or remote agent that sent the part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<Object>))]
    pub metadata: Option<Box<Metadata>>,
}

/// Content of a part.
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum PartBody {
    /// Markdown.
    Text { text: String },
    /// A JSON value, displayed as JSON.
    Data { data: Value },
    /// A file stored by the hub, addressed by its digest.
    File {
        blob: Digest,
        size: u64,
        /// Size of an image that browsers show; `None` for other files.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        image: Option<ImageSize>,
    },
    /// A link to an external resource. The browser never fetches it.
    Link { url: String },
    /// A tool call of the agent.
    Tool(ToolUse),
    /// Reasoning of a model, displayed collapsed.
    Reasoning { text: String },
    /// An approval request for one tool call, bound to its exact arguments.
    Approval {
        approval: ApprovalId,
        tool: String,
        arguments: Value,
        /// `None` while the request is open.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        decision: Option<ApprovalDecision>,
    },
    /// A question of a tool's server, with a form for the answer.
    Question {
        approval: ApprovalId,
        tool: String,
        question: FormQuestion,
        /// `None` while the question is open.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        answer: Option<FormAnswer>,
    },
}

/// Width and height of an image in pixels.
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImageSize {
    pub width: u32,
    pub height: u32,
}

/// Outcome of an approval request.
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalDecision {
    Allowed,
    Refused,
    /// Expired without a decision. Treated as refused.
    Unanswered,
}

/// A tool call of an agent, with its result once it has one.
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolUse {
    pub tool: String,
    pub arguments: Value,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub took_ms: Option<u64>,
    /// Id of a call that the caller of the run executes, or the result of one. `None` if the agent executes
    /// it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
}

impl ToolUse {
    /// Returns the arguments as the JSON text that a model wrote. Arguments that are not JSON are stored as text.
    pub fn arguments_text(&self) -> String {
        match &self.arguments {
            Value::String(text) => text.clone(),
            arguments => arguments.to_string(),
        }
    }
}

impl Part {
    pub fn text(text: impl Into<String>) -> Self {
        Self::from(PartBody::Text { text: text.into() })
    }

    /// Creates the part of a file that is not known to be an image.
    pub fn file(blob: Digest, size: u64) -> Self {
        Self::from(PartBody::File { blob, size, image: None })
    }

    /// Returns the markdown of a text part.
    pub fn as_text(&self) -> Option<&str> {
        match &self.content {
            PartBody::Text { text } => Some(text),
            _ => None,
        }
    }
}

impl From<PartBody> for Part {
    fn from(content: PartBody) -> Self {
        Self { content, artifact: None, name: None, media_type: None, metadata: None }
    }
}

/// Returns the text parts of a message joined by empty lines,
/// for titles, the search index and plain-text clients.
pub fn plain_text(parts: &[Part]) -> String {
    parts.iter().filter_map(Part::as_text).collect::<Vec<_>>().join("\n\n")
}
