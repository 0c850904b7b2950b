//! Chats: sends messages, subscribes to events, lists and manages chats.

mod address;
mod expire;
mod follow;
mod follow_all;
mod manage;
mod read;
pub(crate) mod saying;
mod send;
mod telling;

pub(crate) use address::without_mentions;
pub(crate) use expire::sweep_expired;
pub use follow::{Reader, follow};
pub use follow_all::{MOST_CHATS, News, Readers, follow_all};
pub use manage::{delete, rename};
pub use read::{ChatItem, ChatPage, Partner, Suggested, list, message, open, partner, suggested, title};
pub use send::{NewMessage, Sent, retry, send, start};
pub(crate) use telling::{Telling, frames};

use plexus_domain::{ChatId, Error as Refusal};
use plexus_store::{Conn, members, members::Member};

use crate::{Result, caller::Person};

/// Returns the caller's membership. A chat of other users is reported as missing.
pub(crate) async fn membership(conn: &mut Conn, person: &Person, chat: ChatId) -> Result<Member> {
    let gone = || Refusal::not_found("There is no such chat, or it is not yours.");
    membership_or(conn, person, chat, gone).await
}

/// Returns the caller's membership; `gone` names the object in the chat that is reported as missing.
pub(crate) async fn membership_or(
    conn: &mut Conn,
    person: &Person,
    chat: ChatId,
    gone: impl FnOnce() -> Refusal,
) -> Result<Member> {
    let member = members::find(conn, chat, person.principal).await?;
    member.filter(|member| member.left_at.is_none()).ok_or_else(|| gone().into())
}
