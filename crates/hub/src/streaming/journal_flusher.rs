//! Journals the text of open messages: all runs of the instance in one transaction, ten times a second.

use std::{collections::HashSet, sync::Arc, time::Duration};

use plexus_domain::ChatId;
use plexus_store::{stream_journal, stream_journal::JournalEntry};
use tokio::sync::Mutex;

use super::JournalPiece;
use crate::{Hub, bus::ClusterNotice};

/// Flush interval, and so the amount of text that a crash may lose.
const INTERVAL: Duration = Duration::from_millis(100);

/// Starts the flusher, which flushes once more at shutdown. Pending pieces are kept across a panic of the
/// worker.
pub(crate) fn start_flusher(hub: &Hub) {
    let pending = Arc::new(Mutex::new(Pending { next: 1, oldest: 1, ..Pending::default() }));
    hub.supervise("text flusher", move |hub| run_flusher(hub, Arc::clone(&pending)));
}

async fn run_flusher(hub: Hub, pending: Arc<Mutex<Pending>>) {
    let mut pending = pending.lock().await;
    let mut tick = tokio::time::interval(INTERVAL);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    while hub.stop().run_until_cancelled(tick.tick()).await.is_some() {
        pending.flush(&hub).await;
    }
    pending.flush(&hub).await;
}

/// Text that is not journaled yet.
#[derive(Default)]
struct Pending {
    /// The number of the next piece.
    next: i64,
    /// The oldest piece that is still in the journal.
    oldest: i64,
    /// Pieces that the store has not accepted yet.
    waiting: Vec<JournalEntry>,
    /// The chats of these pieces.
    chats: HashSet<ChatId>,
}

impl Pending {
    async fn flush(&mut self, hub: &Hub) {
        let needed = self.collect(hub);
        if self.waiting.is_empty() && needed == self.oldest {
            return;
        }
        match self.write(hub, needed).await {
            Ok(()) => {
                self.waiting.clear();
                self.oldest = needed;
                for chat in self.chats.drain() {
                    hub.cluster_notifier().enqueue(ClusterNotice::Text(chat));
                }
            }
            // Nothing is lost: the text stays in memory, and the next tick retries.
            Err(error) => {
                let pieces = self.waiting.len();
                tracing::warn!(%error, pieces, "stream journal flush failed; will retry");
            }
        }
    }

    /// Collects new pieces. Returns the number of the oldest piece of a message that is still open.
    fn collect(&mut self, hub: &Hub) -> i64 {
        let mut open = HashSet::new();
        let mut needed = i64::MAX;
        // Other instances mirror every part. For crash recovery alone, text is enough.
        let all = hub.cluster_notifier().has_peers();
        for writing in hub.live().all() {
            let mut writing = writing.lock();
            if writing.is_copy() {
                continue;
            }
            let message = writing.message();
            open.insert(message);
            for JournalPiece { part, start, body } in writing.take_unlogged(all) {
                writing.first_piece.get_or_insert(self.next);
                self.chats.insert(writing.chat());
                self.waiting.push(JournalEntry { seq: self.next, message, part, byte_offset: start, body });
                self.next += 1;
            }
            needed = needed.min(writing.first_piece.unwrap_or(i64::MAX));
        }
        // A message that has ended is stored already.
        self.waiting.retain(|piece| open.contains(&piece.message));
        needed.min(self.next)
    }

    async fn write(&self, hub: &Hub, needed: i64) -> plexus_store::Result<()> {
        let process = hub.process();
        let mut tx = hub.store().write_background().await?;
        stream_journal::append(&mut tx, process, &self.waiting).await?;
        if needed > self.oldest {
            stream_journal::delete_before(&mut tx, process, needed).await?;
        }
        tx.commit().await
    }
}
