//! What one hub, and all new hubs together, may cost.

use plexus_domain::Digest;
use plexus_federation::{
    core::{
        Core, Event, Ignored, KnownHub, Verdict,
        policy::Mode,
        quota::{PROBATION, PROBATION_TIME},
    },
    record::{Seq, Status},
};

use crate::make::{MINUTE, SECOND, START, core, deleted, envelope, gossip, head, hub, live};

/// Brings `home` back with `count` listings, which costs no signatures.
fn fill(core: &mut Core, home: u16, count: u16, bytes: usize) {
    core.restore_hub(KnownHub {
        hub: hub(home),
        first_seen: START,
        proved_domain: None,
        head: None,
        record: None,
    });
    for agent in 0..count {
        let envelope = envelope(home * 100 + agent, home, Seq::next(None, START), Status::Deleted);
        core.restore_listing(
            &envelope,
            Digest::of([home.to_le_bytes(), agent.to_le_bytes()].concat()),
            bytes,
            false,
        );
    }
}

fn offer(core: &mut Core, agent: u16, home: u16) -> Verdict {
    gossip(core, &live(agent, home, START + MINUTE).encode(), START + MINUTE).0
}

#[test]
fn a_new_hub_is_carried_up_to_its_cap_until_it_has_proved_itself() {
    let mut core = core(9, Mode::Probation);
    fill(&mut core, 1, u16::try_from(PROBATION.listings).unwrap() - 1, 1_000);
    assert_eq!(offer(&mut core, 9_001, 1), Verdict::Accept);
    assert_eq!(offer(&mut core, 9_002, 1), Verdict::Ignore(Ignored::OverQuota));
    let row = core.rows(START).into_iter().find(|row| row.hub == hub(1)).unwrap();
    assert!(row.partial, "it says that it carries a part");
    assert_eq!(offer(&mut core, 101, 1), Verdict::Accept, "what replaces another needs no room");
    core.handle(Event::DomainProved { hub: hub(1), domain: "hub.example".into() }, START);
    assert_eq!(offer(&mut core, 9_002, 1), Verdict::Accept);
}

#[test]
fn a_new_hub_passes_after_a_week() {
    let mut core = core(9, Mode::Probation);
    fill(&mut core, 1, u16::try_from(PROBATION.listings).unwrap(), 1_000);
    let week = START + PROBATION_TIME;
    assert_eq!(
        gossip(&mut core, &live(9_001, 1, START).encode(), week - SECOND).0,
        Verdict::Ignore(Ignored::OverQuota)
    );
    assert_eq!(gossip(&mut core, &live(9_001, 1, START).encode(), week).0, Verdict::Accept);
}

#[test]
fn bytes_are_capped_as_well() {
    let mut core = core(9, Mode::Probation);
    fill(&mut core, 1, 10, PROBATION.bytes / 10);
    assert_eq!(offer(&mut core, 9_001, 1), Verdict::Ignore(Ignored::OverQuota));
    assert_eq!(
        gossip(&mut core, &deleted(105, 1, START + MINUTE).encode(), START + MINUTE).0,
        Verdict::Accept
    );
    assert_eq!(offer(&mut core, 9_001, 1), Verdict::Accept, "a tombstone made room");
}

#[test]
fn a_hundred_invented_hubs_share_one_cap() {
    let mut core = core(300, Mode::Probation);
    (1..=100).for_each(|home| fill(&mut core, home, 100, 1_000));
    core.handle(Event::Tick, START);
    assert_eq!(offer(&mut core, 9_001, 200), Verdict::Ignore(Ignored::OverQuota));
    core.handle(Event::ModeSet(Mode::Open), START);
    assert_eq!(offer(&mut core, 9_001, 200), Verdict::Accept);
}

#[test]
fn a_flood_by_gossip_is_cut_and_other_hubs_go_on() {
    let mut core = core(9, Mode::Open);
    gossip(&mut core, &head(1, START, &[]).encode(), START);
    let flood: Vec<Verdict> =
        (0..100).map(|agent| gossip(&mut core, &live(agent, 1, START).encode(), START).0).collect();
    assert_eq!(flood.iter().filter(|verdict| **verdict == Verdict::Accept).count(), 60);
    assert_eq!(flood.last(), Some(&Verdict::Ignore(Ignored::TooFast)));
    assert_eq!(gossip(&mut core, &live(500, 2, START).encode(), START).0, Verdict::Accept);
    assert_eq!(gossip(&mut core, &live(99, 1, START).encode(), START + SECOND).0, Verdict::Accept);
}
