//! Share links of chats: creates, lists and revokes them.

use std::time::Duration;

use plexus_domain::{
    ChatId, Error as Refusal, MessageId, Timestamp,
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
    Caller, Hub, Result,
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
    let link = ChatShareLink {
        id: random_token(hub),
        chat: new.chat,
        title: chat.title,
        last_message: last,
        last_seq: chat.last_seq,
        created_at: now,
        expires_at: (new.days > 0).then(|| now + DAY * u32::from(new.days)),
    };
    chat_share_links::insert(&mut tx, &link).await?;
    tx.commit().await?;
    Ok(link)
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
    Ok(chat_share_links::list_by_owner(&mut conn, person.principal, chat, now(hub)).await?)
}

/// Revokes a share link of the caller. It stops working at once.
pub async fn revoke_share_link(hub: &Hub, caller: &Caller, id: &str) -> Result<()> {
    let person: &Person = caller.may(Scope::Chat)?;
    let mut tx = hub.store().write().await?;
    if !chat_share_links::delete(&mut tx, id, person.principal).await? {
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
