//! This hub among others: what it tells them, and what it carries of them.
//!
//! `plexus_federation` decides; here is what it needs of a hub. `work` starts it and starts it anew when it ends, from what
//! `restore` reads. `home` writes down what the core decides, with `carry` for listings and `known` for hubs. `announce` signs this
//! hub's agents, `describe` the hub itself. `prove` asks the endpoint of a carried agent whether it holds the key of its hub,
//! and `vouch` signs what people of this hub ask it; where the hub has no address, `calls` carries that over the network. `guest`
//! lets people of other hubs in.
//! `search` asks other hubs live for what is not carried, `found` reads what they answer, `registry` names those that programs
//! can ask themselves.
//! `rules` (about what `subjects` reads) are what people do, also by `lists` that are signed and by `subscriptions` to them;
//! `overview` and `other` are what they see, with `faults` and `measures`.
//!
//! A carried agent is a row beside this hub's own, with a signed listing. It is shown as long as the core says so, and no
//! longer: its listing is `live` while it is shown, and `paused` otherwise.

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

/// The way to the driver while it runs.
pub(crate) struct Room {
    running: Mutex<Option<Running>>,
    /// Agents of this hub changed.
    own_changed: Notify,
    /// The core may lack what another process decided.
    anew: Notify,
    /// Domains that are asked at the same time.
    proving: Semaphore,
    /// What answers other hubs' calls.
    edge: Mutex<Option<Arc<dyn Edge>>>,
    measures: Measures,
    /// Rules change one at a time, so that the core hears of them in the order in which they were written.
    ruling: tokio::sync::Mutex<()>,
    /// The rules as they were read last, and when.
    policy: tokio::sync::Mutex<Option<(Timestamp, Arc<Policy>)>>,
    /// This hub's own rules as they were signed last for whoever asks, and when.
    shared_rules: tokio::sync::Mutex<Option<(Timestamp, Result<String, Refusal>)>>,
    /// What waits for other hubs' answers.
    searches: search::Searches,
}

const DOMAINS_AT_ONCE: usize = 4;
/// How long people wait for what the driver says, which may be writing down what it heard.
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
    /// A lost wake-up costs time: the publisher looks by itself, too.
    pub fn own_changed(&self) {
        self.own_changed.notify_one();
    }

    /// Leaves the network, where this process takes part, and begins again from the store.
    pub fn begin_anew(&self) {
        if self.running().is_some() {
            self.anew.notify_one();
        }
    }

    /// The edge knows the hub, so that they would keep each other.
    pub fn forget_edge(&self) {
        self.edge.lock().take();
    }

    fn running(&self) -> Option<Running> {
        self.running.lock().clone()
    }

    /// How these hubs stand; of none while the driver does not run, or has no time.
    async fn report(&self, hubs: Vec<HubId>) -> Vec<Report> {
        let Some(running) = self.running() else { return Vec::new() };
        let (tell, told) = oneshot::channel();
        let asked = async {
            running.orders.send(Order::Report { hubs, tell }).await.ok()?;
            told.await.ok()
        };
        timeout(REPORT_TIME, asked).await.ok().flatten().unwrap_or_default()
    }

    /// Tells the core, if it runs. What it is told is in the store as well, so it knows at its next start.
    async fn tell(&self, event: Event) {
        if let Some(running) = self.running() {
            // The driver has ended: it begins anew from the store.
            let _ = running.orders.send(Order::Event(Box::new(event))).await;
        }
    }
}

/// By which this hub is known to others.
pub(crate) async fn own_id(hub: &Hub) -> Result<HubId> {
    Ok(keys::hub_key(&mut hub.store().read().await?).await?.into())
}

/// What this hub's domain says of it to others that ask (`/.well-known/plexus.json`). None while it takes no part.
pub async fn name(hub: &Hub) -> Result<Option<String>> {
    match hub.config().federation {
        Some(_) => Ok(Some(own_id(hub).await?.to_string())),
        None => Ok(None),
    }
}

fn unreadable(what: &'static str, error: impl std::fmt::Display) -> Error {
    Error::Fault(anyhow::anyhow!("{what} in the store cannot be read: {error}"))
}
