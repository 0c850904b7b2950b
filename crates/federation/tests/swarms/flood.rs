//! Gossip flood with validly signed records: other hubs must still propagate theirs.

use std::{sync::Arc, time::Duration};

use libp2p::identity::Keypair;
use tokio::{task::JoinSet, time::timeout};

use crate::{
    catch_up::listing,
    fixtures::{self, live},
    full_hub::TIMEOUT,
    latency_proxy::Roads,
    latency_setup::{ONE_WAY, far_apart, published},
    measure::{memory, percentile, say, spread},
    raw_gossip_peer::{self, Raw},
};

/// Number of the flooding hub.
const FLOODER: u16 = 900;
const INTERVAL: Duration = Duration::from_millis(100);
/// Maximum additional memory in MiB, for all hubs together, when no other test runs.
const MAX_MEMORY: usize = 256;
/// Messages per write.
const BATCH: usize = 50;

// Slow: the flood lasts until the limits of a peer are exceeded, in real time.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_floods_is_shut_out_and_the_others_are_heard() {
    measure(4, 40, 1, 3_000).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "minutes: scripts/test-long runs it"]
async fn long_a_flood_makes_nobody_else_wait() {
    let Waits { calm, flooded, more } = measure(8, 200, 8, 20_000).await;
    assert!(flooded <= 2 * calm, "{flooded:?}, before it {calm:?}");
    assert!(more < MAX_MEMORY, "{more} MiB");
}

/// 99th percentile of propagation before and during a flood, and the additional memory in MiB.
struct Waits {
    calm: Duration,
    flooded: Duration,
    more: usize,
}

/// The flooder has no latency to the first `victims` hubs; the hubs are distant from each other. Times mean
/// little while other tests run, so only the long test asserts them.
async fn measure(count: u16, listings: u16, victims: usize, flood: u32) -> Waits {
    let hubs = far_apart(count, &Roads::new(ONE_WAY)).await;
    let key = Keypair::ed25519_from_bytes(fixtures::seed(FLOODER)).unwrap();
    let words = (0..flood)
        .map(|n| raw_gossip_peer::message(&key, n.into(), &listing(FLOODER, n)))
        .collect::<Vec<_>>();
    let words: Arc<[Vec<u8>]> = words.chunks(BATCH).map(<[Vec<u8>]>::concat).collect();
    published(&hubs, 0..count, INTERVAL, live).await;
    let calm = published(&hubs, count..count + listings, INTERVAL, live).await;
    let before = memory();
    let mut flooding = JoinSet::new();
    for hub in hubs.iter().take(victims) {
        flooding.spawn(say_all(Raw::start_as(key.clone(), &hub.whole).await, words.clone()));
    }
    let others = count + listings..count + 2 * listings;
    let flooded = published(&hubs, others, INTERVAL, live).await;
    let more = memory().saturating_sub(before);
    let read = flooding.join_all().await;
    say(&format!(
        "{count} hubs, {listings} listings: everywhere after {}; while one more says {flood} to {victims} of them, and is shut out after {read:?} at most: {}; {more} MiB more",
        spread(calm.clone()),
        spread(flooded.clone()),
    ));
    Waits { calm: percentile(&calm, 99), flooded: percentile(&flooded, 99), more }
}

/// Sends until the connection is closed by the victim; returns the number of messages sent by then.
async fn say_all(mut raw: Raw, words: Arc<[Vec<u8>]>) -> usize {
    for (n, batch) in words.iter().enumerate() {
        if !raw.say(batch).await {
            return n * BATCH;
        }
    }
    assert!(timeout(TIMEOUT, raw.until_shut_out()).await.is_ok(), "it is shut out");
    words.len() * BATCH
}
