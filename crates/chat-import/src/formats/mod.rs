//! Formats of exports: one module per service, each from JSON to nodes of a message tree.

mod chatgpt;
mod claude;
mod librechat;
mod open_webui;
mod plexus;

use plexus_domain::Timestamp;
use serde::{Deserialize, de::IgnoredAny};
use serde_json::value::RawValue;

use crate::{
    ImportedAuthor,
    limits::MAX_LABEL_CHARS,
    message_tree::SourceNode,
    omission::{Omission, Omissions},
};

/// Service that exported a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceFormat {
    ChatGpt,
    Claude,
    OpenWebUi,
    LibreChat,
    Plexus,
}

/// A conversation as exported.
#[derive(Default)]
pub struct SourceConversation {
    pub id: Option<String>,
    pub title: String,
    pub created: Option<Timestamp>,
    pub nodes: Vec<SourceNode>,
    /// Id of the message that was shown last.
    pub current: Option<String>,
    pub omissions: Omissions,
}

/// Reason why a conversation is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConversationProblem {
    Unreadable,
    TooLong,
    Empty,
}

/// The fields by which the formats differ.
#[derive(Deserialize)]
struct ShapeProbe<'a> {
    mapping: Option<IgnoredAny>,
    chat_messages: Option<IgnoredAny>,
    chat: Option<IgnoredAny>,
    #[serde(rename = "conversationId")]
    conversation_id: Option<IgnoredAny>,
    #[serde(borrow)]
    format: Option<&'a RawValue>,
}

impl SourceFormat {
    /// Recognizes the format of a conversation by its fields.
    pub(crate) fn of(json: &str) -> Option<Self> {
        let probe: ShapeProbe<'_> = serde_json::from_str(json).ok()?;
        if probe.format.is_some_and(|format| format.get() == plexus::FORMAT) {
            Some(Self::Plexus)
        } else if probe.mapping.is_some() {
            Some(Self::ChatGpt)
        } else if probe.chat_messages.is_some() {
            Some(Self::Claude)
        } else if probe.chat.is_some() {
            Some(Self::OpenWebUi)
        } else {
            probe.conversation_id.map(|_| Self::LibreChat)
        }
    }

    pub(crate) fn read(self, json: &str) -> Result<SourceConversation, ConversationProblem> {
        match self {
            Self::ChatGpt => chatgpt::read(json),
            Self::Claude => claude::read(json),
            Self::OpenWebUi => open_webui::read(json),
            Self::LibreChat => librechat::read(json),
            Self::Plexus => plexus::read(json),
        }
    }

    /// Returns the name of the service.
    pub const fn service(self) -> &'static str {
        match self {
            Self::ChatGpt => "ChatGPT",
            Self::Claude => "Claude",
            Self::OpenWebUi => "Open WebUI",
            Self::LibreChat => "LibreChat",
            Self::Plexus => "Plexus",
        }
    }

    /// Name in the API and in the database.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ChatGpt => "chatgpt",
            Self::Claude => "claude",
            Self::OpenWebUi => "open_webui",
            Self::LibreChat => "librechat",
            Self::Plexus => "plexus",
        }
    }

    /// Returns an author of this service, with the name of the model if it is known.
    fn assistant(self, model: Option<&str>) -> ImportedAuthor {
        let service = self.service();
        let model = model.map(str::trim).filter(|model| !model.is_empty());
        let label = model.map_or_else(|| service.to_owned(), |model| format!("{service} · {model}"));
        ImportedAuthor::Assistant { label: label.chars().take(MAX_LABEL_CHARS).collect(), lane: 1 }
    }
}

/// Parses JSON; data of another type than expected makes the conversation unreadable.
fn parse<'de, T: Deserialize<'de>>(json: &'de str) -> Result<T, ConversationProblem> {
    serde_json::from_str(json).map_err(|_| ConversationProblem::Unreadable)
}

/// Returns an error if a list of messages was longer than its bound.
const fn check_complete(is_complete: bool) -> Result<(), ConversationProblem> {
    if is_complete { Ok(()) } else { Err(ConversationProblem::TooLong) }
}

/// Counts an attached file by its media type.
fn omit_file(omissions: &mut Omissions, media_type: &str) {
    let is_image = media_type.starts_with("image");
    omissions.add(if is_image { Omission::Image } else { Omission::File }, 1);
}

/// Joins pieces of text with blank lines.
fn join(texts: impl IntoIterator<Item = String>) -> String {
    texts.into_iter().filter(|text| !text.trim().is_empty()).collect::<Vec<_>>().join("\n\n")
}
