//! News that somebody may have lost access, for whoever still reads.

use plexus_domain::{AccountId, ChatId};
use serde::{Deserialize, Serialize};
use tokio::sync::broadcast;

use crate::processes::{Hint, Hints};

/// News that a reader may be behind. One that falls further looks at the store, as it would for each of them.
const BEHIND: usize = 64;

/// Whose access was touched. What is true now is in the store: readers whom it concerns look there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Touched {
    /// A session or token of the account ended, or the account itself.
    Account(AccountId),
    /// The chat is gone, or somebody is no longer in it.
    Chat(ChatId),
    /// A rule about hubs was made or taken back.
    Hubs,
    /// News of other processes were lost.
    Anything,
}

#[derive(Clone)]
pub struct Access {
    news: broadcast::Sender<Touched>,
    hints: Hints,
}

impl Access {
    pub(crate) fn new(hints: Hints) -> Self {
        Self { news: broadcast::Sender::new(BEHIND), hints }
    }

    /// After the commit that took something away.
    pub fn touch(&self, touched: Touched) {
        self.hints.add(Hint::Access(touched));
        self.hear(touched);
    }

    /// What another process says of its commit.
    pub(crate) fn hear(&self, touched: Touched) {
        // Nobody reading is fine.
        let _ = self.news.send(touched);
    }

    pub fn watch(&self) -> broadcast::Receiver<Touched> {
        self.news.subscribe()
    }
}
