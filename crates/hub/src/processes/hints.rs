//! Hints on their way to the other processes: what is said while one signal is sent goes with the next.

use std::{
    collections::HashSet,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use parking_lot::Mutex;
use tokio::{sync::Notify, time::sleep};

use super::hint::{Hint, Words};
use crate::{Hub, Result};

/// Hints that wait at most; more say no more than that everything moved.
const MOST: usize = 4_096;
/// Before a signal is tried again that could not be sent.
const PAUSE: Duration = Duration::from_secs(1);

/// Where hints go. Without other processes they go nowhere.
#[derive(Clone, Default)]
pub(crate) struct Hints(Option<Arc<Waiting>>);

#[derive(Default)]
struct Waiting {
    hints: Mutex<HashSet<Hint>>,
    came: Notify,
    /// Another process hears them.
    heard: AtomicBool,
}

impl Hints {
    /// For a process that shares its store.
    pub fn shared() -> Self {
        Self(Some(Arc::default()))
    }

    /// Says something once it is committed. Nobody waits for it.
    pub fn add(&self, hint: Hint) {
        if self.are_heard() {
            self.say(hint);
        }
    }

    /// Whether there is another process.
    pub fn are_heard(&self) -> bool {
        self.0.as_ref().is_some_and(|waiting| waiting.heard.load(Ordering::Acquire))
    }

    /// Notes whether there is another process. Answers whether that is new.
    pub fn set_heard(&self, heard: bool) -> bool {
        self.0.as_ref().is_some_and(|waiting| waiting.heard.swap(heard, Ordering::AcqRel) != heard)
    }

    /// Says something also to those of whom this process has not heard yet.
    pub fn say(&self, hint: Hint) {
        let Some(waiting) = &self.0 else { return };
        let mut hints = waiting.hints.lock();
        if hints.len() >= MOST {
            hints.retain(|hint| !hint.is_within_everything());
            hints.insert(Hint::Everything);
        }
        hints.insert(hint);
        drop(hints);
        waiting.came.notify_one();
    }

    fn take(&self) -> Vec<Hint> {
        self.0.as_ref().map(|waiting| waiting.hints.lock().drain().collect()).unwrap_or_default()
    }

    async fn come(&self) {
        match &self.0 {
            Some(waiting) => waiting.came.notified().await,
            None => std::future::pending().await,
        }
    }
}

/// Sends hints until the hub ends, then what was said last.
pub(super) async fn keep_sending(hub: Hub) {
    // A run of this worker that panicked may have taken hints that it did not send.
    hub.hints().add(Hint::Everything);
    while hub.stop().run_until_cancelled(hub.hints().come()).await.is_some() {
        if let Err(error) = send(&hub).await {
            tracing::warn!(%error, "other processes will hear later what moved");
            let _ = hub.stop().run_until_cancelled(sleep(PAUSE)).await;
        }
    }
    // Whoever misses this looks when this process is gone.
    let _ = send(&hub).await;
}

async fn send(hub: &Hub) -> Result<()> {
    let mut waiting = Words::split(hub.process(), hub.hints().take()).into_iter();
    while let Some(words) = waiting.next() {
        if let Err(error) = hub.store().signal(&words.written()).await {
            let unsent = std::iter::once(words).chain(waiting);
            unsent.flat_map(|words| words.said).for_each(|hint| hub.hints().say(hint));
            return Err(error.into());
        }
    }
    Ok(())
}
