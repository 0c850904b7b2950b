//! Write queue for SQLite's single writer; interactive writes are served before background writes.

use std::{sync::Arc, time::Duration};

use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore, watch},
    time::{Instant, timeout, timeout_at},
};

use crate::{Error, Result};

/// Timeout for acquiring a permit to write.
const TIMEOUT: Duration = Duration::from_secs(10);
/// How long a background write yields to interactive writes before it queues in FIFO order. Prevents
/// starvation.
const BULK_TIMEOUT: Duration = Duration::from_millis(250);
/// Maximum number of waiting interactive writes; more are rejected as unavailable (backpressure).
const MAX_WAITING: usize = 4096;

/// Permit to write. Dropping it admits the next writer.
pub(crate) struct WritePermit {
    _permit: OwnedSemaphorePermit,
}

/// Write queue: a FIFO semaphore with one permit, and a count of the waiting interactive writes.
pub(crate) struct WriteQueue {
    turns: Arc<Semaphore>,
    /// Number of waiting interactive writes.
    waiting: watch::Sender<usize>,
}

impl WriteQueue {
    pub fn new() -> Self {
        Self { turns: Arc::new(Semaphore::new(1)), waiting: watch::Sender::new(0) }
    }

    /// Acquires a permit for an interactive write, in FIFO order.
    pub async fn acquire_interactive(&self) -> Result<WritePermit> {
        let _waiting = WaitingGuard::new(&self.waiting)?;
        self.acquire().await
    }

    /// Acquires a permit for a background write while no interactive write waits, or after `BULK_TIMEOUT`.
    pub async fn acquire_background(&self) -> Result<WritePermit> {
        let deadline = Instant::now() + BULK_TIMEOUT;
        let mut waiting = self.waiting.subscribe();
        loop {
            let idle = timeout_at(deadline, waiting.wait_for(|count| *count == 0)).await.is_ok();
            let turn = self.acquire().await?;
            // An interactive write may have arrived while this one was queued.
            if !idle || *self.waiting.borrow() == 0 {
                return Ok(turn);
            }
        }
    }

    /// Returns the number of waiting interactive writes.
    pub fn waiting(&self) -> usize {
        *self.waiting.borrow()
    }

    /// Acquires a permit if none is held and no writer waits.
    pub fn try_acquire_idle(&self) -> Option<WritePermit> {
        let permit = Arc::clone(&self.turns).try_acquire_owned().ok()?;
        Some(WritePermit { _permit: permit })
    }

    /// Acquires a permit behind all current waiters.
    pub async fn acquire(&self) -> Result<WritePermit> {
        match timeout(TIMEOUT, Arc::clone(&self.turns).acquire_owned()).await {
            Ok(Ok(permit)) => Ok(WritePermit { _permit: permit }),
            Ok(Err(_)) => Err(Error::Unavailable(sqlx::Error::PoolClosed)),
            Err(_) => Err(Error::Unavailable(sqlx::Error::PoolTimedOut)),
        }
    }
}

/// Counts one waiting write while it lives. Dropping the future of the waiter also drops this guard.
struct WaitingGuard<'a>(&'a watch::Sender<usize>);

impl<'a> WaitingGuard<'a> {
    fn new(count: &'a watch::Sender<usize>) -> Result<Self> {
        let entered = count.send_if_modified(|count| {
            let room = *count < MAX_WAITING;
            *count += usize::from(room);
            room
        });
        if entered { Ok(Self(count)) } else { Err(Error::Unavailable(sqlx::Error::PoolTimedOut)) }
    }
}

impl Drop for WaitingGuard<'_> {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count -= 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn people_go_before_bulk_work_that_came_earlier() {
        let gate = Arc::new(WriteQueue::new());
        let (order, mut done) = tokio::sync::mpsc::channel(8);
        let first = gate.acquire_interactive().await.unwrap();

        let bulk = tokio::spawn({
            let (gate, order) = (Arc::clone(&gate), order.clone());
            async move {
                let _turn = gate.acquire_background().await.unwrap();
                order.send("bulk").await.unwrap();
            }
        });
        // The background writer is first in the queue.
        tokio::task::yield_now().await;
        let person = tokio::spawn({
            let gate = Arc::clone(&gate);
            async move {
                let _turn = gate.acquire_interactive().await.unwrap();
                order.send("person").await.unwrap();
            }
        });
        while *gate.waiting.borrow() == 0 {
            tokio::task::yield_now().await;
        }
        drop(first);
        assert_eq!(done.recv().await, Some("person"));
        assert_eq!(done.recv().await, Some("bulk"));
        bulk.await.unwrap();
        person.await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn bulk_work_gets_its_turn_although_people_keep_coming() {
        let gate = Arc::new(WriteQueue::new());
        let _always = WaitingGuard::new(&gate.waiting).unwrap();
        let begun = Instant::now();
        gate.acquire_background().await.unwrap();
        assert_eq!(begun.elapsed(), BULK_TIMEOUT);
    }

    #[tokio::test(start_paused = true)]
    async fn a_writer_does_not_wait_for_ever() {
        let gate = WriteQueue::new();
        let _held = gate.acquire_interactive().await.unwrap();
        assert!(gate.acquire_interactive().await.err().unwrap().is_unavailable());
        assert!(gate.acquire_background().await.err().unwrap().is_unavailable());
        assert_eq!(*gate.waiting.borrow(), 0);
    }
}
