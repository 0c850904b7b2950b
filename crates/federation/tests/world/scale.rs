//! Propagation time of listings, and idle traffic of a network.

use std::time::{Duration, Instant};

use plexus_a2a::listing_id::ListingId;
use plexus_domain::Timestamp;

use crate::{
    fixtures::{self, MINUTE, SECOND},
    measure::{memory, say, spread},
    simulator::{CALM, Kind, LOSSY, World},
};

/// Warm-up: every hub has signed a head, and all have received it.
const WARM: Duration = Duration::from_secs(11 * 60);
const ASKED_P50: Duration = Duration::from_millis(600);
const ASKED_P99: Duration = Duration::from_secs(2);
/// Maximum propagation time when one message in ten is lost.
const ASKED_WITH_LOSS: Duration = Duration::from_secs(5);
/// Maximum idle traffic of a hub, sent and received, in bytes per second.
const ASKED_IDLE: u64 = 20 * 1024;

#[test]
fn a_listing_is_everywhere_within_seconds_and_idle_hubs_cost_little() {
    measure(60, 10);
}

#[test]
#[ignore = "minutes: scripts/test-long runs it"]
fn long_a_thousand_hubs() {
    measure(1_000, 20);
}

fn measure(count: usize, listings: usize) {
    let began = Instant::now();
    let mut world = World::honest(count, SECOND, CALM);
    world.run(WARM);
    say(&format!("{count} hubs know each other; {:.0?} of processor, {} MiB", began.elapsed(), memory()));
    let calm = publish(&mut world, 0, listings);
    world.weather = LOSSY;
    let lossy = publish(&mut world, listings, listings);
    world.weather = CALM;
    let (mean, most) = idle(&mut world, 10);
    say(&format!(
        "{count} hubs: shown after p50 / p99 / most {}; with 10 % loss {}; idle {mean} bytes/s a hub, {most} at most; {:.0?} in all",
        spread(calm.clone()),
        spread(lossy.clone()),
        began.elapsed()
    ));
    assert!(part(&calm, 50) <= ASKED_P50 && part(&calm, 99) <= ASKED_P99);
    assert!(part(&lossy, 100) <= ASKED_WITH_LOSS);
    assert!(mean <= ASKED_IDLE, "{mean} bytes a second");
    let accused = world.hubs.iter().flat_map(|hub| &hub.accusations).count();
    assert_eq!(accused, 0, "honest hubs accuse nobody");
}

/// Ten thousand hubs: fifty run an engine, the others only forward gossip.
#[test]
#[ignore = "minutes: scripts/test-long runs it"]
fn long_ten_thousand_hubs() {
    const KNOWING: usize = 50;
    let began = Instant::now();
    let mut world = World::new(9_999, KNOWING, Kind::Passing, SECOND, CALM);
    // A hub without a head is not visible: those that publish sign one first.
    for n in 0..KNOWING {
        let head = fixtures::head(u16::try_from(n).unwrap(), world.now, &[]);
        world.announce(n, head.encode());
    }
    world.run(MINUTE);
    let calm = publish(&mut world, 0, 20);
    let (mean, most) = idle(&mut world, 1);
    say(&format!(
        "9,999 hubs, {KNOWING} of them whole: shown there after p50 / p99 / most {}; {mean} bytes/s a hub, {most} at most; \
         {:.0?} of processor, {} MiB",
        spread(calm.clone()),
        began.elapsed(),
        memory()
    ));
    assert!(part(&calm, 50) <= ASKED_P50 && part(&calm, 99) <= ASKED_P99);
}

/// Publishes one listing per second at random hubs. Returns the times until each live hub showed each
/// listing.
pub fn publish(world: &mut World, first: usize, count: usize) -> Vec<Duration> {
    let mut published: Vec<(ListingId, Timestamp)> = Vec::new();
    for agent in first..first + count {
        let home = loop {
            let n = world.dice.roll(world.hubs.len());
            if world.hubs[n].kind == Kind::Honest && world.hubs[n].alive {
                break n;
            }
        };
        let (agent, home) = (u16::try_from(agent).unwrap(), u16::try_from(home).unwrap());
        let listing = fixtures::live(agent, home, world.now);
        published.push((listing.envelope().id().clone(), world.now));
        world.publish(&listing);
        world.run(SECOND);
    }
    world.run(SECOND * 30);
    let times = world.hubs.iter().filter(|hub| hub.kind == Kind::Honest && hub.alive).flat_map(|hub| {
        published.iter().map(|(id, at)| hub.shown.get(id).map_or(Duration::MAX, |shown| shown.since(*at)))
    });
    times.collect()
}

/// Returns the idle traffic per hub in bytes per second: mean and maximum.
fn idle(world: &mut World, minutes: u32) -> (u64, u64) {
    world.hubs.iter_mut().for_each(|hub| hub.traffic = 0);
    world.run(MINUTE * minutes);
    let seconds = u64::from(minutes) * 60;
    let whole = world.hubs.iter().filter(|hub| hub.kind == Kind::Honest);
    let each: Vec<u64> = whole.map(|hub| hub.traffic / seconds).collect();
    (each.iter().sum::<u64>() / each.len() as u64, each.into_iter().max().unwrap_or_default())
}

pub fn part(times: &[Duration], percent: usize) -> Duration {
    let mut sorted = times.to_vec();
    sorted.sort_unstable();
    sorted[(sorted.len() - 1) * percent / 100]
}
