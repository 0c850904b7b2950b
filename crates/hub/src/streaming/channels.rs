//! In-memory broadcast channels per chat and account.

use std::{collections::HashMap, sync::Arc};

use parking_lot::Mutex;
use plexus_domain::{AccountId, ChatId};
use tokio::sync::broadcast;

use super::StreamFrame;

/// Channel capacity in frames. A receiver that lags behind catches up from the event log, and loses nothing.
const BEHIND: usize = 128;

/// What a channel is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Topic {
    Chat(ChatId),
    /// Changes outside the open chat: the list of chats, finished answers.
    Account(AccountId),
}

/// The channels that are in use. Cheap to clone.
#[derive(Clone, Default)]
pub struct Channels(Arc<Mutex<HashMap<Topic, ChannelEntry>>>);

struct ChannelEntry {
    sender: broadcast::Sender<Arc<StreamFrame>>,
    holders: usize,
}

impl Channels {
    /// Returns the channel of `topic`, and creates it on first use. It exists while any handle to it does.
    pub fn acquire(&self, topic: Topic) -> Channel {
        let mut channels = self.0.lock();
        let held = channels
            .entry(topic)
            .or_insert_with(|| ChannelEntry { sender: broadcast::Sender::new(BEHIND), holders: 0 });
        held.holders += 1;
        Channel { topic, sender: held.sender.clone(), channels: self.clone() }
    }

    /// Returns whether the topic has subscribers.
    pub fn is_watched(&self, topic: Topic) -> bool {
        self.0.lock().get(&topic).is_some_and(|held| held.sender.receiver_count() > 0)
    }

    /// Returns the chats that have subscribers.
    pub fn watched_chats(&self) -> Vec<ChatId> {
        let chat = |(topic, held): (&Topic, &ChannelEntry)| match topic {
            Topic::Chat(chat) if held.sender.receiver_count() > 0 => Some(*chat),
            _ => None,
        };
        self.0.lock().iter().filter_map(chat).collect()
    }

    /// Publishes a frame to the subscribers of a topic, if there are any.
    pub fn publish(&self, topic: Topic, frame: StreamFrame) {
        if let Some(held) = self.0.lock().get(&topic) {
            let _ = held.sender.send(Arc::new(frame));
        }
    }

    #[cfg(test)]
    fn len(&self) -> usize {
        self.0.lock().len()
    }
}

/// A reference-counted handle that keeps a channel alive.
pub struct Channel {
    topic: Topic,
    sender: broadcast::Sender<Arc<StreamFrame>>,
    channels: Channels,
}

impl Channel {
    pub const fn topic(&self) -> Topic {
        self.topic
    }

    pub fn subscribe(&self) -> broadcast::Receiver<Arc<StreamFrame>> {
        self.sender.subscribe()
    }

    pub fn is_watched(&self) -> bool {
        self.sender.receiver_count() > 0
    }

    pub fn publish(&self, frame: StreamFrame) {
        let _ = self.sender.send(Arc::new(frame));
    }
}

impl Drop for Channel {
    fn drop(&mut self) {
        let mut channels = self.channels.0.lock();
        let Some(held) = channels.get_mut(&self.topic) else { return };
        held.holders -= 1;
        if held.holders == 0 {
            channels.remove(&self.topic);
        }
    }
}

#[cfg(test)]
mod tests {
    use plexus_domain::Timestamp;

    use super::*;

    #[test]
    fn a_channel_lives_as_long_as_somebody_holds_it() {
        let channels = Channels::default();
        let topic = Topic::Chat(ChatId::new(Timestamp::from_millis(1), &[0; 10]));
        let run = channels.acquire(topic);
        let reader = channels.acquire(topic);
        assert!(!channels.is_watched(topic));
        let _watching = reader.subscribe();
        assert!(run.is_watched() && channels.is_watched(topic));
        drop((run, reader));
        assert_eq!(channels.len(), 0);
    }
}
