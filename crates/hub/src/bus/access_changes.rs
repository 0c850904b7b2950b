//! Broadcasts that access may have been revoked, to open subscriptions.

use plexus_domain::{AccountId, AgentId, ChatId};
use serde::{Deserialize, Serialize};
use tokio::sync::broadcast;

use super::{ClusterNotice, ClusterNotifier};

/// Channel capacity. A receiver that lags behind re-checks the store, as it would after each single change.
const BEHIND: usize = 64;

/// Whose access may have changed. It is only a notification: affected subscriptions re-check the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AccessChange {
    /// A session or token of the account ended, or the account itself.
    Account(AccountId),
    /// The chat was deleted, or a member was removed.
    Chat(ChatId),
    /// The access to the agent was narrowed, or a user was removed from it.
    Agent(AgentId),
    /// A rule about remote hubs was added or removed.
    Hubs,
    /// Notifications of other instances were lost.
    Anything,
}

/// Broadcast of access changes, across all instances.
#[derive(Clone)]
pub struct AccessChanges {
    news: broadcast::Sender<AccessChange>,
    notifier: ClusterNotifier,
}

impl AccessChanges {
    pub(crate) fn new(notifier: ClusterNotifier) -> Self {
        Self { news: broadcast::Sender::new(BEHIND), notifier }
    }

    /// Publishes a change to all instances. Call it after the commit that revoked access.
    pub fn notify(&self, touched: AccessChange) {
        self.notifier.enqueue(ClusterNotice::Access(touched));
        self.on_remote_change(touched);
    }

    /// Publishes a change that another instance committed.
    pub(crate) fn on_remote_change(&self, touched: AccessChange) {
        // Fails only when there are no receivers.
        let _ = self.news.send(touched);
    }

    /// Subscribes to access changes.
    pub fn watch(&self) -> broadcast::Receiver<AccessChange> {
        self.news.subscribe()
    }
}
