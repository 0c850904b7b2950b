//! Decoder of chats that other services export.
//!
//! [`decode`] accepts the JSON files of ChatGPT, Claude, DeepSeek, Open WebUI, LibreChat and Plexus, and ZIP archives with
//! them. The format is recognized by the shape of the content. Everything is bounded before it is parsed.
//!
//! Reading order: [`decode`], `formats` (one module per service, which read JSON with `fields`), `documents` and
//! `message_tree` (how the messages of all of them become a tree), `archive` (ZIP).

mod archive;
mod bounded;
mod citations;
mod content;
mod documents;
mod fields;
mod formats;
mod json_text;
mod limits;
mod message_tree;
mod omission;
mod read_context;
mod timestamps;
mod unknown_format;

use std::str;

use plexus_domain::{Timestamp, message::MessageState};
use serde_json::value::RawValue;
use sha2::{Digest as _, Sha256};

use self::{
    archive::{Archive, ArchivedFiles},
    bounded::BoundedList,
    fields::Fields,
    formats::ConversationProblem,
    read_context::ReadContext,
};
pub use self::{
    archive::{ArchivedFile, ArchivedFileError, read_archived},
    content::{FileContent, ImportedFile, ImportedPart},
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
#[derive(Debug, PartialEq)]
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
    pub is_pinned: bool,
    pub is_archived: bool,
    /// Name of its folder or project; may be too long.
    pub folder: Option<String>,
}

#[derive(Debug, PartialEq)]
pub struct ImportedMessage {
    /// Id in its conversation, the same in a later export.
    pub source_id: String,
    /// Position of its parent, which is lower than its own.
    pub parent: Option<usize>,
    pub author: ImportedAuthor,
    /// Texts are not blank and have at most [`MAX_TEXT_BYTES`] each. Without parts only if the message was deleted, failed
    /// or stopped.
    pub parts: Vec<ImportedPart>,
    pub created: Option<Timestamp>,
    /// Not [`MessageState::Open`].
    pub state: MessageState,
}

impl ImportedMessage {
    /// Returns the texts, joined with blank lines.
    pub fn text(&self) -> String {
        content::join(self.parts.iter().filter_map(ImportedPart::as_text).map(str::to_owned))
    }
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

/// The services whose exports are read.
const READ: &str = "ChatGPT, Claude, DeepSeek, Open WebUI, LibreChat or Plexus";

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
    #[error("The file is no export of {READ} that this hub knows. Choose another file.")]
    UnknownFormat,
    #[error(
        "The file looks like {0}, which this hub does not read. It reads exports of {READ}. Choose one of those."
    )]
    OtherService(&'static str),
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
    if !archive::is_zip(bytes) {
        let mut decoder = Decoder::new(ArchivedFiles::default());
        decoder.add_document(bytes)?;
        return decoder.finish();
    }
    let archive = Archive::open(bytes)?;
    let documents = archive.read_conversations(MAX_UNPACKED_BYTES)?;
    let mut decoder = Decoder::new(archive.files());
    let mut problem = None;
    let has_several = documents.len() > 1;
    for document in documents {
        match decoder.add_document(&document) {
            // A document beside others may be of another kind, or damaged.
            Err(error @ (ImportError::Empty | ImportError::NotUtf8 | ImportError::NotJson(_)))
                if has_several =>
            {
                decoder.omissions().add(Omission::UnreadableConversation, 1);
                problem.get_or_insert(error);
            }
            added => added?,
        }
    }
    match (decoder.format, problem) {
        (None, Some(problem)) => Err(problem),
        _ => decoder.finish(),
    }
}

/// Collects the conversations of one or more JSON documents.
struct Decoder {
    format: Option<SourceFormat>,
    /// Service of a conversation in an unknown format.
    other: Option<&'static str>,
    conversations: Vec<ImportedConversation>,
    context: ReadContext,
    /// Conversations so far, including those that were left out.
    count: usize,
    /// Messages of the conversations.
    messages: usize,
}

impl Decoder {
    fn new(files: ArchivedFiles) -> Self {
        Self {
            format: None,
            other: None,
            conversations: Vec::new(),
            context: ReadContext::new(files),
            count: 0,
            messages: 0,
        }
    }

    const fn omissions(&mut self) -> &mut Omissions {
        &mut self.context.omissions
    }

    /// Adds the conversations of a document: values one after another, each a conversation or a list of those.
    fn add_document(&mut self, bytes: &[u8]) -> Result<(), ImportError> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        if let Some(kind) = unknown_format::of_bytes(bytes) {
            return Err(ImportError::OtherService(kind));
        }
        // JSON has no U+0000, and text in UTF-16 has many.
        if bytes.contains(&0) {
            return Err(ImportError::NotUtf8);
        }
        let text = str::from_utf8(bytes).map_err(|_| ImportError::NotUtf8)?;
        if text.trim().is_empty() {
            return Err(ImportError::Empty);
        }
        let not_json = |error: serde_json::Error| match unknown_format::of_text(text) {
            Some(kind) => ImportError::OtherService(kind),
            None => ImportError::NotJson(error.to_string()),
        };
        for value in serde_json::Deserializer::from_str(text).into_iter::<&RawValue>() {
            let value = value.map_err(not_json)?.get();
            // Some programs wrap the list of conversations.
            let wrapped = Fields::of(value).get("conversations");
            match wrapped.filter(|list| list.starts_with('[') && SourceFormat::of(value).is_none()) {
                Some(list) => self.add_list(list)?,
                None if value.starts_with('[') => self.add_list(value)?,
                None => self.add_conversation(value)?,
            }
        }
        Ok(())
    }

    fn add_list(&mut self, json: &str) -> Result<(), ImportError> {
        let list: BoundedList<&RawValue, MAX_CONVERSATIONS> = fields::parse(json).unwrap_or_default();
        if !list.is_complete {
            return Err(ImportError::TooManyConversations);
        }
        list.items.into_iter().try_for_each(|conversation| self.add_conversation(conversation.get()))
    }

    fn add_conversation(&mut self, json: &str) -> Result<(), ImportError> {
        self.count += 1;
        if self.count > MAX_CONVERSATIONS {
            return Err(ImportError::TooManyConversations);
        }
        let Some(format) = SourceFormat::of(json) else {
            self.other = self.other.or_else(|| unknown_format::of_json(json));
            self.omissions().add(Omission::UnreadableConversation, 1);
            return Ok(());
        };
        self.format.get_or_insert(format);
        let problem = match decode_conversation(format, json, &mut self.context) {
            Ok(conversation) => {
                self.messages += conversation.messages.len();
                if self.messages > MAX_ALL_MESSAGES {
                    return Err(ImportError::TooManyMessages);
                }
                self.conversations.push(conversation);
                return Ok(());
            }
            Err(ConversationProblem::Unreadable) => Omission::UnreadableConversation,
            Err(ConversationProblem::TooLong) => Omission::LongConversation,
            Err(ConversationProblem::Empty) => Omission::EmptyConversation,
        };
        self.omissions().add(problem, 1);
        Ok(())
    }

    fn finish(self) -> Result<DecodedExport, ImportError> {
        let Self { format, other, conversations, context, count, .. } = self;
        match (format, other) {
            (Some(format), _) => Ok(DecodedExport { format, conversations, omissions: context.omissions }),
            (None, Some(service)) => Err(ImportError::OtherService(service)),
            (None, None) if count == 0 => Err(ImportError::NoConversations),
            (None, None) => Err(ImportError::UnknownFormat),
        }
    }
}

/// Decodes a conversation. One that is not valid Unicode is repaired first. What is left out of a conversation that is
/// left out as a whole is not counted.
fn decode_conversation(
    format: SourceFormat,
    json: &str,
    context: &mut ReadContext,
) -> Result<ImportedConversation, ConversationProblem> {
    // ChatGPT cuts some texts in the middle of a surrogate pair.
    let repaired = json_text::without_lone_surrogates(json);
    let before = context.omissions.clone();
    let read = read_conversation(format, repaired.as_deref().unwrap_or(json), context);
    if read.is_err() {
        context.omissions = before;
    }
    read
}

fn read_conversation(
    format: SourceFormat,
    json: &str,
    context: &mut ReadContext,
) -> Result<ImportedConversation, ConversationProblem> {
    let mut source = format.read(json, context)?;
    let (versions, omissions) = (&mut context.versions, &mut context.omissions);
    documents::apply_edits(&mut source.nodes, versions, omissions);
    let tree = message_tree::assemble(source.nodes, source.current.as_deref(), omissions);
    if tree.messages.is_empty() {
        return Err(ConversationProblem::Empty);
    }
    let created = source.created.or_else(|| tree.messages.iter().find_map(|message| message.created));
    Ok(ImportedConversation {
        source_id: source.id.filter(|id| is_usable_id(id)).unwrap_or_else(|| digest(json)),
        title: source.title,
        created,
        messages: tree.messages,
        current: tree.current,
        is_pinned: source.is_pinned,
        is_archived: source.is_archived,
        folder: source.folder,
    })
}

fn is_usable_id(id: &str) -> bool {
    (1..=128).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_graphic())
}

fn digest(json: &str) -> String {
    Sha256::digest(json.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}
