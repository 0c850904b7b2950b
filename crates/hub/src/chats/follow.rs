//! Reading along: everything once and in order, whatever happens to the connection.

use std::{collections::VecDeque, sync::Arc};

use futures::{FutureExt as _, future::BoxFuture};
use plexus_domain::{ChatId, Error as Refusal, MessageId, event::Event};
use plexus_store::events;
use tokio::sync::broadcast::{Receiver, error::RecvError};

use super::{membership, telling};
use crate::{
    Caller, Hub, Result, accounts,
    caller::Scope,
    live::{Channel, Frame, FrameKind, Topic, Touched},
};

/// Events read from the log at once. A reader that is further behind is better served by a fresh page.
const CATCH_UP: i64 = 500;

/// One reader of one chat.
pub struct Reader {
    hub: Hub,
    chat: ChatId,
    /// The last number that was handed out.
    seq: i64,
    ready: VecDeque<Arc<Frame>>,
    receiver: Receiver<Arc<Frame>>,
    caller: Caller,
    access: Receiver<Touched>,
    /// Access was touched and not looked at since.
    in_doubt: bool,
    _channel: Channel,
}

/// Reads along from the event `after`.
pub async fn follow(hub: &Hub, caller: &Caller, chat: ChatId, after: i64) -> Result<Reader> {
    let person = caller.may(Scope::Read)?;
    membership(&mut hub.store().read().await?, person, chat).await?;
    let channel = hub.live().channels.hold(Topic::Chat(chat));
    // Watching begins before anything is read: what happens in between comes twice rather than never.
    let receiver = channel.watch();
    hub.mirror().follow(hub, &channel).await?;
    let mut reader = Reader {
        hub: hub.clone(),
        chat,
        seq: after,
        ready: VecDeque::new(),
        receiver,
        caller: caller.clone(),
        access: hub.live().access.watch(),
        in_doubt: true,
        _channel: channel,
    };
    reader.catch_up().await?;
    Ok(reader)
}

impl Reader {
    /// What is ready now, without waiting.
    pub fn ready(&mut self) -> Vec<Arc<Frame>> {
        self.ready.drain(..).collect()
    }

    /// The next thing to show. An error ends the reading; the reader may come back with the last number.
    pub async fn next(&mut self) -> Result<Arc<Frame>> {
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
                // Too far behind: the log and the open messages say it all in one piece.
                Err(RecvError::Lagged(_)) => self.catch_up().await?,
                Err(RecvError::Closed) => {
                    return Err(Refusal::unavailable("The chat has ended.").into());
                }
            }
        }
    }

    /// News that was missed may have been about anybody.
    fn concerns(&self, touched: &Result<Touched, RecvError>) -> bool {
        match touched {
            Ok(Touched::Account(account)) => {
                self.caller.person.as_ref().is_some_and(|person| person.account == *account)
            }
            Ok(Touched::Chat(chat)) => *chat == self.chat,
            Ok(Touched::Hubs) => false,
            Ok(Touched::Anything) | Err(_) => true,
        }
    }

    /// Refuses whoever is no longer let in, and who is no longer in the chat. Boxed like what is read from the log.
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

    async fn take(&mut self, frame: Arc<Frame>) -> Result<()> {
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
        // What is being written is looked at first: a message that ends meanwhile is in the log then, and all text of
        // one that begins meanwhile comes through the channel.
        let open = self.hub.live().snapshots(self.chat);
        let doing = self.hub.live().statuses(self.chat);
        self.read_events().await?;
        let open: Vec<_> = open.into_iter().filter(|snapshot| !self.has_ended(snapshot.message)).collect();
        self.ready.extend(
            open.into_iter().map(|snapshot| Arc::new(Frame::new(FrameKind::Snapshot(Box::new(snapshot))))),
        );
        let doing: Vec<_> = doing.into_iter().filter(|(message, _)| !self.has_ended(*message)).collect();
        let status = |(message, line): (_, String)| FrameKind::Status { message, line: line.into() };
        self.ready.extend(doing.into_iter().map(|one| Arc::new(Frame::new(status(one)))));
        Ok(())
    }

    /// Whether readers are about to be told the end of a message.
    fn has_ended(&self, ended: MessageId) -> bool {
        let is_its_end = |frame: &Arc<Frame>| matches!(&frame.kind, FrameKind::Event { event: Event::Ended { message, .. }, .. } if *message == ended);
        self.ready.iter().any(is_its_end)
    }

    /// Boxed, since a reader that waits needs no room for it.
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
        let frames = telling::frames(&self.hub, self.chat, since, rows, Vec::new()).await?;
        self.ready.extend(frames.into_iter().map(Arc::new));
        Ok(())
    }
}
