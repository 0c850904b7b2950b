//! Leases over days of churn.

use std::time::{Duration, Instant};

use plexus_federation::engine::lease::VisibilityLease;

use crate::{
    fixtures::{self, MINUTE, SECOND},
    measure::say,
    simulator::{Hub, LOSSY, Weather, World},
};

const TICK: Duration = Duration::from_secs(10);
/// Percentage of hubs that leave and return per hour.
const CHURN: usize = 20;
/// Time for a returning hub to exchange heads with the others.
const GRACE: Duration = Duration::from_secs(2 * 60);
/// Minutes after which a dead hub must be marked as stale.
const STALE_WITHIN: usize = 35;
const HIDDEN_WITHIN: usize = 48 * 60 + 10;

#[test]
fn days_of_coming_and_going() {
    measure(8, 52, LOSSY);
}

#[test]
#[ignore = "an hour: scripts/test-long runs it"]
fn long_seven_days_of_two_hundred_hubs() {
    measure(200, 7 * 24, LOSSY);
}

/// The last hub dies in the third hour. During the fourth, the network is partitioned into halves.
fn measure(count: usize, hours: usize, weather: Weather) {
    let (began, dead) = (Instant::now(), count - 1);
    let mut watch = Watch { world: World::honest(count, TICK, weather), dead, wrong: 0 };
    watch.world.run(MINUTE * 11);
    for n in 0..count {
        let number = u16::try_from(n).unwrap();
        watch.world.publish(&fixtures::live(number, number, watch.world.now));
    }
    watch.pass(3 * 60);
    watch.world.bury(dead);
    watch.pass(STALE_WITHIN);
    assert!(watch.all_say_of_dead(VisibilityLease::Stale), "a dead hub is stale");
    watch.world.partition(count / 2);
    watch.world.churn(60, CHURN);
    watch.world.heal();
    watch.world.run(GRACE);
    watch.pass(HIDDEN_WITHIN - STALE_WITHIN - 62);
    assert!(watch.all_say_of_dead(VisibilityLease::Hidden), "and hidden after two days");
    watch.pass(hours * 60 - HIDDEN_WITHIN - 3 * 60);
    watch.all_is_shown();
    say(&format!(
        "{count} hubs, {hours} h, {CHURN} % come and go an hour, {} % loss, an hour in halves: {} times a living hub stale \
         or hidden; {:.0?} of processor",
        weather.loss,
        watch.wrong,
        began.elapsed()
    ));
    assert_eq!(watch.wrong, 0);
}

struct Watch {
    world: World,
    dead: usize,
    wrong: usize,
}

impl Watch {
    /// Advances time by `minutes`, and checks the leases of live hubs every ten minutes.
    fn pass(&mut self, minutes: usize) {
        for passed in (0..minutes).step_by(10) {
            self.world.churn(10.min(minutes - passed), CHURN);
            self.wrong += self.count_wrong();
        }
    }

    fn count_wrong(&self) -> usize {
        let world = &self.world;
        let settled = |n: &usize| world.hubs[*n].alive && world.now.since(world.hubs[*n].since) >= GRACE;
        let living: Vec<usize> = (0..world.hubs.len()).filter(settled).collect();
        let wrong = |observer: usize, of: usize| {
            let lease = world.hubs[observer].leases.get(&world.hubs[of].core.local_id());
            observer != of && lease != Some(&VisibilityLease::Fresh)
        };
        living
            .iter()
            .flat_map(|a| living.iter().map(move |b| (*a, *b)))
            .filter(|(a, b)| wrong(*a, *b))
            .count()
    }

    /// Returns whether all live hubs report this lease, or a worse one, for the dead hub.
    fn all_say_of_dead(&self, lease: VisibilityLease) -> bool {
        let dead = self.world.hubs[self.dead].core.local_id();
        let settled = |hub: &&Hub| hub.alive && self.world.now.since(hub.since) >= GRACE;
        self.world.hubs.iter().filter(settled).all(|hub| hub.leases.get(&dead) >= Some(&lease))
    }

    /// Asserts that every live hub shows the listings of all live hubs, and not that of the dead one.
    fn all_is_shown(&mut self) {
        self.world.run(MINUTE * 11 + SECOND);
        let living = self.world.hubs.iter().enumerate().filter(|(_, hub)| hub.alive);
        let living: Vec<usize> = living.map(|(n, _)| n).collect();
        for observer in &living {
            let shown = &self.world.hubs[*observer].shown;
            let id = |n: usize| fixtures::chain(u16::try_from(n).unwrap()).id().clone();
            let settled = self.world.now.since(self.world.hubs[*observer].since) >= GRACE;
            if settled {
                assert!(living.iter().all(|n| shown.contains_key(&id(*n))));
                assert!(!shown.contains_key(&id(self.dead)));
            }
        }
    }
}
