//! Temporary chats: in no list, search or share link, and deleted some time after their latest message.

use std::time::Duration;

use plexus_domain::{ChatId, Error as Refusal, Part, Timestamp, chat::Title, chat_event::Event};
use plexus_store::{
    Conn, Tx, agents,
    chats::{self, Chat},
    members::Member,
    messages,
};

use super::{
    ChatChangeSet, check_owner, membership, mentions, post_message::ChatRetention, send::title_of,
    without_mentions,
};
use crate::{Caller, Hub, Result, caller::Scope};

/// Title of all temporary chats: no title is made of their messages.
const TITLE: &str = "Temporary chat";

/// When a temporary chat is deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChatExpiry {
    /// Time between its latest message and its deletion.
    pub ttl: Duration,
    /// When it is deleted unless it gets another message.
    pub expires_at: Timestamp,
}

impl ChatExpiry {
    /// Returns when a chat is deleted; `None` for a chat that is not temporary.
    pub(crate) fn of(chat: &Chat) -> Option<Self> {
        let ttl = Duration::from_millis(chat.delete_after_ms?.unsigned_abs());
        Some(Self { ttl, expires_at: chat.expires_at? })
    }
}

/// Returns when a chat of the caller is deleted; `None` for a chat that is not temporary.
pub async fn expiry(hub: &Hub, caller: &Caller, chat: ChatId) -> Result<Option<ChatExpiry>> {
    let person = caller.may(Scope::Read)?;
    let mut conn = hub.store().read().await?;
    membership(&mut conn, person, chat).await?;
    Ok(chats::find(&mut conn, chat).await?.as_ref().and_then(ChatExpiry::of))
}

/// Refuses temporary chats, for actions that need a chat that stays.
pub(super) fn check_is_kept(chat: &Chat) -> Result<(), Refusal> {
    if !chat.is_temporary() {
        return Ok(());
    }
    Err(Refusal::conflict("This chat is temporary. Keep it first: then it is a chat like any other."))
}

/// Returns the title of a new temporary chat.
pub(super) fn title() -> Result<Title, Refusal> {
    Title::try_from(TITLE.to_owned())
}

/// Returns how long a new temporary chat is kept, as the hub is configured.
pub(super) fn retention(hub: &Hub) -> ChatRetention {
    let ttl = hub.config().temporary_chat_ttl;
    ChatRetention::Temporary { delete_after_ms: i64::try_from(ttl.as_millis()).unwrap_or(i64::MAX) }
}

/// Changes whether a chat is temporary. Only a new chat can become temporary.
pub(super) async fn set_temporary(
    tx: &mut Tx,
    chat: &mut Chat,
    member: &Member,
    is_temporary: bool,
    changes: &mut ChatChangeSet,
) -> Result<()> {
    if chat.is_temporary() == is_temporary {
        return Ok(());
    }
    if is_temporary {
        let words = "Only a new chat can be temporary. Start one for that.";
        return Err(Refusal::invalid("temporary", words).into());
    }
    check_owner(member, "Only the owner of this chat can keep it.")?;
    let title = derived_title(tx, chat).await?;
    chats::keep(tx, chat.id, &title).await?;
    changes.record(Event::TitleChanged { title: title.clone().into() });
    (chat.title, chat.delete_after_ms, chat.expires_at) = (title, None, None);
    Ok(())
}

/// Returns the title of the first message of a chat, without the agents that it mentions.
async fn derived_title(conn: &mut Conn, chat: &Chat) -> Result<Title> {
    let headers = messages::list_by_chat(conn, chat.id).await?;
    let Some(first) = headers.iter().find(|header| header.parent.is_none()) else {
        return Ok(Title::from_message(""));
    };
    let mut addresses = Vec::new();
    for principal in mentions::responders_to(&headers, first.id) {
        let agent = agents::by_principal(conn, principal).await?;
        addresses.extend(agent.map(|agent| agent.address()));
    }
    let parts = messages::load(conn, &[first.id]).await?.pop().map(|first| first.parts).unwrap_or_default();
    let text = parts.iter().find_map(Part::as_text).unwrap_or_default();
    let rest = without_mentions(conn, &addresses, text).await?;
    let file = parts.iter().find_map(|part| part.name.as_deref()).unwrap_or_default();
    Ok(title_of(text, rest, file))
}
