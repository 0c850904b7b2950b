//! The first page.

use super::agents::AgentRow;

#[derive(Clone, Debug)]
pub struct HomePage {
    /// One line that says what this hub is.
    pub purpose: String,
    /// How many agents everybody here can find.
    pub agents: u64,
    /// Whether the hub has read all of them since it started.
    pub whole: bool,
    pub answering: Vec<AgentRow>,
    pub newest: Vec<AgentRow>,
    pub most_used: Vec<AgentRow>,
    /// Hubs that this one is connected to; the strip is left out when there are none.
    pub hubs: Vec<HubLink>,
}

#[derive(Clone, Debug)]
pub struct HubLink {
    /// What its mark is drawn from: its key.
    pub seed: String,
    pub name: String,
    pub href: String,
}
