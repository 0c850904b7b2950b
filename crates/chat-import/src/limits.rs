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
pub const MAX_ALL_MESSAGES: usize = 300_000;
/// Maximum bytes of a text of a message. A longer text is cut.
pub const MAX_TEXT_BYTES: usize = 1 << 20;
/// Maximum characters of the label of an author.
pub const MAX_LABEL_CHARS: usize = 80;
/// Maximum pieces of the content of a message. Further ones are ignored.
pub(crate) const MAX_PIECES: usize = 1_000;
/// Maximum members of a JSON object. Further ones are ignored.
pub(crate) const MAX_MEMBERS: usize = 1_000;
/// Maximum bytes of a pasted text that is shown in its message. A longer one becomes a text file.
pub(crate) const MAX_QUOTED_BYTES: usize = 64 << 10;
/// Maximum bytes of JSON that becomes a value in memory, which is larger. Longer JSON stays text.
pub(crate) const MAX_VALUE_BYTES: usize = 64 << 10;
/// Maximum bytes of all JSON of a file that becomes values.
pub(crate) const MAX_VALUES_BYTES: usize = 8 << 20;
/// Maximum bytes of the versions of all documents of a file: a small change repeats a large document.
pub(crate) const MAX_VERSIONS_BYTES: usize = 32 << 20;
