//! Structural events of a chat, as published to its subscribers.
//!
//! Events are rows with a sequence number, committed before they are published. Message text is not an event:
//! it is published first and journaled later, and byte offsets give its order.

use serde::{Deserialize, Serialize};

use crate::{ChatId, MessageId, PrincipalId, RunId, RunState, message::MessageState, run::Failure};

/// A structural event of a chat. Stored under the chat's next sequence number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Event {
    /// A message was accepted, or an agent started writing one.
    Message {
        message: MessageId,
        run: Option<RunId>,
    },
    /// A message reached a final state. Subscribers fetch its final form.
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
    /// The log of this chat's team was extended up to this entry.
    Team {
        entry: u64,
    },
    /// The state of a subteam of this chat's team changed: formed, working or ended.
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

    /// Returns the message and the run of the event, for the columns of its row.
    pub const fn subject(&self) -> (Option<MessageId>, Option<RunId>) {
        match self {
            Self::Message { message, run } => (Some(*message), *run),
            Self::Ended { message, .. } => (Some(*message), None),
            Self::Run { run, .. } => (None, Some(*run)),
            Self::Member { .. } | Self::Title { .. } | Self::Team { .. } | Self::Below { .. } => (None, None),
        }
    }
}
