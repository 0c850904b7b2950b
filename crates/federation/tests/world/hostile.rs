//! One fifth of the hubs is hostile: they propagate and deliver nothing, state complete inventories, and
//! forge.

use std::time::Duration;

use crate::{
    fixtures::{self, SECOND},
    measure::{say, spread},
    scale::{part, publish},
    simulator::{CALM, Kind, World},
};

const WARM: Duration = Duration::from_secs(11 * 60);

#[test]
fn with_a_fifth_hostile_hubs_honest_ones_find_each_other() {
    measure(50, 10);
}

#[test]
#[ignore = "minutes: scripts/test-long runs it"]
fn long_with_two_hundred_hostile_hubs_among_a_thousand() {
    measure(1_000, 20);
}

fn measure(count: usize, listings: usize) {
    let honest = count * 4 / 5;
    let mut baseline = World::honest(honest, SECOND, CALM);
    baseline.run(WARM);
    let baseline = publish(&mut baseline, 0, listings);
    let mut world = World::new(count, honest, Kind::Hostile, SECOND, CALM);
    world.run(WARM);
    for n in honest..count {
        forge(&mut world, n);
    }
    let times = publish(&mut world, 0, listings);
    let found = times.iter().filter(|time| **time < Duration::MAX).count();
    say(&format!(
        "{} of {count} hubs hostile: {found} of {} found; after {}, without them {}",
        count - honest,
        times.len(),
        spread(times.clone()),
        spread(baseline.clone())
    ));
    assert!(found * 100 >= times.len() * 99, "{found} of {}", times.len());
    assert!(part(&times, 99) < part(&baseline, 99) * 2);
    let innocent: Vec<_> = world.hubs[..honest].iter().map(|hub| hub.core.local_id()).collect();
    for hub in &world.hubs[..honest] {
        assert!(hub.accusations.iter().all(|accusation| !innocent.contains(&accusation.accused)));
        assert!(hub.core.inventory(world.now).iter().map(|row| row.count).sum::<u64>() <= listings as u64);
    }
}

/// Announces two forgeries: a listing with another card than the signed one, and one without its author's
/// signature.
fn forge(world: &mut World, n: usize) {
    let number = u16::try_from(n).unwrap();
    let mut bent = fixtures::live(5_000 + number, number, world.now).encode();
    *bent.last_mut().unwrap() ^= 1;
    let mut lines: Vec<String> = String::from_utf8(fixtures::live(7_000 + number, 0, world.now).encode())
        .unwrap()
        .splitn(4, '\n')
        .map(str::to_owned)
        .collect();
    lines[1] = lines[2].clone();
    for bytes in [bent, lines.join("\n").into_bytes()] {
        world.announce(n, bytes);
    }
}
