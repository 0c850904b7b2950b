//! Subscription to one chat: delivers every event once and in order, across lag and reconnects.

use std::{collections::VecDeque, sync::Arc};

use futures::{FutureExt as _, future::BoxFuture};
use plexus_domain::{ChatId, Error as Refusal, MessageId, chat::ChatKind, chat_event::Event};
use plexus_store::{chats, events, members};
use tokio::sync::broadcast::{Receiver, error::RecvError};

use super::{change_set, membership};
use crate::{
    Caller, Hub, Result, accounts,
    caller::Scope,
    streaming::{AccessChange, Channel, FrameKind, PresenceGuard, StreamFrame, Topic},
};

/// Events that one catch-up reads. A subscriber that is further behind does better to reload the page.
const CATCH_UP: i64 = 500;

/// A subscription to one chat.
pub struct ChatSubscription {
    hub: Hub,
    chat: ChatId,
    /// The sequence number of the last event that was delivered.
    seq: i64,
    ready: VecDeque<Arc<StreamFrame>>,
    receiver: Receiver<Arc<StreamFrame>>,
    caller: Caller,
    access: Receiver<AccessChange>,
    /// Access may have been revoked, and was not re-checked since.
    in_doubt: bool,
    /// In a room, the person is shown to the others.
    _presence: Option<PresenceGuard>,
    _channel: Channel,
}

/// Subscribes to the events after number `after`. Fails if the caller may not read the chat.
pub async fn subscribe(hub: &Hub, caller: &Caller, chat: ChatId, after: i64) -> Result<ChatSubscription> {
    let person = caller.may(Scope::Read)?;
    let mut conn = hub.store().read().await?;
    membership(&mut conn, person, chat).await?;
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
        ready: VecDeque::new(),
        receiver,
        caller: caller.clone(),
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

    /// Returns the frames that are available without waiting.
    pub fn ready(&mut self) -> Vec<Arc<StreamFrame>> {
        self.ready.drain(..).collect()
    }

    /// Returns the next frame. An error ends the subscription; the subscriber may resume from its last
    /// number.
    pub async fn next(&mut self) -> Result<Arc<StreamFrame>> {
        loop {
            if self.in_doubt {
                self.check_access().await?;
                self.in_doubt = false;
            }
            if let Some(frame) = self.ready.pop_front() {
                return Ok(frame);
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
    fn check_access(&self) -> BoxFuture<'_, Result<()>> {
        self.look_at_access().boxed()
    }

    async fn look_at_access(&self) -> Result<()> {
        let mut conn = self.hub.store().read().await?;
        if !accounts::still_lets_in(&self.hub, &mut conn, &self.caller).await? {
            return Err(Refusal::unauthenticated("You are signed out.").into());
        }
        membership(&mut conn, self.caller.may(Scope::Read)?, self.chat).await?;
        Ok(())
    }

    async fn take(&mut self, frame: Arc<StreamFrame>) -> Result<()> {
        if let FrameKind::Event { since, seq, .. } = frame.kind {
            if seq <= self.seq {
                return Ok(());
            }
            if since > self.seq {
                return self.read_events().await;
            }
            self.seq = seq;
        }
        self.ready.push_back(frame);
        Ok(())
    }

    async fn catch_up(&mut self) -> Result<()> {
        // Take snapshots of open messages first: a message that ends meanwhile is in the event log, and all
        // text of a message that begins meanwhile arrives on the channel.
        let open = self.hub.live().snapshots(self.chat);
        let doing = self.hub.live().statuses(self.chat);
        self.read_events().await?;
        let open: Vec<_> = open.into_iter().filter(|snapshot| !self.has_ended(snapshot.message)).collect();
        self.ready.extend(
            open.into_iter()
                .map(|snapshot| Arc::new(StreamFrame::new(FrameKind::Snapshot(Box::new(snapshot))))),
        );
        let doing: Vec<_> = doing.into_iter().filter(|(message, _)| !self.has_ended(*message)).collect();
        let people = self.hub.live().presence.people(self.chat);
        if !people.is_empty() {
            self.ready.push_back(Arc::new(StreamFrame::new(FrameKind::Presence(people))));
        }
        let status = |(message, line): (_, String)| FrameKind::Status { message, line: line.into() };
        self.ready.extend(doing.into_iter().map(|one| Arc::new(StreamFrame::new(status(one)))));
        Ok(())
    }

    /// Returns whether the end of the message is among the frames to be delivered.
    fn has_ended(&self, ended: MessageId) -> bool {
        let is_its_end = |frame: &Arc<StreamFrame>| match &frame.kind {
            FrameKind::Event { event: Event::MessageCompleted { message, .. }, .. } => *message == ended,
            _ => false,
        };
        self.ready.iter().any(is_its_end)
    }

    /// Boxed, to keep the future of a waiting subscriber small.
    fn read_events(&mut self) -> BoxFuture<'_, Result<()>> {
        self.read_log().boxed()
    }

    async fn read_log(&mut self) -> Result<()> {
        let mut conn = self.hub.store().read().await?;
        let rows = events::list_after(&mut conn, self.chat, self.seq, CATCH_UP).await?;
        drop(conn);
        let since = self.seq;
        self.seq = rows.last().map_or(self.seq, |row| row.seq);
        let rows = rows.into_iter().map(|row| (row.seq, row.payload)).collect();
        let frames = change_set::frames(&self.hub, self.chat, since, rows, Vec::new()).await?;
        self.ready.extend(frames.into_iter().map(Arc::new));
        Ok(())
    }
}
