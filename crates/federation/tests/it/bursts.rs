//! Bursts of listings beyond the gossip limit: heads say that listings are missing, and hubs fetch them at once.

use plexus_federation::engine::quota::BY_GOSSIP;

use crate::{fixtures::live, network::Network};

/// Seconds within which all hubs have a burst, well below the interval of the periodic rounds.
const COMPLETE_WITHIN: u64 = 15;

#[test]
fn a_burst_beyond_the_gossip_limit_is_everywhere_within_seconds() {
    assert!(burst(Network::full(10, 5), 10, 80) <= COMPLETE_WITHIN);
}

/// Most hubs are not connected to the one with the burst, and ask their neighbours.
#[test]
fn a_burst_passes_from_neighbour_to_neighbour() {
    assert!(burst(Network::line(4, 6), 1, 150) <= 2 * COMPLETE_WITHIN);
}

#[test]
#[ignore = "two thousand signatures: scripts/test-long runs it"]
fn long_a_burst_of_two_thousand_listings_is_everywhere_within_seconds() {
    assert!(burst(Network::full(10, 7), 10, 200) <= COMPLETE_WITHIN);
}

/// Publishes `each` listings at once at each of the first `homes` hubs. Returns the seconds until all hubs agree
/// on all of them.
fn burst(mut network: Network, homes: u16, each: u16) -> u64 {
    assert!(u32::from(each) > BY_GOSSIP.burst, "gossip alone does not suffice");
    // All hubs have signed a head, and no periodic round is due soon.
    network.run(5);
    for home in 1..=homes {
        for agent in 0..each {
            network.publish(&live(home * 300 + agent, home, network.now));
        }
    }
    let all = u64::from(homes) * u64::from(each);
    let is_complete = |network: &Network| {
        network.sets().iter().all(|set| set.iter().map(|row| row.count).sum::<u64>() == all)
    };
    let seconds = (1..=60).find(|_| {
        network.run(1);
        is_complete(&network)
    });
    assert!(network.agrees());
    assert!(network.nodes.values().all(|node| node.accusations.is_empty()), "no hub is accused");
    seconds.unwrap_or(u64::MAX)
}
