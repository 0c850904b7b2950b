//! View model of the home page.

use super::{agents::AgentRow, setup::SetupCount};

#[derive(Clone, Debug)]
pub struct HomePage {
    /// One line by the operator that says what this hub is; `None` for the default.
    pub purpose: Option<String>,
    /// Number of agents that every viewer can find.
    pub agents: u64,
    /// False while the search index is being built after a start.
    pub index_complete: bool,
    /// Progress of the setup, for an administrator who has not finished or dismissed it.
    pub setup: Option<SetupCount>,
    pub featured: Vec<FeaturedRow>,
    pub answering: Vec<AgentRow>,
    pub newest: Vec<AgentRow>,
    pub most_used: Vec<AgentRow>,
    /// Connected remote hubs; the strip is omitted if there are none.
    pub hubs: Vec<HubLink>,
}

/// Agent that the home page shows first.
#[derive(Clone, Debug)]
pub struct FeaturedRow {
    pub row: AgentRow,
    /// Example messages, each of which begins a chat; empty if the viewer may not use the agent.
    pub starters: Vec<String>,
}

#[derive(Clone, Debug)]
pub struct HubLink {
    /// Seed of the identicon: the hub's key.
    pub seed: String,
    pub name: String,
    pub href: String,
}
