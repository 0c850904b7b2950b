//! What is being said right now: channels to readers, and the text of messages that are still being written.
//!
//! A channel exists only while somebody reads a chat or an agent answers in it. A token is shown first and logged
//! after: it goes from the agent's connection into memory and to every reader at once, and the flusher writes it
//! down a moment later.

mod access;
mod channel;
mod flusher;
mod frame;
mod open;

use std::{collections::HashMap, sync::Arc};

pub use access::{Access, Touched};
pub use channel::{Channel, Channels, Topic};
pub(crate) use flusher::start_flusher;
pub use frame::{ClosedBlock, Frame, FrameKind, Snapshot};
pub use open::{Applied, Closed, OpenMessage, Unlogged};
use parking_lot::Mutex;
use plexus_domain::{ChatId, MessageId, Part};

use crate::processes::Hints;

/// The message that a run is writing, shared by the run, its readers and the flusher.
pub type Writing = Arc<Mutex<OpenMessage>>;

pub struct Live {
    pub channels: Channels,
    pub access: Access,
    writing: Mutex<HashMap<MessageId, Writing>>,
}

impl Live {
    pub(crate) fn new(hints: Hints) -> Self {
        Self { channels: Channels::default(), access: Access::new(hints), writing: Mutex::default() }
    }

    /// Begins a message: from here on readers of the chat are shown its text.
    pub fn begin(&self, chat: ChatId, message: MessageId) -> Writing {
        let writing = Arc::new(Mutex::new(OpenMessage::new(chat, message)));
        self.writing.lock().insert(message, Arc::clone(&writing));
        writing
    }

    /// Begins to read along with a message that another process writes. None where this one writes it by now.
    pub(crate) fn copy(&self, chat: ChatId, message: MessageId) -> Option<Writing> {
        let mut writing = self.writing.lock();
        if writing.get(&message).is_some_and(|own| !own.lock().is_copy()) {
            return None;
        }
        let copy = Arc::new(Mutex::new(OpenMessage::copy(chat, message)));
        writing.insert(message, Arc::clone(&copy));
        Some(copy)
    }

    /// Ends reading along; what this process writes since then goes on.
    pub(crate) fn end_copy(&self, message: MessageId, copy: &Writing) {
        let mut writing = self.writing.lock();
        if writing.get(&message).is_some_and(|one| Arc::ptr_eq(one, copy)) {
            writing.remove(&message);
        }
    }

    /// Ends reading along everywhere, after what read along has panicked.
    pub(crate) fn end_copies(&self) {
        self.writing.lock().retain(|_, one| !one.lock().is_copy());
    }

    /// Ends a message: its text is now in the store.
    pub fn end(&self, message: MessageId) {
        self.writing.lock().remove(&message);
    }

    /// The state of a message that is being written, if this process writes it or reads along.
    pub fn snapshot(&self, message: MessageId) -> Option<Vec<Snapshot>> {
        let writing = self.writing.lock().get(&message).cloned()?;
        let snapshot = writing.lock().snapshot();
        Some(snapshot)
    }

    /// What such a message says so far.
    pub fn parts(&self, message: MessageId) -> Option<Vec<Part>> {
        let writing = self.writing.lock().get(&message).cloned()?;
        let parts = writing.lock().parts();
        Some(parts)
    }

    /// What the agent of such a message is doing, in one line.
    pub fn status(&self, message: MessageId) -> Option<String> {
        let writing = self.writing.lock().get(&message).cloned()?;
        let status = writing.lock().status().to_owned();
        Some(status).filter(|line| !line.is_empty())
    }

    /// The same for every message of a chat that says so.
    pub fn statuses(&self, chat: ChatId) -> Vec<(MessageId, String)> {
        let writing: Vec<Writing> = self.writing.lock().values().cloned().collect();
        let of_chat = writing.iter().map(|one| one.lock()).filter(|one| one.chat() == chat);
        of_chat
            .filter(|one| !one.status().is_empty())
            .map(|one| (one.message(), one.status().to_owned()))
            .collect()
    }

    /// The state of every message of a chat.
    pub fn snapshots(&self, chat: ChatId) -> Vec<Snapshot> {
        let writing: Vec<Writing> = self.writing.lock().values().cloned().collect();
        let mut of_chat: Vec<_> =
            writing.iter().map(|one| one.lock()).filter(|one| one.chat() == chat).collect();
        of_chat.sort_by_key(|one| one.message());
        of_chat.iter_mut().flat_map(|one| one.snapshot()).collect()
    }

    fn all(&self) -> Vec<Writing> {
        self.writing.lock().values().cloned().collect()
    }
}
