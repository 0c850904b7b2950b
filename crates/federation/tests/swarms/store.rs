//! Junk provider records inserted directly into one DHT store, at full speed.

use std::time::Instant;

use libp2p::{
    PeerId,
    identity::Keypair,
    kad::{ProviderRecord, RecordKey, store::RecordStore},
};
use plexus_domain::Digest;
use plexus_federation::net::dht_store::{DhtStore, MAX_ANNOUNCEMENTS};

use crate::measure::{memory, say};

/// Number of attackers: each has five hundred keys when there are a million.
const ATTACKERS: usize = 2_000;
/// Keys of an honest hub that announced first.
const HONEST: usize = 200;

#[test]
fn junk_fills_no_store() {
    fill(40_000);
}

#[test]
#[ignore = "a minute or more: scripts/test-long runs it"]
fn long_a_million_junk_keys_fill_no_store() {
    fill(1_000_000);
}

fn fill(count: usize) {
    let name = || Keypair::generate_ed25519().public().to_peer_id();
    let (me, honest) = (name(), name());
    let attackers: Vec<PeerId> = (0..ATTACKERS).map(|_| PeerId::random()).collect();
    let mut store = DhtStore::new(me, [3; 16]);
    let ours: Vec<RecordKey> = (0..HONEST).map(|n| key(&format!("honest {n}"))).collect();
    ours.iter().for_each(|key| _ = store.take(ProviderRecord::new(key.clone(), honest, Vec::new())));
    // A third of the junk uses keys that other attackers announce as well.
    let (before, began) = (memory(), Instant::now());
    for n in 0..count {
        let what = if n % 3 == 0 { n % 999 } else { n };
        let provider = attackers[n * 7 % ATTACKERS];
        store.take(ProviderRecord::new(key(&format!("junk {what}")), provider, Vec::new()));
    }
    say(&format!(
        "{count} junk keys of {ATTACKERS} attackers within {:.1?}: {} kept, {} MiB",
        began.elapsed(),
        store.announcements(),
        memory().saturating_sub(before)
    ));
    assert!(store.announcements() <= MAX_ANNOUNCEMENTS);
    let left = ours.iter().filter(|key| store.providers(key).iter().any(|it| it.provider == honest)).count();
    say(&format!("of {HONEST} keys that an honest hub announced, {left} are left"));
    assert!(left > 0, "whoever has most gives way, down to a fair share");
    store.add_provider(ProviderRecord::new(ours[0].clone(), me, Vec::new())).unwrap();
    assert_eq!(store.provided().count(), 1, "this hub announces its own");
}

fn key(what: &str) -> RecordKey {
    RecordKey::from([&[0x12, 0x20][..], Digest::of(what).as_bytes()].concat())
}
