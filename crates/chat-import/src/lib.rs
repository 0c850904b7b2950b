//! Decoder of chats that other services export.
//!
//! [`decode`] accepts the JSON files of ChatGPT, Claude, Open WebUI, LibreChat and Plexus, and ZIP archives with them.
//! The format is recognized by the shape of the content. Everything is bounded before it is parsed.
//!
//! Reading order: [`decode`], `formats` (one module per service), `message_tree` (how the messages of all of them
//! become a tree), `archive` (ZIP).

mod archive;
mod bounded;
mod formats;
mod json_text;
mod limits;
mod message_tree;
mod omission;
mod timestamps;

use std::str;

use plexus_domain::Timestamp;
use serde_json::value::RawValue;
use sha2::{Digest as _, Sha256};

use self::{bounded::BoundedList, formats::ConversationProblem};
pub use self::{
    formats::SourceFormat,
    limits::{
        MAX_ALL_MESSAGES, MAX_CONVERSATIONS, MAX_ENTRIES, MAX_FILE_BYTES, MAX_LABEL_CHARS, MAX_MESSAGES,
        MAX_TEXT_BYTES, MAX_UNPACKED_BYTES,
    },
    omission::{Omission, Omissions},
};

/// Conversations of a file, and what was left out of it.
#[derive(Debug)]
pub struct DecodedExport {
    pub format: SourceFormat,
    pub conversations: Vec<ImportedConversation>,
    pub omissions: Omissions,
}

/// A conversation with all of its branches.
#[derive(Debug, PartialEq, Eq)]
pub struct ImportedConversation {
    /// Id at the service that exported it; a digest of the content if it has none. At most 128 bytes of ASCII.
    pub source_id: String,
    /// As exported; may be empty.
    pub title: String,
    pub created: Option<Timestamp>,
    /// Not empty; parents before children.
    pub messages: Vec<ImportedMessage>,
    /// Position of the message that was shown last.
    pub current: usize,
}

#[derive(Debug, PartialEq, Eq)]
pub struct ImportedMessage {
    /// Position of its parent, which is lower than its own.
    pub parent: Option<usize>,
    pub author: ImportedAuthor,
    /// Markdown; not blank, at most [`MAX_TEXT_BYTES`].
    pub text: String,
    pub created: Option<Timestamp>,
}

/// Author of an imported message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImportedAuthor {
    /// The person who had the conversation.
    User,
    Assistant {
        /// Service and model, such as "ChatGPT · gpt-4o"; at most [`MAX_LABEL_CHARS`].
        label: String,
        /// Position among answers given side by side, from 1.
        lane: i32,
    },
}

/// Reason why a file is refused as a whole. The message says what to do.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    #[error("The file is empty. Choose the file that you got from the other service.")]
    Empty,
    #[error(
        "The file is larger than {} MiB. If it is a ZIP archive with images, unpack it and import only \
         conversations.json.",
        MAX_FILE_BYTES >> 20
    )]
    TooLarge,
    #[error(
        "The ZIP archive cannot be read: {0}. Download it again, or unpack it and import only conversations.json."
    )]
    DamagedArchive(&'static str),
    #[error(
        "The ZIP archive has more than {MAX_ENTRIES} entries. Unpack it and import only conversations.json."
    )]
    TooManyEntries,
    #[error(
        "Unpacked, the conversations of the ZIP archive are larger than {} MiB. Export fewer chats at once.",
        MAX_UNPACKED_BYTES >> 20
    )]
    UnpackedTooLarge,
    #[error("The ZIP archive has no conversations.json. Choose the archive of the export.")]
    NoConversationsFile,
    #[error("The file is not text in UTF-8. Save it as UTF-8, or export it again.")]
    NotUtf8,
    #[error("The file is not complete JSON ({0}). Export or download it again.")]
    NotJson(String),
    #[error(
        "The file is no export of ChatGPT, Claude, Open WebUI, LibreChat or Plexus that this hub knows. \
         Choose another file."
    )]
    UnknownFormat,
    #[error("The file has more than {MAX_CONVERSATIONS} conversations. Export fewer at once.")]
    TooManyConversations,
    #[error("The file has more than {MAX_ALL_MESSAGES} messages. Export fewer chats at once.")]
    TooManyMessages,
    #[error("The file has no conversations. Choose another file.")]
    NoConversations,
}

/// Decodes a file. CPU-bound: takes seconds for the largest files.
pub fn decode(bytes: &[u8]) -> Result<DecodedExport, ImportError> {
    if bytes.len() > MAX_FILE_BYTES {
        return Err(ImportError::TooLarge);
    }
    let mut decoder = Decoder::default();
    if archive::is_zip(bytes) {
        for document in archive::read_conversations(bytes, MAX_UNPACKED_BYTES)? {
            decoder.add_document(&document)?;
        }
    } else {
        decoder.add_document(bytes)?;
    }
    decoder.finish()
}

/// Collects the conversations of one or more JSON documents.
#[derive(Default)]
struct Decoder {
    format: Option<SourceFormat>,
    conversations: Vec<ImportedConversation>,
    omissions: Omissions,
    /// Conversations so far, including those that were left out.
    count: usize,
    /// Messages of the conversations.
    messages: usize,
}

impl Decoder {
    /// Adds the conversations of a document: values one after another, each a conversation or a list of those.
    fn add_document(&mut self, bytes: &[u8]) -> Result<(), ImportError> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        // JSON has no U+0000, and text in UTF-16 has many.
        if bytes.contains(&0) {
            return Err(ImportError::NotUtf8);
        }
        let text = str::from_utf8(bytes).map_err(|_| ImportError::NotUtf8)?;
        if text.trim().is_empty() {
            return Err(ImportError::Empty);
        }
        let not_json = |error: serde_json::Error| ImportError::NotJson(error.to_string());
        for value in serde_json::Deserializer::from_str(text).into_iter::<&RawValue>() {
            let value = value.map_err(not_json)?.get();
            if value.starts_with('[') {
                let list: BoundedList<&RawValue, MAX_CONVERSATIONS> =
                    serde_json::from_str(value).map_err(not_json)?;
                if !list.is_complete {
                    return Err(ImportError::TooManyConversations);
                }
                for conversation in list.items {
                    self.add_conversation(conversation.get())?;
                }
            } else {
                self.add_conversation(value)?;
            }
        }
        Ok(())
    }

    fn add_conversation(&mut self, json: &str) -> Result<(), ImportError> {
        self.count += 1;
        if self.count > MAX_CONVERSATIONS {
            return Err(ImportError::TooManyConversations);
        }
        let Some(format) = SourceFormat::of(json) else {
            self.omissions.add(Omission::UnreadableConversation, 1);
            return Ok(());
        };
        self.format.get_or_insert(format);
        match decode_conversation(format, json) {
            Ok((conversation, omissions)) => {
                self.messages += conversation.messages.len();
                if self.messages > MAX_ALL_MESSAGES {
                    return Err(ImportError::TooManyMessages);
                }
                self.conversations.push(conversation);
                self.omissions.append(omissions);
            }
            Err(ConversationProblem::Unreadable) => self.omissions.add(Omission::UnreadableConversation, 1),
            Err(ConversationProblem::TooLong) => self.omissions.add(Omission::LongConversation, 1),
            Err(ConversationProblem::Empty) => self.omissions.add(Omission::EmptyConversation, 1),
        }
        Ok(())
    }

    fn finish(self) -> Result<DecodedExport, ImportError> {
        match self.format {
            Some(format) => {
                let Self { conversations, omissions, .. } = self;
                Ok(DecodedExport { format, conversations, omissions })
            }
            None if self.count == 0 => Err(ImportError::NoConversations),
            None => Err(ImportError::UnknownFormat),
        }
    }
}

/// Decodes a conversation. One that is not valid Unicode is repaired first.
fn decode_conversation(
    format: SourceFormat,
    json: &str,
) -> Result<(ImportedConversation, Omissions), ConversationProblem> {
    let source = match format.read(json) {
        // ChatGPT cuts some texts in the middle of a surrogate pair.
        Err(ConversationProblem::Unreadable) => match json_text::without_lone_surrogates(json) {
            Some(repaired) => format.read(&repaired)?,
            None => return Err(ConversationProblem::Unreadable),
        },
        read => read?,
    };
    let mut omissions = source.omissions;
    let tree = message_tree::assemble(source.nodes, source.current.as_deref(), &mut omissions);
    if tree.messages.is_empty() {
        return Err(ConversationProblem::Empty);
    }
    let created = source.created.or_else(|| tree.messages.iter().find_map(|message| message.created));
    let conversation = ImportedConversation {
        source_id: source.id.filter(|id| is_usable_id(id)).unwrap_or_else(|| digest(json)),
        title: source.title,
        created,
        messages: tree.messages,
        current: tree.current,
    };
    Ok((conversation, omissions))
}

fn is_usable_id(id: &str) -> bool {
    (1..=128).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_graphic())
}

fn digest(json: &str) -> String {
    Sha256::digest(json.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}
