//! Members: access to a chat requires membership; each member has its own position in the message tree.

use plexus_domain::{ChatId, MemberId, MessageId, PrincipalId, Timestamp};
use sqlx::{query, query_as};

use crate::{
    Conn, Result, Tx,
    batch::StatementBatch,
    conn::{execute, on},
    sql_types::{SqlType, clean, record, word_enum},
};

word_enum! {
    pub enum MemberRole {
        Owner = "owner",
        Member = "member",
        /// Reads, and posts only when addressed.
        Guest = "guest",
    }
}

record! {
    pub struct Member {
        pub id: MemberId,
        pub chat: ChatId,
        pub principal: PrincipalId,
        pub role: MemberRole,
        pub joined_at: Timestamp,
        pub left_at: Option<Timestamp>,
        /// Message at the end of the path that the member sees.
        pub current_message: Option<MessageId>,
        /// Last sequence number that the member has read.
        pub last_read_seq: i64,
        pub folder: Option<String>,
        pub pinned: bool,
    }
}

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "select id, chat, principal, role, joined_at, left_at, current_message, last_read_seq, folder, pinned \
             from chat_members ",
            $rest
        )
    };
}

/// Adds a member. A former member rejoins with the new role and its other settings. Returns whether a row
/// changed.
pub async fn insert(tx: &mut Tx, new: &Member) -> Result<bool> {
    let mut batch = StatementBatch::of(tx);
    add(&mut batch, new);
    Ok(batch.execute(tx).await? > 0)
}

/// Adds the statement of [`insert`] to a batch.
pub(crate) fn add(batch: &mut StatementBatch, new: &Member) {
    batch
        .add(INSERT)
        .bind(new.id.uuid())
        .bind(new.chat.uuid())
        .bind(new.principal.uuid())
        .bind(new.role.as_str())
        .bind(new.joined_at.millis())
        .bind(new.left_at.to_column())
        .bind(new.current_message.to_column())
        .bind(new.last_read_seq)
        .bind(new.folder.as_deref().map(clean))
        .bind(new.pinned);
}

const INSERT: &str = "insert into chat_members \
     (id, chat, principal, role, joined_at, left_at, current_message, last_read_seq, folder, pinned) \
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) \
     on conflict (chat, principal) do update set left_at = null, role = excluded.role \
     where chat_members.left_at is not null";

/// Returns a current or former member: check `left_at`.
pub async fn find(conn: &mut Conn, chat: ChatId, principal: PrincipalId) -> Result<Option<Member>> {
    let text = select!("where chat = $1 and principal = $2");
    on!(conn, c => query_as(text).bind(chat.uuid()).bind(principal.uuid()).fetch_optional(c))
}

/// Lists the current members of a chat, in the order in which they joined.
pub async fn list_by_chat(conn: &mut Conn, chat: ChatId) -> Result<Vec<Member>> {
    let text = select!("where chat = $1 and left_at is null order by joined_at, id");
    on!(conn, c => query_as(text).bind(chat.uuid()).fetch_all(c))
}

pub async fn set_current_message(
    tx: &mut Tx,
    chat: ChatId,
    principal: PrincipalId,
    message: Option<MessageId>,
) -> Result<bool> {
    let message = message.to_column();
    Ok(execute!(tx, query(SET_CURRENT_MESSAGE).bind(chat.uuid()).bind(principal.uuid()).bind(message))? > 0)
}

pub(crate) fn add_current_message(
    batch: &mut StatementBatch,
    chat: ChatId,
    principal: PrincipalId,
    message: MessageId,
) {
    batch.add(SET_CURRENT_MESSAGE).bind(chat.uuid()).bind(principal.uuid()).bind(message.uuid());
}

const SET_CURRENT_MESSAGE: &str =
    "update chat_members set current_message = $3 where chat = $1 and principal = $2";

/// Advances the read position; it never moves back.
pub async fn set_read(tx: &mut Tx, chat: ChatId, principal: PrincipalId, seq: i64) -> Result<bool> {
    let text = "update chat_members set last_read_seq = $3 \
                where chat = $1 and principal = $2 and last_read_seq < $3";
    Ok(execute!(tx, query(text).bind(chat.uuid()).bind(principal.uuid()).bind(seq))? > 0)
}

pub async fn set_pinned(tx: &mut Tx, chat: ChatId, principal: PrincipalId, pinned: bool) -> Result<bool> {
    let text = "update chat_members set pinned = $3 where chat = $1 and principal = $2";
    Ok(execute!(tx, query(text).bind(chat.uuid()).bind(principal.uuid()).bind(pinned))? > 0)
}

/// Moves a chat to a folder of this member, or out of all folders.
pub async fn set_folder(
    tx: &mut Tx,
    chat: ChatId,
    principal: PrincipalId,
    folder: Option<&str>,
) -> Result<bool> {
    let text = "update chat_members set folder = $3 where chat = $1 and principal = $2";
    let folder = folder.map(clean);
    Ok(execute!(tx, query(text).bind(chat.uuid()).bind(principal.uuid()).bind(folder))? > 0)
}

/// Restores a membership that has ended. Returns whether there was one.
pub async fn restore(tx: &mut Tx, chat: ChatId, principal: PrincipalId) -> Result<bool> {
    let text =
        "update chat_members set left_at = null where chat = $1 and principal = $2 and left_at is not null";
    Ok(execute!(tx, query(text).bind(chat.uuid()).bind(principal.uuid()))? > 0)
}

pub async fn leave(tx: &mut Tx, chat: ChatId, principal: PrincipalId, at: Timestamp) -> Result<bool> {
    let text = "update chat_members set left_at = $3 where chat = $1 and principal = $2 and left_at is null";
    Ok(execute!(tx, query(text).bind(chat.uuid()).bind(principal.uuid()).bind(at.millis()))? > 0)
}
