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
        /// The alias is its name in events stored before 0.1.
        #[serde(alias = "entry")]
        log_seq: u64,
    },
    /// The state of a subteam of this chat's team changed: formed, working or ended.
    /// The alias is its name in events stored before 0.1.
    #[serde(alias = "below")]
    SubteamState {
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
            Self::SubteamState { .. } => "subteam_state",
        }
    }

    /// Returns the message and the run of the event, for the columns of its row.
    pub const fn subject(&self) -> (Option<MessageId>, Option<RunId>) {
        match self {
            Self::Message { message, run } => (Some(*message), *run),
            Self::Ended { message, .. } => (Some(*message), None),
            Self::Run { run, .. } => (None, Some(*run)),
            Self::Member { .. } | Self::Title { .. } | Self::Team { .. } | Self::SubteamState { .. } => {
                (None, None)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn team_events_that_an_older_hub_stored_are_read() {
        let read = |form| serde_json::from_value::<Event>(form).unwrap();
        assert_eq!(read(json!({ "kind": "team", "entry": 7 })), Event::Team { log_seq: 7 });
        let team = ChatId::new(crate::Timestamp::from_millis(1), &[1; 10]);
        let event = Event::SubteamState { team, state: "closed".to_owned() };
        assert_eq!(read(json!({ "kind": "below", "team": team, "state": "closed" })), event);
        assert_eq!(serde_json::to_value(&event).unwrap()["kind"], event.kind());
    }
}
