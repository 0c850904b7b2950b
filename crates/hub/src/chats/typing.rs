//! Reports to the people of a room that one of them types. Nothing is stored.

use plexus_domain::{ChatId, Error as Refusal, chat::ChatKind};
use plexus_store::chats;

use super::{check_may_post, membership};
use crate::{
    Caller, Hub, Result,
    bus::ClusterNotice,
    caller::Scope,
    limits::Rate,
    streaming::{FrameKind, StreamFrame, Topic},
};

/// Reports to the subscribers of a room that the caller types. Other chats have no one else to report to.
pub async fn report_typing(hub: &Hub, caller: &Caller, chat: ChatId) -> Result<()> {
    let person = caller.may(Scope::Chat)?;
    hub.limits().take(Rate::Typing, &caller.key())?;
    let mut conn = hub.store().read().await?;
    let member = membership(&mut conn, person, chat).await?;
    check_may_post(&member)?;
    let row = chats::find(&mut conn, chat).await?.ok_or_else(|| Refusal::not_found("Chat not found."))?;
    drop(conn);
    if row.kind != ChatKind::Room {
        return Ok(());
    }
    let name = person.name.to_string();
    hub.cluster_notifier().enqueue(ClusterNotice::Typing { chat, name: name.clone() });
    publish_typing(hub, chat, name);
    Ok(())
}

/// Publishes a report to the subscribers of this instance. One that was missed is not sent again.
pub(crate) fn publish_typing(hub: &Hub, chat: ChatId, name: String) {
    hub.live().channels.publish(Topic::Chat(chat), StreamFrame::new(FrameKind::Typing(name.into())));
}
