//! Quotas and rate limits, per hub and for all hubs on probation together.

use std::time::Duration;

use plexus_domain::Digest;
use plexus_federation::{
    engine::{
        Effect, Engine, Event, GossipVerdict, HubInventory, IgnoreReason, KnownHub, PeerRequest,
        PeerResponse, SYNC_INTERVAL, SearchQuery,
        policy::AdmissionMode,
        quota::{ANSWER_RECORD_RATE, PROBATION, PROBATION_TIME},
    },
    record::{Seq, Status},
};

use crate::fixtures::{
    MINUTE, SECOND, START, content, core, deleted, envelope, gossip, head, hub, live, stores,
};

/// Restores `home` with `count` listings, which needs no signatures.
fn fill(core: &mut Engine, home: u16, count: u16, bytes: usize) {
    fill_from(core, home, home * 100, count, bytes);
}

fn fill_from(core: &mut Engine, home: u16, first: u16, count: u16, bytes: usize) {
    core.restore_hub(KnownHub {
        hub: hub(home),
        first_seen: START,
        proved_domain: None,
        head: None,
        record: None,
    });
    for agent in 0..count {
        let seq = Seq::next(None, START);
        let status = Status::Live(content(b"", seq, &["count"]));
        let envelope = envelope(first + agent, home, seq, status);
        core.restore_listing(
            &envelope,
            Digest::of([home.to_le_bytes(), agent.to_le_bytes()].concat()),
            bytes,
            false,
        );
    }
}

fn offer(core: &mut Engine, agent: u16, home: u16) -> GossipVerdict {
    gossip(core, &live(agent, home, START + MINUTE).encode(), START + MINUTE).0
}

#[test]
fn a_new_hub_is_carried_up_to_its_cap_until_it_has_proved_itself() {
    let mut core = core(9, AdmissionMode::Probation);
    fill(&mut core, 1, u16::try_from(PROBATION.listings).unwrap() - 1, 1_000);
    assert_eq!(offer(&mut core, 9_001, 1), GossipVerdict::Accept);
    assert_eq!(offer(&mut core, 9_002, 1), GossipVerdict::Ignore(IgnoreReason::OverQuota));
    let row = core.inventory(START).into_iter().find(|row| row.hub == hub(1)).unwrap();
    assert!(row.partial, "it says that it carries a part");
    assert_eq!(offer(&mut core, 101, 1), GossipVerdict::Accept, "what replaces another needs no room");
    core.handle(Event::DomainProved { hub: hub(1), domain: "hub.example".into() }, START);
    assert_eq!(offer(&mut core, 9_002, 1), GossipVerdict::Accept);
}

#[test]
fn a_new_hub_passes_after_a_week() {
    let mut core = core(9, AdmissionMode::Probation);
    fill(&mut core, 1, u16::try_from(PROBATION.listings).unwrap(), 1_000);
    let week = START + PROBATION_TIME;
    assert_eq!(
        gossip(&mut core, &live(9_001, 1, START).encode(), week - SECOND).0,
        GossipVerdict::Ignore(IgnoreReason::OverQuota)
    );
    assert_eq!(gossip(&mut core, &live(9_001, 1, START).encode(), week).0, GossipVerdict::Accept);
}

#[test]
fn bytes_are_capped_as_well() {
    let mut core = core(9, AdmissionMode::Probation);
    fill(&mut core, 1, 10, PROBATION.bytes / 10);
    assert_eq!(offer(&mut core, 9_001, 1), GossipVerdict::Ignore(IgnoreReason::OverQuota));
    assert_eq!(
        gossip(&mut core, &deleted(105, 1, START + MINUTE).encode(), START + MINUTE).0,
        GossipVerdict::Accept
    );
    assert_eq!(offer(&mut core, 9_001, 1), GossipVerdict::Accept, "a tombstone made room");
}

/// Deleted agents leave their slots: a hub on probation that replaces all its agents is replicated whole, and the
/// tombstones stay.
#[test]
fn tombstones_use_no_slots_of_a_hub_on_probation() {
    let mut core = core(9, AdmissionMode::Probation);
    let mut now = START;
    let count = |core: &Engine, now| {
        let row = core.inventory(now).into_iter().find(|row| row.hub == hub(1)).unwrap();
        (row.count, row.partial)
    };
    let most = u16::try_from(PROBATION.listings).unwrap();
    for agent in 0..most {
        now = now + SECOND;
        assert_eq!(gossip(&mut core, &live(agent, 1, now).encode(), now).0, GossipVerdict::Accept);
    }
    for agent in 0..most {
        now = now + SECOND;
        assert_eq!(gossip(&mut core, &deleted(agent, 1, now).encode(), now).0, GossipVerdict::Accept);
        now = now + SECOND;
        let other = live(most + agent, 1, now);
        assert_eq!(gossip(&mut core, &other.encode(), now).0, GossipVerdict::Accept, "a slot is free");
        assert!(core.is_shown(other.envelope().id()) || core.contains(other.envelope().id()));
    }
    assert_eq!(count(&core, now), (2 * PROBATION.listings as u64, false), "tombstones are kept");
    now = now + SECOND;
    let refused = gossip(&mut core, &live(2 * most, 1, now).encode(), now).0;
    assert_eq!(refused, GossipVerdict::Ignore(IgnoreReason::OverQuota), "the quota of live listings holds");
    assert_eq!(
        gossip(&mut core, &live(0, 1, START).encode(), now).0,
        GossipVerdict::Ignore(IgnoreReason::Older),
        "a deleted agent does not return"
    );
}

#[test]
fn a_hundred_invented_hubs_share_one_cap() {
    let mut core = core(300, AdmissionMode::Probation);
    (1..=100).for_each(|home| fill(&mut core, home, 100, 1_000));
    let count = |core: &Engine| core.inventory(START).iter().map(|row| row.count).sum::<u64>();
    core.handle(Event::Tick, START);
    assert_eq!(count(&core), 9_000, "each gives up a tenth, so that there is room for others");
    assert_eq!(offer(&mut core, 9_001, 200), GossipVerdict::Accept, "a hub that nobody heard of before");
    assert_eq!(
        offer(&mut core, 9_002, 1),
        GossipVerdict::Ignore(IgnoreReason::OverQuota),
        "one that has its share"
    );
    core.handle(Event::ModeSet(AdmissionMode::Open), START);
    assert_eq!(offer(&mut core, 9_002, 1), GossipVerdict::Accept);
}

/// A hub with few listings gets room within a minute, however many hubs are invented and however much each
/// stores.
#[test]
fn a_thousand_invented_hubs_keep_out_nobody() {
    let mut core = core(300, AdmissionMode::Probation);
    let mut now = START;
    (0..1_000).for_each(|n| fill_from(&mut core, 1_000 + n, 100 + n * 10, 10, 1_000));
    for honest in 1..=3 {
        now = now + MINUTE;
        core.handle(Event::Tick, now);
        let listing = live(honest, honest, now);
        assert_eq!(gossip(&mut core, &listing.encode(), now).0, GossipVerdict::Accept);
        assert!(core.inventory(now).iter().map(|row| row.count).sum::<u64>() <= 10_000);
    }
    assert!((1..=3).all(|n| core.inventory(now).iter().any(|row| row.hub == hub(n) && row.count == 1)));
}

#[test]
fn a_flood_by_gossip_is_cut_and_other_hubs_go_on() {
    let mut core = core(9, AdmissionMode::Open);
    gossip(&mut core, &head(1, START, &[]).encode(), START);
    let flood: Vec<GossipVerdict> =
        (0..100).map(|agent| gossip(&mut core, &live(agent, 1, START).encode(), START).0).collect();
    assert_eq!(flood.iter().filter(|verdict| **verdict == GossipVerdict::Accept).count(), 60);
    assert_eq!(flood.last(), Some(&GossipVerdict::Ignore(IgnoreReason::TooFast)));
    assert_eq!(gossip(&mut core, &live(500, 2, START).encode(), START).0, GossipVerdict::Accept);
    assert_eq!(gossip(&mut core, &live(99, 1, START).encode(), START + SECOND).0, GossipVerdict::Accept);
}

/// Listings beyond the rate limit are found by anti-entropy.
#[test]
fn a_hub_announces_no_more_than_others_hear() {
    let mut core = core(1, AdmissionMode::Open);
    let mut announces = |agent, now| {
        let effects = core.handle(Event::Published(Box::new(live(agent, 1, now))), now);
        effects.iter().any(|effect| matches!(effect, Effect::Announce(_)))
    };
    assert_eq!((0..100).filter(|agent| announces(*agent, START)).count(), 60);
    assert!(announces(100, START + SECOND));
}

#[test]
fn a_flood_of_heads_by_gossip_is_cut() {
    let mut core = core(9, AdmissionMode::Open);
    let at = |n: u32| START + Duration::from_millis(1) * n;
    let verdicts: Vec<GossipVerdict> =
        (0..100).map(|n| gossip(&mut core, &head(1, at(n), &[]).encode(), at(n)).0).collect();
    let taken = verdicts.iter().filter(|verdict| **verdict == GossipVerdict::Accept).count();
    assert_eq!((taken, verdicts.last()), (60, Some(&GossipVerdict::Ignore(IgnoreReason::TooFast))));
    assert_eq!(gossip(&mut core, &head(2, START, &[]).encode(), at(100)).0, GossipVerdict::Accept);
    let later = START + MINUTE;
    assert_eq!(gossip(&mut core, &head(1, later, &[]).encode(), later).0, GossipVerdict::Accept);
}

#[test]
fn a_peer_that_asks_without_end_is_refused_and_others_are_answered() {
    let mut core = core(9, AdmissionMode::Open);
    let mut ask = |peer, now| {
        let request = PeerRequest::Find(SearchQuery { text: "count".into(), tags: Vec::new(), limit: 5 });
        core.handle(Event::Asked { from: hub(peer), id: 1, request }, now).remove(0)
    };
    let answers: Vec<Effect> = (0..1_000).map(|_| ask(1, START)).collect();
    let answered = answers.iter().take_while(|answer| matches!(answer, Effect::ReplyFound { .. })).count();
    assert!((30..300).contains(&answered), "{answered}");
    assert!(answers[answered..].iter().all(|answer| *answer == Effect::Refuse { to: hub(1), id: 1 }));
    assert!(matches!(ask(2, START), Effect::ReplyFound { .. }), "another one");
    assert!(matches!(ask(1, START + SECOND), Effect::ReplyFound { .. }), "and in a while");
}

/// Otherwise a few reconnecting peers would occupy all sync rounds.
#[test]
fn who_comes_again_at_once_is_not_compared_with_again() {
    let mut core = core(9, AdmissionMode::Open);
    let mut come = |now| {
        let asked = core.handle(Event::Connected(hub(1)), now);
        core.handle(Event::Disconnected(hub(1)), now);
        asked.iter().any(|effect| matches!(effect, Effect::Ask { request: PeerRequest::Rows { .. }, .. }))
    };
    assert!(come(START) && !come(START + SECOND) && !come(START + SYNC_INTERVAL - SECOND));
    assert!(come(START + SYNC_INTERVAL));
}

/// Answers a round with successive heads of hub 1, until the delivery quota of the peer is used up.
#[test]
fn what_a_peer_brings_is_cut_and_the_copy_says_so() {
    let (mut core, mut peer) = (core(9, AdmissionMode::Open), core(2, AdmissionMode::Open));
    let listing = live(1, 1, START);
    gossip(&mut peer, &listing.encode(), START);
    core.handle(Event::Tick, START);
    let now = START + SECOND;
    let row = peer.inventory(now).into_iter().find(|row| row.hub == hub(1)).unwrap();
    let head_seq = Some(Seq::next(None, now));
    let many = (1_000..1_000 + u16::try_from(ANSWER_RECORD_RATE.burst / 2).unwrap() + 512).map(hub);
    let rows = many
        .map(|hub| HubInventory { hub, head: head_seq, ..row })
        .chain([HubInventory { head: head_seq, ..row }]);
    let rows: Vec<HubInventory> = rows.collect();

    let (mut brought, mut asked) = (0, core.handle(Event::Connected(hub(2)), now));
    let bodies = loop {
        let Some(Effect::Ask { id, request, .. }) = asked.pop() else { panic!("{asked:?}") };
        let answer = match request {
            PeerRequest::Rows { .. } => PeerResponse::Rows(Some(rows.clone())),
            PeerRequest::Heads { .. } => {
                let at = |n: u32| START + Duration::from_millis(1) * n;
                let heads = (0..512).map(|n| head(1, at(brought + n), &[]).encode()).collect();
                brought += 512;
                PeerResponse::Records(heads)
            }
            request @ PeerRequest::Compare { .. } => {
                match peer.handle(Event::Asked { from: hub(9), id, request }, now).pop() {
                    Some(Effect::Reply { answer, .. }) => answer,
                    other => panic!("{other:?}"),
                }
            }
            PeerRequest::Bodies { .. } => {
                break core.handle(
                    Event::Answered {
                        from: hub(2),
                        id,
                        answer: PeerResponse::Records(vec![listing.encode()]),
                    },
                    now,
                );
            }
            PeerRequest::Find(_) => panic!("nobody searches"),
        };
        asked = core.handle(Event::Answered { from: hub(2), id, answer }, now);
    };
    assert!(brought > ANSWER_RECORD_RATE.burst);
    assert!(!stores(&bodies) && bodies.is_empty(), "the round ends: {bodies:?}");
    let ours = core.inventory(now).into_iter().find(|row| row.hub == hub(1)).unwrap();
    assert!(ours.partial && ours.count == 0, "it says that it carries a part");
    core.handle(Event::Tick, START + 2 * MINUTE);
    assert!(core.inventory(now).iter().all(|row| !row.partial), "and goes on once there is time");
}

#[test]
fn who_is_let_in_again_is_compared_with_at_once() {
    let mut core = core(9, AdmissionMode::Open);
    let asks = |effects: &[Effect]| effects.iter().any(|effect| matches!(effect, Effect::Ask { .. }));
    assert!(asks(&core.handle(Event::Connected(hub(1)), START)));
    core.handle(Event::ModeSet(AdmissionMode::Allowlist), START);
    core.handle(Event::Disconnected(hub(1)), START);
    core.handle(Event::ModeSet(AdmissionMode::Open), START + SECOND);
    assert!(asks(&core.handle(Event::Connected(hub(1)), START + SECOND)));
}
