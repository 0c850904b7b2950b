//! In-memory streaming: broadcast channels to subscribers, and the messages that are still being written.
//!
//! A channel exists only while a chat has subscribers or an agent answers in it. A token is published before
//! it is journaled: it goes from the agent's connection into memory and to all subscribers, and the flusher
//! writes it to the stream journal shortly after.

mod channels;
mod frame;
mod journal_flusher;
mod open_message;
mod presence;
mod stream_limit;

use std::{collections::HashMap, sync::Arc};

pub use channels::{Channel, Channels, Topic};
pub use frame::{FrameKind, MAX_FORMS, StreamFrame};
pub(crate) use journal_flusher::start_flusher;
pub use open_message::{ClosedText, JournalPiece, OpenMessage, ReplayEffect};
use parking_lot::Mutex;
use plexus_domain::{ChatId, MessageId, Part};
pub use presence::PresenceRegistry;
pub(crate) use presence::{PresenceGuard, on_remote_presence, run_announcer};
pub use stream_limit::{CatchUpPermit, MAX_STREAMS, StreamLimiter, StreamPermit};

use crate::{
    bus::{AccessChanges, ClusterNotifier},
    views::Snapshot,
};

/// A message that is being written, shared by its run, its subscribers and the flusher.
pub type SharedOpenMessage = Arc<Mutex<OpenMessage>>;

/// The channels and open messages of this instance.
pub struct StreamRegistry {
    pub channels: Channels,
    pub access: AccessChanges,
    /// The people that have a room open.
    pub presence: PresenceRegistry,
    pub limiter: Arc<StreamLimiter>,
    writing: Mutex<HashMap<MessageId, SharedOpenMessage>>,
}

impl StreamRegistry {
    pub(crate) fn new(notifier: ClusterNotifier) -> Self {
        Self {
            channels: Channels::default(),
            access: AccessChanges::new(notifier),
            presence: PresenceRegistry::default(),
            limiter: Arc::default(),
            writing: Mutex::default(),
        }
    }

    /// Opens a message: from now on its text is visible to subscribers of the chat.
    pub fn open_message(&self, chat: ChatId, message: MessageId) -> SharedOpenMessage {
        let writing = Arc::new(Mutex::new(OpenMessage::new(chat, message)));
        self.writing.lock().insert(message, Arc::clone(&writing));
        writing
    }

    /// Opens a mirror of a message that another instance writes. None if this instance writes it.
    pub(crate) fn open_mirror(&self, chat: ChatId, message: MessageId) -> Option<SharedOpenMessage> {
        let mut writing = self.writing.lock();
        if writing.get(&message).is_some_and(|own| !own.lock().is_copy()) {
            return None;
        }
        let copy = Arc::new(Mutex::new(OpenMessage::copy(chat, message)));
        writing.insert(message, Arc::clone(&copy));
        Some(copy)
    }

    /// Closes a mirror, unless this instance has started to write the message itself.
    pub(crate) fn close_mirror(&self, message: MessageId, copy: &SharedOpenMessage) {
        let mut writing = self.writing.lock();
        if writing.get(&message).is_some_and(|one| Arc::ptr_eq(one, copy)) {
            writing.remove(&message);
        }
    }

    /// Closes all mirrors, after the mirroring worker panicked.
    pub(crate) fn end_copies(&self) {
        self.writing.lock().retain(|_, one| !one.lock().is_copy());
    }

    /// Closes a message whose final text is stored.
    pub fn close_message(&self, message: MessageId) {
        self.writing.lock().remove(&message);
    }

    /// Returns the state of a message that this instance writes or mirrors.
    pub fn snapshot(&self, message: MessageId) -> Option<Vec<Snapshot>> {
        let writing = self.writing.lock().get(&message).cloned()?;
        let snapshot = writing.lock().snapshot();
        Some(snapshot)
    }

    /// Returns the parts so far of a message that this instance writes or mirrors.
    pub fn parts(&self, message: MessageId) -> Option<Vec<Part>> {
        let writing = self.writing.lock().get(&message).cloned()?;
        let parts = writing.lock().parts();
        Some(parts)
    }

    /// Returns the status line of the message's agent, if there is one.
    pub fn status(&self, message: MessageId) -> Option<String> {
        let writing = self.writing.lock().get(&message).cloned()?;
        let status = writing.lock().status().to_owned();
        Some(status).filter(|line| !line.is_empty())
    }

    /// Returns the open messages of a chat, in order.
    pub fn open_messages(&self, chat: ChatId) -> Vec<MessageId> {
        let message = |open: SharedOpenMessage| {
            let open = open.lock();
            (open.chat() == chat).then(|| open.message())
        };
        let mut messages: Vec<_> = self.all().into_iter().filter_map(message).collect();
        messages.sort_unstable();
        messages
    }

    fn all(&self) -> Vec<SharedOpenMessage> {
        self.writing.lock().values().cloned().collect()
    }
}
