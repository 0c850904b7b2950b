//! Invitations to a chat: for an account of this hub by its name, or for the holders of a link.

use std::time::Duration;

use plexus_domain::{
    ChatId, ChatInvitationId, Digest, Error as Refusal, Timestamp,
    chat::{ChatKind, RoomRole},
    chat_event::Event,
};
pub use plexus_store::chat_invitations::{ReceivedInvitation, SentInvitation};
use plexus_store::{
    Conn, Tx,
    chat_invitations::{self as rows, ChatInvitation},
    chats::{self, Chat},
    members::{self, Member},
};

use super::{
    ChatChangeSet, membership, notify_list_changed,
    people::{MAX_PEOPLE, check_may_have_people, check_owner},
    post_message::{lock, new_member},
};
use crate::{
    Caller, Hub, Result,
    accounts::random_token,
    agents::named_users::find_user,
    caller::{Person, Scope},
    error::conflict,
    limits::Rate,
    message_views,
    views::Author,
};

/// Lifetime of an invitation in days, unless its sender chooses another.
pub const DEFAULT_INVITATION_DAYS: u16 = 7;
/// Maximum lifetime of an invitation, in days.
pub const MAX_INVITATION_DAYS: u16 = 30;
/// Maximum number of invitations to one chat, and of one account.
const MAX_INVITATIONS: u64 = 100;
const DAY: Duration = Duration::from_hours(24);
const OWNER_ONLY: &str = "Only the owner of this chat can invite people.";

/// An invitation to be created.
#[derive(Clone, Debug)]
pub struct NewChatInvitation {
    pub chat: ChatId,
    /// Name of the account to invite; none for a link.
    pub user: Option<String>,
    pub role: RoomRole,
    /// Days until it expires.
    pub days: u16,
}

/// An invitation that was created.
pub struct CreatedInvitation {
    pub id: ChatInvitationId,
    pub role: RoomRole,
    /// Secret part of the URL of a link. The hub stores only its digest.
    pub token: Option<String>,
    pub created_at: Timestamp,
    pub expires_at: Timestamp,
}

/// An invite link as its holder sees it.
pub struct InviteLinkPreview {
    pub title: String,
    pub invited_by: String,
    pub role: RoomRole,
}

/// Invites an account to a chat, or creates a link with which accounts can join it. Only for the owner of the chat.
pub async fn invite(hub: &Hub, caller: &Caller, new: NewChatInvitation) -> Result<CreatedInvitation> {
    let person = caller.may(Scope::Chat)?;
    check_new(&new)?;
    hub.limits().take(Rate::ChatInvitations, &caller.key())?;
    let now = hub.env().now();
    let mut tx = hub.store().write().await?;
    let chat = lock(&mut tx, new.chat).await?;
    check_owner(&membership(&mut tx, person, new.chat).await?, OWNER_ONLY)?;
    check_may_have_people(&chat)?;
    if rows::count_by_chat(&mut tx, new.chat, now).await? >= MAX_INVITATIONS {
        let words = format!("This chat has {MAX_INVITATIONS} invitations. Revoke one of them first.");
        return Err(Refusal::conflict(words).into());
    }
    check_has_room(&mut tx, new.chat).await?;
    let invitee = match &new.user {
        Some(name) => Some(find_invitee(&mut tx, new.chat, person, name, now).await?),
        None => None,
    };
    let token = invitee.is_none().then(|| random_token(hub));
    let invitation = ChatInvitation {
        id: hub.env().id(ChatInvitationId::new),
        chat: new.chat,
        role: new.role.into(),
        invited_by: person.principal,
        invitee: invitee.as_ref().map(|user| user.principal),
        hash: token.as_deref().map(Digest::of),
        created_at: now,
        expires_at: now + DAY * u32::from(new.days),
    };
    rows::delete_expired(&mut tx, now).await?;
    let taken =
        || Refusal::conflict("This user is invited already. Revoke the invitation to send another one.");
    conflict(rows::insert(&mut tx, &invitation).await, taken)?;
    tx.commit().await?;
    if let Some(user) = invitee {
        notify_list_changed(hub, user.account);
    }
    let ChatInvitation { id, created_at, expires_at, .. } = invitation;
    Ok(CreatedInvitation { id, role: new.role, token, created_at, expires_at })
}

fn check_new(new: &NewChatInvitation) -> Result<(), Refusal> {
    if new.role == RoomRole::Owner {
        return Err(Refusal::invalid(
            "role",
            "Invite a member or a reader. You can make a member the owner later.",
        ));
    }
    if !(1..=MAX_INVITATION_DAYS).contains(&new.days) {
        let words = format!("Choose 1 to {MAX_INVITATION_DAYS} days.");
        return Err(Refusal::invalid("expires_in_days", words));
    }
    Ok(())
}

async fn find_invitee(
    tx: &mut Tx,
    chat: ChatId,
    inviter: &Person,
    name: &str,
    now: Timestamp,
) -> Result<Person> {
    let user = find_user(tx, name).await?;
    let member = members::find(tx, chat, user.principal).await?;
    if user.account == inviter.account || member.is_some_and(|member| member.left_at.is_none()) {
        return Err(Refusal::invalid("user", format!("{} is in this chat already.", user.name)).into());
    }
    if rows::count_by_invitee(tx, user.principal, now).await? >= MAX_INVITATIONS {
        let words = format!("{} has too many invitations. Try again later.", user.name);
        return Err(Refusal::conflict(words).into());
    }
    Ok(user)
}

/// Lists the invitations to a chat that have not expired, newest first. Only for the owner of the chat.
pub async fn list_invitations(hub: &Hub, caller: &Caller, chat: ChatId) -> Result<Vec<SentInvitation>> {
    let person = caller.may(Scope::Read)?;
    let mut conn = hub.store().read().await?;
    check_owner(&membership(&mut conn, person, chat).await?, OWNER_ONLY)?;
    Ok(rows::list_by_chat(&mut conn, chat, hub.env().now()).await?)
}

/// Revokes an invitation to a chat. A link stops working at once; members that joined with it stay.
pub async fn revoke_invitation(hub: &Hub, caller: &Caller, chat: ChatId, id: ChatInvitationId) -> Result<()> {
    let person = caller.may(Scope::Chat)?;
    let mut tx = hub.store().write().await?;
    check_owner(&membership(&mut tx, person, chat).await?, OWNER_ONLY)?;
    let found = rows::find(&mut tx, id, hub.env().now()).await?;
    found.filter(|found| found.chat == chat).ok_or_else(gone)?;
    rows::delete(&mut tx, id).await?;
    Ok(tx.commit().await?)
}

/// Lists the invitations of the caller that have not expired, newest first.
pub async fn received_invitations(hub: &Hub, caller: &Caller) -> Result<Vec<ReceivedInvitation>> {
    let person = caller.may(Scope::Read)?;
    let mut conn = hub.store().read().await?;
    Ok(rows::list_by_invitee(&mut conn, person.principal, hub.env().now()).await?)
}

/// Accepts an invitation of the caller. Returns the chat.
pub async fn accept_invitation(hub: &Hub, caller: &Caller, id: ChatInvitationId) -> Result<ChatId> {
    let person = caller.may(Scope::Chat)?;
    hub.limits().take(Rate::ChatInvitations, &caller.key())?;
    let mut tx = hub.store().write().await?;
    let invitation = own_invitation(hub, &mut tx, person, id).await?;
    join(hub, tx, person, &invitation).await
}

/// Declines an invitation of the caller.
pub async fn decline_invitation(hub: &Hub, caller: &Caller, id: ChatInvitationId) -> Result<()> {
    let person = caller.may(Scope::Chat)?;
    let mut tx = hub.store().write().await?;
    own_invitation(hub, &mut tx, person, id).await?;
    rows::delete(&mut tx, id).await?;
    tx.commit().await?;
    notify_list_changed(hub, person.account);
    Ok(())
}

async fn own_invitation(
    hub: &Hub,
    tx: &mut Tx,
    person: &Person,
    id: ChatInvitationId,
) -> Result<ChatInvitation> {
    let found = rows::find(tx, id, hub.env().now()).await?;
    let own = found.filter(|found| found.invitee == Some(person.principal));
    own.ok_or_else(|| Refusal::not_found("Invitation not found.").into())
}

/// Returns what an invite link is for. Rate limited per caller.
pub async fn preview_invite_link(hub: &Hub, caller: &Caller, token: &str) -> Result<InviteLinkPreview> {
    caller.may(Scope::Read)?;
    hub.limits().take(Rate::SharedLinks, &caller.key())?;
    let mut conn = hub.store().snapshot().await?;
    let link = find_link(hub, &mut conn, token).await?;
    let chat = chats::find(&mut conn, link.chat).await?.ok_or_else(gone)?;
    find_owner(&mut conn, &chat).await?;
    let invited_by = match message_views::author(&mut conn, link.invited_by).await? {
        Author::Person { name, .. } => name,
        Author::Agent { .. } | Author::Imported { .. } | Author::Gone => return Err(gone().into()),
    };
    Ok(InviteLinkPreview { title: chat.title.into(), invited_by, role: link.role.into() })
}

/// Joins a chat by an invite link. Returns the chat. Rate limited per caller.
pub async fn join_by_link(hub: &Hub, caller: &Caller, token: &str) -> Result<ChatId> {
    let person = caller.may(Scope::Chat)?;
    hub.limits().take(Rate::SharedLinks, &caller.key())?;
    let mut tx = hub.store().write().await?;
    let link = find_link(hub, &mut tx, token).await?;
    join(hub, tx, person, &link).await
}

async fn find_link(hub: &Hub, conn: &mut Conn, token: &str) -> Result<ChatInvitation> {
    rows::by_hash(conn, &Digest::of(token), hub.env().now()).await?.ok_or_else(|| gone().into())
}

/// Makes a person a member of the chat of an invitation. The chat becomes a room. Idempotent.
async fn join(hub: &Hub, mut tx: Tx, person: &Person, invitation: &ChatInvitation) -> Result<ChatId> {
    let mut chat = lock(&mut tx, invitation.chat).await.map_err(|_| gone())?;
    let owner = find_owner(&mut tx, &chat).await?;
    let known = members::find(&mut tx, chat.id, person.principal).await?;
    if known.as_ref().is_some_and(|known| known.left_at.is_none()) {
        return Ok(chat.id);
    }
    check_may_return(known.as_ref(), invitation)?;
    check_has_room(&mut tx, chat.id).await?;
    if chat.kind == ChatKind::Direct {
        chats::set_kind(&mut tx, chat.id, ChatKind::Room).await?;
        chat.kind = ChatKind::Room;
        members::set_read(&mut tx, chat.id, owner.principal, chat.last_seq).await?;
    }
    let new = new_member(hub, chat.id, person.principal, invitation.role);
    members::insert(&mut tx, &new).await?;
    members::set_current_message(&mut tx, chat.id, person.principal, owner.current_message).await?;
    rows::delete_of(&mut tx, chat.id, person.principal).await?;
    let mut changes = ChatChangeSet::new(&chat);
    changes.record(Event::MemberChanged { principal: person.principal, joined: true });
    changes.commit(hub, tx).await?.publish(hub, Some(person.account)).await;
    Ok(chat.id)
}

/// Refuses a former member who left or was removed after a link was created. An invitation by name lets it return.
fn check_may_return(known: Option<&Member>, invitation: &ChatInvitation) -> Result<(), Refusal> {
    let left_at = known.and_then(|known| known.left_at);
    if invitation.hash.is_some() && left_at.is_some_and(|left_at| left_at >= invitation.created_at) {
        return Err(Refusal::forbidden(
            "You are no longer in this chat. Ask its owner to invite you by name.",
        ));
    }
    Ok(())
}

/// Returns the owner of a chat. A chat that its owner has deleted has none.
async fn find_owner(conn: &mut Conn, chat: &Chat) -> Result<Member> {
    let owner = members::find(conn, chat.id, chat.creator).await?;
    owner.filter(|owner| owner.left_at.is_none()).ok_or_else(|| gone().into())
}

async fn check_has_room(conn: &mut Conn, chat: ChatId) -> Result<()> {
    if members::list_people(conn, chat).await?.len() >= MAX_PEOPLE {
        let words = format!("This chat has {MAX_PEOPLE} people, which is the maximum.");
        return Err(Refusal::conflict(words).into());
    }
    Ok(())
}

/// Deletes expired invitations, and returns how many.
pub(crate) async fn sweep_expired_invitations(hub: &Hub) -> Result<u64> {
    let mut tx = hub.store().write_background().await?;
    let swept = rows::delete_expired(&mut tx, hub.env().now()).await?;
    tx.commit().await?;
    Ok(swept)
}

fn gone() -> Refusal {
    Refusal::not_found("This invitation does not exist, or it has ended.")
}
