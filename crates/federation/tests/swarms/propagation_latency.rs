//! Propagation time between distant hubs: until all show a published listing, and hide a withdrawn one.

use std::time::Duration;

use crate::{
    fixtures::{deleted, live},
    latency_proxy::Roads,
    latency_setup::{Far, ONE_WAY, Sign, far_apart, published},
    measure::{percentile, say, spread},
};

/// Required median and 99th percentile without loss.
const MEDIAN: Duration = Duration::from_millis(600);
const P99: Duration = Duration::from_secs(2);
/// Percentage of lost segments, and the required maximum with that loss.
const LOST: usize = 10;
const MAX_ITEMS: Duration = Duration::from_secs(5);
const INTERVAL: Duration = Duration::from_millis(100);

/// Checks only that everything arrives everywhere; times are asserted in the long test, where nothing else
/// runs.
// Slow: each message is delayed by 80 ms, in real time.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn eight_hubs_80_ms_apart() {
    assert_eq!(measure(8, 24, INTERVAL).await.len(), 4);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "minutes: scripts/test-long runs it"]
async fn long_fifty_hubs_80_ms_apart() {
    for (lost, times) in measure(50, 60, Duration::from_secs(1)).await {
        if lost == 0 {
            assert!(percentile(&times, 50) <= MEDIAN && percentile(&times, 99) <= P99, "{times:?}");
        } else {
            assert!(times.iter().all(|time| *time <= MAX_ITEMS), "{times:?}");
        }
    }
}

/// Publishes one listing per `every`, a rate that two cores sustain. Returns the percentage of lost segments
/// with the times until the last hub showed, or hid, each listing.
async fn measure(count: u16, listings: u16, every: Duration) -> Vec<(usize, Vec<Duration>)> {
    let roads = Roads::new(ONE_WAY);
    let hubs: Vec<Far> = far_apart(count, &roads).await;
    // After this all hubs have connected and synchronised.
    published(&hubs, 0..count, INTERVAL, live).await;
    let mut measured = Vec::new();
    for (first, lost) in [(count, 0), (count + listings, LOST)] {
        roads.lose(lost);
        let agents = first..first + listings;
        for (what, sign) in [("shown", live as Sign), ("withdrawn", deleted)] {
            let times = published(&hubs, agents.clone(), every, sign).await;
            say(&format!(
                "{count} hubs 80 ms apart, {lost} % lost, {listings} listings: {what} everywhere after {}",
                spread(times.clone())
            ));
            measured.push((lost, times));
        }
    }
    measured
}
