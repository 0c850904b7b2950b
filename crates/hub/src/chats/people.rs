//! The people of a chat: lists them, changes their roles, and ends memberships.
//!
//! A chat with several people is a room. It has one owner, who is also its creator in the store: quotas count the room
//! for the owner.

use plexus_domain::{
    ChatId, Error as Refusal, PrincipalId, RunState, Timestamp,
    chat::{ChatKind, RoomRole},
    chat_event::Event,
};
use plexus_store::{
    Conn, Tx, chat_share_links,
    chats::{self, Chat},
    members::{self, ChatPerson, Member, MemberRole},
    runs as run_rows, webhooks,
};

use super::{
    ChatChangeSet, index_older_messages, membership, notify_list_changed, post_message::lock,
    temporary::check_is_kept,
};
use crate::{
    Caller, Hub, Result,
    bus::AccessChange,
    caller::{self, Person, Requester, Scope},
    quotas, runs,
};

/// Maximum number of people in a chat.
pub const MAX_PEOPLE: usize = 50;

/// The people of a chat, as one of them sees it.
pub struct RoomPeople {
    pub title: String,
    /// The role of the caller.
    pub role: RoomRole,
    /// Name of the caller.
    pub viewer: String,
    pub viewer_id: PrincipalId,
    /// In the order in which they joined.
    pub people: Vec<RoomPerson>,
}

/// A person of a chat.
pub struct RoomPerson {
    pub name: String,
    pub role: RoomRole,
    pub joined_at: Timestamp,
}

/// Refuses callers that are not the owner of the chat.
pub(crate) fn check_owner(member: &Member, words: &'static str) -> Result<(), Refusal> {
    if member.role == MemberRole::Owner { Ok(()) } else { Err(Refusal::forbidden(words)) }
}

/// Refuses readers.
pub(crate) fn check_may_post(member: &Member) -> Result<(), Refusal> {
    if RoomRole::from(member.role).may_post() {
        return Ok(());
    }
    Err(Refusal::forbidden("You can only read this chat. Ask its owner for the role of a member."))
}

/// Lists the people of a chat of the caller.
pub async fn list_people(hub: &Hub, caller: &Caller, chat: ChatId) -> Result<RoomPeople> {
    let person = caller.may(Scope::Read)?;
    let mut conn = hub.store().snapshot().await?;
    let member = membership(&mut conn, person, chat).await?;
    let row = chats::find(&mut conn, chat).await?.ok_or_else(gone)?;
    of_chat(&mut conn, person, &row, &member).await
}

/// Returns the people of a chat of which `person` is `member`.
pub(super) async fn of_chat(
    conn: &mut Conn,
    person: &Person,
    chat: &Chat,
    member: &Member,
) -> Result<RoomPeople> {
    let people = members::list_people(conn, chat.id).await?;
    let person_view = |one: ChatPerson| RoomPerson {
        name: one.name.to_string(),
        role: one.role.into(),
        joined_at: one.joined_at,
    };
    Ok(RoomPeople {
        title: chat.title.clone().into(),
        role: member.role.into(),
        viewer: person.name.to_string(),
        viewer_id: person.principal,
        people: people.into_iter().map(person_view).collect(),
    })
}

/// Changes the role of a person of a chat. The role of the owner hands the chat over: the caller becomes a member.
pub async fn set_role(hub: &Hub, caller: &Caller, chat: ChatId, name: &str, role: RoomRole) -> Result<()> {
    let person = caller.may(Scope::Chat)?;
    let mut tx = hub.store().write().await?;
    let row = lock(&mut tx, chat).await?;
    let member = membership(&mut tx, person, chat).await?;
    check_owner(&member, "Only the owner of this chat can change roles.")?;
    let target = find_person(&mut tx, chat, name).await?;
    if target.principal == person.principal {
        let words = "You own this chat. Make another member the owner first.";
        return if role == RoomRole::Owner { Ok(()) } else { Err(Refusal::conflict(words).into()) };
    }
    if role == RoomRole::Owner {
        return hand_over(hub, tx, person, &row, &target).await;
    }
    members::set_role(&mut tx, chat, target.principal, role.into()).await?;
    tx.commit().await?;
    notify_list_changed(hub, target.account);
    Ok(())
}

async fn hand_over(hub: &Hub, mut tx: Tx, from: &Person, chat: &Chat, to: &ChatPerson) -> Result<()> {
    let words = || Refusal::conflict(format!("The account {} cannot own a chat at present.", to.name));
    let new = caller::find_person(&mut tx, to.account).await?.ok_or_else(words)?;
    if let Err(crate::Error::Refused(_)) = quotas::check_chat(hub, &mut tx, &Requester::from(&new)).await {
        let words = format!("The account {} has as many chats as it may own.", to.name);
        return Err(Refusal::conflict(words).into());
    }
    change_owner(&mut tx, chat.id, from.principal, to.principal).await?;
    tx.commit().await?;
    for requester in [Requester::from(from), Requester::from(&new)] {
        quotas::forget(hub, &requester);
    }
    // Subscribers see what their role may see.
    hub.live().access.notify(AccessChange::Chat(chat.id));
    hub.spawn_once("message index", index_older_messages(hub.clone()));
    for account in [from.account, to.account] {
        notify_list_changed(hub, account);
    }
    Ok(())
}

/// Makes `to` the owner of a chat and `from` a member. Revokes its share links, which name the earlier owner.
async fn change_owner(tx: &mut Tx, chat: ChatId, from: PrincipalId, to: PrincipalId) -> Result<()> {
    members::set_role(tx, chat, from, MemberRole::Member).await?;
    members::set_role(tx, chat, to, MemberRole::Owner).await?;
    chat_share_links::delete_by_chat(tx, chat).await?;
    chats::set_creator(tx, chat, to).await?;
    Ok(())
}

/// Removes a person from a chat. Its runs in the chat and its open streams end.
pub async fn remove_person(hub: &Hub, caller: &Caller, chat: ChatId, name: &str) -> Result<()> {
    let person = caller.may(Scope::Chat)?;
    let mut tx = hub.store().write().await?;
    let row = lock(&mut tx, chat).await?;
    let member = membership(&mut tx, person, chat).await?;
    let target = find_person(&mut tx, chat, name).await?;
    if target.principal == person.principal {
        check_may_leave(&member)?;
    } else {
        check_owner(&member, "Only the owner of this chat can remove people.")?;
    }
    end_membership(hub, tx, &row, &target).await
}

/// Ends the caller's membership of a chat. The owner hands the chat over first.
pub async fn leave(hub: &Hub, caller: &Caller, chat: ChatId) -> Result<()> {
    let name = caller.may(Scope::Chat)?.name.to_string();
    remove_person(hub, caller, chat, &name).await
}

fn check_may_leave(member: &Member) -> Result<(), Refusal> {
    if member.role != MemberRole::Owner {
        return Ok(());
    }
    Err(Refusal::conflict(
        "You own this chat. Make another member the owner before you leave, or delete the chat.",
    ))
}

async fn end_membership(hub: &Hub, mut tx: Tx, chat: &Chat, person: &ChatPerson) -> Result<()> {
    members::leave(&mut tx, chat.id, person.principal, hub.env().now()).await?;
    webhooks::delete_by_caller(&mut tx, chat.id, person.principal).await?;
    let mut changes = ChatChangeSet::new(chat);
    changes.record(Event::MemberChanged { principal: person.principal, joined: false });
    changes.commit(hub, tx).await?.publish(hub, None).await;
    hub.live().access.notify(AccessChange::Chat(chat.id));
    notify_list_changed(hub, person.account);
    let all = run_rows::list_by_chat(&mut hub.store().read().await?, chat.id).await?;
    let is_active = |run: &run_rows::Run| run.caller == person.principal && !RunState::is_terminal(run.state);
    for run in all.into_iter().filter(is_active) {
        runs::cancel(hub, &run, None).await?;
    }
    Ok(())
}

async fn find_person(conn: &mut Conn, chat: ChatId, name: &str) -> Result<ChatPerson> {
    let wanted = name.trim().trim_start_matches('@');
    let people = members::list_people(conn, chat).await?;
    let found = people.into_iter().find(|one| one.name.as_str().eq_ignore_ascii_case(wanted));
    Ok(found.ok_or_else(|| Refusal::not_found("No person of this chat has this name."))?)
}

/// Tells the subscribers of all people of a chat that their lists of chats changed.
pub(crate) async fn notify_members(hub: &Hub, chat: ChatId) {
    let people = async { members::list_people(&mut hub.store().read().await?, chat).await };
    match people.await {
        Ok(people) => people.iter().for_each(|one| notify_list_changed(hub, one.account)),
        Err(error) => tracing::warn!(%error, "notifying the people of a chat failed"),
    }
}

/// Ends the memberships of an account that is erased. A room that it owns passes to the member who joined first, else
/// to the reader who joined first.
pub(crate) async fn leave_all_rooms(hub: &Hub, tx: &mut Tx, principal: PrincipalId) -> Result<()> {
    for (chat, role) in members::list_rooms(tx, principal).await? {
        let people = members::list_people(tx, chat).await?;
        let mut others: Vec<_> = people.into_iter().filter(|one| one.principal != principal).collect();
        others.sort_by_key(|one| one.role == MemberRole::Guest);
        let Some(heir) = others.first() else { continue };
        if role == MemberRole::Owner {
            change_owner(tx, chat, principal, heir.principal).await?;
        }
        members::leave(tx, chat, principal, hub.env().now()).await?;
    }
    Ok(())
}

/// Returns whether a chat can have several people.
pub(super) fn check_may_have_people(chat: &Chat) -> Result<(), Refusal> {
    check_is_kept(chat)?;
    match chat.kind {
        ChatKind::Direct | ChatKind::Room => Ok(()),
        ChatKind::Team | ChatKind::Api => {
            Err(Refusal::conflict("People are invited to chats, not to teams or to chats of programs."))
        }
    }
}

fn gone() -> Refusal {
    Refusal::not_found("Chat not found.")
}
