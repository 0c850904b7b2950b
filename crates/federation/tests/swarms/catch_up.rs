//! Catch-up of a new hub with up to a hundred thousand listings.

use std::time::{Duration, Instant};

use plexus_a2a::listing_id::Genesis;
use plexus_domain::Digest;
use plexus_federation::{
    engine::{
        Engine, KnownHub,
        policy::{AdmissionMode, Policy},
    },
    record::{
        Content, Envelope, InventoryHead, KeyChain, LISTING_TTL, Listing, Seq, SetFingerprint, Signed, Status,
    },
};

use crate::{
    fixtures::{self, START, agent_key, key},
    full_hub::{Whole, config, now},
    measure::{memory, say},
};

const ASKED: Duration = Duration::from_secs(60);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_new_hub_has_everything_within_a_minute() {
    measure(4, 500).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "minutes: scripts/test-long runs it"]
async fn long_a_new_hub_has_a_hundred_thousand_listings_within_a_minute() {
    measure(20, 5_000).await;
}

/// Measures the catch-up from one hub that stores `each` listings of each of `homes` hubs.
async fn measure(homes: u16, each: u32) {
    let began = Instant::now();
    let mut core = Engine::new(key(1), Policy::new(AdmissionMode::Open), now());
    let mut bodies = Vec::new();
    for home in 2..2 + homes {
        let listings: Vec<Listing> = (0..each).map(|n| listing(home, n)).collect();
        bring_back(&mut core, home, &listings);
        bodies.extend(listings.into_iter().map(|listing| (listing.hash(), listing.encode())));
    }
    let (all, size) = (bodies.len(), bodies.iter().map(|(_, body)| body.len()).sum::<usize>());
    say(&format!(
        "{all} listings of {homes} hubs, {} MB, signed within {:.0?}",
        size / 1_000_000,
        began.elapsed()
    ));
    let whole = Whole::start_from(1, config(1, Vec::new(), Vec::new(), "/ip4/127.0.0.1/tcp/0"), core);
    whole.stored.lock().unwrap().listings.extend(bodies);

    let (began, before) = (Instant::now(), memory());
    let new = Whole::start(100, &[&whole]).await;
    while new.stored.lock().unwrap().listings.len() < all {
        assert!(began.elapsed() < ASKED * 10, "{} of {all}", new.stored.lock().unwrap().listings.len());
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let took = began.elapsed();
    say(&format!(
        "a new hub has {all} listings of {homes} hubs {took:.1?} after it started, from one other; {} MiB more",
        memory().saturating_sub(before)
    ));
    assert!(took <= ASKED, "{took:?}");
}

/// Builds one of many listings by few authors.
pub fn listing(home: u16, n: u32) -> Listing {
    let (agent, card) = (home, fixtures::card(&format!("{home}-{n}")));
    let mut nonce = [0; 16];
    nonce[..4].copy_from_slice(&n.to_le_bytes());
    let genesis =
        Genesis { agent: agent_key(agent).public(), recovery: key(1).public(), created: START, nonce };
    let seq = Seq::next(None, now() - Duration::from_millis(n.into()));
    let expires = seq.issued() + LISTING_TTL;
    let content = Content { card: Digest::of(&card), expires, tags: Vec::new(), langs: Vec::new() };
    let (owner, name) = ("ada".parse().unwrap(), format!("agent-{n}").parse().unwrap());
    let (chain, hub, status) = (KeyChain::new(genesis).unwrap(), fixtures::hub(home), Status::Live(content));
    fixtures::sign(Envelope { chain, seq, hub, owner, name, status }, card, agent, home)
}

fn bring_back(core: &mut Engine, home: u16, listings: &[Listing]) {
    let hashes: Vec<Digest> = listings.iter().map(Listing::hash).collect();
    let fingerprint: SetFingerprint = hashes.iter().collect();
    let head = InventoryHead {
        hub: fixtures::hub(home),
        seq: Seq::next(None, now()),
        count: hashes.len() as u64,
        fingerprint,
    };
    let head = Some(Signed::sign(head, &key(home)).unwrap());
    let hub = fixtures::hub(home);
    core.restore_hub(KnownHub { hub, first_seen: now(), proved_domain: None, head, record: None });
    for listing in listings {
        core.restore_listing(listing.envelope(), listing.hash(), listing.encode().len(), true);
    }
}
