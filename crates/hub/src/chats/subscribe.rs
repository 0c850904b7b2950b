//! Subscription to one chat: delivers every event once and in order, across lag and reconnects.

use std::{
    collections::{HashMap, VecDeque},
    sync::Arc,
};

use futures::{FutureExt as _, future::BoxFuture};
use plexus_domain::{
    ChatId, Error as Refusal, MessageId, RunId, chat::ChatKind, chat_event::Event, run::Failure,
};
use plexus_store::{chats, events, members, messages, runs};
use tokio::sync::broadcast::{Receiver, error::RecvError};

use super::{change_set, membership};
use crate::{
    Caller, Hub, Result, accounts,
    bus::AccessChange,
    caller::Scope,
    part_access::{PartAccess, Reader, redact_failure, without_addresses},
    streaming::{CatchUpPermit, Channel, FrameKind, PresenceGuard, StreamFrame, StreamPermit, Topic},
    views::Snapshot,
};

/// Events that one catch-up reads. A subscriber that is further behind does better to reload the page.
const CATCH_UP: i64 = 500;
/// Events whose messages are loaded at once.
const CATCH_UP_CHUNK: usize = 16;
/// Messages whose access a subscription remembers; more are looked up again.
const MAX_REMEMBERED: usize = 64;

/// A subscription to one chat.
pub struct ChatSubscription {
    hub: Hub,
    chat: ChatId,
    /// The sequence number of the last event that was delivered, or is in the backlog.
    seq: i64,
    backlog: VecDeque<Backlog>,
    /// Messages that ended before their state was delivered: their end has all of their text, and the pieces of it on the
    /// channel are left out.
    ended: Vec<MessageId>,
    /// Held while the backlog is delivered.
    catching_up: Option<CatchUpPermit>,
    permit: Arc<StreamPermit>,
    receiver: Receiver<Arc<StreamFrame>>,
    caller: Caller,
    reader: Reader,
    /// What the reader sees of the messages whose parts arrive while they are written.
    requested: HashMap<MessageId, PartAccess>,
    access: Receiver<AccessChange>,
    /// Access may have been revoked, and was not re-checked since.
    in_doubt: bool,
    /// In a room, the person is shown to the others.
    _presence: Option<PresenceGuard>,
    _channel: Channel,
}

/// What is to be delivered before the frames of the channel. Messages are loaded when the subscriber asks for them: a
/// client that reads nothing holds none of them.
enum Backlog {
    Frame(Arc<StreamFrame>),
    /// Events of the log, with their numbers. `since` is the number of the event before the first.
    Events {
        since: i64,
        rows: VecDeque<(i64, Event)>,
    },
    /// The state of these messages, as far as they are still open.
    OpenMessages(Vec<MessageId>),
}

/// Subscribes to the events after number `after`. Fails if the caller may not read the chat, or has too many streams.
pub async fn subscribe(hub: &Hub, caller: &Caller, chat: ChatId, after: i64) -> Result<ChatSubscription> {
    let permit = Arc::new(hub.live().limiter.open(&caller.key())?);
    subscribe_with(hub, caller, chat, after, permit).await
}

/// As [`subscribe`], as a part of a stream that is open already.
pub(super) async fn subscribe_with(
    hub: &Hub,
    caller: &Caller,
    chat: ChatId,
    after: i64,
    permit: Arc<StreamPermit>,
) -> Result<ChatSubscription> {
    let person = caller.may(Scope::Read)?;
    let mut conn = hub.store().read().await?;
    let member = membership(&mut conn, person, chat).await?;
    let is_room = chats::find(&mut conn, chat).await?.is_some_and(|chat| chat.kind == ChatKind::Room);
    drop(conn);
    let channel = hub.live().channels.acquire(Topic::Chat(chat));
    // Subscribe before reading: an event in between is received twice rather than lost.
    let receiver = channel.subscribe();
    hub.mirror().mirror_chat(hub, &channel).await?;
    let mut reader = ChatSubscription {
        hub: hub.clone(),
        chat,
        seq: after,
        backlog: VecDeque::new(),
        ended: Vec::new(),
        catching_up: None,
        permit,
        receiver,
        caller: caller.clone(),
        reader: Reader::from(&member),
        requested: HashMap::new(),
        access: hub.live().access.watch(),
        in_doubt: true,
        _presence: is_room.then(|| PresenceGuard::new(hub, chat, person.name.to_string())),
        _channel: channel,
    };
    reader.catch_up().await?;
    Ok(reader)
}

/// Returns the frame that tells a caller without access to a chat whether it was a member of the room. The creator of a
/// deleted chat was not removed from it.
pub(super) async fn unavailable(hub: &Hub, caller: &Caller, chat: ChatId) -> Result<FrameKind> {
    let person = caller.may(Scope::Read)?;
    let mut conn = hub.store().read().await?;
    let member = members::find(&mut conn, chat, person.principal).await?;
    let row = chats::find(&mut conn, chat).await?;
    let is_removed = member.is_some_and(|member| member.left_at.is_some())
        && row.is_some_and(|row| row.kind == ChatKind::Room && row.creator != person.principal);
    Ok(FrameKind::ChatUnavailable { is_removed })
}

impl ChatSubscription {
    /// Returns the frame for a subscription that ended because its chat is missing for the caller.
    pub(super) async fn end_frame(&self) -> Result<FrameKind> {
        unavailable(&self.hub, &self.caller, self.chat).await
    }

    /// Returns the next frame. An error ends the subscription; the subscriber may resume from its last
    /// number.
    pub async fn next(&mut self) -> Result<Arc<StreamFrame>> {
        loop {
            if self.in_doubt {
                self.check_access().await?;
                self.in_doubt = false;
            }
            match self.backlog.pop_front() {
                Some(Backlog::Frame(frame)) => return Ok(frame),
                Some(unloaded) => {
                    self.backlog.push_front(unloaded);
                    self.load_backlog().boxed().await?;
                    continue;
                }
                None => self.catching_up = None,
            }
            let next = tokio::select! {
                biased;
                touched = self.access.recv() => {
                    self.in_doubt = self.concerns(&touched);
                    continue;
                }
                next = self.receiver.recv() => next,
            };
            match next {
                Ok(frame) => self.take(frame).await?,
                // Lagged: the event log and snapshots of the open messages replace the missed frames.
                Err(RecvError::Lagged(_)) => self.catch_up().await?,
                Err(RecvError::Closed) => {
                    return Err(Refusal::unavailable("The chat has ended.").into());
                }
            }
        }
    }

    /// Returns whether an access change may concern this caller. A missed notification may concern any
    /// caller.
    fn concerns(&self, touched: &Result<AccessChange, RecvError>) -> bool {
        match touched {
            Ok(AccessChange::Account(account)) => {
                self.caller.person.as_ref().is_some_and(|person| person.account == *account)
            }
            Ok(AccessChange::Chat(chat)) => *chat == self.chat,
            Ok(AccessChange::Agent(_) | AccessChange::Hubs) => false,
            Ok(AccessChange::Anything) | Err(_) => true,
        }
    }

    /// Fails if the caller has lost access. Boxed, like reads of the event log, to keep a waiting future
    /// small.
    fn check_access(&mut self) -> BoxFuture<'_, Result<()>> {
        self.look_at_access().boxed()
    }

    async fn look_at_access(&mut self) -> Result<()> {
        let mut conn = self.hub.store().read().await?;
        if !accounts::still_lets_in(&self.hub, &mut conn, &self.caller).await? {
            return Err(Refusal::unauthenticated("You are signed out.").into());
        }
        let member = membership(&mut conn, self.caller.may(Scope::Read)?, self.chat).await?;
        if self.reader != Reader::from(&member) {
            self.reader = Reader::from(&member);
            self.requested.clear();
        }
        Ok(())
    }

    async fn take(&mut self, frame: Arc<StreamFrame>) -> Result<()> {
        if self.is_left_out(&frame.kind) {
            return Ok(());
        }
        let mut seq = self.seq;
        if let FrameKind::Event { since, seq: number, .. } = frame.kind {
            if number <= self.seq {
                return Ok(());
            }
            if since > self.seq {
                self.read_events().await?;
                return Ok(());
            }
            seq = number;
        }
        // Before the number advances: a cancelled wait must not skip an event.
        let frame = self.redacted(frame).await?;
        self.seq = seq;
        self.backlog.push_back(Backlog::Frame(frame));
        Ok(())
    }

    /// Returns the frame as this reader may see it: usually the frame itself, which all subscribers share.
    async fn redacted(&mut self, frame: Arc<StreamFrame>) -> Result<Arc<StreamFrame>> {
        let kind = match &frame.kind {
            FrameKind::Event { since, seq, event, view: Some(view) } if self.reader.is_redacted(view) => {
                let mut view = view.clone();
                self.reader.redact(&mut view);
                Some(FrameKind::Event { since: *since, seq: *seq, event: event.clone(), view: Some(view) })
            }
            FrameKind::Event {
                since,
                seq,
                event: Event::RunUpdated { run, state, failure: Some(failure) },
                view: None,
            } => {
                let mut failure = failure.clone();
                self.redact_failure_of(*run, &mut failure).await?;
                let event = Event::RunUpdated { run: *run, state: *state, failure: Some(failure) };
                Some(FrameKind::Event { since: *since, seq: *seq, event, view: None })
            }
            FrameKind::Snapshot(snapshot) => match &snapshot.whole {
                Some(whole) => {
                    let mut part = whole.clone();
                    self.access(snapshot.message).await?.redact(&mut part);
                    let redacted = Snapshot { whole: Some(part), ..(**snapshot).clone() };
                    (redacted != **snapshot).then(|| FrameKind::Snapshot(Box::new(redacted)))
                }
                None => None,
            },
            FrameKind::Status { message, line } if self.access(*message).await? == PartAccess::Other => {
                let line = without_addresses(line).into();
                Some(FrameKind::Status { message: *message, line })
            }
            _ => None,
        };
        Ok(kind.map_or(frame, |kind| Arc::new(StreamFrame::new(kind))))
    }

    async fn redact_failure_of(&self, run: RunId, failure: &mut Failure) -> Result<()> {
        let Reader::Member { principal, is_owner: false } = self.reader else { return Ok(()) };
        let run = runs::find(&mut self.hub.store().read().await?, run).await?;
        if run.is_none_or(|run| run.caller != principal) {
            redact_failure(failure);
        }
        Ok(())
    }

    /// Returns the access to a message that is being written.
    async fn access(&mut self, message: MessageId) -> Result<PartAccess> {
        if let Some(known) = self.requested.get(&message) {
            return Ok(*known);
        }
        let mut conn = self.hub.store().read().await?;
        let Some(header) = messages::find(&mut conn, message).await? else { return Ok(PartAccess::Other) };
        let run = match header.run {
            Some(run) => runs::find(&mut conn, run).await?,
            None => None,
        };
        let access = self.reader.access(header.author, run.map(|run| run.caller));
        if self.requested.len() >= MAX_REMEMBERED {
            self.requested.clear();
        }
        self.requested.insert(message, access);
        Ok(access)
    }

    async fn catch_up(&mut self) -> Result<()> {
        // List the open messages first: a message that ends meanwhile is in the event log, and all text of a message that
        // begins meanwhile arrives on the channel.
        let mut open = self.hub.live().open_messages(self.chat);
        let ended = self.read_events().await?;
        open.retain(|message| !ended.contains(message));
        self.backlog.push_back(Backlog::OpenMessages(open));
        Ok(())
    }

    /// Replaces the first entry of the backlog by frames. Cancellation safe: the entry is taken after the last wait.
    async fn load_backlog(&mut self) -> Result<()> {
        if self.catching_up.is_none() {
            self.catching_up = Some(self.permit.catch_up().await?);
        }
        let (frames, ended) = match self.backlog.front() {
            Some(Backlog::Events { since, rows }) => {
                let chunk = rows.iter().take(CATCH_UP_CHUNK).cloned().collect();
                (change_set::frames(&self.hub, self.chat, *since, chunk, Vec::new()).await?, Vec::new())
            }
            Some(Backlog::OpenMessages(open)) => self.states(open),
            Some(Backlog::Frame(_)) | None => return Ok(()),
        };
        let mut visible = Vec::with_capacity(frames.len());
        for frame in frames {
            visible.push(self.redacted(Arc::new(frame)).await?);
        }
        self.ended.extend(ended);
        if let Some(Backlog::Events { mut rows, .. }) = self.backlog.pop_front() {
            let taken = rows.drain(..CATCH_UP_CHUNK.min(rows.len())).next_back();
            if let (Some((since, _)), false) = (taken, rows.is_empty()) {
                self.backlog.push_front(Backlog::Events { since, rows });
            }
        }
        for frame in visible.into_iter().rev() {
            self.backlog.push_front(Backlog::Frame(frame));
        }
        Ok(())
    }

    /// Returns whether a frame is a piece of a message that ended before its state was delivered.
    fn is_left_out(&mut self, frame: &FrameKind) -> bool {
        match frame {
            FrameKind::Text { message, .. }
            | FrameKind::Block { message, .. }
            | FrameKind::Status { message, .. } => self.ended.contains(message),
            FrameKind::Snapshot(snapshot) => self.ended.contains(&snapshot.message),
            FrameKind::Event { event: Event::MessageCompleted { message, .. }, .. } => {
                self.ended.retain(|ended| ended != message);
                false
            }
            _ => false,
        }
    }

    /// Returns the state of the open messages and the people of the chat. Text that was written since the subscription
    /// arrives on the channel again, with its offset.
    ///
    /// Returns the messages that have ended meanwhile as well.
    fn states(&self, open: &[MessageId]) -> (Vec<StreamFrame>, Vec<MessageId>) {
        let live = self.hub.live();
        let (mut frames, mut ended) = (Vec::new(), Vec::new());
        for message in open {
            match live.snapshot(*message) {
                Some(parts) => frames.extend(
                    parts
                        .into_iter()
                        .map(|snapshot| StreamFrame::new(FrameKind::Snapshot(Box::new(snapshot)))),
                ),
                None => ended.push(*message),
            }
        }
        let people = live.presence.people(self.chat);
        if !people.is_empty() {
            frames.push(StreamFrame::new(FrameKind::Presence(people)));
        }
        let statuses = open.iter().filter_map(|&message| {
            let line = live.status(message)?.into();
            Some(StreamFrame::new(FrameKind::Status { message, line }))
        });
        frames.extend(statuses);
        (frames, ended)
    }

    /// Puts the new events of the log into the backlog and returns the messages that ended in them. Boxed, to keep the
    /// future of a waiting subscriber small.
    fn read_events(&mut self) -> BoxFuture<'_, Result<Vec<MessageId>>> {
        self.read_log().boxed()
    }

    async fn read_log(&mut self) -> Result<Vec<MessageId>> {
        let mut conn = self.hub.store().read().await?;
        let rows = events::list_after(&mut conn, self.chat, self.seq, CATCH_UP).await?;
        drop(conn);
        let since = self.seq;
        self.seq = rows.last().map_or(self.seq, |row| row.seq);
        let rows: VecDeque<_> = rows.into_iter().map(|row| (row.seq, row.payload)).collect();
        let ended = rows.iter().filter_map(|(_, event)| match event {
            Event::MessageCompleted { message, .. } => Some(*message),
            _ => None,
        });
        let ended = ended.collect();
        if !rows.is_empty() {
            self.backlog.push_back(Backlog::Events { since, rows });
        }
        Ok(ended)
    }
}
