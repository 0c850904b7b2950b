//! Bounds of what is decoded.

/// Maximum bytes of a file.
pub const MAX_FILE_BYTES: usize = 64 << 20;
/// Maximum bytes of the conversations of a ZIP archive, unpacked.
pub const MAX_UNPACKED_BYTES: usize = 192 << 20;
/// Maximum entries of a ZIP archive. Archives with images have one entry for each.
pub const MAX_ENTRIES: usize = 20_000;
/// Maximum conversations of a file.
pub const MAX_CONVERSATIONS: usize = 20_000;
/// Maximum messages of a conversation, hidden ones included. A longer one is left out.
pub const MAX_MESSAGES: usize = 10_000;
/// Maximum messages of all conversations of a file that are shown.
pub const MAX_ALL_MESSAGES: usize = 1_000_000;
/// Maximum bytes of the text of a message. A longer text is cut.
pub const MAX_TEXT_BYTES: usize = 1 << 20;
/// Maximum characters of the label of an author.
pub const MAX_LABEL_CHARS: usize = 80;
/// Maximum pieces of the content of a message. Further ones are ignored.
pub(crate) const MAX_PIECES: usize = 1_000;
