//! Limit of a thread: a page that stays open keeps only the newest messages, as a page that is opened shows them.
//!
//! Without it, each frame takes longer the more messages have arrived.

/// Size of a thread.
#[derive(Clone, Copy)]
pub struct ThreadSize {
    pub messages: usize,
    /// In CSS pixels.
    pub height: i32,
}

/// Size from which the oldest messages are removed. It is larger than what is kept, because a removal moves the page.
const MAX: ThreadSize = ThreadSize { messages: 80, height: 80_000 };
/// Size of what is kept: the messages of a page that is opened, or about fifty screens.
const KEPT: ThreadSize = ThreadSize { messages: 60, height: 50_000 };
/// Number of messages that are kept however tall they are.
const MIN: usize = 4;

impl ThreadSize {
    /// True if the thread has messages to remove.
    pub const fn is_exceeded(self) -> bool {
        self.exceeds(MAX)
    }

    /// True if the oldest message of a thread from which messages are removed is not kept.
    pub const fn has_surplus(self) -> bool {
        self.exceeds(KEPT)
    }

    const fn exceeds(self, limit: Self) -> bool {
        self.messages > limit.messages || (self.height > limit.height && self.messages > MIN)
    }
}

#[cfg(test)]
mod tests {
    use super::ThreadSize;

    #[test]
    fn the_newest_messages_are_kept() {
        assert!(ThreadSize { messages: 81, height: 0 }.is_exceeded());
        assert!(!ThreadSize { messages: 80, height: 80_000 }.is_exceeded());
        assert!(ThreadSize { messages: 61, height: 0 }.has_surplus());
        assert!(!ThreadSize { messages: 60, height: 50_000 }.has_surplus());
    }

    #[test]
    fn fewer_are_kept_if_they_are_tall() {
        assert!(ThreadSize { messages: 5, height: 80_001 }.is_exceeded());
        assert!(ThreadSize { messages: 5, height: 50_001 }.has_surplus());
        assert!(!ThreadSize { messages: 4, height: i32::MAX }.is_exceeded());
    }
}
