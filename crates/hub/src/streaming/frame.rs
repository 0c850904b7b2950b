//! Frames: updates that are sent to subscribers. A frame is built once and shared, in memory and in encoded
//! forms, one for each language of its subscribers.

use std::sync::OnceLock;

use bytes::Bytes;
use plexus_domain::{MessageId, chat_event::Event};

use crate::views::{MessageView, Snapshot};

/// Maximum number of encoded forms of a frame.
pub const MAX_FORMS: usize = 4;

/// One update, with its cached encodings.
pub struct StreamFrame {
    pub kind: FrameKind,
    wire: [OnceLock<Bytes>; MAX_FORMS],
}

/// The content of a frame.
pub enum FrameKind {
    /// A structural change. `seq` is its number in the chat's event log, and `view` the message that it
    /// concerns.
    ///
    /// `since` is the number of the preceding event; a subscriber that has not received it missed something.
    Event { since: i64, seq: i64, event: Event, view: Option<Box<MessageView>> },
    /// The full state of a part that is being written; it replaces what the subscriber has.
    Snapshot(Box<Snapshot>),
    /// Appended text; `start` is its byte offset in the part.
    Text { message: MessageId, part: usize, start: usize, body: Box<str> },
    /// Status line of the agent of an open message; empty clears it.
    Status { message: MessageId, line: Box<str> },
    /// Bytes `start..end` of the part are final; `text` is their content.
    Block { message: MessageId, part: usize, start: usize, end: usize, text: Box<str> },
    /// Names of the people that have the room open.
    Presence(Vec<String>),
    /// Name of a person that types in the room now. It is not repeated: subscribers drop it after a few seconds.
    Typing(Box<str>),
    /// The account's list of chats changed.
    ChatListChanged,
    /// The chat was deleted, or the subscriber may not read it. `is_removed`: it was a member of the room.
    ChatUnavailable { is_removed: bool },
}

impl StreamFrame {
    pub const fn new(kind: FrameKind) -> Self {
        Self { kind, wire: [const { OnceLock::new() }; MAX_FORMS] }
    }

    /// Returns the encoding in a form, such as a language, if it is cached.
    pub fn encoded(&self, form: usize) -> Option<Bytes> {
        self.wire.get(form)?.get().cloned()
    }

    /// Returns the encoding in a form; the first call encodes and caches it. Forms from [`MAX_FORMS`] on are not cached.
    pub fn wire(&self, form: usize, encode: impl FnOnce(&FrameKind) -> Bytes) -> Bytes {
        match self.wire.get(form) {
            Some(cell) => cell.get_or_init(|| encode(&self.kind)).clone(),
            None => encode(&self.kind),
        }
    }
}
