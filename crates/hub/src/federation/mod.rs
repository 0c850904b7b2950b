//! Federation of this hub: publishes its own agents, and replicates and searches agents of remote hubs.
//!
//! The protocol and its decisions are in `plexus_federation` (the engine). This module
//! connects the engine to the hub:
//!
//! - Lifecycle: `work` starts and restarts the engine, `restore` loads its state, `home` persists its effects
//!   (`carry` for listings, `known` for hubs, `book` for peer addresses).
//! - Publishing: `announce` signs this hub's agents, `describe` signs the hub's own record.
//! - Calls: `prove` verifies that an agent's endpoint belongs to its hub, `vouch` signs requests for
//!   local users, `calls` transports A2A over libp2p where a hub has no address, `guest`
//!   authenticates users of remote hubs.
//! - Search: `search` queries remote hubs live, `found` ranks their answers, `registry` lists hubs that
//!   clients can query themselves.
//! - Rules: `rules` (with `subjects`) manages allow and block rules, `lists` signed rule lists,
//!   `subscriptions` subscriptions to such lists.
//! - Views: `overview` and `other` for known hubs, with `faults` and `measures`.
//!
//! A replicated agent is stored beside this hub's own agents, with its signed listing. The engine decides
//! whether it is shown: its listing is `live` while it is shown, and `paused` otherwise.

mod announce;
mod book;
mod calls;
mod carry;
mod describe;
mod faults;
mod found;
mod guest;
#[cfg(test)]
mod guest_tests;
mod home;
mod known;
mod lists;
mod measures;
mod other;
mod overview;
mod prove;
mod registry;
mod restore;
mod rules;
#[cfg(test)]
mod rules_tests;
mod search;
mod subjects;
mod subscriptions;
#[cfg(test)]
mod tests;
mod vouch;
mod work;

use std::{sync::Arc, time::Duration};

use parking_lot::Mutex;
use plexus_domain::{Error as Refusal, Timestamp};
use plexus_federation::{
    HubId,
    core::{Event, policy::Policy},
    net::{Handle, driver::Order},
};
use tokio::{
    sync::{Notify, Semaphore, mpsc, oneshot},
    time::timeout,
};

pub use self::{
    calls::{Answered, Asked, Edge, answer_calls},
    faults::{Fault, FaultRow},
    found::Elsewhere,
    guest::{PERSON, admit, is_signed},
    lists::{Imported, export_rules, import_rules, shared_rules},
    measures::{Figures, Speeds},
    other::{AGENTS, OtherHub, agents_of, other},
    overview::{HubRow, Itself, Overview, Standing, alive, overview},
    registry::{Registry, elsewhere, referrals},
    rules::{Made, RuleRow, Ruled, block, list_rules, unblock},
    search::{AskedHub, Asking, Came, Provenance, ask_others, is_askable},
    subscriptions::{SHARED_RULES, Subscription, subscribe, subscriptions, unsubscribe},
};
pub(crate) use self::{
    calls::{OverNetwork, way},
    guest::still_lets_in,
    prove::prove,
    rules::heed,
    vouch::Voucher,
    work::start,
};
pub use plexus_federation::{
    core::{Fetching, Report, Terms},
    net::nat::Reachability,
};

use self::measures::Measures;
use crate::{Error, Hub, Result, keys};

/// Handle of the federation driver.
pub(crate) struct Room {
    running: Mutex<Option<Running>>,
    /// Wakes the publisher after agents of this hub changed.
    own_changed: Notify,
    /// Requests a restart of the engine, since it may lack changes that another instance made.
    anew: Notify,
    /// Limits concurrent domain verifications.
    proving: Semaphore,
    /// Handler of calls from remote hubs.
    edge: Mutex<Option<Arc<dyn Edge>>>,
    measures: Measures,
    /// Serializes rule changes, so that the engine receives them in the order in which they were written.
    ruling: tokio::sync::Mutex<()>,
    /// Cache of the rules, with the time when they were read.
    policy: tokio::sync::Mutex<Option<(Timestamp, Arc<Policy>)>>,
    /// Cache of this hub's signed rule list for other hubs, with the time of signing.
    shared_rules: tokio::sync::Mutex<Option<(Timestamp, Result<String, Refusal>)>>,
    /// Live searches that wait for answers of remote hubs.
    searches: search::Searches,
}

const DOMAINS_AT_ONCE: usize = 4;
/// Timeout for a report of the driver, which may be busy with writes.
const REPORT_TIME: Duration = Duration::from_secs(2);

impl Default for Room {
    fn default() -> Self {
        Self {
            running: Mutex::default(),
            own_changed: Notify::new(),
            anew: Notify::new(),
            proving: Semaphore::new(DOMAINS_AT_ONCE),
            edge: Mutex::default(),
            measures: Measures::default(),
            ruling: tokio::sync::Mutex::default(),
            policy: tokio::sync::Mutex::default(),
            shared_rules: tokio::sync::Mutex::default(),
            searches: search::Searches::default(),
        }
    }
}

#[derive(Clone)]
struct Running {
    orders: mpsc::Sender<Order>,
    net: Handle,
}

impl Room {
    /// Notifies the publisher of changed agents. A lost notification costs time
    /// only: the publisher also polls.
    pub fn own_changed(&self) {
        self.own_changed.notify_one();
    }

    /// Restarts the engine from the store if it runs on this instance.
    pub fn begin_anew(&self) {
        if self.running().is_some() {
            self.anew.notify_one();
        }
    }

    /// Drops the handler. It holds the hub, so the two would otherwise form a reference cycle.
    pub fn forget_edge(&self) {
        self.edge.lock().take();
    }

    fn running(&self) -> Option<Running> {
        self.running.lock().clone()
    }

    /// Returns the engine's reports about these hubs; empty if the driver is not
    /// running or does not answer in time.
    async fn report(&self, hubs: Vec<HubId>) -> Vec<Report> {
        let Some(running) = self.running() else { return Vec::new() };
        let (tell, told) = oneshot::channel();
        let asked = async {
            running.orders.send(Order::Report { hubs, tell }).await.ok()?;
            told.await.ok()
        };
        timeout(REPORT_TIME, asked).await.ok().flatten().unwrap_or_default()
    }

    /// Sends an event to the engine if it runs. The same change is in the store, so
    /// the next start loads it anyway.
    async fn tell(&self, event: Event) {
        if let Some(running) = self.running() {
            // A failed send means that the driver has stopped. It restarts from the store.
            let _ = running.orders.send(Order::Event(Box::new(event))).await;
        }
    }
}

/// Returns the id of this hub in the federation: its public key.
pub(crate) async fn own_id(hub: &Hub) -> Result<HubId> {
    Ok(keys::hub_key(&mut hub.store().read().await?).await?.into())
}

/// Returns the hub id to serve at `/.well-known/plexus.json`; `None` if federation is disabled.
pub async fn name(hub: &Hub) -> Result<Option<String>> {
    match hub.config().federation {
        Some(_) => Ok(Some(own_id(hub).await?.to_string())),
        None => Ok(None),
    }
}

fn unreadable(what: &'static str, error: impl std::fmt::Display) -> Error {
    Error::Fault(anyhow::anyhow!("{what} in the store cannot be read: {error}"))
}
