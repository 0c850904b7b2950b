//! Test helper: a DHT-only node, with its swarm in a separate task.

use std::{
    collections::{HashMap, HashSet},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use futures::StreamExt;
use libp2p::{
    Multiaddr, PeerId, StreamProtocol, Swarm, SwarmBuilder, identify,
    identity::Keypair,
    kad::{
        self, GetProvidersOk, InboundRequest, ProviderRecord, QueryId, QueryResult, RecordKey,
        store::RecordStore,
    },
    noise, ping,
    swarm::{NetworkBehaviour, SwarmEvent, dial_opts::DialOpts},
    tcp, yamux,
};
use plexus_federation::net::dht_store::DhtStore;
use tokio::{
    sync::{mpsc, oneshot},
    task::JoinHandle,
};

pub const KAD: StreamProtocol = StreamProtocol::new("/plexus/kad/1");
/// Capacity of a node's command queue.
const QUEUE: usize = 64;
/// Lookup timeout, generous because many nodes share few cores.
const LOOK_UP_TIME: Duration = Duration::from_secs(300);

#[derive(NetworkBehaviour)]
pub struct Behaviour {
    kad: kad::Behaviour<DhtStore>,
    identify: identify::Behaviour,
    ping: ping::Behaviour,
    streams: libp2p_stream::Behaviour,
}

/// A command to a node.
pub enum Order {
    Meet(PeerId, Multiaddr),
    /// Fill the routing table with the help of known peers.
    Join,
    Dial(PeerId, Multiaddr, oneshot::Sender<()>),
    Provide(RecordKey, oneshot::Sender<bool>),
    Find(RecordKey, oneshot::Sender<Found>),
    /// Insert provider records into the store, as if peers had announced them.
    Take(Vec<ProviderRecord>),
    Count(oneshot::Sender<Counts>),
}

#[derive(Debug, Default)]
pub struct Found {
    pub hubs: HashSet<PeerId>,
    pub requests: u32,
}

#[derive(Clone, Copy, Debug)]
pub struct Counts {
    pub announcements: usize,
    pub known: usize,
}

/// Handle of a node. Dropping it stops the node without closing connections, like a killed process.
pub struct Hub {
    pub peer: PeerId,
    pub address: Multiaddr,
    pub streams: libp2p_stream::Control,
    orders: mpsc::Sender<Order>,
    /// Provider records received, whether stored or not.
    heard: Arc<AtomicUsize>,
    task: JoinHandle<()>,
}

impl Drop for Hub {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Hub {
    /// Starts a reachable node.
    pub async fn start() -> Self {
        Self::start_as(Keypair::generate_ed25519(), "/ip4/127.0.0.1/tcp/0", false).await
    }

    /// Starts a node with this key and address. A `quiet` node stores no announced records, and knows only
    /// the peers added explicitly.
    pub async fn start_as(key: Keypair, listen: &str, quiet: bool) -> Self {
        let inserts = if quiet { kad::BucketInserts::Manual } else { kad::BucketInserts::OnConnected };
        let mut swarm = swarm(key, inserts);
        swarm.behaviour_mut().kad.set_mode(Some(kad::Mode::Server));
        swarm.listen_on(listen.parse().unwrap()).unwrap();
        let address = loop {
            if let SwarmEvent::NewListenAddr { address, .. } = swarm.select_next_some().await {
                break address;
            }
        };
        swarm.add_external_address(address.clone());
        Self::run(swarm, address, quiet)
    }

    /// Starts a node in client mode, which announces and leaves.
    pub fn visiting() -> Self {
        Self::visiting_as(Keypair::generate_ed25519())
    }

    pub fn visiting_as(key: Keypair) -> Self {
        let mut swarm = swarm(key, kad::BucketInserts::OnConnected);
        swarm.behaviour_mut().kad.set_mode(Some(kad::Mode::Client));
        let address: Multiaddr = "/ip4/127.0.0.1/tcp/9".parse().unwrap();
        swarm.add_external_address(address.clone());
        Self::run(swarm, address, false)
    }

    fn run(swarm: Swarm<Behaviour>, address: Multiaddr, quiet: bool) -> Self {
        let (orders, inbox) = mpsc::channel(QUEUE);
        let heard = Arc::new(AtomicUsize::new(0));
        let (peer, streams) = (*swarm.local_peer_id(), swarm.behaviour().streams.new_control());
        let (dialing, finding, providing) = Default::default();
        let work = Work { swarm, quiet, heard: heard.clone(), dialing, finding, providing };
        Self { peer, address, streams, orders, heard, task: tokio::spawn(work.until_closed(inbox)) }
    }

    pub async fn meet(&self, other: &Self) {
        self.orders.send(Order::Meet(other.peer, other.address.clone())).await.unwrap();
    }

    pub async fn join(&self) {
        self.orders.send(Order::Join).await.unwrap();
    }

    /// Connects, without adding the peer to a routing table.
    pub async fn dial(&self, other: &Self) {
        self.reach(other.peer, other.address.clone()).await;
    }

    pub async fn reach(&self, peer: PeerId, address: Multiaddr) {
        let (tell, told) = oneshot::channel();
        self.orders.send(Order::Dial(peer, address, tell)).await.unwrap();
        told.await.unwrap();
    }

    pub async fn provide(&self, key: RecordKey) -> bool {
        let (tell, told) = oneshot::channel();
        self.orders.send(Order::Provide(key, tell)).await.unwrap();
        told.await.unwrap()
    }

    pub async fn find(&self, key: RecordKey) -> Found {
        let (tell, told) = oneshot::channel();
        self.orders.send(Order::Find(key, tell)).await.unwrap();
        told.await.unwrap()
    }

    pub async fn take(&self, announced: Vec<ProviderRecord>) {
        self.orders.send(Order::Take(announced)).await.unwrap();
    }

    pub async fn counts(&self) -> Counts {
        let (tell, told) = oneshot::channel();
        self.orders.send(Order::Count(tell)).await.unwrap();
        told.await.unwrap()
    }

    pub fn heard(&self) -> usize {
        self.heard.load(Ordering::Relaxed)
    }
}

fn swarm(key: Keypair, inserts: kad::BucketInserts) -> Swarm<Behaviour> {
    let build = |key: &Keypair| {
        let peer = key.public().to_peer_id();
        let mut config = kad::Config::new(KAD);
        config
            .set_record_filtering(kad::StoreInserts::FilterBoth)
            .disjoint_query_paths(true)
            .set_query_timeout(LOOK_UP_TIME)
            .set_kbucket_inserts(inserts);
        let secret = peer.to_bytes()[8..24].try_into().unwrap();
        Behaviour {
            kad: kad::Behaviour::with_config(peer, DhtStore::new(peer, secret), config),
            identify: identify::Behaviour::new(identify::Config::new("/plexus/1".into(), key.public())),
            ping: ping::Behaviour::new(ping::Config::new().with_interval(Duration::from_secs(300))),
            streams: libp2p_stream::Behaviour::new(),
        }
    };
    SwarmBuilder::with_existing_identity(key)
        .with_tokio()
        .with_tcp(tcp::Config::default(), noise::Config::new, yamux::Config::default)
        .unwrap()
        .with_behaviour(build)
        .unwrap()
        .with_swarm_config(|config| config.with_idle_connection_timeout(Duration::from_secs(600)))
        .build()
}

struct Work {
    swarm: Swarm<Behaviour>,
    quiet: bool,
    heard: Arc<AtomicUsize>,
    dialing: HashMap<PeerId, oneshot::Sender<()>>,
    finding: HashMap<QueryId, (Found, oneshot::Sender<Found>)>,
    providing: HashMap<QueryId, oneshot::Sender<bool>>,
}

impl Work {
    async fn until_closed(mut self, mut inbox: mpsc::Receiver<Order>) {
        loop {
            tokio::select! {
                event = self.swarm.select_next_some() => self.on_event(event),
                order = inbox.recv() => match order {
                    Some(order) => self.on_order(order),
                    None => return,
                },
            }
        }
    }

    fn kad(&mut self) -> &mut kad::Behaviour<DhtStore> {
        &mut self.swarm.behaviour_mut().kad
    }

    fn on_order(&mut self, order: Order) {
        match order {
            Order::Dial(peer, _, tell) if self.swarm.is_connected(&peer) => _ = tell.send(()),
            Order::Dial(peer, address, tell) => {
                self.dialing.insert(peer, tell);
                // A dial may be in progress already.
                _ = self.swarm.dial(DialOpts::peer_id(peer).addresses(vec![address]).build());
            }
            Order::Meet(peer, address) => {
                self.kad().add_address(&peer, address);
            }
            Order::Join => _ = self.kad().bootstrap(),
            Order::Provide(key, tell) => {
                let query = self.kad().start_providing(key).unwrap();
                self.providing.insert(query, tell);
            }
            Order::Find(key, tell) => {
                let query = self.kad().get_providers(key);
                self.finding.insert(query, (Found::default(), tell));
            }
            Order::Take(announced) => {
                self.heard.fetch_add(announced.len(), Ordering::Relaxed);
                announced.into_iter().for_each(|record| _ = self.kad().store_mut().take(record));
            }
            Order::Count(tell) => {
                let kad = self.kad();
                let known = kad.kbuckets().map(|bucket| bucket.num_entries()).sum();
                _ = tell.send(Counts { announcements: kad.store_mut().announcements(), known });
            }
        }
    }

    fn on_event(&mut self, event: SwarmEvent<BehaviourEvent>) {
        let kad = &mut self.swarm.behaviour_mut().kad;
        match event {
            SwarmEvent::ConnectionEstablished { peer_id, .. } => {
                if let Some(tell) = self.dialing.remove(&peer_id) {
                    _ = tell.send(());
                }
            }
            SwarmEvent::Behaviour(BehaviourEvent::Identify(identify::Event::Received {
                peer_id,
                info,
                ..
            })) if info.protocols.contains(&KAD) && !self.quiet => {
                info.listen_addrs.into_iter().take(4).for_each(|at| _ = kad.add_address(&peer_id, at));
            }
            SwarmEvent::Behaviour(BehaviourEvent::Kad(kad::Event::InboundRequest {
                request: InboundRequest::AddProvider { record: Some(record) },
            })) => {
                self.heard.fetch_add(1, Ordering::Relaxed);
                if !self.quiet {
                    _ = kad.store_mut().add_provider(record);
                }
            }
            SwarmEvent::Behaviour(BehaviourEvent::Kad(kad::Event::OutboundQueryProgressed {
                id,
                result,
                stats,
                step,
            })) => self.on_progress(id, result, stats.num_requests(), step.last),
            _ => {}
        }
    }

    fn on_progress(&mut self, id: QueryId, result: QueryResult, requests: u32, last: bool) {
        match result {
            QueryResult::GetProviders(result) => {
                let Some((found, _)) = self.finding.get_mut(&id) else { return };
                found.requests = requests;
                if let Ok(GetProvidersOk::FoundProviders { providers, .. }) = result {
                    found.hubs.extend(providers);
                }
                if last && let Some((found, tell)) = self.finding.remove(&id) {
                    _ = tell.send(found);
                }
            }
            QueryResult::StartProviding(result) => {
                if let Some(tell) = self.providing.remove(&id) {
                    _ = tell.send(result.is_ok());
                }
            }
            _ => {}
        }
    }
}
