//! View model of a chat message.

use plexus_domain::{
    Address, ApprovalId, ChatId, ImageSize, MessageId, PrincipalId, RunId, Timestamp,
    feedback::Rating,
    form_question::{FormAnswer, FormQuestion},
    message::MessageState,
    part::ApprovalDecision,
    run::Usage,
};
use serde_json::Value;

use super::Html;

#[derive(Clone, Debug)]
pub struct Article {
    pub id: MessageId,
    pub chat: ChatId,
    pub parent: Option<MessageId>,
    pub branch: i32,
    pub author: Author,
    pub at: Timestamp,
    pub state: MessageState,
    pub parts: Vec<PartView>,
    /// True if the agent's run waits for a reply to this answer.
    pub is_question: bool,
    /// Failure message; shown in the state `Failed`.
    pub failure: Option<String>,
    /// Run that wrote it; an open message is stopped by it.
    pub run: Option<RunId>,
    /// Requester of the run. In a room, this user and the owner of the room can stop it.
    pub run_caller: Option<PrincipalId>,
    /// True if the viewer of a room is the requester. As with `is_own`, the island finds the answers of events.
    pub is_own_run: bool,
    /// Alternative answers, this one included, in the order of their creation.
    pub alternatives: Vec<MessageId>,
    pub usage: Option<Usage>,
    /// True if the viewer of a room wrote it. The event stream has no viewer, so the island finds its own messages.
    pub is_own: bool,
    /// The viewer's rating of the message.
    pub rating: Option<Rating>,
    /// Current activity of the agent in one line, while the message is open.
    pub status: Option<String>,
    /// Other agents of the chat that the answer mentions: a button for each hands the question over.
    pub mentioned: Vec<Address>,
    /// Milliseconds from the first request to the end of the answer.
    pub took_ms: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Author {
    Person {
        id: PrincipalId,
        name: String,
    },
    Agent {
        seed: String,
        name: String,
        address: Address,
    },
    /// Assistant of another service, whose messages were imported.
    Imported {
        /// Service and model.
        label: String,
    },
    /// Author whose account was deleted.
    Gone,
}

impl Author {
    /// True for agents, and for assistants of other services. Their messages are answers.
    pub const fn is_assistant(&self) -> bool {
        matches!(self, Self::Agent { .. } | Self::Imported { .. })
    }

    /// Returns the name; `None` if the account was deleted.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Person { name, .. } | Self::Agent { name, .. } => Some(name),
            Self::Imported { label } => Some(label),
            Self::Gone => None,
        }
    }
}

/// Part of a message. Its index in the list is the field `p` of SSE events.
#[derive(Clone, Debug)]
pub enum PartView {
    /// Closed blocks as HTML, and the open tail as text. The tail of a finished message is empty.
    Text {
        closed: Html,
        tail: String,
    },
    Data {
        name: Option<String>,
        value: Value,
    },
    File {
        name: String,
        media_type: String,
        size: u64,
        /// How the page shows the content.
        preview: FilePreview,
        /// `None` while the message is open: files are stored when it ends.
        href: Option<String>,
    },
    /// Link whose target the page never loads by itself.
    Link {
        name: Option<String>,
        url: String,
    },
    Tool {
        tool: String,
        arguments: Value,
        result: Option<Value>,
        took_ms: Option<u64>,
    },
    Reasoning {
        html: Html,
    },
    Approval {
        id: ApprovalId,
        tool: String,
        arguments: Value,
        /// The user's decision; `None` while it is pending.
        decision: Option<ApprovalDecision>,
    },
    /// Question of a tool. Posts `approval`, `decision` = `yes` or `no`, and each input as `input.NAME` to
    /// `/chat/{id}/question`.
    Question {
        id: ApprovalId,
        tool: String,
        question: FormQuestion,
        /// The user's answer; `None` while it is pending.
        answer: Option<FormAnswer>,
    },
    /// Button that sends the question to another agent.
    ContinueWith {
        seed: String,
        name: String,
        address: Address,
        summary: String,
        /// Text that is sent to it, without the mention.
        text: String,
    },
}

/// How a page shows the content of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilePreview {
    /// An image in the message, with its size if that is known.
    Image(Option<ImageSize>),
    Audio,
    /// A page of its own with text or a table.
    Page,
    /// The browser's own view.
    Browser,
    /// Only a download.
    None,
}
