//! Deletes chats. A chat of one user with agents can be restored for a day, unless it is temporary; all others are
//! deleted at once.
//!
//! The creator of a chat that can be restored is a former member of it, so no query finds the chat any more, and its
//! retention ends after that day.

use std::{collections::HashSet, iter, time::Duration};

use plexus_domain::{
    ChatId, Error as Refusal,
    chat::ChatKind,
    page::PageSize,
    team::{ShortText, TeamActor, TeamEvent},
};
use plexus_store::{
    chat_invitations,
    chats::{self, Chat, DeletedChat},
    members::{self, Member},
    teams as rows,
};

use super::{check_owner, membership, notify_list_changed, post_message::lock};
use crate::{
    Caller, Hub, Result,
    bus::AccessChange,
    caller::{Person, Requester, Scope},
    quotas, runs,
    teams::{self, TeamCommand},
};

/// How long a deleted chat can be restored.
pub const RESTORABLE_FOR: Duration = Duration::from_hours(24);

/// What a deletion did to a chat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeletionOutcome {
    /// It can be restored for [`RESTORABLE_FOR`].
    Restorable,
    /// Its messages are deleted.
    Permanent,
}

const OWNER_ONLY: &str = "Only the owner of this chat can delete it.";

/// Cancels the runs of a chat and deletes it. A chat of one user with agents can be restored for
/// [`RESTORABLE_FOR`], unless it is temporary.
pub async fn delete(hub: &Hub, caller: &Caller, chat: ChatId) -> Result<DeletionOutcome> {
    let person = caller.may(Scope::Chat)?;
    let mut tx = hub.store().write().await?;
    let row = lock(&mut tx, chat).await?;
    let member = membership(&mut tx, person, chat).await?;
    check_owner(&member, OWNER_ONLY)?;
    if row.kind != ChatKind::Direct || row.is_temporary() {
        drop(tx);
        delete_now(hub, person, chat).await?;
        return Ok(DeletionOutcome::Permanent);
    }
    let now = hub.env().now();
    members::leave(&mut tx, chat, person.principal, now).await?;
    chat_invitations::delete_by_chat(&mut tx, chat).await?;
    chats::set_retention(&mut tx, chat, Some(now + RESTORABLE_FOR)).await?;
    tx.commit().await?;
    // No run begins after the commit, since only members post messages.
    runs::stop_chat(hub, chat).await;
    hub.live().access.notify(AccessChange::Chat(chat));
    notify_list_changed(hub, person.account);
    Ok(DeletionOutcome::Restorable)
}

/// Cancels the runs of a chat and deletes it at once, with its subteams. The chat may be one that can be restored.
pub async fn delete_permanently(hub: &Hub, caller: &Caller, chat: ChatId) -> Result<()> {
    let person = caller.may(Scope::Chat)?;
    let mut conn = hub.store().read().await?;
    let row = chats::find(&mut conn, chat).await?.ok_or_else(gone)?;
    let member = members::find(&mut conn, chat, person.principal).await?.ok_or_else(gone)?;
    drop(conn);
    if member.left_at.is_some() && !is_restorable(hub, person, &row, &member) {
        return Err(gone().into());
    }
    check_owner(&member, OWNER_ONLY)?;
    delete_now(hub, person, chat).await
}

/// Restores a chat that the caller deleted.
///
/// Returns whether it is archived: it was before it was deleted, and is in the list of archived chats again.
pub async fn restore(hub: &Hub, caller: &Caller, chat: ChatId) -> Result<bool> {
    let person = caller.may(Scope::Chat)?;
    let mut tx = hub.store().write().await?;
    let row = lock(&mut tx, chat).await?;
    let member = members::find(&mut tx, chat, person.principal).await?.ok_or_else(gone)?;
    let is_archived = row.archived_at.is_some();
    if member.left_at.is_none() {
        return Ok(is_archived);
    }
    if !is_restorable(hub, person, &row, &member) {
        return Err(gone().into());
    }
    quotas::check_chat(hub, &mut tx, &Requester::from(person)).await?;
    members::restore(&mut tx, chat, person.principal).await?;
    chats::set_retention(&mut tx, chat, None).await?;
    tx.commit().await?;
    quotas::forget(hub, &Requester::from(person));
    notify_list_changed(hub, person.account);
    Ok(is_archived)
}

/// Lists the chats that the caller can restore, latest deleted first.
pub async fn list_deleted(hub: &Hub, caller: &Caller) -> Result<Vec<DeletedChat>> {
    let person = caller.may(Scope::Read)?;
    let mut conn = hub.store().read().await?;
    Ok(chats::list_deleted(&mut conn, person.principal, hub.env().now(), PageSize::new(PageSize::MAX)?)
        .await?)
}

fn gone() -> Refusal {
    Refusal::not_found("Chat not found.")
}

fn is_restorable(hub: &Hub, person: &Person, chat: &Chat, member: &Member) -> bool {
    chat.kind == ChatKind::Direct
        && chat.creator == person.principal
        && member.left_at.is_some()
        && chat.expires_at.is_some_and(|until| until > hub.env().now())
}

async fn delete_now(hub: &Hub, person: &Person, chat: ChatId) -> Result<()> {
    let people = members::list_people(&mut hub.store().read().await?, chat).await?;
    let all = stop_and_delete(hub, chat).await?;
    quotas::forget(hub, &Requester::from(person));
    for chat in all {
        hub.live().access.notify(AccessChange::Chat(chat));
    }
    for account in people.iter().map(|one| one.account).chain([person.account]) {
        notify_list_changed(hub, account);
    }
    Ok(())
}

/// Deletes a chat of an account that is erased, with its subteams.
pub(crate) async fn erase(hub: &Hub, chat: ChatId) -> Result<()> {
    for chat in stop_and_delete(hub, chat).await? {
        hub.live().access.notify(AccessChange::Chat(chat));
    }
    Ok(())
}

/// Stops and deletes a chat with its subteams; returns the deleted chats.
///
/// A team may form another subteam until it is stopped. So the list is re-read under the write lock until
/// nothing is new.
async fn stop_and_delete(hub: &Hub, chat: ChatId) -> Result<Vec<ChatId>> {
    let mut stopped = HashSet::new();
    loop {
        let mut tx = hub.store().write().await?;
        let below = rows::list_descendants(&mut tx, chat, i64::MAX).await?;
        let all: Vec<ChatId> = iter::once(chat).chain(below.into_iter().map(|team| team.chat)).collect();
        let going_on: Vec<ChatId> = all.iter().copied().filter(|chat| stopped.insert(*chat)).collect();
        if going_on.is_empty() {
            for chat in &all {
                chats::delete(&mut tx, *chat).await?;
            }
            tx.commit().await?;
            return Ok(all);
        }
        drop(tx);
        for chat in going_on {
            stop(hub, chat).await;
        }
    }
}

/// Cancels a team and the runs of a chat.
async fn stop(hub: &Hub, chat: ChatId) {
    // Cancel a team first, or it would start new runs. Fails harmlessly if the chat is no team.
    if let Ok(reason) = ShortText::try_from("Its owner deleted it.".to_owned()) {
        let _ = teams::send_command(
            hub,
            chat,
            TeamCommand::Event(TeamActor::Home, TeamEvent::Cancelled { reason }),
        )
        .await;
    }
    runs::stop_chat(hub, chat).await;
}
