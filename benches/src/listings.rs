//! Generated listings, deterministic per number. Word frequencies follow Zipf's law, like natural language.

use std::path::Path;

use plexus_domain::{
    AgentId, HubRowId, Name, NamespaceId, Timestamp, VersionId,
    agent::{AgentAccess, AnswerLimits, Connector, ModelParameters, Visibility},
};
use plexus_store::{
    Store, StoreConfig, Tx,
    agent_versions::{self, Version},
    agents::{self, Agent, AgentState},
    cards,
    listings::{self, Listing, ListingState},
    namespaces::{self, Namespace, NamespaceKind},
};
use serde_json::json;
use tempfile::TempDir;

const VOCABULARY: usize = 2_000;
const PER_TRANSACTION: usize = 500;

/// Creates a data folder whose store has `count` public listings.
pub async fn folder(count: usize) -> anyhow::Result<TempDir> {
    let folder = tempfile::tempdir()?;
    let store = Store::open(&StoreConfig::parse(None, folder.path())?).await?;
    let mut words = Words::new(1);
    let mut tx = store.write().await?;
    let owner = namespace(&mut tx, &mut words).await?;
    for n in 0..count {
        insert(&mut tx, owner, n, &mut words).await?;
        if n % PER_TRANSACTION == PER_TRANSACTION - 1 {
            tx.commit().await?;
            tx = store.write().await?;
        }
    }
    tx.commit().await?;
    store.close().await;
    Ok(folder)
}

/// Copies a data folder, so that a second start begins with the data that the first one left.
pub fn copy_of(folder: &Path) -> anyhow::Result<TempDir> {
    let copy = tempfile::tempdir()?;
    let status =
        std::process::Command::new("cp").arg("-r").arg(folder.join(".")).arg(copy.path()).status()?;
    anyhow::ensure!(status.success(), "copying {}", folder.display());
    let _ = std::fs::remove_file(copy.path().join("plexus.lock"));
    Ok(copy)
}

async fn namespace(tx: &mut Tx, words: &mut Words) -> anyhow::Result<NamespaceId> {
    let id = NamespaceId::new(Timestamp::from_millis(1), &words.entropy());
    let name: Name = "generated".parse()?;
    let created_at = Timestamp::from_millis(1);
    let row = Namespace { id, name, kind: NamespaceKind::Org, created_at, retired_at: None };
    namespaces::insert(tx, &row).await?;
    Ok(id)
}

async fn insert(tx: &mut Tx, owner: NamespaceId, n: usize, words: &mut Words) -> anyhow::Result<()> {
    let created = Timestamp::from_millis(1_700_000_000_000 + n as i64);
    let sample = sample(n);
    let agent = Agent {
        home: None,
        id: AgentId::new(created, &words.entropy()),
        hub: HubRowId::SELF,
        owner: "generated".parse()?,
        name: sample.name.parse()?,
        listing_id: None,
        namespace: Some(owner),
        visibility: Visibility::Public,
        access: AgentAccess::Accounts,
        state: AgentState::Active,
        created_at: created,
    };
    agents::insert(tx, &agent).await?;
    let card = cards::insert(tx, format!("{{\"name\":\"{}\"}}", agent.name).as_bytes()).await?;
    let connector = Connector::Llm {
        model: "none".into(),
        instructions: String::new(),
        starters: Vec::new(),
        tools: Vec::new(),
        budget: AnswerLimits::default(),
        reads_images: false,
        parameters: ModelParameters::default(),
    };
    let version = Version {
        id: VersionId::new(created, &words.entropy()),
        agent: agent.id,
        semver: "1.0.0".to_owned(),
        card,
        connector,
        secret: None,
        created_at: created,
        yanked_reason: None,
    };
    agent_versions::insert(tx, &version).await?;
    let summary = json!({ "title": agent.name, "summary": sample.text, "description": sample.text, "tags": sample.tags,
        "skills": "", "protocol": "Model", "kind": "llm", "verified": n.is_multiple_of(3), "uses": n % 100 });
    let listing = Listing {
        hash: None,
        agent: agent.id,
        seq: 1,
        card,
        summary,
        envelope: None,
        issued_at: created,
        expires_at: None,
        leased_until: None,
        state: ListingState::Live,
        change: 0,
    };
    listings::put(tx, &listing).await?;
    Ok(())
}

/// Name, text and tags of a generated listing.
pub struct Sample {
    pub name: String,
    pub text: String,
    pub tags: Vec<String>,
}

/// Returns listing number `n`, the same in every run.
pub fn sample(n: usize) -> Sample {
    let mut words = Words::new(n as u64 + 1_000_000);
    let mut some = |least: u64, most: u64| -> Vec<String> {
        (0..words.below(most - least + 1) + least).map(|_| words.word()).collect()
    };
    let name = format!("{}-{n}", some(2, 2).join("-"));
    Sample { name, text: some(8, 23).join(" "), tags: some(3, 8) }
}

/// Deterministic generator (SplitMix64) of words that follow Zipf's law.
pub struct Words(u64);

impl Words {
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }

    pub fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    pub fn entropy(&mut self) -> [u8; 10] {
        let mut bytes = [0; 10];
        bytes[..8].copy_from_slice(&self.next().to_le_bytes());
        bytes[8..].copy_from_slice(&self.next().to_le_bytes()[..2]);
        bytes
    }

    /// Returns a word. The probability of a rank is proportional to 1 / rank: exp of a uniform exponent.
    pub fn word(&mut self) -> String {
        let uniform = self.next() as f64 / u64::MAX as f64;
        let rank = (VOCABULARY as f64).powf(uniform) as usize;
        spell(rank)
    }

    /// Returns a query of one to three words.
    pub fn query(&mut self) -> String {
        (0..self.below(3) + 1).map(|_| self.word()).collect::<Vec<_>>().join(" ")
    }
}

/// Spells the word of a rank from syllables, deterministically.
fn spell(rank: usize) -> String {
    const SYLLABLES: [&str; 16] =
        ["ka", "to", "mi", "ra", "len", "so", "vi", "du", "pe", "nor", "ga", "shi", "bel", "fu", "wa", "zet"];
    [rank % 16, rank / 16 % 16, rank / 256 % 16].map(|at| SYLLABLES[at]).concat()
}
