//! AutoNAT server limits, against a peer that requests dial-backs continuously.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use futures::StreamExt;
use libp2p::{
    Multiaddr, Swarm, SwarmBuilder,
    autonat::v2::client,
    identify, noise,
    swarm::{FromSwarm, NetworkBehaviour, NewExternalAddrCandidate, SwarmEvent},
    tcp, yamux,
};
use tokio::{net::TcpListener, time::timeout};

use crate::full_hub::{TIMEOUT, Whole};

/// Addresses that it requests; more than the dial-backs per minute.
const PLACES: usize = 8;
/// Dial-backs per peer and minute, as limited by `net::probing`.
const CALLED_BACK: usize = 4;

#[derive(NetworkBehaviour)]
struct Asker {
    asking: client::Behaviour,
    identify: identify::Behaviour,
}

// Slow: it waits longer than the pause of 5 s between two retries.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hub_calls_back_a_few_times_a_minute() {
    let hub = Whole::start(1, &[]).await;
    let (called, mut asker) = (Arc::new(AtomicUsize::new(0)), asker());
    for _ in 0..PLACES {
        let place = place(Arc::clone(&called)).await;
        let candidate = NewExternalAddrCandidate { addr: &place };
        asker.behaviour_mut().asking.on_swarm_event(FromSwarm::NewExternalAddrCandidate(candidate));
    }
    asker.dial(hub.address().await).unwrap();
    // No address answers libp2p, so each dial-back that was made has failed.
    for _ in 0..CALLED_BACK {
        timeout(TIMEOUT, failure(&mut asker)).await.unwrap();
    }
    // The client retries the others every five seconds.
    assert!(timeout(Duration::from_secs(6), failure(&mut asker)).await.is_err());
    // One dial-back may have gone to the address from which the hub saw the peer connect.
    assert!([CALLED_BACK - 1, CALLED_BACK].contains(&called.load(Ordering::Relaxed)));
}

async fn failure(asker: &mut Swarm<Asker>) {
    loop {
        if let SwarmEvent::Behaviour(AskerEvent::Asking(event)) = asker.select_next_some().await {
            return assert!(event.result.is_err());
        }
    }
}

/// Opens an address that counts and closes incoming connections.
async fn place(called: Arc<AtomicUsize>) -> Multiaddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while listener.accept().await.is_ok() {
            called.fetch_add(1, Ordering::Relaxed);
        }
    });
    format!("/ip4/127.0.0.1/tcp/{port}").parse().unwrap()
}

fn asker() -> Swarm<Asker> {
    SwarmBuilder::with_new_identity()
        .with_tokio()
        .with_tcp(tcp::Config::default(), noise::Config::new, yamux::Config::default)
        .unwrap()
        .with_behaviour(|key| Asker {
            asking: client::Behaviour::default(),
            identify: identify::Behaviour::new(identify::Config::new("/plexus/1".into(), key.public())),
        })
        .unwrap()
        .with_swarm_config(|config| config.with_idle_connection_timeout(TIMEOUT))
        .build()
}
