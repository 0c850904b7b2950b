//! What goes into the index and what comes out.

use plexus_domain::{AgentId, Timestamp};
use serde::{Deserialize, Serialize};

/// All that is known of an agent for finding it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    pub agent: AgentId,
    /// `@owner/name` or `@owner/name@hub`.
    pub address: String,
    /// The name on its card.
    pub name: String,
    /// The namespace that owns it.
    pub owner: String,
    pub summary: String,
    pub description: String,
    pub tags: Vec<String>,
    /// Names, descriptions and examples of its skills, as one text.
    pub skills: String,
    pub protocol: String,
    pub kind: String,
    /// It belongs to this hub, not to another one.
    pub here: bool,
    pub verified: bool,
    /// When it last answered.
    pub online_at: Option<Timestamp>,
    pub created: Timestamp,
    pub updated: Timestamp,
    /// How often it was used, over whatever time the hub counts.
    pub uses: u64,
}

/// What becomes of an agent's place in the index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// It is found, as this.
    Put(Box<Listing>),
    /// It is found no more.
    Remove(AgentId),
}

/// A row of a result: what a list of agents shows, and the store does not have at hand by the agent's id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hit {
    pub agent: AgentId,
    pub name: String,
    pub summary: String,
    pub tags: Vec<String>,
    pub protocol: String,
    pub kind: String,
    pub verified: bool,
    pub online_at: Option<Timestamp>,
}

/// An agent that was found, and how well it fits, in no unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scored {
    pub agent: AgentId,
    pub score: f32,
}

impl From<&Listing> for Hit {
    fn from(listing: &Listing) -> Self {
        Self {
            agent: listing.agent,
            name: listing.name.clone(),
            summary: listing.summary.clone(),
            tags: listing.tags.clone(),
            protocol: listing.protocol.clone(),
            kind: listing.kind.clone(),
            verified: listing.verified,
            online_at: listing.online_at,
        }
    }
}
