//! Renames, pins, archives and deletes chats.

use std::{collections::HashSet, iter};

use plexus_domain::{
    AccountId, ChatId, Error as Refusal,
    chat::Title,
    chat_event::Event,
    team::{ShortText, TeamActor, TeamEvent},
};
use plexus_store::{chats, members, members::MemberRole, teams as rows};

use super::{ChatChangeSet, membership, send::check_kind};
use crate::{
    Caller, Hub, Result,
    caller::{Requester, Scope},
    cluster::ClusterNotice,
    quotas, runs,
    streaming::{AccessChange, FrameKind, StreamFrame, Topic},
    teams::{self, TeamCommand},
};

/// Changes of a chat. `None` leaves a property as it is.
#[derive(Clone, Debug, Default)]
pub struct ChatPatch {
    pub title: Option<String>,
    /// Whether the chat is before the others in the caller's list.
    pub pinned: Option<bool>,
    /// Whether the chat is in the list of archived chats.
    pub archived: Option<bool>,
}

/// Changes a chat of which the caller is a member.
pub async fn update(hub: &Hub, caller: &Caller, chat: ChatId, update: ChatPatch) -> Result<()> {
    let person = caller.may(Scope::Chat)?;
    let title = update.title.map(Title::try_from).transpose()?;
    let mut tx = hub.store().write().await?;
    membership(&mut tx, person, chat).await?;
    let row = chats::lock(&mut tx, chat).await?.ok_or_else(|| Refusal::not_found("Chat not found."))?;
    let mut telling = ChatChangeSet::new(&row);
    if let Some(pinned) = update.pinned {
        members::set_pinned(&mut tx, chat, person.principal, pinned).await?;
    }
    if let Some(archived) = update.archived {
        check_kind(&row)?;
        chats::set_archived(&mut tx, chat, archived.then(|| hub.env().now())).await?;
    }
    if let Some(title) = title {
        chats::set_title(&mut tx, chat, &title).await?;
        telling.record(Event::TitleChanged { title: title.into() });
    }
    telling.commit(hub, tx).await?.publish(hub, Some(person.account)).await;
    Ok(())
}

/// Cancels the runs of a chat and deletes it with all its messages. Deletes the subteams of a team as well.
pub async fn delete(hub: &Hub, caller: &Caller, chat: ChatId) -> Result<()> {
    let person = caller.may(Scope::Chat)?;
    let member = membership(&mut hub.store().read().await?, person, chat).await?;
    if member.role != MemberRole::Owner {
        return Err(Refusal::forbidden("Only the creator of this chat can delete it.").into());
    }
    let all = stop_and_delete(hub, chat).await?;
    quotas::forget(hub, &Requester::from(person));
    for chat in all {
        hub.live().access.notify(AccessChange::Chat(chat));
    }
    notify_list_changed(hub, person.account);
    Ok(())
}

/// Tells an account's subscribers that its list of chats changed.
pub(crate) fn notify_list_changed(hub: &Hub, account: AccountId) {
    hub.cluster_notifier().enqueue(ClusterNotice::Chats(account));
    hub.live().channels.publish(Topic::Account(account), StreamFrame::new(FrameKind::ChatListChanged));
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
