//! Invitations to chats: for one account, or for the holders of a link.

use plexus_domain::{ChatId, ChatInvitationId, Digest, Name, PrincipalId, Timestamp, chat::Title};
use sqlx::{query, query_as, query_scalar};

use crate::{
    Conn, Result, Tx,
    conn::{execute, on},
    members::MemberRole,
    sql_types::{SqlType, record},
};

record! {
    pub struct ChatInvitation {
        pub id: ChatInvitationId,
        pub chat: ChatId,
        pub role: MemberRole,
        pub invited_by: PrincipalId,
        /// The account that is invited; none for a link.
        pub invitee: Option<PrincipalId>,
        /// Digest of the secret part of a link.
        pub hash: Option<Digest>,
        pub created_at: Timestamp,
        pub expires_at: Timestamp,
    }
}

record! {
    /// An invitation as its chat lists it.
    pub struct SentInvitation {
        pub id: ChatInvitationId,
        pub role: MemberRole,
        /// Name of the account that is invited; none for a link.
        pub invitee: Option<Name>,
        pub created_at: Timestamp,
        pub expires_at: Timestamp,
    }
}

record! {
    /// An invitation as the invited account sees it.
    pub struct ReceivedInvitation {
        pub id: ChatInvitationId,
        pub title: Title,
        pub role: MemberRole,
        pub invited_by: Name,
        pub created_at: Timestamp,
        pub expires_at: Timestamp,
    }
}

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "select id, chat, role, invited_by, invitee, hash, created_at, expires_at from chat_invitations ",
            $rest
        )
    };
}

/// Inserts an invitation. Returns a conflict if the account is invited to this chat already.
pub async fn insert(tx: &mut Tx, new: &ChatInvitation) -> Result<()> {
    let text = "insert into chat_invitations \
                (id, chat, role, invited_by, invitee, hash, created_at, expires_at) \
                values ($1, $2, $3, $4, $5, $6, $7, $8)";
    execute!(
        tx,
        query(text)
            .bind(new.id.uuid())
            .bind(new.chat.uuid())
            .bind(new.role.as_str())
            .bind(new.invited_by.uuid())
            .bind(new.invitee.to_column())
            .bind(new.hash.to_column())
            .bind(new.created_at.millis())
            .bind(new.expires_at.millis())
    )?;
    Ok(())
}

/// Returns an invitation that has not expired.
pub async fn find(conn: &mut Conn, id: ChatInvitationId, now: Timestamp) -> Result<Option<ChatInvitation>> {
    let text = select!("where id = $1 and expires_at > $2");
    on!(conn, c => query_as(text).bind(id.uuid()).bind(now.millis()).fetch_optional(c))
}

/// Returns the link with this digest, unless it has expired.
pub async fn by_hash(conn: &mut Conn, hash: &Digest, now: Timestamp) -> Result<Option<ChatInvitation>> {
    let text = select!("where hash = $1 and expires_at > $2");
    on!(conn, c => query_as(text).bind(hash.to_column()).bind(now.millis()).fetch_optional(c))
}

/// Lists the invitations to a chat that have not expired, newest first.
pub async fn list_by_chat(conn: &mut Conn, chat: ChatId, now: Timestamp) -> Result<Vec<SentInvitation>> {
    let text = "select i.id, i.role, n.name as invitee, i.created_at, i.expires_at from chat_invitations i \
                left join principals p on p.id = i.invitee left join accounts a on a.id = p.account \
                left join namespaces n on n.id = a.namespace \
                where i.chat = $1 and i.expires_at > $2 order by i.created_at desc, i.id";
    on!(conn, c => query_as(text).bind(chat.uuid()).bind(now.millis()).fetch_all(c))
}

/// Lists the invitations of an account that have not expired, newest first.
pub async fn list_by_invitee(
    conn: &mut Conn,
    invitee: PrincipalId,
    now: Timestamp,
) -> Result<Vec<ReceivedInvitation>> {
    let text = "select i.id, c.title, i.role, n.name as invited_by, i.created_at, i.expires_at \
                from chat_invitations i join chats c on c.id = i.chat \
                join principals p on p.id = i.invited_by join accounts a on a.id = p.account \
                join namespaces n on n.id = a.namespace \
                where i.invitee = $1 and i.expires_at > $2 order by i.created_at desc, i.id";
    on!(conn, c => query_as(text).bind(invitee.uuid()).bind(now.millis()).fetch_all(c))
}

/// Counts the invitations to a chat that have not expired.
pub async fn count_by_chat(conn: &mut Conn, chat: ChatId, now: Timestamp) -> Result<u64> {
    let text = "select count(*) from chat_invitations where chat = $1 and expires_at > $2";
    let count: i64 = on!(conn, c => query_scalar(text).bind(chat.uuid()).bind(now.millis()).fetch_one(c))?;
    Ok(count.unsigned_abs())
}

/// Counts the invitations of an account that have not expired.
pub async fn count_by_invitee(conn: &mut Conn, invitee: PrincipalId, now: Timestamp) -> Result<u64> {
    let text = "select count(*) from chat_invitations where invitee = $1 and expires_at > $2";
    let count: i64 = on!(conn, c => query_scalar(text).bind(invitee.uuid()).bind(now.millis()).fetch_one(c))?;
    Ok(count.unsigned_abs())
}

/// Deletes an invitation. Returns whether there was one.
pub async fn delete(tx: &mut Tx, id: ChatInvitationId) -> Result<bool> {
    Ok(execute!(tx, query("delete from chat_invitations where id = $1").bind(id.uuid()))? > 0)
}

/// Deletes the invitation of an account to a chat, because it became a member.
pub async fn delete_of(tx: &mut Tx, chat: ChatId, invitee: PrincipalId) -> Result<bool> {
    let text = "delete from chat_invitations where chat = $1 and invitee = $2";
    Ok(execute!(tx, query(text).bind(chat.uuid()).bind(invitee.uuid()))? > 0)
}

/// Deletes all invitations to a chat.
pub async fn delete_by_chat(tx: &mut Tx, chat: ChatId) -> Result<u64> {
    execute!(tx, query("delete from chat_invitations where chat = $1").bind(chat.uuid()))
}

/// Deletes the invitations by and of an account.
pub async fn delete_by_account(tx: &mut Tx, principal: PrincipalId) -> Result<u64> {
    let text = "delete from chat_invitations where invitee = $1 or invited_by = $1";
    execute!(tx, query(text).bind(principal.uuid()))
}

/// Deletes the invitations that have expired. Returns how many.
pub async fn delete_expired(tx: &mut Tx, now: Timestamp) -> Result<u64> {
    execute!(tx, query("delete from chat_invitations where expires_at <= $1").bind(now.millis()))
}
