//! The same agents in the index of the product.

use plexus_domain::{AgentId, Timestamp};
use plexus_search::{Error, Hit, Index, Listing, Needs};

use super::world::Profile;

/// Agents that somebody publishes.
const OF_ONE_OWNER: usize = 3;

pub struct Indexed(Index);

impl Indexed {
    pub fn new(profiles: &[Profile]) -> anyhow::Result<Self> {
        let index = Index::in_memory()?;
        let listings = profiles.iter().enumerate().map(|(n, profile)| Ok::<_, Error>(listing(n, profile)));
        index.rebuild(listings, 1)?;
        Ok(Self(index))
    }

    /// For each part of a goal those who fit it best; `also` is told of where others fit better.
    pub fn fitting(
        &self,
        parts: &[&str],
        most: usize,
        also: Option<usize>,
    ) -> anyhow::Result<Vec<Vec<(usize, f32)>>> {
        let found = self.0.fitting(&Needs { parts, most, also: also.map(id) })?;
        let numbered =
            |fits: Vec<(Hit, f32)>| fits.into_iter().map(|(hit, score)| (number(hit.agent), score)).collect();
        Ok(found.into_iter().map(numbered).collect())
    }

    /// For each word of a text what may be said instead, each with how much it counts.
    pub fn alike(&self, text: &str) -> anyhow::Result<Vec<Vec<(String, f32)>>> {
        Ok(self.0.alike(text)?)
    }
}

/// The number of an agent is in its id.
fn id(n: usize) -> AgentId {
    let mut entropy = [0; 10];
    entropy[2..].copy_from_slice(&(n as u64).to_be_bytes());
    AgentId::new(Timestamp::from_millis(1), &entropy)
}

fn number(agent: AgentId) -> usize {
    let bytes = agent.uuid().into_bytes();
    bytes[12..].iter().fold(0, |number, byte| (number << 8) | usize::from(*byte))
}

fn listing(n: usize, profile: &Profile) -> Listing {
    let created = Timestamp::from_millis(1);
    let owner = format!("owner{}", n / OF_ONE_OWNER);
    Listing {
        agent: id(n),
        address: format!("@{owner}/a{n}"),
        name: profile.name.clone(),
        owner,
        summary: profile.summary.clone(),
        description: String::new(),
        tags: profile.tags.clone(),
        skills: profile.said.clone(),
        protocol: "A2A".to_owned(),
        kind: "a2a".to_owned(),
        here: true,
        verified: false,
        online_at: None,
        created,
        updated: created,
        uses: 0,
    }
}
