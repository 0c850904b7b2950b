//! Share links of chats: read access to one branch of a chat, up to a message, without an account.

use plexus_domain::{ChatId, MessageId, PrincipalId, Timestamp, chat::Title};
use sqlx::{query, query_as, query_scalar};

use crate::{
    Conn, Result, Tx,
    accounts::{AccountState, state},
    conn::{execute, on},
    sql_types::{SqlType, record},
};

record! {
    pub struct ChatShareLink {
        /// SHA-256 of the secret part of its URL, in hex; the secret itself if `sealed` is none.
        pub id: String,
        /// The secret part of its URL, encrypted.
        pub sealed: Option<Vec<u8>>,
        pub chat: ChatId,
        /// Title of the chat when the link was created.
        pub title: Title,
        /// End of the branch.
        pub last_message: MessageId,
        /// Last sequence number that it covers.
        pub last_seq: i64,
        pub created_at: Timestamp,
        pub expires_at: Option<Timestamp>,
    }
}

record! {
    /// A share link with the owner of its chat, as needed to authorize a reader.
    pub struct OwnedShareLink {
        pub id: String,
        pub sealed: Option<Vec<u8>>,
        pub chat: ChatId,
        pub title: Title,
        pub last_message: MessageId,
        pub last_seq: i64,
        pub created_at: Timestamp,
        pub expires_at: Option<Timestamp>,
        pub owner: PrincipalId,
        pub owner_state: AccountState,
    }
}

macro_rules! columns {
    () => {
        "l.id, l.sealed, l.chat, l.title, l.last_message, l.last_seq, l.created_at, l.expires_at"
    };
}

pub async fn insert(tx: &mut Tx, new: &ChatShareLink) -> Result<()> {
    let text = "insert into chat_share_links (id, chat, title, last_message, last_seq, created_at, expires_at, sealed) \
                values ($1, $2, $3, $4, $5, $6, $7, $8)";
    execute!(
        tx,
        query(text)
            .bind(&new.id)
            .bind(new.chat.uuid())
            .bind(new.title.as_str())
            .bind(new.last_message.uuid())
            .bind(new.last_seq)
            .bind(new.created_at.millis())
            .bind(new.expires_at.to_column())
            .bind(new.sealed.as_deref())
    )?;
    Ok(())
}

/// Lists at most `limit` links whose secret is not encrypted.
pub async fn list_unsealed(conn: &mut Conn, limit: i64) -> Result<Vec<String>> {
    let text = "select id from chat_share_links where sealed is null order by id limit $1";
    on!(conn, c => query_scalar(text).bind(limit).fetch_all(c))
}

/// Replaces the secret of a link by its digest and the encrypted secret.
pub async fn seal(tx: &mut Tx, secret: &str, digest: &str, sealed: &[u8]) -> Result<()> {
    let text = "update chat_share_links set id = $2, sealed = $3 where id = $1 and sealed is null";
    execute!(tx, query(text).bind(secret).bind(digest).bind(sealed))?;
    Ok(())
}

/// Returns a link that has not expired, to a chat that its creator has not deleted. `secret` is tried for links that are not
/// encrypted yet.
pub async fn find(conn: &mut Conn, id: &str, secret: &str, now: Timestamp) -> Result<Option<OwnedShareLink>> {
    let text = concat!(
        "select ",
        columns!(),
        ", chats.creator as owner, ",
        state!(),
        " as owner_state from chat_share_links l join chats on chats.id = l.chat \
         join chat_members m on m.chat = l.chat and m.principal = chats.creator and m.left_at is null \
         join principals on principals.id = chats.creator join accounts on accounts.id = principals.account \
         where (l.id = $1 or (l.id = $3 and l.sealed is null)) and (l.expires_at is null or l.expires_at > $2)"
    );
    on!(conn, c => query_as(text).bind(id).bind(now.millis()).bind(secret).fetch_optional(c))
}

/// Lists the links that have not expired, to the chats that a principal created and has not deleted, newest first.
pub async fn list_by_owner(
    conn: &mut Conn,
    owner: PrincipalId,
    chat: Option<ChatId>,
    now: Timestamp,
) -> Result<Vec<ChatShareLink>> {
    let text = concat!(
        "select ",
        columns!(),
        " from chat_share_links l join chats on chats.id = l.chat \
         join chat_members m on m.chat = l.chat and m.principal = chats.creator and m.left_at is null \
         where chats.creator = $1 \
         and ($2 is null or l.chat = $2) and (l.expires_at is null or l.expires_at > $3) \
         order by l.created_at desc, l.id"
    );
    on!(conn, c => query_as(text).bind(owner.uuid()).bind(chat.to_column()).bind(now.millis()).fetch_all(c))
}

/// Counts the links to the chats that a principal created.
pub async fn count_by_owner(conn: &mut Conn, owner: PrincipalId) -> Result<u64> {
    let text =
        "select count(*) from chat_share_links l join chats on chats.id = l.chat where chats.creator = $1";
    let count: i64 = on!(conn, c => query_scalar(text).bind(owner.uuid()).fetch_one(c))?;
    Ok(count.unsigned_abs())
}

/// Deletes a link to a chat that a principal created. Returns whether there was one.
pub async fn delete(tx: &mut Tx, id: &str, owner: PrincipalId) -> Result<bool> {
    let text =
        "delete from chat_share_links where id = $1 and chat in (select id from chats where creator = $2)";
    Ok(execute!(tx, query(text).bind(id).bind(owner.uuid()))? > 0)
}

/// Deletes the links to a chat.
pub async fn delete_by_chat(tx: &mut Tx, chat: ChatId) -> Result<u64> {
    execute!(tx, query("delete from chat_share_links where chat = $1").bind(chat.uuid()))
}

/// Deletes the links that have expired. Returns how many.
pub async fn delete_expired(tx: &mut Tx, now: Timestamp) -> Result<u64> {
    execute!(tx, query("delete from chat_share_links where expires_at <= $1").bind(now.millis()))
}
