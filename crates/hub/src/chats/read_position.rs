//! How far a member has read a room.

use plexus_domain::{ChatId, Error as Refusal, chat::ChatKind};
use plexus_store::{chats, members};

use super::{membership, notify_list_changed};
use crate::{Caller, Hub, Result, caller::Scope};

/// Marks the messages of a room up to the sequence number `seq` as read by the caller. Other chats have no such mark.
pub async fn mark_read(hub: &Hub, caller: &Caller, chat: ChatId, seq: i64) -> Result<()> {
    let person = caller.may(Scope::Chat)?;
    let mut conn = hub.store().read().await?;
    let member = membership(&mut conn, person, chat).await?;
    let row = chats::find(&mut conn, chat).await?.ok_or_else(|| Refusal::not_found("Chat not found."))?;
    drop(conn);
    let seq = seq.min(row.last_seq);
    if row.kind != ChatKind::Room || seq <= member.last_read_seq {
        return Ok(());
    }
    let mut tx = hub.store().write().await?;
    let is_changed = members::set_read(&mut tx, chat, person.principal, seq).await?;
    tx.commit().await?;
    if is_changed {
        notify_list_changed(hub, person.account);
    }
    Ok(())
}
