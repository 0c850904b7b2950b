//! libp2p behaviours and transports of the swarm.

use std::time::Duration;

use libp2p::{
    PeerId, Swarm, SwarmBuilder, Transport as _,
    allow_block_list::{self, BlockedPeers},
    connection_limits::{self, ConnectionLimits},
    core::{muxing::StreamMuxerBox, transport::Boxed, upgrade::Version},
    dcutr, dns, identify,
    identity::Keypair,
    kad, mdns, memory_connection_limits, noise, ping, quic, relay,
    swarm::{NetworkBehaviour, StreamProtocol, behaviour::toggle::Toggle},
    tcp, yamux,
};

use super::{
    actor_api::NetConfig,
    autonat::{self, AutonatClient, AutonatServer, CALLS_BACK_EACH},
    cbor::{MAX_QUERY, MAX_REQUEST},
    connection_limits::ConnectionLimiter,
    dht_store::DhtStore,
    dial_policy::{DialPolicy, PolicyTransport},
    gossip::{self, Gossip},
    relay_server::CircuitQuota,
    request_codec::{self, Exchange},
};

pub const KAD: StreamProtocol = StreamProtocol::new("/plexus/kad/1");
const VERSION: &str = "/plexus/1";
const AGENT: &str = concat!("plexus/", env!("CARGO_PKG_VERSION"));

const MAX_ESTABLISHED: u32 = 200;
/// Maximum inbound connections. Leaves room for outbound ones, so that inbound connections cannot block them
/// (eclipse attack).
const MAX_INCOMING: u32 = 150;
/// Maximum connections with one peer: a few of its own and of this hub, and the dial-backs of both, which stay
/// open for a while.
const MAX_PER_PEER: u32 = 4 + 2 * CALLS_BACK_EACH;
const MAX_PENDING: u32 = 32;
/// Timeout of an unused connection.
const IDLE: Duration = Duration::from_secs(60);
/// TTL of provider records, and the interval at which they are announced again.
const ANNOUNCED_FOR: Duration = Duration::from_secs(24 * 3_600);
const ANNOUNCED_INTERVAL: Duration = Duration::from_secs(12 * 3_600);
const LOOK_UP_TIME: Duration = Duration::from_secs(30);

/// Behaviours that deny connections come first, so that the others do not see denied connections.
#[derive(NetworkBehaviour)]
pub struct Behaviour {
    pub blocked: allow_block_list::Behaviour<BlockedPeers>,
    limits: connection_limits::Behaviour,
    memory: memory_connection_limits::Behaviour,
    crowd: ConnectionLimiter,
    pub identify: identify::Behaviour,
    ping: ping::Behaviour,
    pub kad: kad::Behaviour<DhtStore>,
    pub gossip: Gossip,
    pub sync: Exchange,
    pub query: Exchange,
    pub calls: libp2p_stream::Behaviour,
    pub asking: AutonatClient,
    pub calling_back: AutonatServer,
    relayed: relay::client::Behaviour,
    pub relay_server: Toggle<relay::Behaviour>,
    pub punching: dcutr::Behaviour,
    mdns: Toggle<mdns::tokio::Behaviour>,
}

/// Why the network cannot start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error("The hub's key cannot be used: {0}.")]
    Key(#[from] libp2p::identity::DecodingError),
    #[error("The network cannot be set up: {0}.")]
    SetUp(String),
    #[error("The hub cannot listen on {address}: {error}.")]
    Listen { address: libp2p::Multiaddr, error: String },
}

/// Builds the swarm and starts listening.
pub fn swarm(
    config: &NetConfig,
    reach: DialPolicy,
    circuits: Option<CircuitQuota>,
    records: impl FnOnce(libp2p::PeerId) -> DhtStore,
) -> Result<Swarm<Behaviour>, StartError> {
    let key = Keypair::ed25519_from_bytes(config.seed)?;
    let (through_relays, relayed) = relay::client::new(key.public().to_peer_id());
    let behaviour = behaviour(&key, config, &reach, (relayed, circuits), records)?;
    let transport = transport(&key, through_relays, reach)?;
    let mut swarm = SwarmBuilder::with_existing_identity(key)
        .with_tokio()
        .with_other_transport(|_| transport)
        .map_err(set_up)?
        .with_behaviour(|_| behaviour)
        .map_err(set_up)?
        .with_swarm_config(|config| config.with_idle_connection_timeout(IDLE))
        .build();
    for address in &config.listen {
        let listening = swarm.listen_on(address.clone());
        listening
            .map_err(|error| StartError::Listen { address: address.clone(), error: error.to_string() })?;
    }
    config.external.iter().for_each(|address| swarm.add_external_address(address.clone()));
    Ok(swarm)
}

/// Builds the transports: TCP and QUIC, to IP addresses and DNS names, and circuits through relays over
/// these. The dial policy applies to resolved names as well (SSRF).
fn transport(
    key: &Keypair,
    through_relays: relay::client::Transport,
    reach: DialPolicy,
) -> Result<Boxed<(PeerId, StreamMuxerBox)>, StartError> {
    let relayed = through_relays
        .upgrade(Version::V1Lazy)
        .authenticate(noise::Config::new(key).map_err(set_up)?)
        .multiplex(yamux::Config::default())
        .map(|(peer, muxer), _| (peer, StreamMuxerBox::new(muxer)));
    let tcp = tcp::tokio::Transport::new(tcp::Config::default().nodelay(true))
        .upgrade(Version::V1Lazy)
        .authenticate(noise::Config::new(key).map_err(set_up)?)
        .multiplex(yamux::Config::default())
        .map(|(peer, muxer), _| (peer, StreamMuxerBox::new(muxer)));
    let quic = quic::tokio::Transport::new(quic::Config::new(key))
        .map(|(peer, muxer), _| (peer, StreamMuxerBox::new(muxer)));
    let inner = tcp.or_transport(quic).map(|either, _| either.into_inner());
    let direct = dns::tokio::Transport::system(PolicyTransport { inner, reach }).map_err(set_up)?;
    Ok(relayed.or_transport(direct).map(|either, _| either.into_inner()).boxed())
}

fn behaviour(
    key: &Keypair,
    config: &NetConfig,
    reach: &DialPolicy,
    (relayed, circuits): (relay::client::Behaviour, Option<CircuitQuota>),
    records: impl FnOnce(libp2p::PeerId) -> DhtStore,
) -> Result<Behaviour, StartError> {
    let peer = key.public().to_peer_id();
    let limits = ConnectionLimits::default()
        .with_max_established(Some(MAX_ESTABLISHED))
        .with_max_established_incoming(Some(MAX_INCOMING))
        .with_max_established_per_peer(Some(MAX_PER_PEER))
        .with_max_pending_incoming(Some(MAX_PENDING))
        .with_max_pending_outgoing(Some(MAX_PENDING));
    let identity =
        identify::Config::new(VERSION.to_owned(), key.public()).with_agent_version(AGENT.to_owned());
    let mdns = config.mdns.then(|| mdns::tokio::Behaviour::new(mdns::Config::default(), peer));
    Ok(Behaviour {
        blocked: allow_block_list::Behaviour::default(),
        limits: connection_limits::Behaviour::new(limits),
        memory: memory_connection_limits::Behaviour::with_max_bytes(config.memory),
        crowd: ConnectionLimiter::new(reach.most_per_address()),
        identify: identify::Behaviour::new(identity),
        ping: ping::Behaviour::default(),
        kad: dht(peer, records(peer)),
        gossip: gossip::gossip(key).map_err(StartError::SetUp)?,
        sync: request_codec::exchange(request_codec::SYNC, MAX_REQUEST),
        query: request_codec::exchange(request_codec::QUERY, MAX_QUERY),
        calls: libp2p_stream::Behaviour::new(),
        // When only public addresses are dialed, do not ask peers to probe private ones.
        asking: autonat::asking(peer, DialPolicy::new(config.is_public, &[])),
        calling_back: autonat::calling_back(),
        relayed,
        relay_server: config.relay.zip(circuits).map(|(limits, quota)| limits.behaviour(peer, quota)).into(),
        punching: dcutr::Behaviour::new(peer),
        mdns: mdns.transpose().map_err(set_up)?.into(),
    })
}

/// Builds the Kademlia DHT in client mode, until this hub is known to be reachable. libp2p would switch to
/// server mode with any external address, even one at a relay.
fn dht(peer: PeerId, records: DhtStore) -> kad::Behaviour<DhtStore> {
    let mut config = kad::Config::new(KAD);
    config
        .set_record_filtering(kad::StoreInserts::FilterBoth)
        .disjoint_query_paths(true)
        .set_query_timeout(LOOK_UP_TIME)
        .set_provider_record_ttl(Some(ANNOUNCED_FOR))
        .set_provider_publication_interval(Some(ANNOUNCED_INTERVAL))
        // Each hub publishes its own record only; no replication of other records.
        .set_replication_interval(None)
        .set_publication_interval(None);
    let mut dht = kad::Behaviour::with_config(peer, records, config);
    dht.set_mode(Some(kad::Mode::Client));
    dht
}

fn set_up(error: impl std::fmt::Display) -> StartError {
    StartError::SetUp(error.to_string())
}
