//! Documents of the index and rows of results.

use plexus_domain::{AgentId, Timestamp};
use serde::{Deserialize, Serialize};

/// Searchable data of an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    pub agent: AgentId,
    /// `@owner/name` or `@owner/name@hub`.
    pub address: String,
    /// Name in its agent card.
    pub name: String,
    /// Owning namespace.
    pub owner: String,
    pub summary: String,
    pub description: String,
    pub tags: Vec<String>,
    /// Names, descriptions and examples of its skills, concatenated.
    pub skills: String,
    pub protocol: String,
    pub kind: String,
    /// True for agents of this hub, false for replicas of remote listings.
    pub here: bool,
    pub verified: bool,
    /// True if only searchers that list the agent in [`Query::granted`](crate::Query::granted) find it.
    pub restricted: bool,
    /// Time of its last successful response.
    pub online_at: Option<Timestamp>,
    pub created: Timestamp,
    pub updated: Timestamp,
    /// Usage count over a period chosen by the hub.
    pub uses: u64,
}

impl Listing {
    /// Returns the hub part of the address of a remote agent.
    pub fn hub(&self) -> Option<&str> {
        let (_, hub) = self.address.rsplit_once('@')?;
        (!self.here).then_some(hub)
    }
}

/// A change of the index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IndexChange {
    /// Inserts or replaces a listing.
    Put(Box<Listing>),
    /// Deletes a listing.
    Remove(AgentId),
}

/// A result row: fields that a list of agents shows and that the database cannot return cheaply by agent id.
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

/// A matching agent with its relevance score (no unit).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScoredAgent {
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
