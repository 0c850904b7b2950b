//! Parts of imported messages: sanitized texts, and files that are checked as uploads are.

use std::{collections::HashMap, mem, slice};

use bytes::Bytes;
use plexus_chat_import::{
    FileContent, ImportedFile, ImportedMessage, ImportedPart, Omission, Omissions, read_archived,
};
use plexus_domain::{
    Error as Refusal, Part, PartBody,
    sanitized_text::{ellipsize, multi_line, one_line},
};
use plexus_store::Tx;
use tokio::task::spawn_blocking;

use crate::{
    Error, Hub, Result,
    blobs::{self, NewBlob},
    caller::Requester,
    quotas, uploads,
};

/// Maximum bytes of the files of one conversation, which are in memory until it is stored. Further ones are left out.
const MAX_CONVERSATION_BYTES: u64 = 128 << 20;
/// Maximum bytes that the files of one import have unpacked, readable or not (ZIP bomb). Further ones are left out.
const MAX_UNPACKED_BYTES: u64 = 1 << 30;
/// Maximum characters of the name of a tool.
const MAX_TOOL_CHARS: usize = 200;
/// Why a file is not in the chat, in the text that stands for it.
const LEFT_OUT: &str = "left out";

/// The files of one import.
pub struct ImportedFiles<'a> {
    hub: &'a Hub,
    /// Key of the caller, whose images are decoded in turn with those of others.
    caller: String,
    /// The imported file, which may be an archive.
    archive: Bytes,
    omissions: Omissions,
    /// Bytes that files may still have unpacked.
    left: u64,
}

/// The parts of the messages of a conversation, before they are stored.
pub struct MessageParts(Vec<Vec<PreparedPart>>);

/// The files of one conversation.
#[derive(Default)]
struct ConversationFiles {
    blobs: Vec<NewBlob>,
    bytes: u64,
    /// Parts of files of the archive, which may be in many messages, by their number.
    known: HashMap<usize, Option<Part>>,
}

impl ConversationFiles {
    /// Returns the part of a file, unless the conversation has too many.
    fn add(&mut self, name: String, blob: NewBlob) -> Option<Part> {
        if self.bytes + blob.size() > MAX_CONVERSATION_BYTES {
            return None;
        }
        self.bytes += blob.size();
        let part = blob.part(Some(name));
        self.blobs.push(blob);
        Some(part)
    }
}

enum PreparedPart {
    Content(Part),
    /// A file, and the text that stands for it if it is left out.
    File(Part, String),
}

impl<'a> ImportedFiles<'a> {
    pub fn new(hub: &'a Hub, caller: String, archive: Bytes, omissions: Omissions) -> Self {
        Self { hub, caller, archive, omissions, left: MAX_UNPACKED_BYTES }
    }

    pub fn into_omissions(self) -> Omissions {
        self.omissions
    }

    /// Takes the parts of these messages. Returns them, and the files to be stored. Files that cannot be stored are
    /// replaced by a text, and counted.
    pub async fn prepare(
        &mut self,
        messages: &mut [ImportedMessage],
    ) -> Result<(MessageParts, Vec<NewBlob>)> {
        let mut prepared = Vec::with_capacity(messages.len());
        let mut files = ConversationFiles::default();
        for message in messages {
            let mut parts = Vec::with_capacity(message.parts.len());
            for part in mem::take(&mut message.parts) {
                match part {
                    ImportedPart::Content(part) => parts.extend(sanitized(*part).map(PreparedPart::Content)),
                    ImportedPart::File(file) => parts.push(self.prepare_file(file, &mut files).await?),
                }
            }
            prepared.push(parts);
        }
        Ok((MessageParts(prepared), files.blobs))
    }

    async fn prepare_file(
        &mut self,
        file: ImportedFile,
        files: &mut ConversationFiles,
    ) -> Result<PreparedPart> {
        let number = match &file.content {
            FileContent::Archived(archived) => Some(archived.number),
            FileContent::Inline(_) => None,
        };
        let placeholder = file.placeholder(LEFT_OUT);
        let part = match number.and_then(|number| files.known.get(&number).cloned()) {
            Some(known) => known,
            None => {
                let part = self.read(file).await?.and_then(|(name, blob)| files.add(name, blob));
                number.map(|number| files.known.insert(number, part.clone()));
                part
            }
        };
        Ok(match part {
            Some(part) => PreparedPart::File(part, placeholder),
            None => PreparedPart::Content(self.leave_out(&placeholder)),
        })
    }

    /// Reads and checks a file. `None` if it cannot be stored.
    async fn read(&mut self, file: ImportedFile) -> Result<Option<(String, NewBlob)>> {
        let ImportedFile { name, media_type, content, .. } = file;
        let max = self.left.min(uploads::limits(self.hub).bytes);
        let bytes = match content {
            FileContent::Inline(bytes) => Some(Bytes::from(bytes)),
            FileContent::Archived(archived) => {
                let archive = self.archive.clone();
                let max = usize::try_from(max).unwrap_or(usize::MAX);
                let read = spawn_blocking(move || read_archived(&archive, archived, max)).await;
                let read = read.map_err(Error::fault)?.ok().map(Bytes::from);
                // A file that is too large was unpacked up to the limit.
                self.left =
                    self.left.saturating_sub(read.as_ref().map_or(max as u64, |read| read.len() as u64));
                read
            }
        };
        let Some(bytes) = bytes else { return Ok(None) };
        match uploads::check_file(self.hub, &self.caller, &name, media_type.as_deref(), bytes).await {
            Ok(checked) => Ok(Some(checked)),
            Err(Error::Refused(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Counts a file that is left out. Returns the text that stands for it.
    fn leave_out(&mut self, placeholder: &str) -> Part {
        let omission = if placeholder.starts_with("[Image") { Omission::Image } else { Omission::File };
        self.omissions.add(omission, 1);
        Part::text(multi_line(placeholder))
    }
}

impl MessageParts {
    /// Checks that the texts fit into the quota of the requester. Files that do not fit are left out and counted.
    pub async fn check_quota(
        &mut self,
        hub: &Hub,
        tx: &mut Tx,
        requester: &Requester,
        files: &mut ImportedFiles<'_>,
    ) -> Result<()> {
        for parts in &self.0 {
            let texts: Vec<Part> = parts.iter().filter_map(PreparedPart::content).cloned().collect();
            quotas::check_bytes(hub, tx, requester, &texts).await?;
        }
        for part in self.0.iter_mut().flatten() {
            let PreparedPart::File(file, placeholder) = part else { continue };
            match quotas::check_bytes(hub, tx, requester, slice::from_ref(file)).await {
                Ok(()) => {}
                Err(Error::Refused(Refusal::OverQuota { .. })) => {
                    *part = PreparedPart::Content(files.leave_out(placeholder));
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Returns the parts of each message.
    pub fn into_parts(self) -> impl Iterator<Item = Vec<Part>> {
        let part = |part| match part {
            PreparedPart::Content(part) | PreparedPart::File(part, _) => part,
        };
        self.0.into_iter().map(move |parts| parts.into_iter().map(part).collect())
    }
}

impl PreparedPart {
    const fn content(&self) -> Option<&Part> {
        match self {
            Self::Content(part) => Some(part),
            Self::File(..) => None,
        }
    }
}

/// Returns the part with sanitized texts; `None` if no text is left.
fn sanitized(mut part: Part) -> Option<Part> {
    part.name = blobs::label(part.name);
    part.media_type = blobs::label(part.media_type);
    part.artifact = blobs::label(part.artifact);
    match &mut part.content {
        PartBody::Text { text } | PartBody::Reasoning { text } => {
            *text = multi_line(text);
            (!text.trim().is_empty()).then_some(part)
        }
        PartBody::Link { url } => {
            *url = one_line(url);
            Some(part)
        }
        PartBody::Tool(call) => {
            call.tool = ellipsize(&one_line(&call.tool), MAX_TOOL_CHARS);
            Some(part)
        }
        PartBody::Approval { tool, .. } | PartBody::Question { tool, .. } => {
            *tool = ellipsize(&one_line(tool), MAX_TOOL_CHARS);
            Some(part)
        }
        PartBody::Data { .. } | PartBody::File { .. } => Some(part),
    }
}
