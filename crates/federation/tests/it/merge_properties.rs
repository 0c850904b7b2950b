//! CRDT properties of merging: hubs with the same records hold the same state, regardless of order,
//! repetition and loss. Deleted listings stay deleted.

use std::sync::LazyLock;

use proptest::prelude::*;

use plexus_domain::Timestamp;
use plexus_federation::{
    engine::{Engine, Event, policy::AdmissionMode},
    record::{Envelope, KeyChain, LISTING_TTL, Listing, RotationSigner, Seq, Status},
};

use crate::fixtures::{
    DAY, HOUR, MINUTE, START, agent_key, card, chain, content, core, deleted, envelope, gossip, head, hub,
    key, live, sign,
};

/// Returns all versions used by the tests, mostly of one agent: live, deleted, moved to another hub, two with
/// one sequence number, and one after a recovery.
fn versions() -> Vec<Listing> {
    let at = |hours: u32| START + HOUR * hours;
    let twin = {
        let (seq, card) = (Seq::next(None, at(2)), card("twin"));
        sign(envelope(1, 1, seq, Status::Live(content(&card, seq, &[]))), card, 1, 1)
    };
    vec![
        live(1, 1, at(1)),
        live(1, 1, at(2)),
        twin,
        deleted(1, 1, at(2)),
        live(1, 2, at(3)),
        deleted(1, 2, at(4)),
        live(1, 1, at(5)),
        recovered(at(2)),
        live(2, 1, at(1)),
        deleted(2, 2, at(2)),
        live(3, 2, at(1)),
    ]
}

/// Builds a version after the owner lost the agent's key and rotated with the recovery key.
fn recovered(at: Timestamp) -> Listing {
    let chain: KeyChain =
        chain(1).rotate(agent_key(9).public(), RotationSigner::Recovery(&key(30_001))).unwrap();
    let (seq, card) = (Seq::next(None, at), card("recovered"));
    let status = Status::Live(content(&card, seq, &[]));
    sign(Envelope { chain, ..envelope(1, 1, seq, status) }, card, 9, 1)
}

fn told(order: &[usize], now: Timestamp) -> Engine {
    static VERSIONS: LazyLock<Vec<Vec<u8>>> =
        LazyLock::new(|| versions().iter().map(Listing::encode).collect());
    let mut core = core(9, AdmissionMode::Open);
    for &at in order {
        gossip(&mut core, &VERSIONS[at], now);
    }
    core
}

fn outcome(core: &Engine, now: Timestamp) -> impl PartialEq + std::fmt::Debug {
    core.inventory(now)
        .into_iter()
        .filter(|row| row.count > 0)
        .map(|row| (row.hub, row.count, row.fingerprint))
        .collect::<Vec<_>>()
}

proptest! {
    #![proptest_config(plexus_testing::cases(32))]

    #[test]
    fn order_and_repetition_do_not_count(
        order in Just((0..11_usize).collect::<Vec<_>>()).prop_shuffle(),
        again in proptest::collection::vec(0..11_usize, 0..20),
    ) {
        let now = START + DAY;
        let once = told(&order, now);
        let twice = told(&[again, order.iter().rev().copied().collect()].concat(), now);
        prop_assert_eq!(outcome(&once, now), outcome(&twice, now));
    }

    #[test]
    fn what_was_lost_can_come_later(
        first in proptest::collection::vec(0..11_usize, 0..11),
        second in proptest::collection::vec(0..11_usize, 0..11),
    ) {
        // Two hubs that each lost different messages, and then receive those of the other one.
        let now = START + DAY;
        let one = told(&[first.clone(), second.clone()].concat(), now);
        let other = told(&[second, first].concat(), now);
        prop_assert_eq!(outcome(&one, now), outcome(&other, now));
    }

    #[test]
    fn nothing_rises_after_its_tombstone(
        replays in proptest::collection::vec((0..5_usize, 0..120_u32), 1..30),
        order in any::<bool>(),
    ) {
        // Four versions signed in the ten days before the tombstone, replayed at any time, also after its
        // retention.
        let old: Vec<Listing> = (0..4).map(|n| live(1, 1, START + DAY * (3 * n))).collect();
        let tombstone = deleted(1, 1, START + DAY * 10);
        let mut core = core(9, AdmissionMode::Open);
        gossip(&mut core, &head(1, START + DAY * 10, &[]).encode(), START + DAY * 10);
        gossip(&mut core, &tombstone.encode(), START + DAY * 10);
        let mut replays = replays;
        replays.sort_by_key(|&(_, day)| day);
        for (which, day) in replays {
            let now = START + DAY * (10 + day);
            let sign_of_life = head(1, now, &[]).encode();
            let ticks = |core: &mut Engine| core.handle(Event::Tick, now);
            if order { ticks(&mut core); }
            gossip(&mut core, &sign_of_life, now);
            gossip(&mut core, &old.get(which).unwrap_or(&tombstone).encode(), now);
            if !order { ticks(&mut core); }
            prop_assert!(!core.is_shown(tombstone.envelope().id()), "on day {}", 10 + day);
        }
    }
}

#[test]
fn a_tombstone_is_forgotten_everywhere_at_one_time() {
    let tombstone = deleted(1, 1, START);
    let mut core = core(9, AdmissionMode::Open);
    gossip(&mut core, &tombstone.encode(), START);
    let last = START + LISTING_TTL + DAY;
    core.handle(Event::Tick, last - MINUTE);
    assert!(core.contains(tombstone.envelope().id()));
    core.handle(Event::Tick, last);
    assert!(!core.contains(tombstone.envelope().id()));
    gossip(&mut core, &tombstone.encode(), last);
    assert!(!core.contains(tombstone.envelope().id()));
}

#[test]
fn whoever_stole_a_key_does_not_outbid_its_owner() {
    let mut core = core(9, AdmissionMode::Open);
    let now = START + DAY;
    gossip(&mut core, &recovered(START + HOUR).encode(), now);
    gossip(&mut core, &live(1, 2, now).encode(), now);
    let home = |n| core.inventory(now).iter().any(|row| row.hub == hub(n) && row.count == 1);
    assert!(home(1) && !home(2));
}
