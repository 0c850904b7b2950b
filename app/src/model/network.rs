//! The hubs that this one knows, and itself among them.

use plexus_domain::Timestamp;

#[derive(Clone, Debug)]
pub struct NetworkPage {
    /// The name by which others know this hub: its key.
    pub id: String,
    /// Where others reach it.
    pub addresses: Vec<String>,
    /// Its own agents that others may carry.
    pub agents: u64,
    /// How hubs are treated that no rule names; none while this hub takes no part.
    pub mode: Option<NetworkMode>,
    pub hubs: Vec<HubRow>,
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
    /// What it calls itself.
    pub name: Option<String>,
    /// Proved.
    pub domain: Option<String>,
    pub state: HubState,
    pub connected: bool,
    /// Of its agents, those that are found here.
    pub agents: u64,
    pub seen: Timestamp,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HubState {
    Fresh,
    /// Silent for half an hour.
    Stale,
    /// Silent for two days: its agents are not found.
    Silent,
    /// By a rule of this hub.
    Blocked,
}
