//! The same agents in the index of the product.

use plexus_domain::{AgentId, Timestamp, page::PageSize, team::formation::CONTEXT_WEIGHT};
use plexus_search::{Error, Index, Listing, Need};

use super::world::Profile;

pub struct Indexed(Index);

impl Indexed {
    pub fn new(profiles: &[Profile]) -> anyhow::Result<Self> {
        let index = Index::in_memory()?;
        let listings = profiles.iter().enumerate().map(|(n, profile)| Ok::<_, Error>(listing(n, profile)));
        index.rebuild(listings, 1)?;
        Ok(Self(index))
    }

    pub fn find(&self, need: &str, context: &str, most: usize) -> anyhow::Result<Vec<(usize, f32)>> {
        let size = PageSize::new(u16::try_from(most)?)?;
        let found = self.0.fitting(&Need { text: need, context, context_weight: CONTEXT_WEIGHT, size })?;
        Ok(found.into_iter().map(|(hit, score)| (number(hit.agent), score)).collect())
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
    Listing {
        agent: id(n),
        address: format!("@generated/a{n}"),
        name: profile.name.clone(),
        owner: "generated".to_owned(),
        summary: profile.text.clone(),
        description: String::new(),
        tags: Vec::new(),
        skills: String::new(),
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
