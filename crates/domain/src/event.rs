//! What happens in a chat, as its readers are told.
//!
//! Structural events are rows with a sequence number, committed before they are sent. Text is not: it is shown
//! first and logged after, and its order follows from byte offsets.

use serde::{Deserialize, Serialize};

use crate::{ChatId, MessageId, PrincipalId, RunId, RunState, message::MessageState, run::Failure};

/// A change of structure, kept with the chat's next sequence number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Event {
    /// A message was accepted, or an agent began to write one.
    Message {
        message: MessageId,
        run: Option<RunId>,
    },
    /// A message is finished; readers fetch its final form.
    Ended {
        message: MessageId,
        state: MessageState,
    },
    Run {
        run: RunId,
        state: RunState,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        failure: Option<Failure>,
    },
    Member {
        principal: PrincipalId,
        joined: bool,
    },
    Title {
        title: String,
    },
    /// The team of this chat has moved on, up to this entry of its log.
    Team {
        entry: u64,
    },
    /// A team below the one of this chat has begun, has come to work, or has ended.
    Below {
        team: ChatId,
        state: String,
    },
}

impl Event {
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Message { .. } => "message",
            Self::Ended { .. } => "ended",
            Self::Run { .. } => "run",
            Self::Member { .. } => "member",
            Self::Title { .. } => "title",
            Self::Team { .. } => "team",
            Self::Below { .. } => "below",
        }
    }

    /// The message and the run that the event is about, for the columns of its row.
    pub const fn subject(&self) -> (Option<MessageId>, Option<RunId>) {
        match self {
            Self::Message { message, run } => (Some(*message), *run),
            Self::Ended { message, .. } => (Some(*message), None),
            Self::Run { run, .. } => (None, Some(*run)),
            Self::Member { .. } | Self::Title { .. } | Self::Team { .. } | Self::Below { .. } => (None, None),
        }
    }
}
