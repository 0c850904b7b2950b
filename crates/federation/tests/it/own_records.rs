//! Records that this hub's key signed and that come from the network: the store is an older copy, or another
//! process uses the key.

use plexus_domain::Timestamp;
use plexus_federation::engine::{Effect, Event, policy::AdmissionMode};

use crate::fixtures::{HOUR, MINUTE, START, core, gossip, head, live, record};

/// Returns what was reported of the own key: when it signed, and whether since the start.
fn reported(effects: &[Effect]) -> Option<(Timestamp, bool)> {
    effects.iter().find_map(|effect| match effect {
        Effect::OwnKeyUsed { signed, since_start } => Some((*signed, *since_start)),
        _ => None,
    })
}

#[test]
fn records_of_the_own_key_that_are_not_here_are_reported_once() {
    for (signed, now, since_start) in
        [(START - HOUR, START + MINUTE, false), (START + MINUTE, START + 2 * MINUTE, true)]
    {
        let [listing, head, record] = [
            live(1, 9, signed).encode(),
            head(9, signed, &[]).encode(),
            record(9, signed, None, Vec::new()).encode(),
        ];
        for bytes in [listing, head, record] {
            let mut core = core(9, AdmissionMode::Open);
            let (_, effects) = gossip(&mut core, &bytes, now);
            assert_eq!(reported(&effects), Some((signed, since_start)));
            let (_, again) = gossip(&mut core, &bytes, now);
            assert_eq!(reported(&again), None, "it is known now");
        }
    }
}

#[test]
fn records_of_other_hubs_and_those_of_its_own_making_are_not_reported() {
    let mut core = core(9, AdmissionMode::Open);
    let own = live(1, 9, START);
    let published = core.handle(Event::Published(Box::new(own.clone())), START);
    let (_, returned) = gossip(&mut core, &own.encode(), START);
    let (_, other) = gossip(&mut core, &live(2, 3, START).encode(), START);
    let (_, tick) = gossip(&mut core, &head(3, START, &[]).encode(), START);
    assert!([published, returned, other, tick].iter().all(|effects| reported(effects).is_none()));
}
