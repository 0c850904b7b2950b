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
    events: Vec<Event>,
}

impl Telling {
    pub const fn new(chat: ChatId, last_seq: i64) -> Self {
        Self { chat, since: last_seq, events: Vec::new() }
    }

    pub fn record(&mut self, event: Event) {
        self.events.push(event);
    }

    /// Commits what was written, with the events behind it in the chat's log.
    pub async fn commit(self, hub: &Hub, mut tx: Tx) -> Result<Committed> {
        let Self { chat, since, events } = self;
        let mut first = since;
        if !events.is_empty() {
            first = events::append(&mut tx, chat, &events, hub.env().now()).await?;
        }
        tx.commit().await?;
        Ok(Committed { chat, since, events: (first..).zip(events).collect() })
    }
}

/// Events that readers may be told of.
#[must_use]
pub(crate) struct Committed {
    chat: ChatId,
    since: i64,
    events: Vec<(i64, Event)>,
}

impl Committed {
    /// Readers lose nothing when this fails: they find the events in the log.
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
