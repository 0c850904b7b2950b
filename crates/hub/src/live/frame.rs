//! What readers are sent. A frame is built once and shared by all of them, in memory and on the wire.

use std::sync::OnceLock;

use bytes::Bytes;
use plexus_domain::{MessageId, Part, event::Event};

use crate::views::MessageView;

pub struct Frame {
    pub kind: FrameKind,
    wire: OnceLock<Bytes>,
}

pub enum FrameKind {
    /// A structural change. `seq` is its place in the chat's log; a reader that has not seen `since` missed something
    /// in between. `view` is the message that it is about.
    Event { since: i64, seq: i64, event: Event, view: Option<Box<MessageView>> },
    /// A message that is being written, as it stands: readers drop what they have of it.
    Snapshot(Box<Snapshot>),
    /// More text; `start` is its byte offset in the part.
    Text { message: MessageId, part: usize, start: usize, body: Box<str> },
    /// What the agent of an open message is doing; an empty line is nothing in particular.
    Status { message: MessageId, line: Box<str> },
    /// Bytes `start..end` of the part, which are `text`, will not change any more.
    Block { message: MessageId, part: usize, start: usize, end: usize, text: Box<str> },
    /// The list of the account's chats changed.
    ChatsChanged,
    /// The chat may not be read, by this reader or any more.
    Gone,
}

/// One part of a message that is being written.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    pub message: MessageId,
    pub part: usize,
    /// The blocks that will not change any more, in order.
    pub closed: Vec<ClosedBlock>,
    /// The text behind the closed blocks.
    pub tail: String,
    /// A part that came whole, instead of text.
    pub whole: Option<Part>,
}

/// A closed block: the byte offset at which it ends, and its markdown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClosedBlock {
    pub end: usize,
    pub text: Box<str>,
}

impl Snapshot {
    /// The byte offset of `tail`.
    pub fn start(&self) -> usize {
        self.closed.last().map_or(0, |block| block.end)
    }

    /// A part that came whole.
    pub const fn whole(message: MessageId, part: usize, whole: Part) -> Self {
        Self { message, part, closed: Vec::new(), tail: String::new(), whole: Some(whole) }
    }
}

impl Frame {
    pub const fn new(kind: FrameKind) -> Self {
        Self { kind, wire: OnceLock::new() }
    }

    /// The frame as bytes, where it is encoded already.
    pub fn encoded(&self) -> Option<Bytes> {
        self.wire.get().cloned()
    }

    /// The frame as bytes: encoded for the first reader that asks.
    pub fn wire(&self, encode: impl FnOnce(&FrameKind) -> Bytes) -> Bytes {
        self.wire.get_or_init(|| encode(&self.kind)).clone()
    }
}
