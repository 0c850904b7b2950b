//! Cluster notifications between instances, and their encoding.

use plexus_domain::{AccountId, AgentId, ChatId, ProcessId, RunId};
use plexus_store::notify::MAX_BYTES;
use serde::{Deserialize, Serialize};

use super::AccessChange;

/// Notification that something changed. The data itself is in the store.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ClusterNotice {
    /// Heartbeat of the instance.
    Alive,
    /// Notifications were lost, or may have been: resync.
    Everything,
    /// Events of a chat were committed.
    Chat(ChatId),
    /// The instance has journaled more text of a chat.
    Text(ChatId),
    /// The chat list of an account changed.
    Chats(AccountId),
    Access(AccessChange),
    /// Cancel a run.
    Stop(RunId),
    /// An account was suspended: cancel its runs and those of its agents.
    Left(AccountId),
    /// An agent was deleted: disconnect its attached program.
    Withdrawn(AgentId),
    /// Federation rules have changed: those of this hub, or of the list at this URL.
    Rules(Option<String>),
    /// A person opened a room, has it open still, or closed it.
    Presence {
        chat: ChatId,
        name: String,
        is_open: bool,
    },
    /// A person types in a room.
    Typing {
        chat: ChatId,
        name: String,
    },
    /// A tool call was approved or denied.
    Decided,
    Listings,
}

impl ClusterNotice {
    /// Returns whether a full resync covers this notification.
    pub const fn is_within_everything(&self) -> bool {
        !matches!(self, Self::Stop(_) | Self::Left(_) | Self::Withdrawn(_) | Self::Rules(_))
    }
}

/// Payload of one NOTIFY.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct NoticePayload {
    pub from: ProcessId,
    pub said: Vec<ClusterNotice>,
}

/// Size of the JSON around the notifications, in bytes.
const AROUND: usize = 80;

impl NoticePayload {
    /// Splits the notifications into as many payloads as needed, each within the size limit of NOTIFY.
    pub fn split(from: ProcessId, notices: Vec<ClusterNotice>) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        let mut room = 0;
        for notice in notices {
            // One more byte for the comma.
            let size = write(&notice).len() + 1;
            match all.last_mut().filter(|_| size <= room) {
                Some(last) => last.said.push(notice),
                None => {
                    all.push(Self { from, said: vec![notice] });
                    room = MAX_BYTES - AROUND;
                }
            }
            room = room.saturating_sub(size);
        }
        all
    }

    pub fn written(&self) -> String {
        write(self)
    }

    pub fn read(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }
}

fn write(words: &impl Serialize) -> String {
    // Cannot fail: these types contain no maps and no fallible serializers.
    serde_json::to_string(words).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use plexus_domain::Timestamp;

    use super::*;

    #[test]
    fn signals_are_short_enough_and_say_everything_once() {
        let at = Timestamp::from_millis(1);
        let from = ProcessId::new(at, &[9; 10]);
        let notices: Vec<ClusterNotice> = (0..=255_u8)
            .flat_map(|n| {
                let chat = ChatId::new(at, &[n; 10]);
                let account = AccountId::new(at, &[n; 10]);
                [
                    ClusterNotice::Chat(chat),
                    ClusterNotice::Text(chat),
                    ClusterNotice::Access(AccessChange::Account(account)),
                    ClusterNotice::Rules(Some("https://hub.example/".to_owned() + &"\"".repeat(492))),
                ]
            })
            .collect();
        let signals = NoticePayload::split(from, notices.clone());
        assert!(signals.len() > 1 && signals.iter().all(|signal| signal.written().len() < 8_000));
        let read = signals.iter().map(|signal| NoticePayload::read(&signal.written()).unwrap());
        assert_eq!(read.flat_map(|words| words.said).collect::<Vec<_>>(), notices);
        assert!(NoticePayload::split(from, Vec::new()).is_empty());
        assert_eq!(NoticePayload::read("something else"), None);
    }
}
