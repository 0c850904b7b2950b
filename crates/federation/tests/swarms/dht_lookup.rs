//! DHT lookup success rates, of hubs by id and of agents by tag.

use std::time::{Duration, Instant};

use futures::{StreamExt, future::join_all, stream};

use crate::{
    hub_processes::{Counts, Crew, Hub, Outcome},
    measure::{say, spread},
};

/// Timeout of announcements: each takes about a hundred requests, with connections to the queried peers.
const TIMEOUT: Duration = Duration::from_secs(1_800);
const AT_ONCE: usize = 4;

// Slow: each of ten hubs looks up all others.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_hub_is_found_among_10() {
    measure(10, 30).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "minutes: scripts/test-long runs it"]
async fn long_every_hub_is_found_among_50_to_400() {
    for count in [50, 100, 400] {
        measure(count, 100).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "half an hour: scripts/test-long runs it"]
async fn long_every_hub_is_found_among_1000() {
    measure(1_000, 100).await;
}

async fn measure(count: u16, lookups: usize) {
    let (began, mut crew) = (Instant::now(), Crew::default());
    let mut hubs = start(&mut crew, 1, count, &[]).await;
    announce(&hubs, hubs.len()).await;
    say(&format!(
        "{count} hubs have announced themselves after {:.0?}, {} MiB",
        began.elapsed(),
        crew.memory()
    ));
    find_all("at first", &hubs, lookups).await;

    let fifth = count / 5;
    for hub in hubs.drain(..usize::from(fifth)) {
        hub.stop().await;
    }
    let newcomers = start(&mut crew, count + 1, fifth, &hubs).await;
    hubs.extend(newcomers);
    let everybody = hubs.len();
    announce(&hubs[everybody - usize::from(fifth)..], everybody).await;
    find_all("a fifth killed and replaced", &hubs, lookups).await;
}

/// Starts `count` hubs from number `first`. Each bootstraps from three of `others`, or of those started
/// before it.
async fn start(crew: &mut Crew, first: u16, count: u16, others: &[Hub]) -> Vec<Hub> {
    let mut hubs: Vec<Hub> = Vec::new();
    for n in 0..count {
        let known = if others.is_empty() { &hubs[..] } else { others };
        let nth = |step: usize| known.get((usize::from(n) * 7 + step * 13) % known.len().max(1));
        let bootstrap = (0..3).filter_map(nth).map(|hub| hub.address.clone()).collect();
        hubs.push(crew.start(first + n, bootstrap).await);
    }
    hubs
}

/// Waits until `hubs` know enough peers, lets them announce themselves, and waits until the announcements
/// have ended.
async fn announce(hubs: &[Hub], all: usize) {
    let (began, enough) = (Instant::now(), (all - 1).min(15));
    for hub in hubs {
        while hub.counts().await.table < enough {
            assert!(began.elapsed() < TIMEOUT, "a hub knows too few");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }
    join_all(hubs.iter().map(Hub::announce)).await;
    let copies = async || counts(hubs).await.iter().map(|counts| counts.announcements).sum::<usize>();
    let mut before = usize::MAX;
    while before != copies().await || before < hubs.len() * 3 {
        assert!(began.elapsed() < TIMEOUT, "announcements do not end");
        before = copies().await;
        tokio::time::sleep(Duration::from_secs(2)).await;
    }
}

async fn counts(hubs: &[Hub]) -> Vec<Counts> {
    join_all(hubs.iter().map(Hub::counts)).await
}

async fn find_all(when: &str, hubs: &[Hub], lookups: usize) {
    let pairs = |by: usize| (0..lookups).map(move |n| (n * 3 % hubs.len(), (n * 11 + by) % hubs.len()));
    let different = |by| pairs(by).filter(|(from, to)| from != to).map(|(from, to)| (&hubs[from], &hubs[to]));
    let by_name = different(1).map(|(from, to)| timed(from.find_hub(to)));
    let by_name: Vec<_> = stream::iter(by_name).buffer_unordered(AT_ONCE).collect().await;
    report(when, "by address", hubs, &by_name).await;
    let tagged = different(2).filter(|(from, to)| !from.has_tag_of(to));
    let by_tag = tagged.map(|(from, to)| timed(from.find_tag(to)));
    let by_tag: Vec<_> = stream::iter(by_tag).buffer_unordered(AT_ONCE).collect().await;
    report(when, "by tag", hubs, &by_tag).await;
}

async fn timed(lookup: impl Future<Output = Outcome>) -> (Outcome, Duration) {
    let began = Instant::now();
    (lookup.await, began.elapsed())
}

/// Prints the success rate and the number of DHT requests of all lookups so far.
async fn report(when: &str, how: &str, hubs: &[Hub], lookups: &[(Outcome, Duration)]) {
    let failures: Vec<_> = lookups.iter().filter_map(|(outcome, _)| outcome.as_ref().err()).collect();
    let counts = counts(hubs).await;
    let sum = |of: fn(&Counts) -> u64| counts.iter().map(of).sum::<u64>();
    let (asked, requests) = (sum(|counts| counts.dht_lookups), sum(|counts| counts.requests));
    let each = requests.checked_div(asked).unwrap_or_default();
    say(&format!(
        "{} hubs, {when}, {how}: {} of {} found, {}; {asked} look-ups in the DHT so far, {each} requests each (log2 n = {:.1})",
        hubs.len(),
        lookups.len() - failures.len(),
        lookups.len(),
        spread(lookups.iter().map(|(_, took)| *took).collect()),
        f64::from(u32::try_from(hubs.len()).unwrap()).log2()
    ));
    assert!(failures.is_empty(), "{when}, {how}: {failures:?}");
}
