//! What a process says to the others, and how that is written.

use plexus_domain::{AccountId, AgentId, ChatId, ProcessId, RunId};
use plexus_store::signals::MAX_BYTES;
use serde::{Deserialize, Serialize};

use crate::live::Touched;

/// Something moved. What became of it is in the store.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Hint {
    /// The process lives.
    Alive,
    /// Hints were lost, or may have been.
    Everything,
    /// Events of a chat were committed.
    Chat(ChatId),
    /// The process has written more of what is said in a chat into its text log.
    Text(ChatId),
    /// The list of an account's chats.
    Chats(AccountId),
    Access(Touched),
    /// A run is to end.
    Stop(RunId),
    /// An account may not use the hub for now: its runs, and those of its agents, are to end.
    Left(AccountId),
    /// An agent is no more: no program is attached as it.
    Withdrawn(AgentId),
    /// Rules about hubs have changed: those of this hub, or of the list at an address.
    Rules(Option<String>),
    /// Somebody answered a question about a tool.
    Decided,
    Listings,
}

impl Hint {
    /// Whether whoever looks at everything finds it, too.
    pub const fn is_within_everything(&self) -> bool {
        !matches!(self, Self::Stop(_) | Self::Left(_) | Self::Withdrawn(_) | Self::Rules(_))
    }
}

/// What one signal carries.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Words {
    pub from: ProcessId,
    pub said: Vec<Hint>,
}

/// What is around the hints of a signal, in bytes.
const AROUND: usize = 80;

impl Words {
    /// As many signals as it takes, each short enough.
    pub fn split(from: ProcessId, hints: Vec<Hint>) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        let mut room = 0;
        for hint in hints {
            // And a comma.
            let size = write(&hint).len() + 1;
            match all.last_mut().filter(|_| size <= room) {
                Some(last) => last.said.push(hint),
                None => {
                    all.push(Self { from, said: vec![hint] });
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
    // Types without maps, without a fallible serializer: this cannot fail.
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
        let hints: Vec<Hint> = (0..=255_u8)
            .flat_map(|n| {
                let chat = ChatId::new(at, &[n; 10]);
                let account = AccountId::new(at, &[n; 10]);
                [
                    Hint::Chat(chat),
                    Hint::Text(chat),
                    Hint::Access(Touched::Account(account)),
                    Hint::Rules(Some("https://hub.example/".to_owned() + &"\"".repeat(492))),
                ]
            })
            .collect();
        let signals = Words::split(from, hints.clone());
        assert!(signals.len() > 1 && signals.iter().all(|signal| signal.written().len() < 8_000));
        let read = signals.iter().map(|signal| Words::read(&signal.written()).unwrap());
        assert_eq!(read.flat_map(|words| words.said).collect::<Vec<_>>(), hints);
        assert!(Words::split(from, Vec::new()).is_empty());
        assert_eq!(Words::read("something else"), None);
    }
}
