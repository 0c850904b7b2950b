//! Slots for expensive work, a few for the whole hub and one for each caller.

use std::{collections::HashMap, sync::Arc, time::Duration};

use parking_lot::Mutex;
use plexus_domain::{
    Error as Refusal,
    fair_scheduler::{Admission, CallerQuota, FairScheduler},
};
use tokio::{sync::oneshot, time::timeout};

/// Slots that callers get in turn: while the work of one caller is slow, the others take the remaining slots.
#[derive(Clone)]
pub struct FairSlots {
    queue: Arc<Mutex<Queue>>,
    share: CallerQuota,
}

struct Queue {
    scheduler: FairScheduler<String, ()>,
    next: u64,
    waiting: HashMap<u64, oneshot::Sender<()>>,
}

/// A slot, or a place in the queue for one. Freed on drop.
pub struct Slot {
    queue: Arc<Mutex<Queue>>,
    number: u64,
}

impl FairSlots {
    /// `waiting`: how many requests of one caller may wait.
    pub fn new(slots: usize, waiting: usize) -> Self {
        let queue = Queue { scheduler: FairScheduler::new(slots), next: 0, waiting: HashMap::new() };
        Self { queue: Arc::new(Mutex::new(queue)), share: CallerQuota { working: 1, waiting } }
    }

    /// Waits for a slot, at most `patience`. `caller` is the key of its rate limits.
    pub async fn acquire(&self, caller: &str, patience: Duration) -> Result<Slot, Refusal> {
        let (slot, begins) = self.enter(caller, patience)?;
        if let Some(begins) = begins {
            let begun = timeout(patience, begins).await;
            if !matches!(begun, Ok(Ok(()))) {
                let words = "The hub does too much work of this kind at once. Try again in a minute.";
                return Err(Refusal::unavailable(words));
            }
        }
        Ok(slot)
    }

    fn enter(
        &self,
        caller: &str,
        patience: Duration,
    ) -> Result<(Slot, Option<oneshot::Receiver<()>>), Refusal> {
        let mut queue = self.queue.lock();
        queue.next += 1;
        let number = queue.next;
        let admission = queue.scheduler.submit(number, caller.to_owned(), (), self.share);
        let slot = || Slot { queue: Arc::clone(&self.queue), number };
        match admission {
            Admission::Works => Ok((slot(), None)),
            Admission::Waits => {
                let (begin, begins) = oneshot::channel();
                queue.waiting.insert(number, begin);
                Ok((slot(), Some(begins)))
            }
            Admission::Full => {
                let message =
                    "You have too many requests of this kind at once. Wait for them to end.".to_owned();
                let retry_after_ms = u64::try_from(patience.as_millis()).unwrap_or(u64::MAX);
                Err(Refusal::RateLimited { message, retry_after_ms })
            }
        }
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut queue = self.queue.lock();
        queue.waiting.remove(&self.number);
        for begun in queue.scheduler.release(self.number) {
            if let Some(begin) = queue.waiting.remove(&begun) {
                // If it waits no longer, its own slot is about to be dropped.
                let _ = begin.send(());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;

    use super::*;

    const PATIENCE: Duration = Duration::from_secs(60);

    #[tokio::test(start_paused = true)]
    async fn a_caller_with_slow_work_leaves_slots_to_others() {
        let slots = FairSlots::new(2, 2);
        let slow = slots.acquire("a", PATIENCE).await.unwrap();
        let mut second = Box::pin(slots.acquire("a", PATIENCE));
        assert!((&mut second).now_or_never().is_none(), "one slot for each caller");
        let mut third = Box::pin(slots.acquire("a", PATIENCE));
        assert!((&mut third).now_or_never().is_none());
        let refused = slots.acquire("a", PATIENCE).await;
        assert!(matches!(refused, Err(Refusal::RateLimited { .. })));
        let other = slots.acquire("b", PATIENCE).now_or_never().expect("it waits for no one").unwrap();
        let mut last = Box::pin(slots.acquire("c", PATIENCE));
        assert!((&mut last).now_or_never().is_none(), "two slots in all");
        drop(other);
        let last = last.await.unwrap();
        drop(slow);
        let second = second.await.unwrap();
        // A place that is given up is not given a slot.
        drop(third);
        drop((second, last));
        assert!(slots.queue.lock().waiting.is_empty());
        assert!(slots.acquire("a", PATIENCE).now_or_never().is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn patience_ends() {
        let slots = FairSlots::new(1, 1);
        let slow = slots.acquire("a", PATIENCE).await.unwrap();
        assert!(matches!(slots.acquire("b", PATIENCE).await, Err(Refusal::Unavailable { .. })));
        drop(slow);
        slots.acquire("b", PATIENCE).await.unwrap();
    }
}
