//! The first hubs of a network find out that others can call them, with bootstrap addresses as the operator
//! enters them: host and port, which are dialed over TCP and QUIC and name no peer.

use libp2p::Multiaddr;
use plexus_federation::net::{NetConfig, reachability::Reachability, relay_server::RelayLimits};

use crate::full_hub::{Whole, config, until};

fn listening(n: u16, bootstrap: Vec<Multiaddr>) -> NetConfig {
    let quic = "/ip4/127.0.0.1/udp/0/quic-v1".parse().unwrap();
    let mut config = config(n, bootstrap, Vec::new(), "/ip4/127.0.0.1/tcp/0");
    config.listen.push(quic);
    config
}

/// Returns the addresses of a hub on both transports, without its peer id.
async fn host_and_port(hub: &Whole) -> Vec<Multiaddr> {
    until("it listens on TCP and QUIC", async || hub.status().await.listening.len() == 2).await;
    hub.status().await.listening
}

async fn is_confirmed(hub: &Whole) -> bool {
    matches!(hub.status().await.reachability, Reachability::Confirmed { .. })
}

/// Starts `count` hubs that bootstrap from the first one, which is a relay. All find out that they can be called.
async fn all_are_called(count: u16) {
    let relay = NetConfig { relay: Some(RelayLimits::default()), ..listening(1, Vec::new()) };
    let mut hubs = vec![Whole::start_as(1, relay)];
    let bootstrap = host_and_port(&hubs[0]).await;
    for n in 2..=count {
        hubs.push(Whole::start_as(n, listening(n, bootstrap.clone())));
    }
    for hub in &hubs {
        until("it is confirmed", async || is_confirmed(hub).await).await;
    }
    // A hub that only dials is reached through the first one.
    let private = NetConfig { listen: Vec::new(), ..listening(90, bootstrap) };
    let private = Whole::start_as(90, private);
    until("it is reached through the relay", async || private.status().await.relays == [hubs[0].me]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_first_of_two_hubs_knows_that_it_can_be_called_and_relays() {
    all_are_called(2).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_first_of_three_hubs_knows_that_it_can_be_called_and_relays() {
    all_are_called(3).await;
}
