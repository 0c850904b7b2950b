//! What was left out of an import, counted by kind.

use std::collections::BTreeMap;

use crate::limits::{MAX_MESSAGES, MAX_TEXT_BYTES};

/// Kind of content that is left out of an import.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Omission {
    /// Conversation in an unknown or damaged form.
    UnreadableConversation,
    /// Conversation with more than [`MAX_MESSAGES`].
    LongConversation,
    /// Conversation without a message that can be shown.
    EmptyConversation,
    Image,
    File,
    /// Call of a tool, or its result.
    ToolMessage,
    /// Instructions, reasoning, and other content that the service did not show as a message.
    HiddenMessage,
    EmptyMessage,
    /// Message with an id that another message of the conversation has.
    DuplicateMessage,
    /// Text after [`MAX_TEXT_BYTES`], or versions of documents that are larger in all.
    LongText,
}

impl Omission {
    /// Name in the API.
    pub const fn name(self) -> &'static str {
        match self {
            Self::UnreadableConversation => "unreadable_conversations",
            Self::LongConversation => "long_conversations",
            Self::EmptyConversation => "empty_conversations",
            Self::Image => "images",
            Self::File => "files",
            Self::ToolMessage => "tool_messages",
            Self::HiddenMessage => "hidden_messages",
            Self::EmptyMessage => "empty_messages",
            Self::DuplicateMessage => "duplicate_messages",
            Self::LongText => "long_texts",
        }
    }

    /// Returns the count with its unit, such as "3 images".
    pub fn describe(self, count: u64) -> String {
        let (one, many) = match self {
            Self::UnreadableConversation => {
                ("conversation that could not be read", "conversations that could not be read")
            }
            Self::LongConversation => {
                let limit = format!("with more than {MAX_MESSAGES} messages");
                return match count {
                    1 => format!("1 conversation {limit}"),
                    count => format!("{count} conversations {limit}"),
                };
            }
            Self::EmptyConversation => ("conversation without text", "conversations without text"),
            Self::Image => ("image", "images"),
            Self::File => ("file", "files"),
            Self::ToolMessage => ("call or result of a tool", "calls and results of tools"),
            Self::HiddenMessage => ("hidden message", "hidden messages"),
            Self::EmptyMessage => ("message without text", "messages without text"),
            Self::DuplicateMessage => ("message with a repeated id", "messages with a repeated id"),
            Self::LongText => {
                let limit = MAX_TEXT_BYTES >> 20;
                return match count {
                    1 => format!("the rest of 1 text after {limit} MiB"),
                    count => format!("the rest of {count} texts after {limit} MiB"),
                };
            }
        };
        format!("{count} {}", if count == 1 { one } else { many })
    }
}

/// Counts of [`Omission`]s.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Omissions(BTreeMap<Omission, u64>);

impl Omissions {
    pub fn add(&mut self, omission: Omission, count: u64) {
        if count > 0 {
            *self.0.entry(omission).or_default() += count;
        }
    }

    pub fn append(&mut self, others: Self) {
        for (omission, count) in others.0 {
            self.add(omission, count);
        }
    }

    pub fn get(&self, omission: Omission) -> u64 {
        self.0.get(&omission).copied().unwrap_or_default()
    }

    /// Returns the kinds that occurred, conversations first.
    pub fn iter(&self) -> impl Iterator<Item = (Omission, u64)> {
        self.0.iter().map(|(omission, count)| (*omission, *count))
    }
}
