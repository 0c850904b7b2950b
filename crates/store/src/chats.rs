//! Chats: conversations of principals.

use plexus_domain::{
    ChatId, MessageId, PrincipalId, Timestamp,
    chat::{ChatKind, Title},
    chat_event::Event,
    page::PageSize,
};
use serde_json::Value;
use sqlx::{query, query_as, query_scalar};

use crate::{
    Conn, Error, Result, Tx,
    batch::StatementBatch,
    conn::{DriverConn, execute, on},
    events, members,
    members::Member,
    message_terms, messages,
    messages::{FinishedMessage, NewMessage},
    runs,
    runs::NewRun,
    sql_types::{SqlType, record},
};

record! {
    pub struct Chat {
        pub id: ChatId,
        pub kind: ChatKind,
        pub title: Title,
        pub creator: PrincipalId,
        /// Last sequence number given to a message or an event.
        pub last_seq: i64,
        pub settings: Value,
        pub created_at: Timestamp,
        /// When the latest message was posted.
        pub last_activity_at: Timestamp,
        pub expires_at: Option<Timestamp>,
        pub archived_at: Option<Timestamp>,
        /// Milliseconds after its latest message at which a temporary chat is deleted; none for other chats.
        pub delete_after_ms: Option<i64>,
    }
}

impl Chat {
    /// Whether the chat is deleted some time after its latest message, and is in no list until then.
    pub const fn is_temporary(&self) -> bool {
        self.delete_after_ms.is_some()
    }
}

record! {
    /// A chat in the chat list of a member.
    pub struct ChatListItem {
        pub id: ChatId,
        pub kind: ChatKind,
        pub title: Title,
        pub last_seq: i64,
        pub last_activity_at: Timestamp,
        pub archived_at: Option<Timestamp>,
        pub last_read_seq: i64,
        pub folder: Option<String>,
        pub pinned: bool,
        /// A room has a message of another author that the member has not read.
        pub is_unread: bool,
    }
}

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "select id, kind, title, creator, last_seq, settings, created_at, last_activity_at, expires_at, archived_at, \
             delete_after_ms from chats ",
            $rest
        )
    };
}

pub async fn insert(tx: &mut Tx, new: &Chat) -> Result<()> {
    let text = "insert into chats \
                (id, kind, title, creator, last_seq, settings, created_at, last_activity_at, expires_at, archived_at, \
                delete_after_ms) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
    execute!(
        tx,
        query(text)
            .bind(new.id.uuid())
            .bind(new.kind.as_str())
            .bind(new.title.as_str())
            .bind(new.creator.uuid())
            .bind(new.last_seq)
            .bind(new.settings.to_column())
            .bind(new.created_at.millis())
            .bind(new.last_activity_at.millis())
            .bind(new.expires_at.to_column())
            .bind(new.archived_at.to_column())
            .bind(new.delete_after_ms)
    )?;
    Ok(())
}

pub async fn find(conn: &mut Conn, id: ChatId) -> Result<Option<Chat>> {
    on!(conn, c => query_as(select!("where id = $1")).bind(id.uuid()).fetch_optional(c))
}

/// Reads a chat and locks its row until this transaction ends, against changes and additions.
///
/// Must precede any decision that depends on the content of the chat: prevents a TOCTOU race.
pub async fn lock(tx: &mut Tx, id: ChatId) -> Result<Option<Chat>> {
    let result = match tx.raw() {
        // SQLite has a single writer, so no row lock is needed.
        DriverConn::Sqlite(c) => query_as(select!("where id = $1")).bind(id.uuid()).fetch_optional(c).await,
        DriverConn::Postgres(c) => {
            query_as(select!("where id = $1 for no key update")).bind(id.uuid()).fetch_optional(c).await
        }
    };
    tx.note(result)
}

/// Rows that one transaction adds to a chat.
#[derive(Clone, Debug)]
pub struct ChatChanges<'a> {
    /// Whether the chat is in the chat list, so that its messages are indexed for the search.
    pub is_listed: bool,
    pub runs: &'a [NewRun],
    /// With sequence numbers above `last_seq` of the chat, like the events.
    pub messages: Vec<(i64, NewMessage<'a>)>,
    pub events: &'a [(i64, Event)],
    /// Open messages that end, with their final content.
    pub ended: Vec<FinishedMessage<'a>>,
    /// Members to add. Existing members stay unchanged.
    pub members: &'a [Member],
    /// Selects the message whose path a member sees next. The people of a room all see the same path.
    pub current_message: Option<(PrincipalId, MessageId)>,
    pub is_room: bool,
    pub at: Timestamp,
}

/// Adds rows to a chat that this transaction has locked. Returns a conflict if the id of a message is taken.
pub async fn append(tx: &mut Tx, id: ChatId, added: &ChatChanges<'_>) -> Result<()> {
    let messages = added.messages.iter().map(|(seq, _)| *seq);
    let Some(last) = messages.chain(added.events.iter().map(|(seq, _)| *seq)).max() else { return Ok(()) };
    let mut batch = StatementBatch::of(tx);
    added.runs.iter().for_each(|run| runs::add(&mut batch, run));
    added.members.iter().for_each(|member| members::add(&mut batch, member));
    let said = messages::add(&mut batch, &added.messages);
    let ends = added.ended.iter().map(|ended| messages::add_end(&mut batch, ended));
    let bytes = ends.fold(said, i64::saturating_add);
    if added.is_listed {
        let said = added.messages.iter().map(|(_, new)| (new.id, new.parts));
        let ended = added.ended.iter().map(|ended| (ended.id, ended.parts));
        said.chain(ended).for_each(|(id, parts)| message_terms::add(&mut batch, id, parts));
    }
    events::add(&mut batch, id, added.events, added.at);
    let text = "update chats set last_seq = $2, \
                last_activity_at = case when last_activity_at < $3 then $3 else last_activity_at end, \
                expires_at = case when delete_after_ms is null then expires_at \
                when last_activity_at < $3 then $3 + delete_after_ms else last_activity_at + delete_after_ms end, \
                bytes = bytes + $4 where id = $1";
    let said = if added.messages.is_empty() { Timestamp::from_millis(i64::MIN) } else { added.at };
    batch.add(text).bind(id.uuid()).bind(last).bind(said.millis()).bind(bytes);
    if let Some((member, message)) = added.current_message {
        members::add_current_message(&mut batch, id, member, message);
        if added.is_room {
            members::add_shared_message(&mut batch, id, message);
        }
    }
    batch.execute(tx).await.map(drop)
}

/// Allocates the next sequence number of the chat. Other transactions wait until this one ends.
pub(crate) async fn next_seq(tx: &mut Tx, id: ChatId) -> Result<i64> {
    let text = "update chats set last_seq = last_seq + 1 where id = $1 returning last_seq";
    let last: Option<i64> = on!(tx, c => query_scalar(text).bind(id.uuid()).fetch_optional(c))?;
    last.ok_or_else(|| Error::conflict("there is no such chat"))
}

/// Adds an update of the time of the latest message and of the byte count of the chat.
pub(crate) fn add_message_bytes(batch: &mut StatementBatch, id: ChatId, at: Timestamp, bytes: i64) {
    let text = "update chats set last_activity_at = case when last_activity_at < $2 then $2 else last_activity_at end, \
                bytes = bytes + $3 where id = $1";
    batch.add(text).bind(id.uuid()).bind(at.millis()).bind(bytes);
}

/// Adds bytes of rows in other tables to the byte count of a chat.
pub(crate) async fn add_bytes(tx: &mut Tx, id: ChatId, bytes: i64) -> Result<()> {
    let text = "update chats set bytes = bytes + $2 where id = $1";
    execute!(tx, query(text).bind(id.uuid()).bind(bytes))?;
    Ok(())
}

pub async fn set_title(tx: &mut Tx, id: ChatId, title: &Title) -> Result<bool> {
    let text = "update chats set title = $2 where id = $1";
    Ok(execute!(tx, query(text).bind(id.uuid()).bind(title.as_str()))? > 0)
}

pub async fn set_kind(tx: &mut Tx, id: ChatId, kind: ChatKind) -> Result<bool> {
    let text = "update chats set kind = $2 where id = $1";
    Ok(execute!(tx, query(text).bind(id.uuid()).bind(kind.as_str()))? > 0)
}

/// Makes another account the creator of a chat: quotas count the chat for it. The messages are indexed again for the
/// search in the background, see [`message_terms::list_unindexed`].
pub async fn set_creator(tx: &mut Tx, id: ChatId, creator: PrincipalId) -> Result<bool> {
    message_terms::reset_chat(tx, id).await?;
    let text = "update chats set creator = $2 where id = $1";
    Ok(execute!(tx, query(text).bind(id.uuid()).bind(creator.uuid()))? > 0)
}

/// Makes a temporary chat an ordinary one with this title. Its messages are indexed for the search in the background, see
/// [`message_terms::list_unindexed`]. Returns false if the chat is not temporary.
pub async fn keep(tx: &mut Tx, id: ChatId, title: &Title) -> Result<bool> {
    let text = "update chats set delete_after_ms = null, expires_at = null, title = $2 \
                where id = $1 and delete_after_ms is not null";
    if execute!(tx, query(text).bind(id.uuid()).bind(title.as_str()))? == 0 {
        return Ok(false);
    }
    message_terms::reset_chat(tx, id).await?;
    Ok(true)
}

pub async fn set_archived(tx: &mut Tx, id: ChatId, at: Option<Timestamp>) -> Result<bool> {
    let text = "update chats set archived_at = $2 where id = $1";
    Ok(execute!(tx, query(text).bind(id.uuid()).bind(at.to_column()))? > 0)
}

pub async fn set_settings(tx: &mut Tx, id: ChatId, settings: &Value) -> Result<bool> {
    let text = "update chats set settings = $2 where id = $1";
    Ok(execute!(tx, query(text).bind(id.uuid()).bind(settings.to_column()))? > 0)
}

/// Sets the end of the retention of a chat that is not retained for ever.
pub async fn set_expires_at(tx: &mut Tx, id: ChatId, until: Timestamp) -> Result<bool> {
    let text = "update chats set expires_at = $2 where id = $1 and expires_at is not null";
    Ok(execute!(tx, query(text).bind(id.uuid()).bind(until.millis()))? > 0)
}

/// Deletes a chat with all its messages and runs.
///
/// The text of its open messages stays in the stream journal until that is trimmed. Stop its runs first.
pub async fn delete(tx: &mut Tx, id: ChatId) -> Result<bool> {
    Ok(execute!(tx, query("delete from chats where id = $1").bind(id.uuid()))? > 0)
}

/// Pagination cursor of a chat list: position of the last item of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ItemCursor {
    pub pinned: bool,
    pub last_activity_at: Timestamp,
    pub chat: ChatId,
}

impl ItemCursor {
    /// Position before all items.
    const START: Self = Self {
        pinned: true,
        last_activity_at: Timestamp::from_millis(i64::MAX),
        chat: ChatId::from_uuid(uuid::Uuid::max()),
    };
}

impl ChatListItem {
    pub const fn cursor(&self) -> ItemCursor {
        ItemCursor { pinned: self.pinned, last_activity_at: self.last_activity_at, chat: self.id }
    }
}

/// Selects the chats of a list.
#[derive(Clone, Copy, Debug)]
pub enum ChatFilter<'a> {
    /// All that are not archived.
    Active,
    Archived,
    /// Those in this folder that are not archived.
    Folder(&'a str),
}

/// Lists the chats of a member, pinned ones first, each by latest activity, without temporary chats and those created by
/// programs.
pub async fn list_by_member(
    conn: &mut Conn,
    principal: PrincipalId,
    filter: ChatFilter<'_>,
    after: Option<ItemCursor>,
    size: PageSize,
) -> Result<Vec<ChatListItem>> {
    let folder = match filter {
        ChatFilter::Folder(name) => Some(name),
        ChatFilter::Active | ChatFilter::Archived => None,
    };
    let after = after.unwrap_or(ItemCursor::START);
    let text = "select chats.id, chats.kind, title, last_seq, last_activity_at, archived_at, \
                last_read_seq, folder, pinned, \
                chats.kind = 'room' and exists (select 1 from messages where messages.chat = chats.id \
                and seq > last_read_seq and author <> $1 and state <> 'deleted') as is_unread \
                from chat_members join chats on chats.id = chat_members.chat \
                where principal = $1 and left_at is null and chats.kind in ('direct', 'room') and delete_after_ms is null \
                and (archived_at is not null) = $2 and ($7 is null or folder = $7) \
                and (pinned < $3 or (pinned = $3 \
                and (last_activity_at < $4 or (last_activity_at = $4 and chats.id < $5)))) \
                order by pinned desc, last_activity_at desc, chats.id desc limit $6";
    on!(conn, c => query_as(text)
        .bind(principal.uuid())
        .bind(matches!(filter, ChatFilter::Archived))
        .bind(after.pinned)
        .bind(after.last_activity_at.millis())
        .bind(after.chat.uuid())
        .bind(i64::from(size.rows()))
        .bind(folder)
        .fetch_all(c))
}

record! {
    /// A folder of a member.
    pub struct ChatFolder {
        pub folder: String,
        /// Number of chats in it that are not archived.
        pub chats: i64,
    }
}

/// Lists the folders of a member that have chats, by name.
pub async fn list_folders(conn: &mut Conn, principal: PrincipalId) -> Result<Vec<ChatFolder>> {
    let text = "select folder, sum(case when archived_at is null then 1 else 0 end) as chats \
                from chat_members join chats on chats.id = chat_members.chat \
                where principal = $1 and left_at is null and folder is not null \
                and chats.kind in ('direct', 'room') and delete_after_ms is null group by folder order by folder";
    on!(conn, c => query_as(text).bind(principal.uuid()).fetch_all(c))
}

record! {
    /// A deleted chat that can still be restored.
    pub struct DeletedChat {
        pub id: ChatId,
        pub title: Title,
        /// When it is deleted permanently.
        pub expires_at: Timestamp,
    }
}

/// Lists the chats that a principal deleted and can still restore, latest first.
///
/// The creator of such a chat is a former member of it, and the chat expires.
pub async fn list_deleted(
    conn: &mut Conn,
    creator: PrincipalId,
    now: Timestamp,
    size: PageSize,
) -> Result<Vec<DeletedChat>> {
    let text = "select chats.id, title, expires_at \
                from chat_members join chats on chats.id = chat_members.chat \
                where principal = $1 and creator = $1 and left_at is not null and chats.kind = 'direct' \
                and expires_at > $2 order by expires_at desc, chats.id desc limit $3";
    on!(conn, c => query_as(text)
        .bind(creator.uuid())
        .bind(now.millis())
        .bind(i64::from(size.rows()))
        .fetch_all(c))
}

/// Sets when the retention of a chat ends; none retains it for ever.
pub async fn set_retention(tx: &mut Tx, id: ChatId, until: Option<Timestamp>) -> Result<bool> {
    let text = "update chats set expires_at = $2 where id = $1";
    Ok(execute!(tx, query(text).bind(id.uuid()).bind(until.to_column()))? > 0)
}

record! {
    /// Title of a chat of a member.
    pub struct ChatTitle {
        pub id: ChatId,
        pub title: Title,
        pub last_activity_at: Timestamp,
    }
}

/// Lists the titles of the chats of a member, latest activity first, without temporary chats and those created by
/// programs.
pub async fn list_titles(conn: &mut Conn, principal: PrincipalId, limit: u32) -> Result<Vec<ChatTitle>> {
    let text = "select chats.id, title, last_activity_at \
                from chat_members join chats on chats.id = chat_members.chat \
                where principal = $1 and left_at is null and chats.kind in ('direct', 'room') and delete_after_ms is null \
                order by last_activity_at desc, chats.id desc limit $2";
    on!(conn, c => query_as(text).bind(principal.uuid()).bind(i64::from(limit)).fetch_all(c))
}

/// Counts the chats of a principal, without temporary chats and those created by programs.
pub async fn count_by_member(conn: &mut Conn, principal: PrincipalId) -> Result<u64> {
    let text = "select count(*) from chat_members join chats on chats.id = chat_members.chat \
                where principal = $1 and left_at is null and chats.kind in ('direct', 'room') and delete_after_ms is null";
    let count: i64 = on!(conn, c => query_scalar(text).bind(principal.uuid()).fetch_one(c))?;
    Ok(u64::try_from(count).unwrap_or(0))
}

/// Lists at most `limit` chats whose retention has expired.
pub async fn list_expired(conn: &mut Conn, now: Timestamp, limit: i64) -> Result<Vec<ChatId>> {
    let text =
        "select id from chats where expires_at is not null and expires_at <= $1 order by expires_at limit $2";
    let ids: Vec<uuid::Uuid> =
        on!(conn, c => query_scalar(text).bind(now.millis()).bind(limit).fetch_all(c))?;
    Ok(ids.into_iter().map(ChatId::from_uuid).collect())
}
