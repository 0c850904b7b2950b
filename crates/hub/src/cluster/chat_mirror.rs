//! Mirrors chats that other instances write to local subscribers: replays chat events and tails the
//! other instance's stream journal.
//!
//! One task mirrors all chats that are open here. Per chat it stores the last published event, and a copy of
//! each message that another instance is writing. Subscribers receive a copy like a local message.

use std::{
    collections::{HashMap, HashSet},
    time::Duration,
};

use parking_lot::Mutex;
use plexus_domain::{ChatId, Error as Refusal, MessageId, ProcessId, RunId};
use plexus_store::{Conn, chats, events, messages, runs, stream_journal};
use tokio::{
    sync::{Notify, mpsc, oneshot},
    time::{MissedTickBehavior, interval, sleep},
};

use crate::{
    Hub, Result,
    chats::frames,
    streaming::{Channel, FrameKind, ReplayEffect, SharedOpenMessage, StreamFrame, Topic},
    views::Snapshot,
};

/// Pending requests to mirror a chat; further callers wait (backpressure).
const QUEUE_CAPACITY: usize = 64;
/// Events and journal pieces per read.
const EVENTS: i64 = 500;
const PIECES: i64 = 1_000;
/// Interval at which chats without subscribers are dropped.
const SWEEP: Duration = Duration::from_secs(5);
/// Retry interval after a store error.
const PAUSE: Duration = Duration::from_secs(1);

/// Handle of the mirroring task.
pub(crate) struct ChatMirror {
    wants: mpsc::Sender<MirrorRequest>,
    /// Locked by the worker. After a panic the lock is released for its next run.
    asked: tokio::sync::Mutex<mpsc::Receiver<MirrorRequest>>,
    moved: Mutex<MirrorChanges>,
    came: Notify,
}

struct MirrorRequest {
    chat: ChatId,
    done: oneshot::Sender<()>,
}

/// Changes that the task has to read.
#[derive(Default)]
struct MirrorChanges {
    chats: HashSet<ChatId>,
    texts: HashSet<(ChatId, ProcessId)>,
    all: bool,
}

impl Default for ChatMirror {
    fn default() -> Self {
        let (wants, asked) = mpsc::channel(QUEUE_CAPACITY);
        Self { wants, asked: tokio::sync::Mutex::new(asked), moved: Mutex::default(), came: Notify::new() }
    }
}

impl ChatMirror {
    /// Handles a notification: another instance committed events of a chat.
    pub fn on_chat_changed(&self, chat: ChatId) {
        self.moved.lock().chats.insert(chat);
        self.came.notify_one();
    }

    /// Handles a notification: another instance journaled more text of a chat.
    pub fn on_text_journaled(&self, chat: ChatId, by: ProcessId) {
        self.moved.lock().texts.insert((chat, by));
        self.came.notify_one();
    }

    /// Requests a resync after missed notifications.
    pub fn resync_all(&self) {
        self.moved.lock().all = true;
        self.came.notify_one();
    }

    /// Starts to mirror a chat whose channel is held. Returns once mirroring is active.
    /// No-op without other instances.
    pub async fn mirror_chat(&self, hub: &Hub, channel: &Channel) -> Result<()> {
        let Topic::Chat(chat) = channel.topic() else { return Ok(()) };
        if !hub.cluster_notifier().has_peers() {
            return Ok(());
        }
        let (done, answer) = oneshot::channel();
        let gone = || Refusal::unavailable("This chat cannot be read at the moment.");
        self.wants.send(MirrorRequest { chat, done }).await.map_err(|_| gone())?;
        Ok(answer.await.map_err(|_| gone())?)
    }
}

/// Runs the mirror until the hub stops.
pub(super) async fn run_mirror(hub: Hub) {
    let mut wants = hub.mirror().asked.lock().await;
    // After a panic of this worker the chats that it mirrored are still open: end their copies and resync.
    hub.live().end_copies();
    hub.mirror().resync_all();
    let mut reading = MirrorTask { hub: &hub, chats: HashMap::new() };
    let mut sweep = interval(SWEEP);
    sweep.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = hub.stop().cancelled() => return,
            want = wants.recv() => match want {
                Some(want) => reading.handle_request(want).await,
                None => return,
            },
            () = hub.mirror().came.notified() => {
                let moved = std::mem::take(&mut *hub.mirror().moved.lock());
                if let Err(error) = reading.apply_changes(moved).await {
                    tracing::warn!(%error, "chat mirror: update failed; will retry");
                    hub.mirror().resync_all();
                    let _ = hub.stop().run_until_cancelled(sleep(PAUSE)).await;
                }
            }
            _ = sweep.tick() => reading.forget_unread(),
        }
    }
}

struct MirrorTask<'a> {
    hub: &'a Hub,
    chats: HashMap<ChatId, MirroredChat>,
}

#[derive(Default)]
struct MirroredChat {
    /// Last event that was published.
    seq: i64,
    copies: HashMap<MessageId, MirroredMessage>,
}

/// Copy of a message that another instance is writing.
struct MirroredMessage {
    by: ProcessId,
    /// Last journal piece that was read.
    n: i64,
    writing: SharedOpenMessage,
}

impl MirrorTask<'_> {
    async fn handle_request(&mut self, MirrorRequest { chat, done }: MirrorRequest) {
        match self.mirror_chat(chat, 0).await {
            // The requester may have been cancelled.
            Ok(()) => _ = done.send(()),
            Err(error) => tracing::warn!(%chat, %error, "chat mirror: chat could not be read"),
        }
    }

    /// Starts mirroring `back` events before the last one, or catches up.
    async fn mirror_chat(&mut self, chat: ChatId, back: i64) -> Result<()> {
        if !self.chats.contains_key(&chat) {
            let mut conn = self.hub.store().read().await?;
            let last = chats::find(&mut conn, chat).await?.map_or(0, |chat| chat.last_seq);
            self.chats.insert(chat, MirroredChat { seq: last - back, ..MirroredChat::default() });
        }
        self.replay_events(chat).await?;
        self.replay_text(&HashSet::from([chat])).await
    }

    async fn apply_changes(&mut self, moved: MirrorChanges) -> Result<()> {
        let (mut chats, mut texts) = (moved.chats, HashSet::new());
        for (chat, by) in moved.texts {
            texts.insert(chat);
            // An instance may continue a message that another one started: re-read which instance writes it.
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
            self.replay_events(chat).await?;
        }
        self.replay_text(&texts).await
    }

    /// Mirrors every chat that is open here, if there are other instances. Republishes the last event: its
    /// number shows subscribers whether they missed others.
    async fn follow_open(&mut self) -> Result<()> {
        if self.hub.cluster_notifier().has_peers() {
            for chat in self.hub.live().channels.watched_chats() {
                self.mirror_chat(chat, 1).await?;
            }
        }
        Ok(())
    }

    /// Publishes the next events, after creating the copies of the messages that they start.
    async fn replay_events(&mut self, chat: ChatId) -> Result<()> {
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
                frames.into_iter().for_each(|frame| self.hub.live().channels.publish(topic, frame));
            }
            followed.seq = last;
            if is_whole {
                followed.forget_all_but(self.hub, |message| open.contains_key(message));
                return Ok(());
            }
        }
    }

    /// Publishes the text that other instances journaled in these chats.
    async fn replay_text(&mut self, chats: &HashSet<ChatId>) -> Result<()> {
        let mut by_process: HashMap<ProcessId, Vec<&mut MirroredMessage>> = HashMap::new();
        for (_, followed) in self.chats.iter_mut().filter(|(chat, _)| chats.contains(*chat)) {
            for copy in followed.copies.values_mut() {
                by_process.entry(copy.by).or_default().push(copy);
            }
        }
        for (process, mut copies) in by_process {
            for some in copies.chunks_mut(stream_journal::MAX_ITEMS) {
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

impl MirroredChat {
    fn copy(&mut self, hub: &Hub, chat: ChatId, message: MessageId, by: ProcessId) {
        let is_known = self.copies.get(&message).is_some_and(|copy| copy.by == by);
        if !is_known && let Some(writing) = hub.live().open_mirror(chat, message) {
            self.copies.insert(message, MirroredMessage { by, n: 0, writing });
        }
    }

    fn forget_all_but(&mut self, hub: &Hub, stays: impl Fn(&MessageId) -> bool) {
        self.copies.retain(|message, copy| {
            let stays = stays(message);
            if !stays {
                hub.live().close_mirror(*message, &copy.writing);
            }
            stays
        });
    }
}

/// Returns the messages of a chat that other instances are writing, with their instances.
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
    let writer = |run: RunId| found.iter().find(|found| found.id == run)?.instance.filter(|by| *by != own);
    Ok(open.iter().filter_map(|header| Some((header.id, writer(header.run?)?))).collect())
}

/// Reads the next journal pieces of one instance and publishes those of these messages.
async fn read_log(hub: &Hub, process: ProcessId, copies: &mut [&mut MirroredMessage]) -> Result<()> {
    let wanted: Vec<MessageId> = copies.iter().map(|copy| copy.writing.lock().message()).collect();
    let mut after = copies.iter().map(|copy| copy.n).min().unwrap_or(0);
    loop {
        let mut conn = hub.store().read().await?;
        let pieces = stream_journal::list_after(&mut conn, process, after, &wanted, PIECES).await?;
        drop(conn);
        for piece in &pieces {
            let at = wanted.iter().position(|message| *message == piece.message);
            if let Some(copy) = at.map(|at| &mut copies[at]).filter(|copy| copy.n < piece.seq) {
                publish_piece(hub, &copy.writing, piece);
            }
        }
        after = pieces.last().map_or(after, |piece| piece.seq);
        copies.iter_mut().for_each(|copy| copy.n = copy.n.max(after));
        if i64::try_from(pieces.len()).unwrap_or(PIECES) < PIECES {
            return Ok(());
        }
    }
}

/// Applies a journal piece to a copy and publishes it in the same way as the writing instance does.
fn publish_piece(hub: &Hub, writing: &SharedOpenMessage, piece: &stream_journal::JournalEntry) {
    let mut open = writing.lock();
    let (topic, message) = (Topic::Chat(open.chat()), open.message());
    let tell = |kind| hub.live().channels.publish(topic, StreamFrame::new(kind));
    match open.apply(piece) {
        ReplayEffect::Nothing => {}
        ReplayEffect::Text { part, start, delta, closed } => open.show(part, start, &delta, closed, tell),
        ReplayEffect::Whole { part, whole } => {
            tell(FrameKind::Snapshot(Box::new(Snapshot::whole(message, part, *whole))));
        }
        ReplayEffect::Status => tell(FrameKind::Status { message, line: open.status().into() }),
    }
}
