//! Test helper: full hubs behind latency proxies, and propagation times between them.

use std::{
    net::{Ipv4Addr, SocketAddr},
    ops::Range,
    sync::Arc,
    time::{Duration, Instant},
};

use plexus_domain::Timestamp;
use plexus_federation::{
    net::{Multiaddr, NetConfig, Protocol},
    record::Listing,
};
use tokio::{
    task::JoinSet,
    time::{MissedTickBehavior, interval},
};

use crate::{
    full_hub::{Whole, config, now, until},
    latency_proxy::{Gate, INTERNET, Roads},
};

/// One-way latency: half the round-trip time.
pub const ONE_WAY: Duration = Duration::from_millis(40);

pub type Sign = fn(u16, u16, Timestamp) -> Listing;

/// Publishes one agent per `every`, at the hubs in turn. Returns the sorted times until the last hub had
/// each.
pub async fn published(hubs: &[Far], agents: Range<u16>, every: Duration, sign: Sign) -> Vec<Duration> {
    let (mut turns, mut sent) = (interval(every), Vec::new());
    turns.set_missed_tick_behavior(MissedTickBehavior::Delay);
    for (agent, home) in agents.zip(hubs.iter().cycle()) {
        turns.tick().await;
        let listing = sign(agent, home.whole.n, now());
        let began = Instant::now();
        home.whole.publish(&listing).await;
        sent.push((listing, home.whole.n, began));
    }
    let mut times = Vec::new();
    for (listing, home, began) in sent {
        let mut last = began;
        for hub in hubs.iter().filter(|hub| hub.whole.n != home) {
            let is_live = listing.envelope().content().is_some();
            until("a listing came everywhere", async || hub.whole.shows(&listing) == is_live).await;
            let at = hub.whole.shown_since(&listing).unwrap();
            assert!(at >= began + ONE_WAY, "it came on another way");
            last = last.max(at);
        }
        times.push(last - began);
    }
    times.sort_unstable();
    times
}

/// A hub behind its latency proxy.
pub struct Far {
    pub whole: Whole,
    _gate: JoinSet<()>,
}

/// Starts hubs that are reachable only through their proxies. Each bootstraps from the first and connects to
/// several others.
pub async fn far_apart(count: u16, roads: &Arc<Roads>) -> Vec<Far> {
    let (mut hubs, mut bootstrap) = (Vec::new(), Vec::new());
    for n in 1..=count {
        let gate = Gate::new(n).await;
        let here = gate.address();
        let at = config(n, bootstrap.clone(), Vec::new(), "/ip4/127.0.0.1/tcp/0");
        let at = NetConfig { external: vec![here.clone()], is_public: Some(INTERNET), ..at };
        let whole = Whole::start_as(n, at);
        let inside = SocketAddr::from((Ipv4Addr::LOCALHOST, port(&whole.address().await)));
        hubs.push(Far { whole, _gate: gate.open(inside, Arc::clone(roads)) });
        if bootstrap.is_empty() {
            bootstrap.push(here);
        }
    }
    let enough = usize::from(count - 1).min(6);
    for hub in &hubs {
        until("a hub knows others", async || {
            let status = hub.whole.status().await;
            status.hubs.len() >= enough && status.mesh >= enough.min(4)
        })
        .await;
    }
    hubs
}

fn port(address: &Multiaddr) -> u16 {
    address.iter().find_map(|part| if let Protocol::Tcp(port) = part { Some(port) } else { None }).unwrap()
}
