//! Convergence of many hubs: after arbitrary gossip loss all hold the same sets.

use proptest::prelude::*;

use plexus_federation::{
    engine::{Effect, Engine, Event, KnownHub, policy::AdmissionMode},
    record::Listing,
};

use crate::{
    fixtures::{HOUR, MINUTE, START, core, deleted, head, hub, live},
    network::Network,
    rng::Dice,
};

#[test]
fn two_hubs_tell_each_other_what_they_have() {
    let mut network = Network::full(2, 1);
    let listings = [live(1, 1, START), live(2, 1, START), live(3, 2, START)];
    listings.iter().for_each(|listing| network.publish(listing));
    network.run(5);
    assert!(network.agrees());
    for n in [1, 2] {
        assert!(
            listings.iter().all(|listing| network.node(n).core.is_shown(listing.envelope().id())),
            "hub {n}"
        );
    }
}

#[test]
fn gossip_travels_along_a_line_and_catching_up_needs_no_gossip() {
    let mut network = Network::line(6, 2);
    let early = live(1, 1, START);
    network.publish(&early);
    network.run(5);
    assert!(network.node(6).core.is_shown(early.envelope().id()), "by gossip");
    network.loss = 100;
    let late: Vec<_> = (10..60).map(|agent| live(agent, 1, network.now)).collect();
    late.iter().for_each(|listing| network.publish(listing));
    network.run(20 * 60);
    assert!(network.agrees());
    assert!(
        late.iter().all(|listing| network.node(6).core.is_shown(listing.envelope().id())),
        "by comparing"
    );
}

#[test]
fn a_network_in_two_halves_heals() {
    let mut network = Network::line(6, 3);
    network.publish(&live(1, 1, START));
    network.run(10);
    network.cut(hub(3), hub(4));
    let (here, there) = (live(2, 1, network.now), deleted(1, 1, network.now));
    network.publish(&here);
    network.publish(&there);
    network.publish(&live(3, 6, network.now));
    network.run(600);
    assert!(!network.agrees());
    network.link(hub(3), hub(4));
    network.run(30);
    let shows = |network: &Network, n, which: &Listing| network.node(n).core.is_shown(which.envelope().id());
    assert!(shows(&network, 4, &here), "the hub at the seam compares at once");
    network.run(6 * 60);
    assert!(network.agrees());
    assert!((1..=6).all(|n| shows(&network, n, &here) && !shows(&network, n, &there)));
}

#[test]
fn an_agent_moves_to_another_hub() {
    let mut network = Network::full(3, 4);
    network.publish(&live(1, 1, START));
    network.run(10);
    network.publish(&live(1, 2, START + MINUTE));
    network.run(200);
    assert!(network.agrees());
    assert!(network.nodes.values().all(|node| node.accusations.is_empty()), "its old home signs a new head");
    let rows = network.node(3).core.inventory(network.now);
    let count = |n| rows.iter().find(|row| row.hub == hub(n)).map(|row| row.count);
    assert_eq!((count(1), count(2)), (Some(0), Some(1)));
}

#[test]
fn honest_hubs_accuse_nobody_however_bad_the_gossip() {
    for (mut network, seed) in [(Network::full(5, 5), 5), (Network::line(6, 6), 6), (Network::line(6, 7), 7)]
    {
        network.loss = 30;
        let mut dice = Dice::new(seed);
        for step in 0..80 {
            let (agent, home) = (u16::try_from(dice.roll(30)).unwrap(), u16::try_from(dice.roll(5)).unwrap());
            let record = if step % 5 == 4 { deleted } else { live };
            network.publish(&record(agent, home + 1, network.now));
            network.run(1 + u64::try_from(dice.roll(40)).unwrap());
        }
        network.run(15 * 60);
        assert!(network.agrees());
        let accusations: Vec<_> = network.nodes.values().flat_map(|node| &node.accusations).collect();
        assert!(accusations.is_empty(), "seed {seed}: {} {:?}", accusations.len(), accusations[0]);
    }
}

#[test]
fn a_hub_from_an_old_backup_gets_its_own_back() {
    let mut network = Network::full(2, 6);
    let listing = live(1, 1, START);
    network.publish(&listing);
    network.run(10);
    let empty = Network::full(2, 6).nodes.remove(&hub(1)).unwrap();
    network.cut(hub(1), hub(2));
    network.run(1);
    network.nodes.insert(hub(1), empty);
    network.link(hub(1), hub(2));
    network.run(15 * 60);
    assert!(network.node(1).core.contains(listing.envelope().id()));
    assert!(network.agrees());
    assert!(network.node(1).core.inventory(network.now).iter().all(|row| row.head.is_some()));
}

#[test]
fn what_was_stored_is_brought_back_without_signatures() {
    let mut network = Network::full(2, 7);
    let listing = live(1, 1, START);
    network.publish(&listing);
    network.run(10);
    let mut again = core(2, AdmissionMode::Open);
    again.restore_listing(listing.envelope(), listing.hash(), listing.encode().len(), false);
    let row = |core: &Engine| {
        let rows = core.inventory(network.now);
        rows.into_iter().find(|row| row.hub == hub(1)).map(|row| (row.count, row.fingerprint))
    };
    assert_eq!(row(&again), None, "its hub is not known yet");
    again.restore_hub(KnownHub {
        hub: hub(1),
        first_seen: START,
        proved_domain: None,
        head: Some(head(1, START, &[&listing])),
        record: None,
    });
    assert_eq!(row(&again), row(&network.node(2).core));
    let effects = again.handle(Event::Tick, START + HOUR);
    assert!(effects.contains(&Effect::Show(vec![listing.envelope().id().clone()])));
}

proptest! {
    #![proptest_config(plexus_testing::cases(8))]

    #[test]
    fn any_schedule_with_loss_and_repetition_converges(
        seed in any::<u64>(),
        loss in 0..50_usize,
        schedule in proptest::collection::vec((0..12_u16, 1..5_u16, any::<bool>(), 0..90_u64), 1..40),
    ) {
        let mut network = Network::full(4, seed);
        network.loss = loss;
        for (agent, home, gone, pause) in schedule {
            let record = if gone { deleted } else { live };
            network.publish(&record(agent, home, network.now));
            network.run(pause);
        }
        network.loss = 0;
        network.run(15 * 60);
        prop_assert!(network.agrees(), "{:?}", network.sets());
    }
}
