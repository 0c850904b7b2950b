//! Unit of work for one chat: rows and events of a transaction, which are published after the commit.

use plexus_domain::{
    AccountId, ChatId, Error as Refusal, MessageId, PrincipalId, RunId, Timestamp,
    chat::ChatKind,
    chat_event::Event,
    message::{Message, TreeNode},
};
use plexus_store::{
    Tx,
    chats::{self, Chat, ChatChanges},
    members::Member,
    messages::{self, FinishedMessage, NewMessage},
    runs::NewRun,
    webhooks::Webhook,
};

use crate::{
    Hub, Result,
    bus::ClusterNotice,
    calls::webhooks,
    error::conflict,
    message_views,
    streaming::{FrameKind, StreamFrame, Topic},
    views::MessageView,
};

/// Collects messages, runs, members and events, writes them in one transaction, then publishes the events.
///
/// The chat row must be locked from [`ChatChangeSet::new`] to the commit.
///
/// Sequence numbers are assigned in memory and written by the commit. Other code of the same transaction that
/// assigns numbers in this chat must run before the change set is created.
pub(crate) struct ChatChangeSet {
    chat: ChatId,
    kind: ChatKind,
    is_temporary: bool,
    since: i64,
    last: i64,
    /// Runs to be inserted.
    runs: Vec<NewRun>,
    /// Webhooks of runs to be inserted.
    hooks: Vec<Webhook>,
    /// Messages to be inserted.
    said: Vec<MessageView>,
    /// Open messages that end.
    ended: Vec<MessageView>,
    /// Members to be added.
    members: Vec<Member>,
    events: Vec<(i64, Event)>,
    /// The new saved position of a member.
    leaf: Option<(PrincipalId, MessageId)>,
    /// When the changes took place, if that was earlier.
    at: Option<Timestamp>,
}

impl ChatChangeSet {
    pub const fn new(chat: &Chat) -> Self {
        let is_temporary = chat.is_temporary();
        let (chat, kind, since) = (chat.id, chat.kind, chat.last_seq);
        Self {
            chat,
            kind,
            is_temporary,
            since,
            last: since,
            runs: Vec::new(),
            hooks: Vec::new(),
            said: Vec::new(),
            ended: Vec::new(),
            members: Vec::new(),
            events: Vec::new(),
            leaf: None,
            at: None,
        }
    }

    /// Adds a run. Call it before adding the messages that refer to it.
    pub fn begin(&mut self, run: NewRun) {
        self.runs.push(run);
    }

    /// Adds a webhook, which is notified from the run's first state change on.
    pub fn hook(&mut self, hook: Webhook) {
        self.hooks.push(hook);
    }

    /// Adds a message and assigns its sequence number.
    pub fn add_message(&mut self, mut view: MessageView) {
        view.message.seq = self.next();
        self.record(Event::MessageCreated { message: view.message.id, run: view.message.run });
        self.said.push(view);
    }

    pub fn said(&self) -> impl Iterator<Item = &Message> {
        self.said.iter().map(|view| &view.message)
    }

    /// Adds a member, unless it is one already.
    pub fn join(&mut self, member: Member) {
        self.members.push(member);
    }

    /// Ends an open message with its final content.
    pub fn end(&mut self, view: MessageView) {
        self.record(Event::MessageCompleted { message: view.message.id, state: view.message.state });
        self.ended.push(view);
    }

    /// Records an event. The view of its message, if any, is loaded when it is published.
    pub fn record(&mut self, event: Event) {
        let seq = self.next();
        self.events.push((seq, event));
    }

    /// Sets the saved position of a member.
    pub const fn set_read_position(&mut self, member: PrincipalId, leaf: MessageId) {
        self.leaf = Some((member, leaf));
    }

    /// Sets when the changes took place. The default is the time of the commit.
    pub const fn set_time(&mut self, at: Timestamp) {
        self.at = Some(at);
    }

    const fn next(&mut self) -> i64 {
        self.last += 1;
        self.last
    }

    /// Writes the change set and commits the transaction.
    pub async fn commit(self, hub: &Hub, mut tx: Tx) -> Result<CommittedChanges> {
        let (committed, has_outbox_rows) = self.write(hub, &mut tx).await?;
        tx.commit().await?;
        if has_outbox_rows {
            hub.wake_webhook_worker();
        }
        Ok(committed)
    }

    /// Writes the change set of a chat that this transaction creates. There can be no subscribers to publish
    /// to.
    pub async fn commit_new_chat(self, hub: &Hub, tx: &mut Tx) -> Result<()> {
        self.write(hub, tx).await.map(drop)
    }

    /// Writes the rows. Returns the events to publish, and whether webhook notifications were enqueued.
    async fn write(self, hub: &Hub, tx: &mut Tx) -> Result<(CommittedChanges, bool)> {
        let Self {
            chat,
            kind,
            is_temporary,
            since,
            runs,
            hooks,
            said,
            mut ended,
            members,
            events,
            leaf,
            at,
            ..
        } = self;
        let messages = said.iter().map(|view| (view.message.seq, NewMessage::of(chat, &view.message)));
        let at = at.unwrap_or_else(|| hub.env().now());
        let messages = messages.collect();
        let ends = ended.iter().map(|view| FinishedMessage::of(&view.message)).collect();
        let members = &members;
        let added = ChatChanges {
            is_listed: matches!(kind, ChatKind::Direct | ChatKind::Room) && !is_temporary,
            runs: &runs,
            messages,
            events: &events,
            ended: ends,
            members,
            current_message: leaf,
            is_room: kind == ChatKind::Room,
            at,
        };
        let used = || Refusal::conflict("This message id is already used. Reload the page and send again.");
        conflict(chats::append(tx, chat, &added).await, used)?;
        for hook in &hooks {
            plexus_store::webhooks::set(tx, hook).await?;
        }
        // A run that this transaction inserts can only have the webhooks of this change set. Saves a query
        // for each.
        let has_hooks =
            |run: RunId| hooks.iter().any(|hook| hook.run == run) || !runs.iter().any(|new| new.id == run);
        let has_outbox_rows = webhooks::enqueue(hub, tx, &events, has_hooks).await?;
        ended.extend(said);
        Ok((CommittedChanges { chat, kind, since, events, known: ended }, has_outbox_rows))
    }
}

/// Committed events that can be published.
#[must_use]
pub(crate) struct CommittedChanges {
    chat: ChatId,
    kind: ChatKind,
    since: i64,
    events: Vec<(i64, Event)>,
    known: Vec<MessageView>,
}

impl CommittedChanges {
    /// Forgets the views of the new messages, so that they are loaded to be published.
    pub fn without_views(self) -> Self {
        Self { known: Vec::new(), ..self }
    }

    /// Publishes the events to subscribers. If this fails, subscribers find the events in the event log.
    pub async fn publish(self, hub: &Hub, account: Option<AccountId>) {
        hub.cluster_notifier().enqueue(ClusterNotice::Chat(self.chat));
        if self.kind == ChatKind::Room {
            super::notify_members(hub, self.chat).await;
        } else if let Some(account) = account {
            super::notify_list_changed(hub, account);
        }
        let topic = Topic::Chat(self.chat);
        if !hub.live().channels.is_watched(topic) {
            return;
        }
        match frames(hub, self.chat, self.since, self.events, self.known).await {
            Ok(frames) => frames.into_iter().for_each(|frame| hub.live().channels.publish(topic, frame)),
            Err(error) => tracing::warn!(%error, "publishing chat events failed; subscribers will resync"),
        }
    }
}

/// Builds the frames of events, with the current state of their messages. Messages that are not `known` are
/// loaded.
pub(crate) async fn frames(
    hub: &Hub,
    chat: ChatId,
    mut since: i64,
    events: Vec<(i64, Event)>,
    mut known: Vec<MessageView>,
) -> Result<Vec<StreamFrame>> {
    let is_known = |id: &MessageId| known.iter().any(|view| view.message.id == *id);
    let subjects = events.iter().filter_map(|(_, event)| event.subject().0);
    let mut wanted: Vec<MessageId> = subjects.filter(|id| !is_known(id)).collect();
    wanted.dedup();
    if !wanted.is_empty() {
        let mut conn = hub.store().read().await?;
        let tree: Vec<_> =
            messages::list_by_chat(&mut conn, chat).await?.iter().map(TreeNode::from).collect();
        known.extend(message_views::load(hub, &mut conn, &tree, &wanted).await?);
    }
    let frame = |(seq, event): (i64, Event)| {
        let about = event.subject().0;
        let view = known.iter().find(|view| Some(view.message.id) == about).cloned().map(Box::new);
        let frame = StreamFrame::new(FrameKind::Event { since, seq, event, view });
        since = seq;
        frame
    };
    Ok(events.into_iter().map(frame).collect())
}
