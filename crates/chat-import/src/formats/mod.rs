//! Formats of exports: one module per service, each from JSON to nodes of a message tree.

mod chatgpt;
mod chatgpt_content;
mod claude;
mod deepseek;
mod librechat;
mod markers;
mod open_webui;
mod plexus;

use plexus_domain::{Timestamp, sanitized_text::prefix};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::{
    ImportedAuthor, fields::Fields, limits::MAX_LABEL_CHARS, message_tree::SourceNode,
    read_context::ReadContext,
};

/// Service that exported a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceFormat {
    ChatGpt,
    Claude,
    DeepSeek,
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
    pub is_pinned: bool,
    pub is_archived: bool,
    /// Name of its folder or project.
    pub folder: Option<String>,
}

/// Reason why a conversation is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConversationProblem {
    Unreadable,
    TooLong,
    Empty,
}

impl SourceFormat {
    /// Recognizes the format of a conversation by its fields.
    pub(crate) fn of(json: &str) -> Option<Self> {
        let fields = Fields::of(json);
        let has_any = |names: &[&str]| names.iter().any(|name| fields.has(name));
        let is_plexus = has_any(&["current_message", "exported_by"]) && fields.has("messages");
        if fields.get("format") == Some(plexus::FORMAT) || (is_plexus && !fields.has("mapping")) {
            Some(Self::Plexus)
        } else if fields.has("mapping") {
            let is_deepseek =
                has_any(&["inserted_at", "updated_at"]) && !has_any(&["create_time", "conversation_id"]);
            Some(if is_deepseek { Self::DeepSeek } else { Self::ChatGpt })
        } else if fields.has("chat_messages") {
            Some(Self::Claude)
        } else if fields.has("chat") {
            Some(Self::OpenWebUi)
        } else {
            let first = fields.list("messages").first().map(|first| Fields::of(first)).unwrap_or_default();
            let is_librechat = has_any(&["conversationId", "messagesTree"])
                || first.has("messageId")
                || first.has("isCreatedByUser");
            is_librechat.then_some(Self::LibreChat)
        }
    }

    pub(crate) fn read(
        self,
        json: &str,
        context: &mut ReadContext,
    ) -> Result<SourceConversation, ConversationProblem> {
        match self {
            Self::ChatGpt => chatgpt::read(json, context),
            Self::Claude => claude::read(json, context),
            Self::DeepSeek => deepseek::read(json, context),
            Self::OpenWebUi => open_webui::read(json, context),
            Self::LibreChat => librechat::read(json, context),
            Self::Plexus => plexus::read(json, context),
        }
    }

    /// Returns the name of the service.
    pub const fn service(self) -> &'static str {
        match self {
            Self::ChatGpt => "ChatGPT",
            Self::Claude => "Claude",
            Self::DeepSeek => "DeepSeek",
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
            Self::DeepSeek => "deepseek",
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
        ImportedAuthor::Assistant { label: prefix(&label, MAX_LABEL_CHARS).to_owned(), lane: 1 }
    }
}

/// Parses a list of messages, whose type decides whether the conversation can be read at all.
fn parse<'de, T: Deserialize<'de>>(json: Option<&'de str>) -> Result<T, ConversationProblem> {
    let json = json.ok_or(ConversationProblem::Unreadable)?;
    serde_json::from_str(json).map_err(|_| ConversationProblem::Unreadable)
}

/// Returns an error if a list of messages was longer than its bound.
const fn check_complete(is_complete: bool) -> Result<(), ConversationProblem> {
    if is_complete { Ok(()) } else { Err(ConversationProblem::TooLong) }
}

/// Messages by id, unparsed.
type MessageMap<'a> = crate::bounded::BoundedMap<&'a RawValue, { crate::limits::MAX_MESSAGES }>;
/// Messages in order, unparsed.
type MessageList<'a> = crate::bounded::BoundedList<&'a RawValue, { crate::limits::MAX_MESSAGES }>;
