//! View models of the federation pages.

use plexus_domain::Timestamp;

use super::{Form, Pager, agents::AgentRow};

#[derive(Clone, Debug)]
pub struct NetworkPage {
    /// Hub id of this hub: its public key.
    pub id: String,
    /// Name that this hub gives itself.
    pub name: String,
    /// Addresses at which remote hubs reach it.
    pub addresses: Vec<String>,
    /// Reachability for remote hubs, as text.
    pub reachability_text: Option<String>,
    /// Number of its own agents that remote hubs may replicate.
    pub agents: u64,
    /// Mode for hubs without a rule; `None` if federation is disabled.
    pub mode: Option<NetworkMode>,
    pub hubs: Vec<HubRow>,
    pub latencies: Latencies,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NetworkMode {
    Open,
    Probation,
    Allowlist,
}

#[derive(Clone, Debug)]
pub struct HubRow {
    pub id: String,
    /// Name that the hub gives itself.
    pub name: Option<String>,
    /// Verified domain.
    pub domain: Option<String>,
    pub state: HubState,
    pub connected: bool,
    /// Number of its agents that are found here.
    pub agents: u64,
    pub last_seen: Timestamp,
    pub sync_progress: Option<SyncProgress>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HubState {
    Fresh,
    /// Silent for half an hour; its agents are still found.
    Stale,
    /// Silent for two days; its agents are not found.
    Silent,
    /// Blocked by a rule of this hub.
    Blocked,
}

/// Progress of replicating a hub's listings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SyncProgress {
    pub fetched: u64,
    pub total: u64,
}

/// Latencies of the federation; `None` if not measured yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Latencies {
    pub propagation: Option<Figures>,
    pub dht_lookup: Option<Figures>,
    pub sync: Option<Figures>,
}

/// Latency percentiles in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Figures {
    pub median: u64,
    pub p99: u64,
    /// Number of samples so far. The percentiles cover the latest 1,024 of them.
    pub samples: u64,
    pub since: Timestamp,
}

/// Page of a remote hub at `/network/{hub}?page=`.
///
/// Administrators post to it with `action`: `block` or `allow` with `reason`, `undo` with `subject`.
#[derive(Clone, Debug)]
pub struct HubPage {
    pub hub: HubRow,
    pub software: Option<String>,
    /// Domain that it claims without verification.
    pub claimed: Option<String>,
    pub api: Option<String>,
    /// When this hub first received news of it.
    pub first_seen: Option<Timestamp>,
    /// When it last signed its inventory, by its own clock.
    pub last_head_at: Option<Timestamp>,
    /// Replication state; `None` if federation is disabled.
    pub replication: Option<Replication>,
    pub rule: Option<HubRule>,
    pub violations: Vec<ViolationRow>,
    pub agents: Vec<AgentRow>,
    pub pager: Pager,
    /// Data and form for administrators.
    pub admin: Option<HubAdmin>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Replication {
    pub tier: ReplicationTier,
    /// Number of listings stored here, including paused and deleted ones.
    pub replicated: u64,
    /// Number of listings in the inventory that it signed.
    pub announced: Option<u64>,
    /// True if listings were left out because of the quota.
    pub partial: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplicationTier {
    Full,
    /// Reduced quota, at most until this time.
    Probation(Timestamp),
    Refused,
}

/// Rule that applies to a hub.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HubRule {
    pub subject: String,
    pub allows: bool,
    pub expires: Option<Timestamp>,
}

#[derive(Clone, Debug)]
pub struct HubAdmin {
    pub addresses: Vec<String>,
    /// Reason and origin of the rule, if there is one.
    pub rule: Option<HubRuleOrigin>,
    pub form: Form,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HubRuleOrigin {
    pub reason: String,
    pub created: Timestamp,
    pub made: RuleMaker,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RuleMaker {
    /// An administrator of this hub, by name.
    Here(String),
    /// The rule list at this URL.
    List(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ViolationRow {
    /// Description of the violation, in a sentence.
    pub what: &'static str,
    /// Hub whose listings it was about, if not its own.
    pub about_hub: Option<String>,
    pub count: u64,
    pub first_seen: Timestamp,
    pub last_seen: Timestamp,
}
