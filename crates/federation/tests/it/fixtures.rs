//! Fixtures: keys, cards and records.

use std::time::Duration;

use plexus_a2a::{keys::SecretKey, listing_id::Genesis};
use plexus_domain::{Digest, Timestamp};
use plexus_federation::{
    HubId,
    engine::{
        Effect, Engine, Event, GossipVerdict,
        policy::{AdmissionMode, Policy},
    },
    record::{
        Content, Envelope, HUB_RECORD_TTL, HubRecord, InventoryHead, KeyChain, LISTING_TTL, Listing, Seq,
        SetFingerprint, Signed, Status, Tag,
    },
};

pub const START: Timestamp = Timestamp::from_millis(1_795_132_800_000);
pub const SECOND: Duration = Duration::from_secs(1);
pub const MINUTE: Duration = Duration::from_secs(60);
pub const HOUR: Duration = Duration::from_secs(3_600);
pub const DAY: Duration = Duration::from_secs(24 * 3_600);

pub fn seed(n: u16) -> [u8; 32] {
    let [low, high] = n.to_le_bytes();
    let mut seed = [7; 32];
    (seed[0], seed[1]) = (low, high);
    seed
}

/// Returns the key number `n`. Hubs use small numbers, agents large ones.
pub fn key(n: u16) -> SecretKey {
    SecretKey::from_seed(&seed(n))
}

pub fn hub(n: u16) -> HubId {
    key(n).public().into()
}

pub fn agent_key(agent: u16) -> SecretKey {
    key(10_000 + agent)
}

pub fn chain(agent: u16) -> KeyChain {
    let recovery = key(30_000 + agent).public();
    KeyChain::new(Genesis { agent: agent_key(agent).public(), recovery, created: START, nonce: [1; 16] })
        .unwrap()
}

pub fn card(words: &str) -> Vec<u8> {
    format!(
        r#"{{ "name": "Agent {words}", "description": "Counts {words}.", "version": "1.0",
  "supportedInterfaces": [{{"url": "https://agents.example/{words}", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}}],
  "capabilities": {{"streaming": true}}, "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
  "skills": [{{"id": "count", "name": "Count", "description": "Counts.", "tags": ["count"]}}] }}"#
    )
    .into_bytes()
}

pub fn envelope(agent: u16, home: u16, seq: Seq, status: Status) -> Envelope {
    let (owner, name) = ("ada".parse().unwrap(), format!("agent-{agent}").parse().unwrap());
    Envelope { chain: chain(agent), seq, hub: hub(home), owner, name, status }
}

pub fn content(card: &[u8], seq: Seq, tags: &[&str]) -> Content {
    let tags = tags.iter().map(|tag| Tag::from_text(tag).unwrap()).collect();
    Content { card: Digest::of(card), expires: seq.issued() + LISTING_TTL, tags, langs: Vec::new() }
}

/// Builds a live listing, signed at `at`.
pub fn live(agent: u16, home: u16, at: Timestamp) -> Listing {
    tagged(agent, home, at, &["count"])
}

pub fn tagged(agent: u16, home: u16, at: Timestamp, tags: &[&str]) -> Listing {
    let (seq, card) = (Seq::next(None, at), card(&format!("{agent}-{}", at.millis())));
    let status = Status::Live(content(&card, seq, tags));
    sign(envelope(agent, home, seq, status), card, agent, home)
}

pub fn deleted(agent: u16, home: u16, at: Timestamp) -> Listing {
    sign(envelope(agent, home, Seq::next(None, at), Status::Deleted), Vec::new(), agent, home)
}

pub fn sign(envelope: Envelope, card: Vec<u8>, agent: u16, home: u16) -> Listing {
    Listing::sign(envelope, card, &agent_key(agent), &key(home)).unwrap()
}

/// Builds the inventory head of a hub that has `listings`.
pub fn head(home: u16, at: Timestamp, listings: &[&Listing]) -> Signed<InventoryHead> {
    let hashes: Vec<Digest> = listings.iter().map(|listing| listing.hash()).collect();
    let fingerprint: SetFingerprint = hashes.iter().collect();
    let head =
        InventoryHead { hub: hub(home), seq: Seq::next(None, at), count: hashes.len() as u64, fingerprint };
    Signed::sign(head, &key(home)).unwrap()
}

/// Builds a hub record.
pub fn record(n: u16, at: Timestamp, domain: Option<&str>, addresses: Vec<String>) -> Signed<HubRecord> {
    let record = HubRecord {
        hub: hub(n),
        seq: Seq::next(None, at),
        expires: at + HUB_RECORD_TTL / 2,
        name: "A hub".into(),
        software: "plexus/0".into(),
        domain: domain.map(str::to_owned),
        api: None,
        policy: None,
        addresses,
        relay: false,
    };
    Signed::sign(record, &key(n)).unwrap()
}

pub fn core(n: u16, mode: AdmissionMode) -> Engine {
    Engine::new(key(n), Policy::new(mode), START)
}

/// Passes a gossip message to an engine and returns its verdict and the other effects.
pub fn gossip(core: &mut Engine, bytes: &[u8], now: Timestamp) -> (GossipVerdict, Vec<Effect>) {
    let event = Event::Gossip { from: hub(999), message: 5, bytes: bytes.to_vec() };
    let mut effects = core.handle(event, now);
    let Some(Effect::Judge { message: 5, verdict }) = effects.pop() else {
        unreachable!("gossip is judged last")
    };
    (verdict, effects)
}

pub fn stores(effects: &[Effect]) -> bool {
    effects.iter().any(|effect| matches!(effect, Effect::StoreListing(_)))
}
