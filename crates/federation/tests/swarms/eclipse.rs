//! Eclipse attack on a tag: the peers closest to its DHT key withhold its hubs and return invented ones.

use std::collections::HashSet;

use futures::future::join_all;
use libp2p::{
    PeerId,
    identity::Keypair,
    kad::{K_VALUE, KBucketKey, ProviderRecord, RecordKey},
};
use plexus_domain::Digest;
use plexus_federation::{
    engine::{Event, LiveQuery, SearchQuery},
    net::{dht_keys, peer_id},
    record::Tag,
};

use crate::{
    dht_node::Hub,
    fixtures::tagged,
    full_hub::{Whole, now, through_one, until},
    measure::say,
};

const TAG: &str = "wanted";
/// Keys generated, of which the closest are used: closer than those of a few honest hubs are by chance.
const MADE: u32 = 10_000;
/// Invented hubs that each attacker returns.
const INVENTED: usize = 3;

// Slow: many attackers join one DHT, in real time.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tag_whose_place_is_taken_is_found_by_its_shards() {
    measure(6).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "minutes: scripts/test-long runs it"]
async fn long_a_tag_of_50_hubs_whose_place_is_taken() {
    measure(50).await;
}

/// Measures an attack on hubs that all have an agent with the tag.
async fn measure(count: u16) {
    let tag = Tag::from_text(TAG).unwrap();
    let hubs = through_one(count, usize::from(count - 1).min(8)).await;
    let sybils = sybils(&dht_keys::tag(&tag), &hubs).await;
    let heard = || sybils.iter().map(Hub::heard).sum::<usize>();
    let before = heard();
    for (agent, hub) in (0..).zip(&hubs) {
        hub.publish(&tagged(agent, hub.n, now(), &[TAG])).await;
        hub.provide(&[TAG]).await;
    }
    until("announcements came to those who keep quiet", async || {
        heard() - before >= hubs.len() * sybils.len() * 9 / 10
    })
    .await;

    let stranger = Hub::visiting();
    stranger.reach(peer_id::peer_of(hubs[0].me).unwrap(), hubs[0].address().await).await;
    until("the stranger knows it", async || stranger.counts().await.known > 0).await;
    let names: HashSet<PeerId> = hubs.iter().filter_map(|hub| peer_id::peer_of(hub.me)).collect();
    let there = stranger.find(dht_keys::tag(&tag)).await.hubs;
    until("the shards are elsewhere", async || {
        over_shards(&stranger, &tag).await.len() * 10 >= hubs.len() * 9
    })
    .await;
    let shards = over_shards(&stranger, &tag).await;
    // With few hubs, some are queried during the lookup and return their own records.
    say(&format!(
        "{} who name others than the {count} hubs of a tag: a stranger finds {} at its place, {} over shards",
        sybils.len(),
        there.intersection(&names).count(),
        shards.len()
    ));
    assert!(shards.is_subset(&names), "the invented ones are only at its place");
    for hub in &hubs {
        until("what is carried is found as ever", async || {
            hub.stored.lock().unwrap().shown.values().filter(|(shown, _)| *shown).count() >= hubs.len() - 1
        })
        .await;
        until("the shards name hubs in time", async || !is_alarmed(hub, &tag).await).await;
    }
}

/// Returns the hubs found under the shards of a tag.
async fn over_shards(stranger: &Hub, tag: &Tag) -> HashSet<PeerId> {
    let shards = (0..dht_keys::SHARDS).map(|shard| stranger.find(dht_keys::tag_shard(tag, shard)));
    join_all(shards).await.into_iter().flat_map(|found| found.hubs).collect()
}

/// Starts as many attackers as the DHT keeps replicas, closer to the key than any other peer. They know only
/// each other.
async fn sybils(key: &RecordKey, hubs: &[Whole]) -> Vec<Hub> {
    let seeds = (0..MADE).map(|n| *Digest::of(n.to_le_bytes()).as_bytes());
    let mut made: Vec<Keypair> = seeds.map(|seed| Keypair::ed25519_from_bytes(seed).unwrap()).collect();
    let target = KBucketKey::new(key.clone());
    made.sort_by_cached_key(|made| KBucketKey::from(made.public().to_peer_id()).distance(&target));
    made.truncate(K_VALUE.get());
    let sybils = made.into_iter().map(|key| Hub::start_as(key, "/ip4/127.0.0.1/tcp/0", true));
    let sybils = join_all(sybils).await;
    for sybil in &sybils {
        let invented = (0..INVENTED).map(|_| Keypair::generate_ed25519().public().to_peer_id());
        let named = invented.map(|name| ProviderRecord::new(key.clone(), name, Vec::new()));
        sybil.take(named.collect()).await;
    }
    for (one, other) in sybils.iter().flat_map(|one| sybils.iter().map(move |other| (one, other))) {
        one.meet(other).await;
    }
    for (sybil, hub) in sybils.iter().flat_map(|sybil| hubs.iter().map(move |hub| (sybil, hub))) {
        sybil.reach(peer_id::peer_of(hub.me).unwrap(), hub.address().await).await;
    }
    sybils
}

/// Returns whether a search of this hub raises the alarm that the DHT returned none of the hubs it knows.
async fn is_alarmed(hub: &Whole, tag: &Tag) -> bool {
    let (search, before) = (now().millis().unsigned_abs(), hub.stored.lock().unwrap().done.len());
    let query = SearchQuery { text: String::new(), tags: vec![tag.clone()], limit: 10 };
    let wanted = LiveQuery { query, whole_network: true, own: 0, replicated: 0 };
    hub.tell(Event::Search { search, wanted }).await;
    until("a search ends", async || hub.stored.lock().unwrap().done.len() > before).await;
    std::mem::take(&mut hub.stored.lock().unwrap().unnamed).contains(tag)
}
