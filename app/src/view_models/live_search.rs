//! View models of the live search at remote hubs.

use super::agents::AgentRow;

/// Live search of a results page.
#[derive(Clone, Debug)]
pub enum LiveSearchView {
    /// Remote hubs can be queried.
    Askable {
        /// URL of the page with their results.
        page: String,
        /// URL of the same as SSE: `found` with rows, then `done` with the sources, each as HTML.
        stream: String,
        /// True if there are so few local results that `site.js` starts the query by itself.
        few: bool,
    },
    Asked {
        rows: Vec<AgentRow>,
        sources: Sources,
    },
}

/// Sources of the results.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sources {
    /// Number of agents of this hub.
    pub local: usize,
    /// Number of agents of remote hubs that were replicated here before.
    pub replicated: usize,
    pub queried_hubs: Vec<QueriedHub>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueriedHub {
    /// Its domain, else its id.
    pub name: String,
    pub came: QueryOutcome,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueryOutcome {
    Answer {
        found: usize,
        /// Number of rejected results: their signature is invalid.
        invalid_records: usize,
    },
    Nothing,
}
