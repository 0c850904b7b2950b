//! Searching other hubs.

use super::agents::AgentRow;

/// What other hubs have to do with a search.
#[derive(Clone, Debug)]
pub enum Others {
    /// They can be asked.
    Askable {
        /// Address of the page with what they answer.
        page: String,
        /// Address of the same as events: `found` with rows, then `done` with where all comes from, each as HTML.
        stream: String,
        /// So little is here that a script asks by itself.
        few: bool,
    },
    Asked {
        rows: Vec<AgentRow>,
        sources: Sources,
    },
}

/// Where results come from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sources {
    /// Agents of this hub, and those of other hubs that it carried before.
    pub own: usize,
    pub carried: usize,
    pub asked: Vec<AskedHub>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskedHub {
    /// Its domain, else its id.
    pub name: String,
    pub came: Came,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Came {
    Answer {
        found: usize,
        /// What it sent besides, with signatures that do not hold.
        wrong: usize,
    },
    Nothing,
}
