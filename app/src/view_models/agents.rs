//! View models of the agent search.

use plexus_domain::{Address, Timestamp};

use super::{
    Badge, Pager,
    agent_query::{AgentsQuery, Facet},
    live_search::LiveSearchView,
};

#[derive(Clone, Debug)]
pub struct AgentsPage {
    pub query: AgentsQuery,
    pub rows: Vec<AgentRow>,
    pub facets: Vec<FacetGroup>,
    pub pager: Pager,
    /// Similar search words that have results.
    pub did_you_mean: Option<String>,
    /// False while the search index is being built after a start.
    pub index_complete: bool,
    /// Live search; `None` if remote hubs cannot have more agents.
    pub others: Option<LiveSearchView>,
}

/// Agents that the viewer starred, at `/agents?starred=true`.
#[derive(Clone, Debug)]
pub struct StarredPage {
    /// Most recently starred first.
    pub rows: Vec<AgentRow>,
    /// URL of the page with older ones.
    pub next: Option<String>,
}

/// Row of a list of agents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentRow {
    /// Seed of the identicon: the listing id, else the address.
    pub seed: String,
    pub name: String,
    pub address: Address,
    pub summary: String,
    pub tags: Vec<String>,
    /// Protocol or kind, such as "A2A 1.0", "Model" or "Built in".
    pub protocol: String,
    pub badges: Vec<Badge>,
    pub last_answered: Option<Timestamp>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FacetGroup {
    pub facet: Facet,
    /// Most frequent first; selected values are always included.
    pub values: Vec<FacetValue>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FacetValue {
    /// Value in the query string.
    pub value: String,
    /// Label that is shown.
    pub label: String,
    /// Number of agents with this filter added; `None` if not counted.
    pub count: Option<u64>,
}
