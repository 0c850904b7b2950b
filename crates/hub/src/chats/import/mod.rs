//! Imports chats that other services exported.

use std::collections::HashMap;

use bytes::Bytes;
use plexus_chat_import::{
    DecodedExport, ImportedAuthor, ImportedConversation, ImportedMessage, MAX_FILE_BYTES, Omissions,
    SourceFormat, decode,
};
use plexus_domain::{
    ChatId, Error as Refusal, MessageId, Part, Principal, PrincipalId,
    chat::{ChatKind, Title},
    message::{Message, MessageState},
    sanitized_text::{ellipsize, multi_line, one_line},
};
use plexus_store::{
    Tx,
    chats::{self, Chat},
    imported_chats::{self, ImportSource},
    members::{self, MemberRole},
    principals,
};
use serde_json::json;
use tokio::{sync::Semaphore, task::spawn_blocking};

use super::{ChatChangeSet, notify_list_changed, post_message::new_member};
use crate::{
    Caller, Error, Hub, Result,
    caller::{Person, Requester, Scope},
    limits::Rate,
    message_views::{Author, MessageView},
    quotas,
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
    /// Number of conversations that were imported before.
    pub already_there: u64,
    pub omissions: Omissions,
    /// Why the remaining conversations were not imported, if the import ended early.
    pub refusal: Option<Refusal>,
}

/// Imports the conversations of a file as chats of the caller, with all of their branches.
///
/// Each conversation is a transaction, so that other writers wait for milliseconds only. An import that broke off
/// is completed by repeating it: conversations that were imported before are skipped.
pub async fn import(hub: &Hub, caller: &Caller, file: Bytes) -> Result<ImportedChats> {
    let person = caller.may(Scope::Chat)?;
    hub.limits().take(Rate::Imports, &caller.key())?;
    let DecodedExport { format, conversations, omissions } = decode_file(file).await?;
    let mut result = ImportedChats { format, imported: 0, already_there: 0, omissions, refusal: None };
    let mut importer = ChatImporter { hub, person, format, authors: HashMap::new() };
    for conversation in conversations {
        match importer.import(conversation).await {
            Ok(true) => result.imported += 1,
            Ok(false) => result.already_there += 1,
            Err(Error::Refused(refusal)) => {
                result.refusal = Some(refusal);
                break;
            }
            Err(error) => return Err(error),
        }
    }
    quotas::forget(hub, &Requester::from(person));
    if result.imported > 0 {
        notify_list_changed(hub, person.account);
    }
    match result.refusal {
        Some(refusal) if result.imported + result.already_there == 0 => Err(refusal.into()),
        _ => Ok(result),
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
    /// Principals of the assistants that are known already.
    authors: HashMap<String, PrincipalId>,
}

impl ChatImporter<'_> {
    /// Imports a conversation. Returns false if it was imported before.
    async fn import(&mut self, conversation: ImportedConversation) -> Result<bool> {
        let owner = self.person.principal;
        let source =
            ImportSource { owner, format: self.format.name(), conversation: &conversation.source_id };
        if self.is_there(source).await? {
            return Ok(false);
        }
        let requester = Requester::from(self.person);
        let parts: Vec<Vec<Part>> =
            conversation.messages.iter().map(|message| parts_of(&message.text)).collect();
        let mut tx = self.hub.store().write_background().await?;
        quotas::check_chat(self.hub, &mut tx, &requester).await?;
        for parts in &parts {
            quotas::check_bytes(self.hub, &mut tx, &requester, parts).await?;
        }
        let chat = self.insert_chat(&mut tx, &conversation).await?;
        if !imported_chats::insert(&mut tx, source, chat.id).await? {
            // A concurrent import of the same file was faster; this transaction is rolled back.
            return Ok(false);
        }
        let mut changes = ChatChangeSet::new(&chat);
        changes.set_time(chat.last_activity_at);
        let ids: Vec<MessageId> =
            conversation.messages.iter().map(|_| self.hub.env().id(MessageId::new)).collect();
        for (at, (message, parts)) in conversation.messages.into_iter().zip(parts).enumerate() {
            let (lane, author) = self.author(&mut tx, &message).await?;
            let created = message.created.map_or(chat.created_at, |at| at.min(chat.last_activity_at));
            let (id, parent) = (ids[at], message.parent.map(|parent| ids[parent]));
            changes.add_message(unpublished(Message {
                id,
                seq: 0,
                parent,
                lane,
                author,
                run: None,
                state: MessageState::Done,
                created,
                parts,
                attributes: None,
            }));
        }
        changes.set_read_position(owner, ids[conversation.current]);
        changes.commit_new_chat(self.hub, &mut tx).await?;
        tx.commit().await?;
        Ok(true)
    }

    /// Returns whether the conversation was imported before, or is a chat of this person on this hub.
    async fn is_there(&self, source: ImportSource<'_>) -> Result<bool> {
        let mut conn = self.hub.store().read().await?;
        if imported_chats::find(&mut conn, source).await?.is_some() {
            return Ok(true);
        }
        match source.conversation.parse::<ChatId>() {
            Ok(chat) if self.format == SourceFormat::Plexus => {
                Ok(members::find(&mut conn, chat, source.owner).await?.is_some())
            }
            _ => Ok(false),
        }
    }

    /// Inserts the chat without its messages, at its place in the chat list by the time of its last message.
    async fn insert_chat(&self, tx: &mut Tx, conversation: &ImportedConversation) -> Result<Chat> {
        let now = self.hub.env().now();
        let last = conversation.messages.iter().filter_map(|message| message.created).max();
        let last = last.or(conversation.created).map_or(now, |last| last.min(now));
        let chat = Chat {
            id: self.hub.env().id(ChatId::new),
            kind: ChatKind::Direct,
            title: title(conversation),
            creator: self.person.principal,
            last_seq: 0,
            settings: json!({}),
            created_at: conversation.created.map_or(last, |created| created.min(last)),
            last_activity_at: last,
            expires_at: None,
            archived_at: None,
            delete_after_ms: None,
        };
        chats::insert(tx, &chat).await?;
        let owner = new_member(self.hub, chat.id, self.person.principal, MemberRole::Owner);
        members::insert(tx, &owner).await?;
        Ok(chat)
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

fn parts_of(text: &str) -> Vec<Part> {
    let text = multi_line(text);
    if text.trim().is_empty() { Vec::new() } else { vec![Part::text(text)] }
}

fn title(conversation: &ImportedConversation) -> Title {
    let given = ellipsize(&one_line(&conversation.title), Title::MAX);
    Title::try_from(given).unwrap_or_else(|_| {
        let first = conversation.messages.first().map(|message| message.text.as_str());
        Title::from_message(first.unwrap_or_default())
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
