//! Imports chats that other services exported.

mod imported_parts;
mod later_messages;

use std::collections::{HashMap, HashSet};

use bytes::Bytes;
use plexus_chat_import::{
    DecodedExport, ImportedAuthor, ImportedConversation, ImportedMessage, MAX_FILE_BYTES, Omissions,
    SourceFormat, decode,
};
use plexus_domain::{
    ChatId, Error as Refusal, MessageId, Part, Principal, PrincipalId, Timestamp,
    chat::{ChatKind, FolderName, Title},
    message::Message,
    sanitized_text::{ellipsize, one_line},
};
use plexus_store::{
    Tx,
    chats::{self, Chat},
    imported_chats::{self, ImportSource},
    members::{self, Member, MemberRole},
    principals,
};
use serde_json::json;
use tokio::{sync::Semaphore, task::spawn_blocking};

use self::imported_parts::ImportedFiles;
use super::{ChatChangeSet, manage::MAX_FOLDERS, notify_list_changed, post_message::new_member};
use crate::{
    Caller, Error, Hub, Result,
    caller::{Person, Requester, Scope},
    limits::Rate,
    quotas,
    views::{Author, MessageView},
};

/// Files that are decoded concurrently; others wait. Each takes a few times its size of memory.
static DECODERS: Semaphore = Semaphore::const_new(2);
/// Maximum different authors of an import. The answers of further ones have the name of the service.
const MAX_AUTHORS: usize = 200;

/// Result of an import.
#[derive(Debug)]
pub struct ImportedChats {
    pub format: SourceFormat,
    /// Number of chats that were created.
    pub imported: u64,
    /// Number of chats of an earlier import to which later messages were added.
    pub updated: u64,
    /// Number of those messages.
    pub new_messages: u64,
    /// Number of conversations that were imported before and have nothing new.
    pub already_there: u64,
    pub omissions: Omissions,
    /// Why the remaining conversations were not imported, if the import ended early.
    pub refusal: Option<Refusal>,
}

/// What an import does with one conversation.
enum ImportOutcome {
    Created,
    /// Number of messages that were added to the chat of an earlier import.
    Updated(u64),
    AlreadyThere,
}

/// Imports the conversations of a file as chats of the caller, with all of their branches. Messages that were added to a
/// conversation since an earlier import are added to its chat.
///
/// Each conversation is a transaction, so that other writers wait for milliseconds only. An import that broke off
/// is completed by repeating it: what was imported before is skipped.
pub async fn import(hub: &Hub, caller: &Caller, file: Bytes) -> Result<ImportedChats> {
    let person = caller.may(Scope::Chat)?;
    hub.limits().take(Rate::Imports, &caller.key())?;
    let DecodedExport { format, conversations, omissions } = decode_file(file.clone()).await?;
    let files = ImportedFiles::new(hub, caller.key(), file, omissions);
    let mut importer = ChatImporter { hub, person, format, files, authors: HashMap::new(), folders: None };
    let (mut imported, mut updated, mut new_messages, mut already_there) = (0, 0, 0, 0);
    let mut refusal = None;
    for conversation in conversations {
        match importer.import(conversation).await {
            Ok(ImportOutcome::Created) => imported += 1,
            Ok(ImportOutcome::Updated(count)) => {
                updated += 1;
                new_messages += count;
            }
            Ok(ImportOutcome::AlreadyThere) => already_there += 1,
            Err(Error::Refused(refused)) => {
                refusal = Some(refused);
                break;
            }
            Err(error) => return Err(error),
        }
    }
    quotas::forget(hub, &Requester::from(person));
    if imported + updated > 0 {
        notify_list_changed(hub, person.account);
    }
    match refusal {
        Some(refusal) if imported + updated + already_there == 0 => Err(refusal.into()),
        refusal => {
            let omissions = importer.files.into_omissions();
            Ok(ImportedChats { format, imported, updated, new_messages, already_there, omissions, refusal })
        }
    }
}

async fn decode_file(file: Bytes) -> Result<DecodedExport> {
    let _permit = DECODERS.acquire().await.map_err(Error::fault)?;
    let decoded = spawn_blocking(move || decode(&file)).await.map_err(Error::fault)?;
    decoded.map_err(|error| match error {
        plexus_chat_import::ImportError::TooLarge => {
            Refusal::too_large(error.to_string(), MAX_FILE_BYTES as u64).into()
        }
        error => Refusal::invalid("file", error.to_string()).into(),
    })
}

/// Inserts the conversations of one import.
struct ChatImporter<'a> {
    hub: &'a Hub,
    person: &'a Person,
    format: SourceFormat,
    files: ImportedFiles<'a>,
    /// Principals of the assistants that are known already.
    authors: HashMap<String, PrincipalId>,
    /// Names of the person's folders, once they are needed.
    folders: Option<HashSet<String>>,
}

impl ChatImporter<'_> {
    async fn import(&mut self, conversation: ImportedConversation) -> Result<ImportOutcome> {
        let source = self.source(&conversation.source_id);
        match self.find(source).await? {
            Some(chat) => self.add_later(chat, conversation).await,
            None => self.create(conversation).await,
        }
    }

    fn source<'s>(&self, conversation: &'s str) -> ImportSource<'s> {
        ImportSource { owner: self.person.principal, format: self.format.name(), conversation }
    }

    /// Returns the chat that the conversation was imported to, or that it is on this hub.
    async fn find(&self, source: ImportSource<'_>) -> Result<Option<ChatId>> {
        let mut conn = self.hub.store().read().await?;
        if let Some(chat) = imported_chats::find(&mut conn, source).await? {
            return Ok(Some(chat));
        }
        match source.conversation.parse::<ChatId>() {
            Ok(chat) if self.format == SourceFormat::Plexus => {
                Ok(members::find(&mut conn, chat, source.owner).await?.map(|member| member.chat))
            }
            _ => Ok(None),
        }
    }

    async fn create(&mut self, mut conversation: ImportedConversation) -> Result<ImportOutcome> {
        let requester = Requester::from(self.person);
        let title = title(&conversation);
        let folder = conversation
            .folder
            .take()
            .and_then(|name| FolderName::try_from(ellipsize(&name, FolderName::MAX)).ok());
        let (mut parts, blobs) = self.files.prepare(&mut conversation.messages).await?;
        let hub = self.hub;
        let staged = hub.blobs().write(&blobs).await?;
        let mut tx = self.hub.store().write_background().await?;
        quotas::check_chat(self.hub, &mut tx, &requester).await?;
        parts.check_quota(self.hub, &mut tx, &requester, &mut self.files).await?;
        staged.record(&mut tx).await?;
        let chat = self.new_chat(&conversation, title);
        chats::insert(&mut tx, &chat).await?;
        let folder = self.usable_folder(&mut tx, folder).await?;
        let owner = new_member(self.hub, chat.id, self.person.principal, MemberRole::Owner);
        members::insert(&mut tx, &Member { folder, pinned: conversation.is_pinned, ..owner }).await?;
        let source = self.source(&conversation.source_id);
        if !imported_chats::insert(&mut tx, source, chat.id).await? {
            // A concurrent import of the same file was faster; this transaction is rolled back.
            return Ok(ImportOutcome::AlreadyThere);
        }
        let mut changes = ChatChangeSet::new(&chat);
        changes.set_time(chat.last_activity_at);
        let current = MessageId::of_imported(chat.id, &conversation.messages[conversation.current].source_id);
        let ids = MessageIds::of(chat.id, &conversation.messages);
        for (message, parts) in conversation.messages.into_iter().zip(parts.into_parts()) {
            let view = self.message(&mut tx, &chat, &ids, message, parts).await?;
            changes.add_message(view);
        }
        changes.set_read_position(self.person.principal, current);
        changes.commit_new_chat(self.hub, &mut tx).await?;
        tx.commit().await?;
        Ok(ImportOutcome::Created)
    }

    /// Returns the chat, at its place in the chat list by the time of its last message.
    fn new_chat(&self, conversation: &ImportedConversation, title: Title) -> Chat {
        let now = self.hub.env().now();
        let last = latest(&conversation.messages).or(conversation.created).map_or(now, |last| last.min(now));
        Chat {
            id: self.hub.env().id(ChatId::new),
            kind: ChatKind::Direct,
            title,
            creator: self.person.principal,
            last_seq: 0,
            settings: json!({}),
            created_at: conversation.created.map_or(last, |created| created.min(last)),
            last_activity_at: last,
            expires_at: None,
            archived_at: conversation.is_archived.then_some(last),
            delete_after_ms: None,
        }
    }

    /// Returns the folder, unless it would be one too many.
    async fn usable_folder(&mut self, tx: &mut Tx, folder: Option<FolderName>) -> Result<Option<String>> {
        let Some(folder) = folder.map(String::from) else { return Ok(None) };
        let known = match &mut self.folders {
            Some(known) => known,
            None => {
                let listed = chats::list_folders(tx, self.person.principal).await?;
                self.folders.insert(listed.into_iter().map(|listed| listed.folder).collect())
            }
        };
        if !known.contains(&folder) && known.len() >= MAX_FOLDERS {
            return Ok(None);
        }
        known.insert(folder.clone());
        Ok(Some(folder))
    }

    /// Returns a message to be inserted.
    async fn message(
        &mut self,
        tx: &mut Tx,
        chat: &Chat,
        ids: &MessageIds,
        message: ImportedMessage,
        parts: Vec<Part>,
    ) -> Result<MessageView> {
        let (lane, author) = self.author(tx, &message).await?;
        let latest = chat.last_activity_at.max(self.hub.env().now());
        let created = message.created.map_or(chat.created_at, |at| at.min(latest));
        let id = MessageId::of_imported(chat.id, &message.source_id);
        let parent = message.parent.map(|parent| ids.0[parent]);
        Ok(unpublished(Message {
            id,
            seq: 0,
            parent,
            lane,
            author,
            run: None,
            state: message.state,
            created,
            parts,
            attributes: None,
        }))
    }

    /// Returns lane and author of a message.
    async fn author(&mut self, tx: &mut Tx, message: &ImportedMessage) -> Result<(i32, PrincipalId)> {
        let ImportedAuthor::Assistant { label, lane } = &message.author else {
            return Ok((0, self.person.principal));
        };
        let label = match one_line(label) {
            label if label.is_empty() || self.authors.len() >= MAX_AUTHORS => {
                self.format.service().to_owned()
            }
            label => label,
        };
        if let Some(known) = self.authors.get(&label) {
            return Ok((*lane, *known));
        }
        let who = Principal::Imported { label: label.clone() };
        let principal = principals::ensure(tx, &who, self.hub.env().id(PrincipalId::new)).await?;
        self.authors.insert(label, principal);
        Ok((*lane, principal))
    }
}

/// Ids of the messages of a conversation in its chat.
struct MessageIds(Vec<MessageId>);

impl MessageIds {
    fn of(chat: ChatId, messages: &[ImportedMessage]) -> Self {
        Self(messages.iter().map(|message| MessageId::of_imported(chat, &message.source_id)).collect())
    }
}

fn latest(messages: &[ImportedMessage]) -> Option<Timestamp> {
    messages.iter().filter_map(|message| message.created).max()
}

fn title(conversation: &ImportedConversation) -> Title {
    let given = ellipsize(&one_line(&conversation.title), Title::MAX);
    Title::try_from(given).unwrap_or_else(|_| {
        let first = conversation.messages.iter().map(ImportedMessage::text).find(|text| !text.is_empty());
        Title::from_message(&first.unwrap_or_default())
    })
}

/// Returns the view of a message of a new chat. Nothing reads its other fields: the chat has no subscribers.
fn unpublished(message: Message) -> MessageView {
    let author = Author::Gone;
    MessageView {
        message,
        author,
        run: None,
        alternatives: Vec::new(),
        open: Vec::new(),
        status: None,
        mentioned: Vec::new(),
    }
}
