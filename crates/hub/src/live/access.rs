//! News that somebody may have lost access, for whoever still reads.

use plexus_domain::{AccountId, ChatId};
use tokio::sync::broadcast;

/// News that a reader may be behind. One that falls further looks at the store, as it would for each of them.
const BEHIND: usize = 64;

/// Whose access was touched. What is true now is in the store: readers whom it concerns look there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Touched {
    /// A session or token of the account ended, or the account itself.
    Account(AccountId),
    /// The chat is gone, or somebody is no longer in it.
    Chat(ChatId),
    /// A rule about hubs was made or taken back.
    Hubs,
}

#[derive(Clone)]
pub struct Access(broadcast::Sender<Touched>);

impl Default for Access {
    fn default() -> Self {
        Self(broadcast::Sender::new(BEHIND))
    }
}

impl Access {
    /// After the commit that took something away.
    pub fn touch(&self, touched: Touched) {
        // Nobody reading is fine.
        let _ = self.0.send(touched);
    }

    pub fn watch(&self) -> broadcast::Receiver<Touched> {
        self.0.subscribe()
    }
}
