//! Sender of cluster notifications. Those that arrive while one is sent are batched into the next.

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

use super::notification::{ClusterNotice, NoticePayload};
use crate::{Hub, Result};

/// Queue limit. Above it they are replaced by one resync notification.
const MAX_ITEMS: usize = 4_096;
/// Retry interval after a send error.
const PAUSE: Duration = Duration::from_secs(1);

/// Queue of outgoing notifications. Without other instances it drops them.
#[derive(Clone, Default)]
pub(crate) struct ClusterNotifier(Option<Arc<PendingNotices>>);

#[derive(Default)]
struct PendingNotices {
    notices: Mutex<HashSet<ClusterNotice>>,
    came: Notify,
    /// Whether another instance exists.
    heard: AtomicBool,
}

impl ClusterNotifier {
    /// Creates the queue of an instance that shares its store.
    pub fn shared() -> Self {
        Self(Some(Arc::default()))
    }

    /// Queues a notification. Call it after the commit. Does not wait.
    pub fn enqueue(&self, notice: ClusterNotice) {
        if self.has_peers() {
            self.say(notice);
        }
    }

    /// Returns whether another instance exists.
    pub fn has_peers(&self) -> bool {
        self.0.as_ref().is_some_and(|waiting| waiting.heard.load(Ordering::Acquire))
    }

    /// Sets whether another instance exists. Returns whether that changed.
    pub fn set_heard(&self, heard: bool) -> bool {
        self.0.as_ref().is_some_and(|waiting| waiting.heard.swap(heard, Ordering::AcqRel) != heard)
    }

    /// Queues a notification even if no other instance is known yet.
    pub fn say(&self, notice: ClusterNotice) {
        let Some(waiting) = &self.0 else { return };
        let mut notices = waiting.notices.lock();
        if notices.len() >= MAX_ITEMS {
            notices.retain(|notice| !notice.is_within_everything());
            notices.insert(ClusterNotice::Everything);
        }
        notices.insert(notice);
        drop(notices);
        waiting.came.notify_one();
    }

    fn take(&self) -> Vec<ClusterNotice> {
        self.0.as_ref().map(|waiting| waiting.notices.lock().drain().collect()).unwrap_or_default()
    }

    async fn come(&self) {
        match &self.0 {
            Some(waiting) => waiting.came.notified().await,
            None => std::future::pending().await,
        }
    }
}

/// Runs the sender until the hub stops, then sends the rest.
pub(crate) async fn run_sender(hub: Hub) {
    // A previous run of this worker may have panicked between taking and sending notifications.
    hub.cluster_notifier().enqueue(ClusterNotice::Everything);
    while hub.stop().run_until_cancelled(hub.cluster_notifier().come()).await.is_some() {
        if let Err(error) = send(&hub).await {
            tracing::warn!(%error, "cluster notification not sent; will retry");
            let _ = hub.stop().run_until_cancelled(sleep(PAUSE)).await;
        }
    }
    // If this fails, other instances resync when they detect that this one is gone.
    let _ = send(&hub).await;
}

async fn send(hub: &Hub) -> Result<()> {
    let mut waiting = NoticePayload::split(hub.process(), hub.cluster_notifier().take()).into_iter();
    while let Some(words) = waiting.next() {
        if let Err(error) = hub.store().signal(&words.written()).await {
            let unsent = std::iter::once(words).chain(waiting);
            unsent.flat_map(|words| words.said).for_each(|notice| hub.cluster_notifier().say(notice));
            return Err(error.into());
        }
    }
    Ok(())
}
