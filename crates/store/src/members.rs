//! Members: access to a chat requires membership; each member has its own position in the message tree.

use plexus_domain::{
    AccountId, AgentId, ChatId, MemberId, MessageId, Name, PrincipalId, Timestamp, chat::RoomRole,
};
use sqlx::{query, query_as, query_scalar};

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
        /// Reads. Agents have this role and post when they are addressed; a user with it is a reader.
        Guest = "guest",
    }
}

impl From<RoomRole> for MemberRole {
    fn from(role: RoomRole) -> Self {
        match role {
            RoomRole::Owner => Self::Owner,
            RoomRole::Member => Self::Member,
            RoomRole::Reader => Self::Guest,
        }
    }
}

impl From<MemberRole> for RoomRole {
    fn from(role: MemberRole) -> Self {
        match role {
            MemberRole::Owner => Self::Owner,
            MemberRole::Member => Self::Member,
            MemberRole::Guest => Self::Reader,
        }
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

record! {
    /// A member that is an account.
    pub struct ChatPerson {
        pub principal: PrincipalId,
        pub account: AccountId,
        pub name: Name,
        pub role: MemberRole,
        pub joined_at: Timestamp,
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

/// Lists the current members of a chat that are accounts, in the order in which they joined.
pub async fn list_people(conn: &mut Conn, chat: ChatId) -> Result<Vec<ChatPerson>> {
    let text = "select m.principal, a.id as account, n.name, m.role, m.joined_at from chat_members m \
                join principals p on p.id = m.principal \
                join accounts a on a.id = p.account and a.state <> 'deleted' \
                join namespaces n on n.id = a.namespace \
                where m.chat = $1 and m.left_at is null order by m.joined_at, m.id";
    on!(conn, c => query_as(text).bind(chat.uuid()).fetch_all(c))
}

/// Lists the agents that are members of a chat, in the order in which they joined, at most `limit`.
pub async fn list_agents(conn: &mut Conn, chat: ChatId, limit: u32) -> Result<Vec<(PrincipalId, AgentId)>> {
    let text = "select m.principal, p.agent from chat_members m join principals p on p.id = m.principal \
                where m.chat = $1 and m.left_at is null and p.agent is not null \
                order by m.joined_at, m.id limit $2";
    let found: Vec<(uuid::Uuid, uuid::Uuid)> =
        on!(conn, c => query_as(text).bind(chat.uuid()).bind(i64::from(limit)).fetch_all(c))?;
    let ids = |(principal, agent)| (PrincipalId::from_uuid(principal), AgentId::from_uuid(agent));
    Ok(found.into_iter().map(ids).collect())
}

/// Lists the rooms of which a principal is a member, with its role in each.
pub async fn list_rooms(conn: &mut Conn, principal: PrincipalId) -> Result<Vec<(ChatId, MemberRole)>> {
    let text = select!(
        "where principal = $1 and left_at is null and chat in (select id from chats where kind = 'room')"
    );
    let found: Vec<Member> = on!(conn, c => query_as(text).bind(principal.uuid()).fetch_all(c))?;
    Ok(found.into_iter().map(|member| (member.chat, member.role)).collect())
}

/// Lists the owners of the rooms of a principal, at most `limit`.
pub async fn list_room_owners(
    conn: &mut Conn,
    principal: PrincipalId,
    limit: u32,
) -> Result<Vec<PrincipalId>> {
    let text = "select distinct chats.creator from chat_members join chats on chats.id = chat_members.chat \
                where chat_members.principal = $1 and left_at is null and chats.kind = 'room' \
                and chats.creator <> $1 limit $2";
    let found: Vec<uuid::Uuid> =
        on!(conn, c => query_scalar(text).bind(principal.uuid()).bind(i64::from(limit)).fetch_all(c))?;
    Ok(found.into_iter().map(PrincipalId::from_uuid).collect())
}

/// Changes the role of a current member.
pub async fn set_role(tx: &mut Tx, chat: ChatId, principal: PrincipalId, role: MemberRole) -> Result<bool> {
    let text = "update chat_members set role = $3 where chat = $1 and principal = $2 and left_at is null";
    Ok(execute!(tx, query(text).bind(chat.uuid()).bind(principal.uuid()).bind(role.as_str()))? > 0)
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

/// Adds the statement that moves all members with a current message, which are the people of a room, to `message`.
pub(crate) fn add_shared_message(batch: &mut StatementBatch, chat: ChatId, message: MessageId) {
    let text = "update chat_members set current_message = $2 \
                where chat = $1 and left_at is null and current_message is not null";
    batch.add(text).bind(chat.uuid()).bind(message.uuid());
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
