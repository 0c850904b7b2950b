//! Showing the readers of this process what other processes do in the chats that are open here.
//!
//! One task reads along. For each chat it knows the last event that it has shown, and has a copy of each message that
//! another process writes there; readers see a copy as they see what is written here.

use std::{
    collections::{HashMap, HashSet},
    time::Duration,
};

use parking_lot::Mutex;
use plexus_domain::{ChatId, Error as Refusal, MessageId, ProcessId, RunId};
use plexus_store::{Conn, chats, events, messages, runs, text_log};
use tokio::{
    sync::{Notify, mpsc, oneshot},
    time::{MissedTickBehavior, interval, sleep},
};

use crate::{
    Hub, Result,
    chats::frames,
    live::{Applied, Channel, Frame, FrameKind, Snapshot, Topic, Writing},
};

/// Readers that wait at most until a chat is read along; more wait to be let in.
const WAITING: usize = 64;
/// Events that are shown in one go, and pieces that are read.
const EVENTS: i64 = 500;
const PIECES: i64 = 1_000;
/// How often it is looked which chats nobody has open any more.
const SWEEP: Duration = Duration::from_secs(5);
/// Before it is tried again while the store refuses.
const PAUSE: Duration = Duration::from_secs(1);

/// What the task is asked and told.
pub(crate) struct Mirror {
    wants: mpsc::Sender<Want>,
    /// Locked by the worker, which gives it back where it panics.
    asked: tokio::sync::Mutex<mpsc::Receiver<Want>>,
    moved: Mutex<Moved>,
    came: Notify,
}

struct Want {
    chat: ChatId,
    done: oneshot::Sender<()>,
}

/// What is to be looked at.
#[derive(Default)]
struct Moved {
    chats: HashSet<ChatId>,
    texts: HashSet<(ChatId, ProcessId)>,
    all: bool,
}

impl Default for Mirror {
    fn default() -> Self {
        let (wants, asked) = mpsc::channel(WAITING);
        Self { wants, asked: tokio::sync::Mutex::new(asked), moved: Mutex::default(), came: Notify::new() }
    }
}

impl Mirror {
    /// Another process committed events of a chat.
    pub fn moved(&self, chat: ChatId) {
        self.moved.lock().chats.insert(chat);
        self.came.notify_one();
    }

    /// Another process wrote down more of what is said in a chat.
    pub fn said(&self, chat: ChatId, by: ProcessId) {
        self.moved.lock().texts.insert((chat, by));
        self.came.notify_one();
    }

    /// Something may have been missed.
    pub fn everything(&self) {
        self.moved.lock().all = true;
        self.came.notify_one();
    }

    /// Reads along in a chat whose channel is held, from before this answers. Where no other process is, nothing is read.
    pub async fn follow(&self, hub: &Hub, channel: &Channel) -> Result<()> {
        let Topic::Chat(chat) = channel.topic() else { return Ok(()) };
        if !hub.hints().are_heard() {
            return Ok(());
        }
        let (done, answer) = oneshot::channel();
        let gone = || Refusal::unavailable("What is said in this chat cannot be read at the moment.");
        self.wants.send(Want { chat, done }).await.map_err(|_| gone())?;
        Ok(answer.await.map_err(|_| gone())?)
    }
}

/// Reads along until the hub ends.
pub(super) async fn keep_showing(hub: Hub) {
    let mut wants = hub.mirror().asked.lock().await;
    // Chats that an earlier run of this worker read along in, until it panicked, are open still.
    hub.live().end_copies();
    hub.mirror().everything();
    let mut reading = Reading { hub: &hub, chats: HashMap::new() };
    let mut sweep = interval(SWEEP);
    sweep.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = hub.stop().cancelled() => return,
            want = wants.recv() => match want {
                Some(want) => reading.meet(want).await,
                None => return,
            },
            () = hub.mirror().came.notified() => {
                let moved = std::mem::take(&mut *hub.mirror().moved.lock());
                if let Err(error) = reading.look(moved).await {
                    tracing::warn!(%error, "what other processes do is shown later");
                    hub.mirror().everything();
                    let _ = hub.stop().run_until_cancelled(sleep(PAUSE)).await;
                }
            }
            _ = sweep.tick() => reading.forget_unread(),
        }
    }
}

struct Reading<'a> {
    hub: &'a Hub,
    chats: HashMap<ChatId, Followed>,
}

#[derive(Default)]
struct Followed {
    /// The last event that was shown.
    seq: i64,
    copies: HashMap<MessageId, Copied>,
}

/// A message that another process writes.
struct Copied {
    by: ProcessId,
    /// The last piece of its log that was looked at.
    n: i64,
    writing: Writing,
}

impl Reading<'_> {
    async fn meet(&mut self, Want { chat, done }: Want) {
        match self.follow(chat, 0).await {
            // Whoever asked may have gone.
            Ok(()) => _ = done.send(()),
            Err(error) => tracing::warn!(%chat, %error, "a chat cannot be read along"),
        }
    }

    /// Begins to read along `back` events before the last, or catches up.
    async fn follow(&mut self, chat: ChatId, back: i64) -> Result<()> {
        if !self.chats.contains_key(&chat) {
            let mut conn = self.hub.store().read().await?;
            let last = chats::find(&mut conn, chat).await?.map_or(0, |chat| chat.last_seq);
            self.chats.insert(chat, Followed { seq: last - back, ..Followed::default() });
        }
        self.events(chat).await?;
        self.texts(&HashSet::from([chat])).await
    }

    async fn look(&mut self, moved: Moved) -> Result<()> {
        let (mut chats, mut texts) = (moved.chats, HashSet::new());
        for (chat, by) in moved.texts {
            texts.insert(chat);
            // A process may go on with what another began.
            if self
                .chats
                .get(&chat)
                .is_some_and(|followed| followed.copies.values().all(|copy| copy.by != by))
            {
                chats.insert(chat);
            }
        }
        if moved.all {
            chats.extend(self.chats.keys());
            texts.extend(self.chats.keys());
            self.follow_open().await?;
        }
        chats.retain(|chat| self.chats.contains_key(chat));
        for chat in chats {
            self.events(chat).await?;
        }
        self.texts(&texts).await
    }

    /// Reads along in every chat that is open here, where there is another process. Readers who are shown the last event
    /// find out by its number whether they miss others.
    async fn follow_open(&mut self) -> Result<()> {
        if self.hub.hints().are_heard() {
            for chat in self.hub.live().channels.watched_chats() {
                self.follow(chat, 1).await?;
            }
        }
        Ok(())
    }

    /// Shows the events that follow those that were shown, after the copies of what they begin are there.
    async fn events(&mut self, chat: ChatId) -> Result<()> {
        loop {
            let Some(followed) = self.chats.get_mut(&chat) else { return Ok(()) };
            let mut conn = self.hub.store().read().await?;
            let rows = events::list_after(&mut conn, chat, followed.seq, EVENTS).await?;
            let open = open_elsewhere(&mut conn, self.hub.process(), chat).await?;
            drop(conn);
            for (message, by) in &open {
                followed.copy(self.hub, chat, *message, *by);
            }
            let (is_whole, since) = (i64::try_from(rows.len()).unwrap_or(EVENTS) < EVENTS, followed.seq);
            let last = rows.last().map_or(since, |row| row.seq);
            let rows = rows.into_iter().map(|row| (row.seq, row.payload)).collect();
            let topic = Topic::Chat(chat);
            if self.hub.live().channels.is_watched(topic) {
                let frames = frames(self.hub, chat, since, rows, Vec::new()).await?;
                frames.into_iter().for_each(|frame| self.hub.live().channels.tell(topic, frame));
            }
            followed.seq = last;
            if is_whole {
                followed.forget_all_but(self.hub, |message| open.contains_key(message));
                return Ok(());
            }
        }
    }

    /// Shows what other processes wrote down of their messages in these chats.
    async fn texts(&mut self, chats: &HashSet<ChatId>) -> Result<()> {
        let mut by_process: HashMap<ProcessId, Vec<&mut Copied>> = HashMap::new();
        for (_, followed) in self.chats.iter_mut().filter(|(chat, _)| chats.contains(*chat)) {
            for copy in followed.copies.values_mut() {
                by_process.entry(copy.by).or_default().push(copy);
            }
        }
        for (process, mut copies) in by_process {
            for some in copies.chunks_mut(text_log::MOST) {
                read_log(self.hub, process, some).await?;
            }
        }
        Ok(())
    }

    fn forget_unread(&mut self) {
        let open: HashSet<ChatId> = self.hub.live().channels.watched_chats().into_iter().collect();
        self.chats.retain(|chat, followed| {
            let is_open = open.contains(chat);
            if !is_open {
                followed.forget_all_but(self.hub, |_| false);
            }
            is_open
        });
    }
}

impl Followed {
    fn copy(&mut self, hub: &Hub, chat: ChatId, message: MessageId, by: ProcessId) {
        let is_known = self.copies.get(&message).is_some_and(|copy| copy.by == by);
        if !is_known && let Some(writing) = hub.live().copy(chat, message) {
            self.copies.insert(message, Copied { by, n: 0, writing });
        }
    }

    fn forget_all_but(&mut self, hub: &Hub, stays: impl Fn(&MessageId) -> bool) {
        self.copies.retain(|message, copy| {
            let stays = stays(message);
            if !stays {
                hub.live().end_copy(*message, &copy.writing);
            }
            stays
        });
    }
}

/// The messages of a chat that other processes write, and which.
async fn open_elsewhere(
    conn: &mut Conn,
    own: ProcessId,
    chat: ChatId,
) -> Result<HashMap<MessageId, ProcessId>> {
    let open = messages::list_open(conn, chat).await?;
    let ids: Vec<RunId> = open.iter().filter_map(|header| header.run).collect();
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let found = runs::list(conn, &ids).await?;
    let writer = |run: RunId| found.iter().find(|found| found.id == run)?.process.filter(|by| *by != own);
    Ok(open.iter().filter_map(|header| Some((header.id, writer(header.run?)?))).collect())
}

/// Reads on in the log of one process, and shows what it says of these messages.
async fn read_log(hub: &Hub, process: ProcessId, copies: &mut [&mut Copied]) -> Result<()> {
    let wanted: Vec<MessageId> = copies.iter().map(|copy| copy.writing.lock().message()).collect();
    let mut after = copies.iter().map(|copy| copy.n).min().unwrap_or(0);
    loop {
        let mut conn = hub.store().read().await?;
        let pieces = text_log::list_after(&mut conn, process, after, &wanted, PIECES).await?;
        drop(conn);
        for piece in &pieces {
            let at = wanted.iter().position(|message| *message == piece.message);
            if let Some(copy) = at.map(|at| &mut copies[at]).filter(|copy| copy.n < piece.n) {
                show(hub, &copy.writing, piece);
            }
        }
        after = pieces.last().map_or(after, |piece| piece.n);
        copies.iter_mut().for_each(|copy| copy.n = copy.n.max(after));
        if i64::try_from(pieces.len()).unwrap_or(PIECES) < PIECES {
            return Ok(());
        }
    }
}

/// Takes a piece in and shows it, as whoever writes the message does.
fn show(hub: &Hub, writing: &Writing, piece: &text_log::Piece) {
    let mut open = writing.lock();
    let (topic, message) = (Topic::Chat(open.chat()), open.message());
    let tell = |kind| hub.live().channels.tell(topic, Frame::new(kind));
    match open.apply(piece) {
        Applied::Nothing => {}
        Applied::Text { part, start, delta, closed } => open.show(part, start, &delta, closed, tell),
        Applied::Whole { part, whole } => {
            tell(FrameKind::Snapshot(Box::new(Snapshot::whole(message, part, whole))));
        }
        Applied::Status => tell(FrameKind::Status { message, line: open.status().into() }),
    }
}
