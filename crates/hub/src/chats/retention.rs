//! Retention of chats: deletes those whose retention period is over, such as chats of programs a month after
//! the last call.

use plexus_domain::ChatId;
use plexus_store::chats::{self, Chat};

use crate::{Hub, Result, bus::AccessChange, runs};

/// Chats per query.
const SWEPT: i64 = 100;

/// Deletes expired chats and returns how many.
pub(crate) async fn sweep_expired(hub: &Hub) -> Result<usize> {
    let mut swept = 0;
    loop {
        let now = hub.env().now();
        let due = chats::list_expired(&mut hub.store().read().await?, now, SWEPT).await?;
        for chat in &due {
            delete(hub, *chat).await?;
        }
        swept += due.len();
        if due.is_empty() {
            return Ok(swept);
        }
    }
}

/// Deletes a chat if it is still expired. A call since the list was read has extended its retention.
async fn delete(hub: &Hub, chat: ChatId) -> Result<()> {
    let known = chats::find(&mut hub.store().read().await?, chat).await?;
    if !known.is_some_and(|chat| is_due(hub, &chat)) {
        return Ok(());
    }
    runs::stop_chat(hub, chat).await;
    let mut tx = hub.store().write_background().await?;
    let found = chats::lock(&mut tx, chat).await?;
    if found.is_some_and(|chat| is_due(hub, &chat)) {
        chats::delete(&mut tx, chat).await?;
        tx.commit().await?;
        hub.live().access.notify(AccessChange::Chat(chat));
    }
    Ok(())
}

fn is_due(hub: &Hub, chat: &Chat) -> bool {
    chat.expires_at.is_some_and(|until| until <= hub.env().now())
}
