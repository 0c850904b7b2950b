//! What a transaction adds to a chat, told to its readers once it is committed.

use plexus_domain::{
    AccountId, ChatId, Error as Refusal, MessageId, PrincipalId, RunId,
    event::Event,
    message::{Message, Node},
};
use plexus_store::{
    Tx,
    chats::{self, Addition, Chat},
    members::Member,
    messages::{self, Ended, NewMessage},
    push::Push,
    runs::NewRun,
};

use crate::{
    Hub, Result,
    calls::push,
    error::conflict,
    live::{Frame, FrameKind, Topic},
    processes::Hint,
    views::{self, MessageView},
};

/// Begin it with the chat while that is locked; say and record; commit; tell.
///
/// Numbers are given here and written with the commit: whatever else numbers something in this chat comes before.
pub(crate) struct Telling {
    chat: ChatId,
    since: i64,
    last: i64,
    /// Runs to be written.
    runs: Vec<NewRun>,
    /// Whom their callers want told.
    hooks: Vec<Push>,
    /// Messages to be written.
    said: Vec<MessageView>,
    /// Open messages that end.
    ended: Vec<MessageView>,
    /// Whom to let in.
    members: Vec<Member>,
    events: Vec<(i64, Event)>,
    /// Where a member looks from now on.
    leaf: Option<(PrincipalId, MessageId)>,
}

impl Telling {
    pub const fn new(chat: &Chat) -> Self {
        let (chat, since) = (chat.id, chat.last_seq);
        Self {
            chat,
            since,
            last: since,
            runs: Vec::new(),
            hooks: Vec::new(),
            said: Vec::new(),
            ended: Vec::new(),
            members: Vec::new(),
            events: Vec::new(),
            leaf: None,
        }
    }

    /// Adds a run, before the messages that name it.
    pub fn begin(&mut self, run: NewRun) {
        self.runs.push(run);
    }

    /// Adds whom to tell of a run, from its first step on.
    pub fn hook(&mut self, hook: Push) {
        self.hooks.push(hook);
    }

    /// Adds a message; the chat gives it its number.
    pub fn say(&mut self, mut view: MessageView) {
        view.message.seq = self.next();
        self.record(Event::Message { message: view.message.id, run: view.message.run });
        self.said.push(view);
    }

    pub fn said(&self) -> impl Iterator<Item = &Message> {
        self.said.iter().map(|view| &view.message)
    }

    /// Lets somebody in, unless they are in already.
    pub fn join(&mut self, member: Member) {
        self.members.push(member);
    }

    /// Ends an open message as readers are shown it from now on.
    pub fn end(&mut self, view: MessageView) {
        self.record(Event::Ended { message: view.message.id, state: view.message.state });
        self.ended.push(view);
    }

    /// Records what readers look up by themselves.
    pub fn record(&mut self, event: Event) {
        let seq = self.next();
        self.events.push((seq, event));
    }

    pub const fn look_at(&mut self, member: PrincipalId, leaf: MessageId) {
        self.leaf = Some((member, leaf));
    }

    const fn next(&mut self) -> i64 {
        self.last += 1;
        self.last
    }

    /// Writes what was added and commits it with everything else that the transaction wrote.
    pub async fn commit(self, hub: &Hub, mut tx: Tx) -> Result<Committed> {
        let (committed, letters) = self.write(hub, &mut tx).await?;
        tx.commit().await?;
        if letters {
            hub.letters_came();
        }
        Ok(committed)
    }

    /// Writes what was added to a chat that comes to be with this transaction: nobody can read it yet.
    pub async fn begin_with(self, hub: &Hub, tx: &mut Tx) -> Result<()> {
        self.write(hub, tx).await.map(drop)
    }

    /// What readers are told once it is committed, and whether there are letters to send.
    async fn write(self, hub: &Hub, tx: &mut Tx) -> Result<(Committed, bool)> {
        let Self { chat, since, runs, hooks, said, mut ended, members, events, leaf, .. } = self;
        let messages = said.iter().map(|view| (view.message.seq, NewMessage::of(chat, &view.message)));
        let (messages, at) = (messages.collect(), hub.env().now());
        let ends = ended.iter().map(|view| Ended::of(&view.message)).collect();
        let members = &members;
        let added = Addition { runs: &runs, messages, events: &events, ended: ends, members, leaf, at };
        let used = || Refusal::conflict("Another message has this id. Reload the page and send again.");
        conflict(chats::append(tx, chat, &added).await, used)?;
        for hook in &hooks {
            plexus_store::push::set(tx, hook).await?;
        }
        // Nobody can have asked to be told of a run before it is there.
        let has_hooks =
            |run: RunId| hooks.iter().any(|hook| hook.run == run) || !runs.iter().any(|new| new.id == run);
        let letters = push::write(hub, tx, &events, has_hooks).await?;
        ended.extend(said);
        Ok((Committed { chat, since, events, known: ended }, letters))
    }
}

/// Events that readers may be told of.
#[must_use]
pub(crate) struct Committed {
    chat: ChatId,
    since: i64,
    events: Vec<(i64, Event)>,
    known: Vec<MessageView>,
}

impl Committed {
    /// Readers lose nothing when this fails: they find the events in the log.
    pub async fn tell(self, hub: &Hub, account: Option<AccountId>) {
        hub.hints().add(Hint::Chat(self.chat));
        if let Some(account) = account {
            hub.hints().add(Hint::Chats(account));
            hub.live().channels.tell(Topic::Account(account), Frame::new(FrameKind::ChatsChanged));
        }
        let topic = Topic::Chat(self.chat);
        if !hub.live().channels.is_watched(topic) {
            return;
        }
        match frames(hub, self.chat, self.since, self.events, self.known).await {
            Ok(frames) => frames.into_iter().for_each(|frame| hub.live().channels.tell(topic, frame)),
            Err(error) => tracing::warn!(%error, "readers of a chat will catch up from its log"),
        }
    }
}

/// Events with the messages that they are about, as they are now. Those that are not `known` are looked up.
pub(crate) async fn frames(
    hub: &Hub,
    chat: ChatId,
    mut since: i64,
    events: Vec<(i64, Event)>,
    mut known: Vec<MessageView>,
) -> Result<Vec<Frame>> {
    let is_known = |id: &MessageId| known.iter().any(|view| view.message.id == *id);
    let subjects = events.iter().filter_map(|(_, event)| event.subject().0);
    let mut wanted: Vec<MessageId> = subjects.filter(|id| !is_known(id)).collect();
    wanted.dedup();
    if !wanted.is_empty() {
        let mut conn = hub.store().read().await?;
        let tree: Vec<_> = messages::list_by_chat(&mut conn, chat).await?.iter().map(Node::from).collect();
        known.extend(views::load(hub, &mut conn, &tree, &wanted).await?);
    }
    let frame = |(seq, event): (i64, Event)| {
        let about = event.subject().0;
        let view = known.iter().find(|view| Some(view.message.id) == about).cloned().map(Box::new);
        let frame = Frame::new(FrameKind::Event { since, seq, event, view });
        since = seq;
        frame
    };
    Ok(events.into_iter().map(frame).collect())
}
