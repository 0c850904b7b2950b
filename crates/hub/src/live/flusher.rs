//! Writes open text down, all runs of the process in one transaction, ten times a second.

use std::{collections::HashSet, time::Duration};

use plexus_domain::ProcessId;
use plexus_store::{Store, text_log, text_log::Piece};
use tokio_util::sync::CancellationToken;

use super::Live;

/// How much of an answer a crash may cost.
const EVERY: Duration = Duration::from_millis(100);

/// Flushes until `stop`, then once more.
pub async fn flush_until(stop: CancellationToken, live: &Live, store: &Store, process: ProcessId) {
    let mut flusher = Flusher::new(live, store, process);
    let mut tick = tokio::time::interval(EVERY);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    while stop.run_until_cancelled(tick.tick()).await.is_some() {
        flusher.flush().await;
    }
    flusher.flush().await;
}

struct Flusher<'a> {
    live: &'a Live,
    store: &'a Store,
    process: ProcessId,
    /// The number of the next piece.
    next: i64,
    /// The oldest piece that the log still holds.
    oldest: i64,
    /// Pieces that the store did not take yet.
    waiting: Vec<Piece>,
}

impl<'a> Flusher<'a> {
    const fn new(live: &'a Live, store: &'a Store, process: ProcessId) -> Self {
        Self { live, store, process, next: 1, oldest: 1, waiting: Vec::new() }
    }

    async fn flush(&mut self) {
        let needed = self.collect();
        if self.waiting.is_empty() && needed == self.oldest {
            return;
        }
        match self.write(needed).await {
            Ok(()) => {
                self.waiting.clear();
                self.oldest = needed;
            }
            // Nothing is lost yet: the text is in memory, and the next tick tries again.
            Err(error) => {
                tracing::warn!(%error, pieces = self.waiting.len(), "open text could not be written down");
            }
        }
    }

    /// Takes what is new, and answers the number of the oldest piece of a message that is still open.
    fn collect(&mut self) -> i64 {
        let mut open = HashSet::new();
        let mut needed = i64::MAX;
        for writing in self.live.all() {
            let mut writing = writing.lock();
            let message = writing.message();
            open.insert(message);
            for (part, start, text) in writing.take_unlogged() {
                let (part, start) = (to_i64(part), to_i64(start));
                writing.first_piece.get_or_insert(self.next);
                self.waiting.push(Piece { n: self.next, message, part, start, body: text.into_bytes() });
                self.next += 1;
            }
            needed = needed.min(writing.first_piece.unwrap_or(i64::MAX));
        }
        // A message that has ended is in the store already.
        self.waiting.retain(|piece| open.contains(&piece.message));
        needed.min(self.next)
    }

    async fn write(&self, needed: i64) -> plexus_store::Result<()> {
        let mut tx = self.store.write_bulk().await?;
        text_log::append(&mut tx, self.process, &self.waiting).await?;
        if needed > self.oldest {
            text_log::trim(&mut tx, self.process, needed).await?;
        }
        tx.commit().await
    }
}

fn to_i64(size: usize) -> i64 {
    i64::try_from(size).unwrap_or(i64::MAX)
}
