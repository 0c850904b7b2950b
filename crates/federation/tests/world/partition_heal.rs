//! Network partition into two halves, and its healing.

use std::time::{Duration, Instant};

use plexus_federation::engine::HubInventory;

use crate::{
    fixtures::{self, MINUTE, SECOND},
    measure::say,
    simulator::{CALM, LOSSY, World},
};

const WARM: Duration = Duration::from_secs(11 * 60);
const ASKED: Duration = Duration::from_secs(30);

#[test]
fn after_ten_minutes_in_halves_all_have_the_same_within_seconds() {
    measure(40, 100);
}

#[test]
#[ignore = "minutes: scripts/test-long runs it"]
fn long_five_hundred_hubs_in_halves() {
    measure(500, 1_000);
}

fn measure(count: usize, listings: usize) {
    let began = Instant::now();
    let mut world = World::honest(count, SECOND, CALM);
    world.run(WARM);
    world.weather = LOSSY;
    world.partition(count / 2);
    for agent in 0..listings {
        let home = world.dice.roll(count);
        let listing = fixtures::live(u16::try_from(agent).unwrap(), u16::try_from(home).unwrap(), world.now);
        world.publish(&listing);
        world.run(MINUTE * 10 / u32::try_from(listings).unwrap());
    }
    assert!(!agrees(&world), "the halves differ");
    world.heal();
    let healed = world.now;
    while !agrees(&world) && world.now.since(healed) < ASKED * 10 {
        world.run(SECOND);
    }
    let took = world.now.since(healed);
    say(&format!(
        "{count} hubs, {listings} listings in ten minutes in halves: the same everywhere {took:.0?} after; {:.0?} of processor",
        began.elapsed()
    ));
    assert!(took <= ASKED, "{took:?}");
}

/// Returns whether all hubs hold the same sets.
fn agrees(world: &World) -> bool {
    let set = |row: HubInventory| (row.hub, row.count, row.fingerprint);
    let mut sets =
        world.hubs.iter().map(|hub| hub.core.inventory(world.now).into_iter().map(set).collect::<Vec<_>>());
    let first = sets.next();
    sets.all(|set| Some(set) == first)
}
