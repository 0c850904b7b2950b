//! Tests: memory use and state of the actor under attack by peers.

use std::time::{Duration, Instant};

use futures::StreamExt as _;
use libp2p::{
    Multiaddr, PeerId,
    core::{ConnectedPoint, Endpoint, transport::PortUse},
    identify,
    identity::Keypair,
    kad::{self, GetRecordError, QueryResult, store::RecordStore},
    multiaddr::Protocol,
    swarm::{ConnectionId, SwarmEvent},
};
use plexus_a2a::keys::SecretKey;
use plexus_domain::Timestamp;
use tokio::{net::TcpListener, sync::mpsc, time::timeout};

use super::{
    actor::Actor,
    actor_api::{ActorEvent, ActorHandle, NetConfig, PersistedNetState},
    dht_keys,
    dial_policy::IsPublic,
    discovery::DhtQuery,
    peer_id,
    reachability::Reachability,
    swarm::KAD,
};
use crate::{
    HubId,
    record::{HUB_RECORD_TTL, HubRecord, Seq, Signed},
};

const START: Timestamp = Timestamp::from_millis(1_000_000_000);
const MINUTE: Duration = Duration::from_secs(60);

fn config() -> NetConfig {
    NetConfig {
        seed: [1; 32],
        secret: [1; 16],
        listen: Vec::new(),
        external: Vec::new(),
        bootstrap: Vec::new(),
        is_public: None,
        mdns: false,
        relay: None,
        memory: 4 << 30,
        kept: Vec::new(),
        now: START,
    }
}

fn actor() -> (Actor, mpsc::Receiver<ActorEvent>) {
    actor_of(config())
}

fn actor_of(config: NetConfig) -> (Actor, mpsc::Receiver<ActorEvent>) {
    let ((_, orders), (events, told)) = (ActorHandle::new(), mpsc::channel(16));
    (Actor::new(config, orders, events).unwrap(), told)
}

fn secret() -> SecretKey {
    SecretKey::from_seed(&[2; 32])
}

fn hub() -> HubId {
    secret().public().into()
}

/// Builds a hub record signed at `at`, with an address at `port`.
fn record(at: Timestamp, port: u16) -> Signed<HubRecord> {
    let body = HubRecord {
        hub: hub(),
        seq: Seq::next(None, at),
        expires: at + HUB_RECORD_TTL,
        name: "A hub".into(),
        software: "plexus/0".into(),
        domain: None,
        api: None,
        policy: None,
        addresses: vec![address(port).to_string()],
        relay: false,
    };
    Signed::sign(body, &secret()).unwrap()
}

fn address(port: u16) -> Multiaddr {
    format!("/ip4/192.0.2.1/tcp/{port}").parse().unwrap()
}

fn value(record: &Signed<HubRecord>) -> kad::Record {
    kad::Record::new(dht_keys::hub_record(hub()), record.encode())
}

#[tokio::test]
async fn a_record_in_the_dht_is_not_rolled_back_and_lasts_as_long_as_it_says() {
    let (mut actor, _told) = actor();
    let kept = |actor: &mut Actor| {
        let store = actor.swarm.behaviour_mut().kad.store_mut();
        store.get(&dht_keys::hub_record(hub())).map(|record| record.into_owned())
    };
    actor.on_dht_put(value(&record(START + 60 * MINUTE, 9)));
    assert!(kept(&mut actor).is_none(), "from a future that clocks do not explain");
    let (old, new) = (record(START - 2 * MINUTE, 1), record(START - MINUTE, 2));
    actor.on_dht_put(value(&old));
    actor.on_dht_put(value(&new));
    actor.on_dht_put(value(&old));
    let there = kept(&mut actor).unwrap();
    assert_eq!(there.value, new.encode());
    let lasts = there.expires.unwrap().saturating_duration_since(Instant::now());
    assert!(lasts <= HUB_RECORD_TTL - MINUTE, "{lasts:?}");
}

#[tokio::test]
async fn a_lookup_takes_the_newest_of_a_few_records() {
    let (mut actor, mut told) = actor();
    let key = dht_keys::hub_record(hub());
    let query = actor.swarm.behaviour_mut().kad.get_record(key.clone());
    actor.dht_queries.insert(query, DhtQuery::Hub { hub: hub(), best: None });
    let (old, new) = (record(START - 2 * MINUTE, 1), record(START - MINUTE, 2));
    for record in [&old, &new, &old] {
        actor.found_record(query, &record.encode());
    }
    actor.found_record(query, b"junk");
    let peer = peer_id::peer_of(hub()).unwrap();
    assert!(told.try_recv().is_err() && actor.book.addresses(&peer).is_empty(), "the look-up goes on");
    actor.progressed(query, QueryResult::GetRecord(Err(GetRecordError::Timeout { key })), true);
    let found = told.try_recv().unwrap();
    assert!(matches!(found, ActorEvent::FoundHub(record) if *record == new));
    assert_eq!(actor.book.addresses(&peer), [address(2)]);
    assert!(actor.dht_queries.is_empty());
}

#[tokio::test]
async fn a_peer_that_moves_all_the_time_has_few_addresses_in_the_table() {
    let (mut actor, _told) = actor();
    let key = Keypair::generate_ed25519();
    let peer = key.public().to_peer_id();
    for round in 0..50 {
        let info = identify::Info {
            public_key: key.public(),
            protocol_version: String::new(),
            agent_version: String::new(),
            listen_addrs: (0..8).map(|n| address(1_000 + 8 * round + n)).collect(),
            protocols: vec![KAD],
            observed_addr: address(1),
            signed_peer_record: None,
        };
        actor.on_identify(peer, info);
    }
    let known = actor.in_table(&peer);
    assert_eq!(known.len(), 8, "{known:?}");
    assert!(known.contains(&address(1_392).with_p2p(peer).unwrap()), "{known:?}");
}

#[tokio::test]
async fn announcements_leave_room_for_what_is_written_down_of_hubs() {
    let (mut actor, _told) = actor();
    for _ in 0..5_000 {
        actor.persist(PersistedNetState::Withdrawn { key: dht_keys::hubs(1), provider: PeerId::random() });
    }
    let before = actor.kept.len();
    actor.persist(PersistedNetState::Address { peer: PeerId::random(), addresses: vec![address(1)] });
    assert_eq!(actor.kept.len(), before + 1);
    for _ in 0..5_000 {
        actor.persist(PersistedNetState::Address { peer: PeerId::random(), addresses: vec![address(1)] });
    }
    assert!(actor.kept.len() < 5_000);
}

/// Dials an address on this machine, directly or through a relay there; returns whether a connection arrived.
async fn calls(is_public: Option<IsPublic>, names_it: bool, through: bool) -> bool {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let address: Multiaddr = format!("/ip4/127.0.0.1/tcp/{port}").parse().unwrap();
    let bootstrap = if names_it { vec![address.clone()] } else { Vec::new() };
    let (mut actor, _told) = actor_of(NetConfig { is_public, bootstrap, ..config() });
    let relayed = |address: Multiaddr| {
        let named = |address: Multiaddr| address.with(Protocol::P2p(PeerId::random()));
        named(named(address).with(Protocol::P2pCircuit))
    };
    actor.dial(if through { relayed(address) } else { address });
    tokio::select! {
        _ = listener.accept() => true,
        () = async { while !matches!(actor.swarm.select_next_some().await, SwarmEvent::OutgoingConnectionError { .. }) {} } => false,
    }
}

#[tokio::test]
async fn the_operator_is_warned_of_connections_refused_for_memory() {
    let (mut actor, _told) = actor_of(NetConfig { memory: 1, ..config() });
    actor.dial(address(1));
    assert!(actor.memory_warned.is_some());
    let (mut other, _told) = actor_of(NetConfig { seed: [2; 32], ..config() });
    actor.memory_warned = None;
    actor.swarm.listen_on("/ip4/127.0.0.1/tcp/0".parse().unwrap()).unwrap();
    let refused = async {
        while actor.memory_warned.is_none() {
            tokio::select! {
                event = actor.swarm.select_next_some() => {
                    if let SwarmEvent::NewListenAddr { address, .. } = &event {
                        other.dial(address.clone());
                    }
                    actor.on_swarm_event(event);
                }
                _ = other.swarm.select_next_some() => {}
            }
        }
    };
    tokio::time::timeout(MINUTE, refused).await.unwrap();
}

#[tokio::test]
async fn nobody_makes_a_hub_call_into_its_own_network() {
    let nothing: IsPublic = |_| false;
    for through in [false, true] {
        assert!(!calls(Some(nothing), false, through).await);
        assert!(calls(Some(nothing), true, through).await, "its operator named it");
        assert!(calls(None, false, through).await);
    }
}

#[tokio::test]
async fn who_is_called_back_is_not_a_hub_that_this_one_called() {
    let listen = || vec!["/ip4/127.0.0.1/tcp/0".parse().unwrap()];
    let (mut hub, _told) = actor_of(NetConfig { listen: listen(), ..config() });
    let (mut stranger, _told) = actor_of(NetConfig { seed: [2; 32], listen: listen(), ..config() });
    let (name, its_name) = (*hub.swarm.local_peer_id(), *stranger.swarm.local_peer_id());
    let mut is_called = false;
    let called_back = async {
        while !matches!(stranger.nat.reachability(Instant::now()), Reachability::Confirmed { .. }) {
            tokio::select! {
                event = hub.swarm.select_next_some() => hub.on_swarm_event(event),
                event = stranger.swarm.select_next_some() => stranger.on_swarm_event(event),
            }
            if let (false, Some(address)) = (is_called, hub.swarm.listeners().next()) {
                is_called = true;
                stranger.dial(address.clone());
            }
        }
    };
    timeout(MINUTE, called_back).await.unwrap();
    assert!(stranger.links.dialed_address(&name).is_some());
    assert!(
        hub.links.peers().any(|(peer, _)| *peer == its_name) && hub.links.dialed_address(&its_name).is_none()
    );
}

#[tokio::test]
async fn who_is_met_half_way_is_not_a_hub_that_this_one_called() {
    let (actor, _told) = actor();
    let called = |role_override| {
        let endpoint =
            ConnectedPoint::Dialer { address: address(1), role_override, port_use: PortUse::Reuse };
        actor.called(ConnectionId::new_unchecked(1), endpoint)
    };
    assert_eq!(called(Endpoint::Listener), None);
    assert_eq!(called(Endpoint::Dialer), Some(address(1)));
}
