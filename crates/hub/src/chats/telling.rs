//! What a transaction changed in a chat, told to its readers once it is committed.

use plexus_domain::{AccountId, ChatId, MessageId, event::Event};
use plexus_store::{Tx, events, messages};

use crate::{
    Hub, Result,
    live::{Frame, FrameKind, Topic},
    views,
};

/// Begin it with the chat's last number while the chat is locked; record events; commit; tell.
pub(crate) struct Telling {
    chat: ChatId,
    since: i64,
    events: Vec<(i64, Event)>,
}

impl Telling {
    pub const fn new(chat: ChatId, last_seq: i64) -> Self {
        Self { chat, since: last_seq, events: Vec::new() }
    }

    pub async fn record(&mut self, hub: &Hub, tx: &mut Tx, event: Event) -> Result<()> {
        let seq = events::append(tx, self.chat, &event, hub.env().now()).await?;
        self.events.push((seq, event));
        Ok(())
    }

    /// After the commit. Readers lose nothing when this fails: they find the events in the log.
    pub async fn tell(self, hub: &Hub, account: Option<AccountId>) {
        if let Some(account) = account {
            hub.live().channels.tell(Topic::Account(account), Frame::new(FrameKind::ChatsChanged));
        }
        let topic = Topic::Chat(self.chat);
        if !hub.live().channels.is_watched(topic) {
            return;
        }
        match frames(hub, self.chat, self.since, self.events).await {
            Ok(frames) => frames.into_iter().for_each(|frame| hub.live().channels.tell(topic, frame)),
            Err(error) => tracing::warn!(%error, "readers of a chat will catch up from its log"),
        }
    }
}

/// Events with the messages that they are about, as they are now.
pub(super) async fn frames(
    hub: &Hub,
    chat: ChatId,
    mut since: i64,
    events: Vec<(i64, Event)>,
) -> Result<Vec<Frame>> {
    let mut wanted: Vec<MessageId> = events.iter().filter_map(|(_, event)| event.subject().0).collect();
    wanted.dedup();
    let mut shown = Vec::new();
    if !wanted.is_empty() {
        let mut conn = hub.store().read().await?;
        let tree: Vec<_> = messages::list_by_chat(&mut conn, chat).await?.iter().map(views::node).collect();
        shown = views::load(hub, &mut conn, &tree, &wanted).await?;
    }
    let frame = |(seq, event): (i64, Event)| {
        let about = event.subject().0;
        let view = shown.iter().find(|view| Some(view.message.id) == about).cloned().map(Box::new);
        let frame = Frame::new(FrameKind::Event { since, seq, event, view });
        since = seq;
        frame
    };
    Ok(events.into_iter().map(frame).collect())
}
