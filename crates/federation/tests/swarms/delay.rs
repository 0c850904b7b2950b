//! Hubs that are far from each other: how long it takes until all of them show what one publishes, and hide what it withdraws.

use std::time::Duration;

use crate::{
    far::{Far, ONE_WAY, Sign, far_apart, published},
    make::{deleted, live},
    measure::{percentile, say, spread},
    road::Roads,
};

/// What is asked for: of all times, half and 99 of 100,
const MEDIAN: Duration = Duration::from_millis(600);
const P99: Duration = Duration::from_secs(2);
/// and all where so many of a hundred segments are lost.
const LOST: usize = 10;
const MOST: Duration = Duration::from_secs(5);
const EVERY: Duration = Duration::from_millis(100);

/// That all of it comes everywhere. How soon is measured where nothing else runs.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn eight_hubs_80_ms_apart() {
    assert_eq!(measure(8, 24, EVERY).await.len(), 4);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "minutes: scripts/test-long runs it"]
async fn long_fifty_hubs_80_ms_apart() {
    for (lost, times) in measure(50, 60, Duration::from_secs(1)).await {
        if lost == 0 {
            assert!(percentile(&times, 50) <= MEDIAN && percentile(&times, 99) <= P99, "{times:?}");
        } else {
            assert!(times.iter().all(|time| *time <= MOST), "{times:?}");
        }
    }
}

/// With one listing in each `every`, which two cores bear: how many of a hundred segments were lost, and how long listings
/// took until the last hub showed them, or hid them.
async fn measure(count: u16, listings: u16, every: Duration) -> Vec<(usize, Vec<Duration>)> {
    let roads = Roads::new(ONE_WAY);
    let hubs: Vec<Far> = far_apart(count, &roads).await;
    // By then all have met and compared what they have.
    published(&hubs, 0..count, EVERY, live).await;
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
