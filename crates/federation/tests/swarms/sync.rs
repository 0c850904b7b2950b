//! Catch-up after an absence, address book, and live search, between full hubs.

use plexus_federation::{
    engine::{Effect, Event, HubOutcome, LiveQuery, SearchQuery, policy::AdmissionMode},
    net::NetConfig,
    record::Tag,
};

use crate::{
    fixtures::{live, tagged},
    full_hub::{Whole, config, connected, now, until},
};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hub_that_was_away_catches_up() {
    let (one, two) = (Whole::start(1, &[]).await, Whole::start(2, &[]).await);
    let listings: Vec<_> = (0..300).map(|agent| live(agent, 1, now())).collect();
    for listing in &listings {
        one.publish(listing).await;
    }
    let moved = live(400, 2, now());
    two.publish(&moved).await;
    two.dial(&one).await;
    until("all listings came, in batches", async || listings.iter().all(|listing| two.shows(listing))).await;
    until("both ways", async || one.shows(&moved)).await;
    let stored = two.stored.lock().unwrap();
    assert!(stored.accusations.is_empty(), "{:?}", stored.accusations);
}

/// The persisted address book alone reconnects a hub to its network, without bootstrap addresses.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hub_comes_back_by_its_address_book() {
    let one = Whole::start(1, &[]).await;
    let two = Whole::start(2, &[&one]).await;
    connected(&[&one, &two], 1).await;
    until("addresses are kept", async || !two.stored.lock().unwrap().kept.is_empty()).await;
    let kept = two.stored.lock().unwrap().kept.clone();
    drop(two);
    let again = Whole::start_with(2, Vec::new(), kept, "/ip4/127.0.0.1/tcp/0");
    connected(&[&again], 1).await;
}

/// Hub 3 dials only its bootstrap address, and joins when hub 1 has finished its lookups. Its hub record
/// suffices to be dialed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hub_that_lacks_neighbours_calls_whoever_says_where_it_is() {
    let middle = Whole::start(2, &[]).await;
    let one = Whole::start(1, &[&middle]).await;
    connected(&[&one, &middle], 1).await;
    let at = config(3, vec![middle.address().await], Vec::new(), "/ip4/127.0.0.1/tcp/0");
    let quiet = Whole::start_as(3, NetConfig { is_public: Some(|_| false), ..at });
    connected(&[&quiet], 1).await;
    quiet.describe().await;
    connected(&[&quiet, &one], 2).await;
}

/// Hub 3 replicates only a part of hub 1. It finds hub 1 in the DHT by a tag, queries it, and gets further
/// listings.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_search_reaches_hubs_that_the_dht_names() {
    let middle = Whole::start(2, &[]).await;
    let one = Whole::start(1, &[&middle]).await;
    connected(&[&one, &middle], 1).await;
    one.describe().await;
    one.provide(&["rare"]).await;
    until("the announcement is in the DHT", async || middle.status().await.announcements >= 3).await;
    let listings: Vec<_> = (0..150).map(|agent| tagged(agent, 1, now(), &["rare"])).collect();
    for listing in &listings {
        one.publish(listing).await;
    }

    let asker = Whole::start_with(3, Vec::new(), Vec::new(), "/ip4/127.0.0.1/tcp/0");
    asker.tell(Event::ModeSet(AdmissionMode::Probation)).await;
    asker.dial(&middle).await;
    let carried = async || listings.iter().filter(|listing| asker.holds(listing)).count();
    until("as much is carried as a new hub may have", async || carried().await >= 100).await;

    let query = SearchQuery { text: String::new(), tags: vec![Tag::from_text("rare").unwrap()], limit: 10 };
    until("others are found live", async || {
        let before = asker.stored.lock().unwrap().done.len();
        let wanted = LiveQuery { query: query.clone(), whole_network: true, own: 0, replicated: 0 };
        asker.tell(Event::Search { search: u64::try_from(before).unwrap(), wanted }).await;
        until("a search ends", async || asker.stored.lock().unwrap().done.len() > before).await;
        let found = std::mem::take(&mut asker.stored.lock().unwrap().found);
        found.iter().any(|listing| !asker.holds(listing))
    })
    .await;
    assert_eq!(carried().await, 100, "and not carried for that");
    let done = asker.stored.lock().unwrap().done.pop();
    let Some(Effect::SearchDone { provenance, .. }) = done else { panic!("{done:?}") };
    assert_eq!(provenance.asked.get(&one.me), Some(&HubOutcome::Answered { wrong: 0 }));
}
