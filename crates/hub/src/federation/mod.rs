//! Federation of this hub: publishes its own agents, and replicates and searches agents of remote hubs.
//!
//! The protocol and its decisions are in `plexus_federation` (the engine). This module
//! connects the engine to the hub:
//!
//! - Lifecycle: `lifecycle` starts and restarts the engine, `restore` loads its state, `engine_store` persists its effects
//!   (`replica_rows` for listings, `own_records` for those of this hub that come back, `hub_rows` for hubs, `p2p_state` for peer addresses).
//! - Publishing: `listing_publisher` signs this hub's agents, `hub_record` signs the hub's own record.
//! - Calls: `endpoint_verification` verifies that an agent's endpoint belongs to its hub, `request_signing` signs requests for
//!   local users, `p2p_calls` transports A2A over libp2p where a hub has no address, `remote_users`
//!   authenticates users of remote hubs.
//! - Search: `live_search` queries remote hubs live, `live_results` ranks their answers, `registry` lists hubs that
//!   clients can query themselves.
//! - Rules: `rules` (with `rule_subjects`) manages allow and block rules, `rule_exchange` signed rule lists,
//!   `rule_subscriptions` subscriptions to such lists.
//! - Views: `hub_list` and `hub_details` for known hubs, with `violations` and `latency_stats`.
//!
//! A replicated agent is stored beside this hub's own agents, with its signed listing. The engine decides
//! whether it is shown: its listing is `live` while it is shown, and `paused` otherwise.

mod endpoint_verification;
mod engine_store;
mod hub_details;
mod hub_list;
mod hub_record;
mod hub_rows;
mod latency_stats;
mod lifecycle;
mod listing_publisher;
mod live_results;
mod live_search;
mod memory_limit;
mod own_records;
#[cfg(test)]
mod own_records_tests;
mod p2p_calls;
mod p2p_state;
mod registry;
mod remote_users;
#[cfg(test)]
mod remote_users_tests;
mod replica_rows;
mod request_signing;
mod restore;
mod rule_exchange;
mod rule_subjects;
mod rule_subscriptions;
mod rules;
#[cfg(test)]
mod rules_tests;
#[cfg(test)]
mod tests;
mod violations;

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use parking_lot::Mutex;
use plexus_domain::{Error as Refusal, Timestamp};
use plexus_federation::{
    HubId,
    engine::{Event, policy::Policy},
    net::{ActorHandle, BootstrapFailure, DialFailure, Protocol, driver::DriverCommand},
};
use tokio::{
    sync::{Notify, Semaphore, mpsc, oneshot},
    time::timeout,
};

pub(crate) use self::{
    endpoint_verification::prove,
    hub_list::{hub_names, hub_names_by_address},
    hub_record::record_own_domain,
    lifecycle::start,
    listing_publisher::publication_problem,
    p2p_calls::{P2pTransport, transport_for},
    remote_users::ensure_not_blocked,
    request_signing::UserRequestSigner,
    rules::reload,
};
pub use self::{
    hub_details::{AGENTS, HubDetails, agents_of, other},
    hub_list::{HubRow, HubStatus, LocalHubInfo, NetworkOverview, alive, overview},
    latency_stats::{LatencySummary, NetworkLatencies},
    live_results::RemoteSearchHit,
    live_search::{
        LiveSearchHandle, Provenance, QueriedHub, QueryOutcome, start_live_search, supports_live_search,
    },
    p2p_calls::{P2pHandler, P2pRequest, P2pResponse, serve_p2p_calls},
    registry::{RemoteRegistry, elsewhere, referrals},
    remote_users::{PERSON, authenticate, is_signed},
    rule_exchange::{RuleImport, export_rules, import_rules, shared_rules},
    rule_subscriptions::{RuleSubscription, SHARED_RULES, subscribe, subscriptions, unsubscribe},
    rules::{RuleOrigin, RuleRow, Ruled, block, list_rules, unblock},
    violations::{HubViolation, ViolationRow},
};
pub use plexus_federation::{
    engine::{FetchProgress, HubReport, ReplicationTier},
    net::reachability::Reachability,
};

use self::latency_stats::LatencyRecorder;
use crate::{Error, Hub, Result, keys};

/// Handle of the federation driver.
pub(crate) struct FederationHandle {
    running: Mutex<Option<RunningFederation>>,
    /// Wakes the publisher after agents of this hub changed.
    own_changed: Notify,
    /// Requests a restart of the engine, since it may lack changes that another instance made.
    anew: Notify,
    /// Limits concurrent domain verifications.
    proving: Semaphore,
    /// Handler of calls from remote hubs.
    edge: Mutex<Option<Arc<dyn P2pHandler>>>,
    measures: LatencyRecorder,
    /// Records of this hub's own key that it did not sign.
    own_key: Mutex<own_records::OwnKeyUse>,
    /// A sync round with another hub ended since the start: records that this hub's database lacks have come back.
    has_synced: AtomicBool,
    /// Serializes rule changes, so that the engine receives them in the order in which they were written.
    ruling: tokio::sync::Mutex<()>,
    /// Cache of the rules, with the time when they were read.
    policy: tokio::sync::Mutex<Option<(Timestamp, Arc<Policy>)>>,
    /// Cache of this hub's signed rule list for other hubs, with the time of signing.
    shared_rules: tokio::sync::Mutex<Option<(Timestamp, Result<String, Refusal>)>>,
    /// Live searches that wait for answers of remote hubs.
    searches: live_search::PendingSearches,
}

const DOMAINS_AT_ONCE: usize = 4;
/// Timeout for a report of the driver, which may be busy with writes.
const REPORT_TIME: Duration = Duration::from_secs(2);

impl Default for FederationHandle {
    fn default() -> Self {
        Self {
            running: Mutex::default(),
            own_changed: Notify::new(),
            anew: Notify::new(),
            proving: Semaphore::new(DOMAINS_AT_ONCE),
            edge: Mutex::default(),
            measures: LatencyRecorder::default(),
            own_key: Mutex::default(),
            has_synced: AtomicBool::new(false),
            ruling: tokio::sync::Mutex::default(),
            policy: tokio::sync::Mutex::default(),
            shared_rules: tokio::sync::Mutex::default(),
            searches: live_search::PendingSearches::default(),
        }
    }
}

#[derive(Clone)]
struct RunningFederation {
    orders: mpsc::Sender<DriverCommand>,
    net: ActorHandle,
}

impl FederationHandle {
    /// Notifies the publisher of changed agents. A lost notification costs time
    /// only: the publisher also polls.
    pub fn own_changed(&self) {
        self.own_changed.notify_one();
    }

    /// Notes the end of a sync round, and wakes the publisher after the first one.
    fn round_ended(&self) {
        if !self.has_synced.swap(true, Ordering::Relaxed) {
            self.own_changed();
        }
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

    fn running(&self) -> Option<RunningFederation> {
        self.running.lock().clone()
    }

    /// Returns the engine's reports about these hubs; empty if the driver is not
    /// running or does not answer in time.
    async fn report(&self, hubs: Vec<HubId>) -> Vec<HubReport> {
        let Some(running) = self.running() else { return Vec::new() };
        let (tell, told) = oneshot::channel();
        let asked = async {
            running.orders.send(DriverCommand::Report { hubs, tell }).await.ok()?;
            told.await.ok()
        };
        timeout(REPORT_TIME, asked).await.ok().flatten().unwrap_or_default()
    }

    /// Sends an event to the engine if it runs. The same change is in the store, so
    /// the next start loads it anyway.
    async fn tell(&self, event: Event) {
        if let Some(running) = self.running() {
            // A failed send means that the driver has stopped. It restarts from the store.
            let _ = running.orders.send(DriverCommand::Event(Box::new(event))).await;
        }
    }
}

/// Returns what an administrator should know about the federation of this hub, as messages for display.
pub async fn warnings(hub: &Hub) -> Vec<String> {
    let mut warnings = hub.federation().own_key.lock().warnings();
    let status = hub_record::status(hub).await;
    warnings.extend(status.bootstrap_failures.iter().map(bootstrap_warning));
    warnings
}

fn bootstrap_warning(failed: &BootstrapFailure) -> String {
    let BootstrapFailure { address, failure, answers_otherwise } = failed;
    match failure {
        DialFailure::WrongPeer(found) => format!(
            "Bootstrap address {address}: the hub there is {found}, not the one that the address names. Ask its \
             operator for its address, and correct PLEXUS_P2P_BOOTSTRAP."
        ),
        DialFailure::NoAnswer(error) if *answers_otherwise => {
            let is_udp = address.iter().any(|part| matches!(part, Protocol::Udp(_)));
            let (blocked, open) = if is_udp { ("UDP (QUIC)", "TCP") } else { ("TCP", "UDP (QUIC)") };
            format!(
                "Bootstrap address {address} does not answer over {blocked}, only over {open} ({error}). Open \
                 {blocked} in the firewalls between the two hubs."
            )
        }
        DialFailure::NoAnswer(error) => format!(
            "Bootstrap address {address} does not answer ({error}). Check the address in PLEXUS_P2P_BOOTSTRAP, and \
             that the hub there runs and its port is open."
        ),
    }
}

/// Returns the id of this hub in the federation: its public key.
pub(crate) async fn own_id(hub: &Hub) -> Result<HubId> {
    read_own_id(&mut hub.store().read().await?).await
}

/// As [`own_id`], for a use case that holds a connection already.
pub(crate) async fn read_own_id(conn: &mut plexus_store::Conn) -> Result<HubId> {
    Ok(keys::hub_key(conn).await?.into())
}

/// Returns the hub id to serve at `/.well-known/plexus.json`; `None` if federation is disabled.
pub async fn name(hub: &Hub) -> Result<Option<String>> {
    match hub.config().federation {
        Some(_) => Ok(Some(own_id(hub).await?.to_string())),
        None => Ok(None),
    }
}

fn unreadable(what: &'static str, error: impl std::fmt::Display) -> Error {
    Error::Fault(anyhow::anyhow!("{what} in the store is unreadable: {error}"))
}
