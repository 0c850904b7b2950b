//! Gossip between full hubs over loopback.

use std::time::Duration;

use plexus_federation::{
    engine::{
        Event,
        policy::{PolicyRule, RuleAction, RuleSource, RuleSubject},
    },
    record::Listing,
};

use crate::{
    fixtures::{self, live},
    full_hub::{Whole, connected, now, through_one, until},
};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_one_publishes_all_verify_and_show() {
    let hubs = through_one(6, 1).await;
    let listing = live(1, 4, now());
    hubs[3].publish(&listing).await;
    for hub in &hubs {
        until("a listing is shown everywhere", async || hub.shows(&listing)).await;
    }
    let gone = fixtures::deleted(1, 4, now());
    hubs[3].publish(&gone).await;
    for hub in &hubs {
        until("and withdrawn everywhere", async || !hub.shows(&listing)).await;
    }
}

/// A line of three: the malicious hub, an honest hub, and a hub behind that one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_forgery_dies_at_the_first_hop() {
    let honest = Whole::start(2, &[]).await;
    let liar = Whole::start(1, &[&honest]).await;
    let behind = Whole::start(3, &[&honest]).await;
    connected(&[&liar, &honest, &behind], 1).await;
    let good = live(7, 1, now());
    let mut forged = live(8, 1, now()).encode();
    let last = forged.len() - 1;
    forged[last] ^= 1;
    // The engine of the malicious hub would not announce this, so use its network actor directly.
    liar.net.order(plexus_federation::net::actor_api::ActorCommand::Announce(forged)).await.unwrap();
    liar.publish(&good).await;
    until("what is true arrives", async || behind.holds(&good) && honest.holds(&good)).await;
    for hub in [&honest, &behind] {
        assert_eq!(hub.stored.lock().unwrap().listings.len(), 1, "hub {} stored a forgery", hub.n);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_is_blocked_is_cut_off_and_let_in_again() {
    let (one, two) = (Whole::start(1, &[]).await, Whole::start(2, &[]).await);
    two.dial(&one).await;
    connected(&[&one, &two], 1).await;
    let rule =
        PolicyRule { action: RuleAction::Block, reason: "spam".into(), author: "ada".into(), expires: None };
    let (source, subject) = (RuleSource::Local, RuleSubject::Hub(two.me));
    one.tell(Event::RuleSet { source: source.clone(), subject: subject.clone(), rule }).await;
    until("a blocked hub is cut off", async || one.status().await.connections == 0).await;
    until("and sees it", async || two.status().await.connections == 0).await;
    let listing = live(1, 2, now());
    two.publish(&listing).await;
    two.dial(&one).await;
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert!(one.status().await.hubs.is_empty() && !one.holds(&listing));
    one.tell(Event::RuleRemoved { source, subject }).await;
    until("it comes back by itself or is called", async || {
        two.dial(&one).await;
        one.shows(&listing)
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hubs_meet_over_quic() {
    let one = Whole::start_with(1, Vec::new(), Vec::new(), "/ip4/127.0.0.1/udp/0/quic-v1");
    let two = Whole::start_with(2, vec![one.address().await], Vec::new(), "/ip4/127.0.0.1/udp/0/quic-v1");
    connected(&[&one, &two], 1).await;
    let listing: Listing = live(1, 1, now());
    one.publish(&listing).await;
    until("a listing came over QUIC", async || two.shows(&listing)).await;
}
