//! Structural events of a chat, as published to its subscribers.
//!
//! Events are rows with a sequence number, committed before they are published. Message text is not an event:
//! it is published first and journaled later, and byte offsets give its order.

use serde::{Deserialize, Serialize};

use crate::{ChatId, MessageId, PrincipalId, RunId, RunState, message::MessageState, run::Failure};

/// A structural event of a chat. Stored under the chat's next sequence number.
///
/// The aliases are the names in events that earlier versions stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Event {
    /// A message was accepted, or an agent started writing one.
    #[serde(alias = "message")]
    MessageCreated { message: MessageId, run: Option<RunId> },
    /// A message reached a final state. Subscribers fetch its final form.
    #[serde(alias = "ended")]
    MessageCompleted { message: MessageId, state: MessageState },
    /// The state of a run changed.
    #[serde(alias = "run")]
    RunUpdated {
        run: RunId,
        state: RunState,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        failure: Option<Failure>,
    },
    /// A member joined or left.
    #[serde(alias = "member")]
    MemberChanged { principal: PrincipalId, joined: bool },
    #[serde(alias = "title")]
    TitleChanged { title: String },
    /// The log of this chat's team was extended up to this entry.
    #[serde(alias = "team")]
    TeamUpdated {
        #[serde(alias = "entry")]
        log_seq: u64,
    },
    /// The state of a subteam of this chat's team changed: formed, working or ended.
    #[serde(alias = "below")]
    SubteamState { team: ChatId, state: String },
}

impl Event {
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::MessageCreated { .. } => "message_created",
            Self::MessageCompleted { .. } => "message_completed",
            Self::RunUpdated { .. } => "run_updated",
            Self::MemberChanged { .. } => "member_changed",
            Self::TitleChanged { .. } => "title_changed",
            Self::TeamUpdated { .. } => "team_updated",
            Self::SubteamState { .. } => "subteam_state",
        }
    }

    /// Returns the message and the run of the event, for the columns of its row.
    pub const fn subject(&self) -> (Option<MessageId>, Option<RunId>) {
        match self {
            Self::MessageCreated { message, run } => (Some(*message), *run),
            Self::MessageCompleted { message, .. } => (Some(*message), None),
            Self::RunUpdated { run, .. } => (None, Some(*run)),
            Self::MemberChanged { .. }
            | Self::TitleChanged { .. }
            | Self::TeamUpdated { .. }
            | Self::SubteamState { .. } => (None, None),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn events_of_earlier_versions_are_read() {
        let id = "01a213c2-fc8d-7a67-9f70-1cfa0b9a7ce1";
        let stored = [
            (json!({ "kind": "message", "message": id, "run": null }), "message_created"),
            (json!({ "kind": "ended", "message": id, "state": "done" }), "message_completed"),
            (json!({ "kind": "run", "run": id, "state": "working" }), "run_updated"),
            (json!({ "kind": "member", "principal": id, "joined": true }), "member_changed"),
            (json!({ "kind": "title", "title": "Tides" }), "title_changed"),
        ];
        for (mut old, kind) in stored {
            let event: Event = serde_json::from_value(old.clone()).unwrap();
            assert_eq!(event.kind(), kind);
            old["kind"] = json!(kind);
            assert_eq!(serde_json::to_value(&event).unwrap(), old);
        }
    }

    #[test]
    fn team_events_that_an_older_hub_stored_are_read() {
        let read = |form| serde_json::from_value::<Event>(form).unwrap();
        assert_eq!(read(json!({ "kind": "team", "entry": 7 })), Event::TeamUpdated { log_seq: 7 });
        let team = ChatId::new(crate::Timestamp::from_millis(1), &[1; 10]);
        let event = Event::SubteamState { team, state: "closed".to_owned() };
        assert_eq!(read(json!({ "kind": "below", "team": team, "state": "closed" })), event);
        assert_eq!(serde_json::to_value(&event).unwrap()["kind"], event.kind());
    }
}
