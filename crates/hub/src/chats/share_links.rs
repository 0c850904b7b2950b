//! Share links of chats: creates, lists and revokes them.

use std::time::Duration;

use plexus_domain::{
    ChatId, Digest, Error as Refusal, MessageId, Timestamp,
    message::{MessageState, TreeNode, visible},
};
use plexus_store::{
    chat_share_links::{self, ChatShareLink},
    messages,
};

use super::{
    check_owner, membership, people::check_may_have_people, post_message::lock, queries::newest_below,
};
use crate::{
    Caller, Error, Hub, Result,
    accounts::random_token,
    caller::{Person, Scope},
    limits::Rate,
};

/// Maximum number of share links per account.
pub const MAX_SHARE_LINKS: u64 = 500;
/// Lifetime of a share link in days, unless its creator chooses another.
pub const DEFAULT_SHARE_DAYS: u16 = 30;
/// Maximum lifetime of a share link that expires, in days.
pub const MAX_SHARE_DAYS: u16 = 365;

const DAY: Duration = Duration::from_hours(24);
/// Purpose of the encryption of a link's secret.
const PURPOSE: &str = "share link";
/// Links per transaction of [`seal_share_links`].
const SEALED_AT_ONCE: i64 = 200;

/// A share link to be created.
#[derive(Clone, Copy, Debug)]
pub struct NewShareLink {
    pub chat: ChatId,
    /// A message of the branch to share; `None` for the branch that the caller sees.
    pub message: Option<MessageId>,
    /// Days until it expires; 0 for never.
    pub days: u16,
}

/// Creates a link with which anyone can read one branch of a chat, up to its newest message. Only for the creator of
/// the chat.
pub async fn create_share_link(hub: &Hub, caller: &Caller, new: NewShareLink) -> Result<ChatShareLink> {
    caller.may(Scope::Read)?;
    let person = caller.may(Scope::Chat)?;
    if new.days > MAX_SHARE_DAYS {
        let words = format!("Choose at most {MAX_SHARE_DAYS} days, or 0 for a link that does not expire.");
        return Err(Refusal::invalid("expires_in_days", words).into());
    }
    hub.limits().take(Rate::ShareLinks, &caller.key())?;
    let now = hub.env().now();
    let mut tx = hub.store().write().await?;
    let chat = lock(&mut tx, new.chat).await?;
    let member = membership(&mut tx, person, new.chat).await?;
    check_owner(&member, "Only the owner of this chat can share it.")?;
    check_may_have_people(&chat)?;
    chat_share_links::delete_expired(&mut tx, now).await?;
    if chat_share_links::count_by_owner(&mut tx, person.principal).await? >= MAX_SHARE_LINKS {
        let words = format!("You have {MAX_SHARE_LINKS} share links. Revoke one of them first.");
        return Err(Refusal::conflict(words).into());
    }
    let headers = messages::list_by_chat(&mut tx, new.chat).await?;
    let tree: Vec<_> = headers.iter().map(TreeNode::from).collect();
    let last = match new.message {
        Some(message) if tree.iter().any(|node| node.id == message) => Some(newest_below(&tree, message)),
        Some(_) => return Err(Refusal::not_found("Message not found.").into()),
        None => member.current_message,
    };
    let last = last.ok_or_else(|| Refusal::conflict("This chat has no messages yet."))?;
    let shown = visible(&tree, last);
    if headers.iter().any(|header| header.state == MessageState::Open && shown.contains(&header.id)) {
        let words = "An answer is still being written. Share the chat after it has ended, or stop it first.";
        return Err(Refusal::conflict(words).into());
    }
    let secret = random_token(hub);
    let link = ChatShareLink {
        id: stored_id(&secret),
        sealed: Some(hub.vault().seal(PURPOSE, secret.as_bytes())?),
        chat: new.chat,
        title: chat.title,
        last_message: last,
        last_seq: chat.last_seq,
        created_at: now,
        expires_at: (new.days > 0).then(|| now + DAY * u32::from(new.days)),
    };
    chat_share_links::insert(&mut tx, &link).await?;
    tx.commit().await?;
    Ok(ChatShareLink { id: secret, ..link })
}

/// Returns the id under which the link with this secret is stored.
pub(super) fn stored_id(secret: &str) -> String {
    Digest::of(secret).to_string()
}

/// Replaces the stored id of a link by the secret part of its URL.
fn open(hub: &Hub, link: ChatShareLink) -> Result<ChatShareLink> {
    let Some(sealed) = &link.sealed else { return Ok(link) };
    let secret = hub.vault().open_sealed(PURPOSE, sealed)?;
    Ok(ChatShareLink { id: String::from_utf8(secret).map_err(Error::fault)?, ..link })
}

/// Encrypts the secrets of links that an earlier version stored. Returns how many.
pub(crate) async fn seal_share_links(hub: &Hub) -> Result<u64> {
    let mut sealed = 0;
    loop {
        let mut tx = hub.store().write_background().await?;
        let secrets = chat_share_links::list_unsealed(&mut tx, SEALED_AT_ONCE).await?;
        for secret in &secrets {
            let ciphertext = hub.vault().seal(PURPOSE, secret.as_bytes())?;
            chat_share_links::seal(&mut tx, secret, &stored_id(secret), &ciphertext).await?;
        }
        tx.commit().await?;
        sealed += secrets.len() as u64;
        if secrets.is_empty() {
            return Ok(sealed);
        }
    }
}

/// Lists the caller's share links that have not expired, newest first: of one chat, or of all.
pub async fn list_share_links(
    hub: &Hub,
    caller: &Caller,
    chat: Option<ChatId>,
) -> Result<Vec<ChatShareLink>> {
    let person = caller.may(Scope::Read)?;
    let mut conn = hub.store().read().await?;
    if let Some(chat) = chat {
        membership(&mut conn, person, chat).await?;
    }
    let links = chat_share_links::list_by_owner(&mut conn, person.principal, chat, now(hub)).await?;
    links.into_iter().map(|link| open(hub, link)).collect()
}

/// Revokes a share link of the caller. It stops working at once.
pub async fn revoke_share_link(hub: &Hub, caller: &Caller, id: &str) -> Result<()> {
    let person: &Person = caller.may(Scope::Chat)?;
    let mut tx = hub.store().write().await?;
    let is_deleted = chat_share_links::delete(&mut tx, &stored_id(id), person.principal).await?;
    if !is_deleted {
        return Err(Refusal::not_found("Share link not found.").into());
    }
    Ok(tx.commit().await?)
}

/// Deletes expired share links, and returns how many.
pub(crate) async fn sweep_expired_share_links(hub: &Hub) -> Result<u64> {
    let mut tx = hub.store().write_background().await?;
    let swept = chat_share_links::delete_expired(&mut tx, now(hub)).await?;
    tx.commit().await?;
    Ok(swept)
}

fn now(hub: &Hub) -> Timestamp {
    hub.env().now()
}
