//! DHT recall for a popular tag, under junk records and with failing hubs.

use std::{
    collections::HashSet,
    time::{Duration, Instant},
};

use futures::{StreamExt, future::join_all, stream};
use libp2p::{
    PeerId,
    identity::Keypair,
    kad::{K_VALUE, KBucketKey, ProviderRecord, RecordKey},
};
use plexus_domain::Digest;
use plexus_federation::{
    net::{dht_keys, peer_id},
    record::Tag,
};

use crate::{
    dht_node::{Found, Hub},
    js_peer::Js,
    measure::{memory, say, spread},
    raw_kad_peer,
};

/// Concurrent visitors.
const AT_ONCE: usize = 8;
/// Timeout of filling routing tables, on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(300);

struct Shape {
    hubs: usize,
    /// Further peers that connect, announce the same tag and leave.
    visitors: usize,
    /// Further peers whose provider records are inserted directly into the stores of the closest hubs.
    absent: usize,
    attackers: usize,
    victims: usize,
    /// Junk keys sent by attackers (`junk`), and inserted directly into the victims' stores (`more_junk`).
    junk: usize,
    more_junk: usize,
}

// Slow: dozens of hubs join one DHT, in real time.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_popular_tag_is_found_whole_under_junk_and_loss() {
    let (junk, more_junk) = (9_000, 6_000);
    measure(Shape { hubs: 15, visitors: 10, absent: 55, attackers: 3, victims: 5, junk, more_junk }).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "minutes: scripts/test-long runs it"]
async fn long_a_popular_tag_of_500_hubs_under_a_million_junk_keys() {
    let (junk, more_junk) = (100_000, 900_000);
    measure(Shape { hubs: 50, visitors: 50, absent: 400, attackers: 20, victims: 10, junk, more_junk }).await;
}

async fn measure(shape: Shape) {
    let tag = Tag::from_text("popular").unwrap();
    let empty = memory();
    let began = Instant::now();
    let mut hubs = network(shape.hubs).await;
    say(&format!(
        "{} hubs know each other after {:.1?}, {} MiB",
        shape.hubs,
        began.elapsed(),
        memory() - empty
    ));

    let began = Instant::now();
    let mut js = Js::start().await;
    let mut announced = announce(&hubs, shape.visitors, &tag).await;
    announced.extend(absent(&hubs, shape.absent, &tag).await);
    if let Some(js) = &mut js {
        js.dial(&hubs[0].address.clone().with_p2p(hubs[0].peer).unwrap()).await;
        js.provide(&dht_keys::tag(&tag)).await;
        js.provide(&shard(js.peer, &tag)).await;
        announced.insert(js.peer);
        assert!(js.find(&rare()).await.contains(&hubs[1].peer), "js-libp2p finds what a hub announced");
    }
    say(&format!("{} announced within {:.1?}", announced.len(), began.elapsed()));
    recall("at first", &hubs[..5], &announced, &tag).await;

    let (before, began) = (memory(), Instant::now());
    let attackers = attackers(&hubs[..shape.victims], shape.attackers).await;
    let connected = memory();
    let each = shape.junk / shape.attackers / shape.victims;
    let (victims, others) = hubs.split_at(shape.victims);
    let flood = raw_kad_peer::junk(&attackers, victims, each);
    let times = lookups_while(flood, others, &tag).await;
    more_junk(victims, shape.more_junk).await;
    settled(victims).await;
    let counts = join_all(victims.iter().map(Hub::counts)).await;
    let kept: Vec<usize> = counts.iter().map(|counts| counts.announcements).collect();
    say(&format!(
        "junk: {} announcements came within {:.1?}, up to {} kept by a hub; {} MiB for {} connections, then {} MiB for junk",
        victims.iter().map(Hub::heard).sum::<usize>(),
        began.elapsed(),
        kept.iter().max().unwrap(),
        connected.saturating_sub(before),
        shape.attackers * shape.victims,
        memory().saturating_sub(connected),
    ));
    say(&format!("look-ups meanwhile, p50 / p99 / most: {}", spread(times)));
    drop(attackers);
    assert!(hubs[0].provide(rare()).await, "a flooded hub announces its own");
    recall("after junk", &hubs[shape.hubs - 5..], &announced, &tag).await;

    let fifth = shape.hubs / 5;
    hubs.drain(..fifth);
    recall("a fifth killed", &hubs[..3], &announced, &tag).await;
    let newcomers = join_all((0..fifth).map(|_| Hub::start())).await;
    join(&newcomers, &hubs).await;
    recall("replaced, asked by newcomers", &newcomers[..3], &announced, &tag).await;
}

/// Starts hubs that discover each other through the first one.
async fn network(count: usize) -> Vec<Hub> {
    let hubs = join_all((0..count).map(|_| Hub::start())).await;
    join(&hubs[1..], &hubs[..1]).await;
    hubs
}

/// Connects each of `hubs` to three of `others`, and waits until each knows 15 peers, or all if there are
/// fewer.
async fn join(hubs: &[Hub], others: &[Hub]) {
    let (began, enough) = (Instant::now(), (hubs.len() + others.len() - 1).min(15));
    for (n, hub) in hubs.iter().enumerate() {
        for step in 0..3 {
            hub.meet(&others[(n + step * 7) % others.len()]).await;
        }
        hub.join().await;
    }
    for hub in hubs {
        while hub.counts().await.known < enough {
            assert!(began.elapsed() < TIMEOUT, "a hub knows only {}", hub.counts().await.known);
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
}

/// Announces the tag, as a whole and by shard, from all hubs and from `count` visitors.
async fn announce(hubs: &[Hub], count: usize, tag: &Tag) -> HashSet<PeerId> {
    let by_hubs = hubs.iter().map(|hub| announce_one(hub, tag));
    join_all(by_hubs).await;
    let visitors = (0..count).map(|n| async move {
        let visitor = Hub::visiting();
        for step in 0..3 {
            visitor.meet(&hubs[(n + step * 11) % hubs.len()]).await;
        }
        announce_one(&visitor, tag).await;
        // Announcing completes when the messages are queued. A later lookup completes only after they were
        // sent.
        visitor.find(shard(visitor.peer, tag)).await;
        visitor.peer
    });
    let began = Instant::now();
    let visits = stream::iter(visitors).buffer_unordered(AT_ONCE).enumerate().map(|(n, peer)| {
        if n % 25 == 24 {
            say(&format!("  {} came, announced and left within {:.0?}", n + 1, began.elapsed()));
        }
        peer
    });
    let visited: Vec<PeerId> = visits.collect().await;
    assert!(hubs[1].provide(rare()).await);
    hubs.iter().map(|hub| hub.peer).chain(visited).collect()
}

/// Inserts provider records of absent hubs into the stores of the twenty hubs closest to each key.
async fn absent(hubs: &[Hub], count: usize, tag: &Tag) -> Vec<PeerId> {
    let absent: Vec<PeerId> = (0..count).map(|_| Keypair::generate_ed25519().public().to_peer_id()).collect();
    for peer in &absent {
        for key in [dht_keys::tag(tag), shard(*peer, tag)] {
            let target = KBucketKey::new(key.clone());
            let mut closest: Vec<&Hub> = hubs.iter().collect();
            closest.sort_by_key(|hub| KBucketKey::from(hub.peer).distance(&target));
            let record = ProviderRecord::new(key, *peer, vec!["/ip4/127.0.0.1/tcp/9".parse().unwrap()]);
            join_all(
                closest[..K_VALUE.get().min(hubs.len())].iter().map(|hub| hub.take(vec![record.clone()])),
            )
            .await;
        }
    }
    absent
}

/// Inserts junk of two hundred unconnected attackers, so that the stores reach their limits.
async fn more_junk(victims: &[Hub], count: usize) {
    const ATTACKERS: usize = 200;
    const BATCH: usize = 1_000;
    let attackers: Vec<PeerId> = (0..ATTACKERS).map(|_| PeerId::random()).collect();
    for batch in 0..count / BATCH {
        let junk = (0..BATCH).map(|n| {
            let key = [&[0x12, 0x20][..], Digest::of(format!("{batch} {n}")).as_bytes()].concat();
            ProviderRecord::new(RecordKey::from(key), attackers[(batch + n) % ATTACKERS], Vec::new())
        });
        victims[batch % victims.len()].take(junk.collect()).await;
    }
}

async fn announce_one(hub: &Hub, tag: &Tag) {
    assert!(hub.provide(dht_keys::tag(tag)).await && hub.provide(shard(hub.peer, tag)).await);
}

fn shard(hub: PeerId, tag: &Tag) -> RecordKey {
    dht_keys::tag_shard(tag, dht_keys::shard_of(peer_id::hub_of(&hub).unwrap()))
}

/// Returns the key of a tag that one hub has.
fn rare() -> RecordKey {
    dht_keys::tag(&Tag::from_text("rare").unwrap())
}

async fn attackers(victims: &[Hub], count: usize) -> Vec<Hub> {
    let attackers: Vec<Hub> = (0..count).map(|_| Hub::visiting()).collect();
    for attacker in &attackers {
        join_all(victims.iter().map(|victim| attacker.dial(victim))).await;
    }
    attackers
}

/// Waits until all received records are processed. Their number is unknown: a victim may have closed a stream
/// early.
async fn settled(victims: &[Hub]) {
    let sum = || victims.iter().map(Hub::heard).sum::<usize>();
    let mut before = 0;
    while before < sum() {
        before = sum();
        tokio::time::sleep(Duration::from_secs(2)).await;
    }
}

/// Returns the durations of consecutive lookups by bystanders while `work` runs.
async fn lookups_while(work: impl Future<Output = ()>, hubs: &[Hub], tag: &Tag) -> Vec<Duration> {
    let (mut times, mut working) = (Vec::new(), true);
    tokio::pin!(work);
    while working || times.is_empty() {
        let began = Instant::now();
        let lookup = hubs[times.len() % hubs.len()].find(dht_keys::tag(tag));
        tokio::pin!(lookup);
        let found = tokio::select! {
            () = &mut work, if working => { working = false; lookup.await }
            found = &mut lookup => found,
        };
        assert!(!found.hubs.is_empty());
        times.push(began.elapsed());
    }
    times
}

async fn recall(when: &str, askers: &[Hub], announced: &HashSet<PeerId>, tag: &Tag) {
    let mut lowest = usize::MAX;
    let (mut whole, mut requests, mut times) = (0, 0, Vec::new());
    for asker in askers {
        let began = Instant::now();
        let Found { hubs, .. } = asker.find(dht_keys::tag(tag)).await;
        times.push(began.elapsed());
        whole = whole.max(hubs.intersection(announced).count());
        let shards = (0..dht_keys::SHARDS).map(|shard| asker.find(dht_keys::tag_shard(tag, shard)));
        let shards = join_all(shards).await;
        requests += shards.iter().map(|found| found.requests).sum::<u32>();
        let found: HashSet<PeerId> = shards.into_iter().flat_map(|found| found.hubs).collect();
        lowest = lowest.min(found.intersection(announced).count());
        assert!(asker.find(rare()).await.hubs.len() <= 2);
    }
    let (lookups, all) =
        (u32::from(dht_keys::SHARDS) * u32::try_from(askers.len()).unwrap(), announced.len());
    say(&format!(
        "{when}: {lowest} of {all} found over shards, {whole} under the tag alone, {} requests a look-up, {}",
        requests / lookups,
        spread(times)
    ));
    assert!(lowest * 10 >= all * 9, "{when}: {lowest} of {all}");
}
