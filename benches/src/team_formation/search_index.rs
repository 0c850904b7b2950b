//! The search index of the product, filled with the generated agents.

use plexus_domain::{AgentId, Timestamp};
use plexus_search::{Error, Hit, Index, Listing, SkillQuery};

use super::synthetic_data::Profile;

/// Agents per owner.
const OF_ONE_OWNER: usize = 3;

pub struct Indexed(Index);

impl Indexed {
    pub fn new(profiles: &[Profile]) -> anyhow::Result<Self> {
        let index = Index::in_memory()?;
        let listings = profiles.iter().enumerate().map(|(n, profile)| Ok::<_, Error>(listing(n, profile)));
        index.rebuild(listings, 1)?;
        Ok(Self(index))
    }

    /// Returns the best agents for each part of a goal. The agent `also` is scored even if others are better.
    pub fn fitting(
        &self,
        parts: &[&str],
        most: usize,
        also: Option<usize>,
    ) -> anyhow::Result<Vec<Vec<(usize, f32)>>> {
        let found = self.0.rank_agents(&SkillQuery { parts, most, also: also.map(id), granted: &[] })?;
        let numbered =
            |fits: Vec<(Hit, f32)>| fits.into_iter().map(|(hit, score)| (number(hit.agent), score)).collect();
        Ok(found.into_iter().map(numbered).collect())
    }

    /// Returns weighted related terms for each word of a text.
    pub fn alike(&self, text: &str) -> anyhow::Result<Vec<Vec<(String, f32)>>> {
        Ok(self.0.related_terms(text)?)
    }
}

/// Returns an agent id that encodes the number of the agent.
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
        restricted: false,
        online_at: None,
        created,
        updated: created,
        uses: 0,
    }
}
