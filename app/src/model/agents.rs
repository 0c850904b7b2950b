//! Finding agents.

use plexus_domain::{Address, Timestamp};

use super::{
    Badge, Pager,
    others::Others,
    query::{AgentsQuery, Facet},
};

#[derive(Clone, Debug)]
pub struct AgentsPage {
    pub query: AgentsQuery,
    pub rows: Vec<AgentRow>,
    pub facets: Vec<FacetGroup>,
    pub pager: Pager,
    /// Words close to those searched for that do find something.
    pub did_you_mean: Option<String>,
    /// Whether the hub has read all agents since it started.
    pub whole: bool,
    /// None where other hubs cannot know more.
    pub others: Option<Others>,
}

/// `/agents?starred=1`: the agents with the viewer's star.
#[derive(Clone, Debug)]
pub struct StarredPage {
    /// The newest star first.
    pub rows: Vec<AgentRow>,
    /// Address of the page with older ones.
    pub next: Option<String>,
}

/// An agent in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentRow {
    /// What its mark is drawn from: its listing id, else its address.
    pub seed: String,
    pub name: String,
    pub address: Address,
    pub summary: String,
    pub tags: Vec<String>,
    /// How it is spoken to, such as "A2A 1.0", "Model" or "Built in".
    pub protocol: String,
    pub badges: Vec<Badge>,
    pub last_answered: Option<Timestamp>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FacetGroup {
    pub facet: Facet,
    /// The most frequent first; those chosen are always among them.
    pub values: Vec<FacetValue>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FacetValue {
    /// As in the address of the page.
    pub value: String,
    /// As shown.
    pub label: String,
    /// How many agents would be left; none where it was not counted.
    pub count: Option<u64>,
}
