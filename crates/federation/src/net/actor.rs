//! Network actor: the task that owns the libp2p swarm.
//!
//! It never reads a store and never waits for queue space, so a slow hub does not stall the network. `on_swarm_event`
//! handles swarm events, `tend` periodic maintenance; this module handles the hub's commands.

use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

use futures::StreamExt;
use libp2p::{
    Multiaddr, PeerId, Swarm,
    gossipsub::{self, MessageAcceptance},
    kad::{self, QueryId},
    swarm::{DialError, dial_opts::DialOpts},
};
use plexus_domain::Timestamp;
use tokio::{sync::mpsc, task::JoinHandle};

use super::{
    actor_api::{ActorCommand, ActorEvent, ActorHandle, EVENTS, NetConfig, PersistedNetState},
    address_book::AddressBook,
    cbor::{PeerMessage, PeerReply},
    connections::PeerConnections,
    dht_keys,
    dht_store::DhtStore,
    dial_policy::DialPolicy,
    discovery::{DhtQuery, PendingConnect},
    gossip::{BLAME, HEADS, LISTINGS},
    gossip_rate_limit::GossipRateLimiter,
    in_flight::{InFlight, StreamProtocol},
    peer_id,
    provider_announcer::ProviderAnnouncer,
    reachability::ReachabilityState,
    swarm::{self, Behaviour, StartError},
};
use crate::{
    HubId,
    engine::{GossipVerdict, PeerRequest},
    record::{self, ParsedRecord},
};

const TICK: Duration = Duration::from_secs(1);
/// Maximum entries waiting to be persisted while the event queue is full. Entries beyond it are dropped.
const MAX_KEPT: usize = 1_024;
/// Of these, entries about the DHT, which any peer can cause.
const MAX_KEPT_OF_DHT: usize = 768;
/// Maximum banned peers. Beyond it, a peer is only disconnected each time it connects.
const MAX_BLOCKED: usize = 4_096;
/// State of the network actor.
pub struct Actor {
    pub(super) me: HubId,
    pub(super) swarm: Swarm<Behaviour>,
    pub(super) events: mpsc::Sender<ActorEvent>,
    pub(super) pending: InFlight,
    pub(super) gossip_limiter: GossipRateLimiter,
    pub(super) book: AddressBook,
    pub(super) links: PeerConnections,
    pub(super) reach: DialPolicy,
    pub(super) nat: ReachabilityState,
    pub(super) dht_queries: HashMap<QueryId, DhtQuery>,
    /// Number of finished DHT lookups, and of the requests they needed.
    pub(super) looked: (u64, u64),
    /// When the operator was last warned that connections are refused for lack of memory.
    pub(super) memory_warned: Option<Instant>,
    pub(super) announcing: ProviderAnnouncer,
    /// Requests waiting for the address of a hub.
    pub(super) waiting: Vec<(HubId, PendingConnect)>,
    pub(super) kept: Vec<PersistedNetState>,
    pub(super) own_addresses: bool,
    pub(super) own_record: Option<Vec<u8>>,
    orders: mpsc::Receiver<ActorCommand>,
    clock: (Instant, Timestamp),
    pub(super) trimmed: Instant,
    pub(super) expired: Instant,
    pub(super) put: Instant,
}

/// Starts the network actor. It stops when all handles are dropped, or when the event receiver is dropped.
///
/// # Errors
/// When the key is invalid, or the hub cannot listen on a configured address.
pub fn start(
    config: NetConfig,
) -> Result<(ActorHandle, mpsc::Receiver<ActorEvent>, JoinHandle<()>), StartError> {
    let (handle, orders) = ActorHandle::new();
    let (events, told) = mpsc::channel(EVENTS);
    let actor = Actor::new(config, orders, events)?;
    let handle = handle.with_streams(actor.swarm.behaviour().calls.new_control());
    Ok((handle, told, tokio::spawn(actor.run())))
}

impl Actor {
    pub(super) fn new(
        config: NetConfig,
        orders: mpsc::Receiver<ActorCommand>,
        events: mpsc::Sender<ActorEvent>,
    ) -> Result<Self, StartError> {
        let now = Instant::now();
        let clock = (now, config.now);
        let (known, announced) = restore(config.kept.clone(), clock);
        // mDNS finds hubs at private addresses, so these must be dialable.
        let reach = DialPolicy::new(config.is_public.filter(|_| !config.mdns), &config.bootstrap);
        let nat = ReachabilityState::new(&config);
        let swarm = swarm::swarm(&config, reach.clone(), nat.relay_clients.quota.clone(), |me| {
            let mut records = DhtStore::new(me, config.secret);
            announced.into_iter().for_each(|record| _ = records.take(record));
            records
        })?;
        let me = peer_id::hub_of(swarm.local_peer_id());
        let me = me.ok_or_else(|| StartError::SetUp("the key names no hub".to_owned()))?;
        let mut actor = Self {
            me,
            swarm,
            events,
            pending: InFlight::default(),
            gossip_limiter: GossipRateLimiter::default(),
            book: AddressBook::new(config.bootstrap, known, now),
            links: PeerConnections::default(),
            reach,
            nat,
            dht_queries: HashMap::new(),
            looked: (0, 0),
            memory_warned: None,
            announcing: ProviderAnnouncer::new(me),
            waiting: Vec::new(),
            kept: Vec::new(),
            own_addresses: config.external.is_empty(),
            own_record: None,
            orders,
            clock,
            trimmed: now,
            expired: now,
            put: now,
        };
        // Before peers can connect: they learn the supported protocols by identify.
        actor.update_reachability(now);
        Ok(actor)
    }

    /// Runs the actor until it stops.
    pub async fn run(mut self) {
        let (events, mut ticks) = (self.events.clone(), tokio::time::interval(TICK));
        loop {
            let news = self.links.next_change();
            tokio::select! {
                event = self.swarm.select_next_some() => self.on_swarm_event(event),
                order = self.orders.recv() => match order {
                    Some(order) => self.obey(order),
                    None => return,
                },
                room = events.reserve(), if news.is_some() => match (room, news) {
                    (Ok(room), Some(news)) => {
                        self.links.mark_notified(&news);
                        room.send(news);
                    }
                    _ => return,
                },
                _ = ticks.tick() => self.tick(Instant::now()),
            }
        }
    }

    /// Executes a command of the hub.
    fn obey(&mut self, command: ActorCommand) {
        match command {
            ActorCommand::Judge { message, verdict } => self.judge(message, &verdict),
            ActorCommand::Announce(record) => self.announce(record),
            ActorCommand::Ask { peer, id, request } => self.ask(peer, id, request),
            ActorCommand::Reply { id, answer } => self.reply(id, PeerReply::Answer(answer)),
            ActorCommand::Refuse { id } => _ = self.pending.answered(id),
            ActorCommand::Noted { id } => self.note(id),
            ActorCommand::Offer { to, records } => self.offer(to, records),
            ActorCommand::Disconnect(hub) => self.disconnect(hub),
            ActorCommand::Forgive => self.forgive(),
            ActorCommand::Blame(hub) => self.blame(hub),
            ActorCommand::Provide(tags) => {
                let gone = self.announcing.set(&tags);
                let kad = &mut self.swarm.behaviour_mut().kad;
                gone.iter().for_each(|key| kad.stop_providing(key));
            }
            ActorCommand::FindProviders { search, tag } => {
                let query = self.swarm.behaviour_mut().kad.get_providers(dht_keys::tag(&tag));
                self.dht_queries.insert(query, DhtQuery::Providers { search, otherwise: Some(tag) });
            }
            ActorCommand::FindHub(hub) => self.find_hub(hub),
            ActorCommand::Dial(address) => self.dial(address),
            ActorCommand::Reach { hub, done } => self.ensure_connected(hub, done),
            ActorCommand::Described(record) => self.on_hub_record(record.body()),
            ActorCommand::AddBootstrap(found) => self.book.add_bootstrap(found, Instant::now()),
            ActorCommand::Status(tell) => _ = tell.send(self.status()),
        }
    }

    /// Passes the verdict on a message to gossipsub.
    fn judge(&mut self, message: u64, verdict: &GossipVerdict) {
        let Some(heard) = self.pending.resolve_message(message) else { return };
        let acceptance = match verdict {
            GossipVerdict::Accept => MessageAcceptance::Accept,
            GossipVerdict::Ignore(_) => MessageAcceptance::Ignore,
            GossipVerdict::Reject(_) => MessageAcceptance::Reject,
        };
        let gossip = &mut self.swarm.behaviour_mut().gossip;
        gossip.report_message_validation_result(&heard.id, &heard.from, acceptance);
        self.deliver_gossip();
    }

    /// Publishes a record by gossip. Gossip reaches only connected hubs; others get it by anti-entropy.
    fn announce(&mut self, bytes: Vec<u8>) {
        let topic = match record::parse(&bytes) {
            Ok(ParsedRecord::Listing(_)) => LISTINGS,
            Ok(ParsedRecord::Head(_)) => HEADS,
            Ok(ParsedRecord::Hub(_)) => {
                self.own_record = Some(bytes.clone());
                self.put_record();
                HEADS
            }
            Err(_) => return,
        };
        let sent = self.swarm.behaviour_mut().gossip.publish(gossipsub::IdentTopic::new(topic), bytes);
        if let Err(error) = sent {
            tracing::debug!(topic, %error, "gossip: publish failed");
        }
    }

    fn offer(&mut self, to: HubId, records: Vec<Vec<u8>>) {
        if let Some(peer) = peer_id::peer_of(to).filter(|peer| self.swarm.is_connected(peer)) {
            self.send(peer, to, None, PeerMessage::Offer(records));
        }
    }

    /// Sends a request or an offer to a peer and records the outstanding request.
    pub(super) fn send(&mut self, peer: PeerId, hub: HubId, id: Option<u64>, message: PeerMessage) {
        let addresses = self.addresses(&peer);
        let behaviour = self.swarm.behaviour_mut();
        let (lane, exchange) = match message {
            PeerMessage::Request(PeerRequest::Find(_)) => (StreamProtocol::Query, &mut behaviour.query),
            _ => (StreamProtocol::Sync, &mut behaviour.sync),
        };
        let request = exchange.send_request_with_addresses(&peer, message, addresses);
        self.pending.ask(lane, request, hub, id);
    }

    /// Sends a response, unless too many bytes of responses are being written.
    pub(super) fn reply(&mut self, id: u64, reply: PeerReply) {
        let Some(question) = self.pending.answered(id) else { return };
        let bytes = reply.weight();
        if !self.pending.may_write(bytes) {
            tracing::debug!(peer = %question.from, "response dropped: too many bytes are being written");
            return;
        }
        let behaviour = self.swarm.behaviour_mut();
        let exchange = match question.lane {
            StreamProtocol::Sync => &mut behaviour.sync,
            StreamProtocol::Query => &mut behaviour.query,
        };
        // The requester may be gone. Otherwise the swarm reports the result (`exchanged`).
        if exchange.send_response(question.channel, reply).is_ok() {
            self.pending.writes(question.lane, question.request, question.from, bytes);
        }
    }

    fn note(&mut self, id: u64) {
        if let Some(offer) = self.pending.noted(id) {
            _ = self.swarm.behaviour_mut().sync.send_response(offer.channel, PeerReply::Noted);
        }
    }

    fn disconnect(&mut self, hub: HubId) {
        if let Some(peer) = peer_id::peer_of(hub) {
            self.ban_peer(peer);
        }
    }

    /// Bans and disconnects a peer, until [`Self::forgive`] or [`Self::unban_expired`].
    pub(super) fn ban_peer(&mut self, peer: PeerId) {
        let blocked = &mut self.swarm.behaviour_mut().blocked;
        if blocked.blocked_peers().len() < MAX_BLOCKED {
            blocked.block_peer(peer);
        }
        _ = self.swarm.disconnect_peer_id(peer);
    }

    /// Lifts all bans.
    fn forgive(&mut self) {
        let blocked = &mut self.swarm.behaviour_mut().blocked;
        let peers: Vec<PeerId> = blocked.blocked_peers().iter().copied().collect();
        peers.into_iter().for_each(|peer| _ = blocked.unblock_peer(peer));
    }

    /// Lifts the temporary bans of flooding peers that have ended. Peers blocked by a rule are disconnected
    /// again when they connect.
    pub(super) fn unban_expired(&mut self, now: Instant) {
        let blocked = &mut self.swarm.behaviour_mut().blocked;
        self.gossip_limiter.expired_bans(now).into_iter().for_each(|peer| _ = blocked.unblock_peer(peer));
    }

    /// Lowers the gossip score of a hub that committed a violation.
    fn blame(&mut self, hub: HubId) {
        if let Some(peer) = peer_id::peer_of(hub) {
            self.swarm.behaviour_mut().gossip.set_application_score(&peer, BLAME);
        }
    }

    /// Dials an address, or a peer at its addresses. Failures are logged.
    pub(super) fn dial(&mut self, options: impl Into<DialOpts>) {
        let options = options.into();
        let peer = options.get_peer_id();
        let Err(error) = self.swarm.dial(options) else { return };
        tracing::debug!(?peer, %error, "dial failed");
        if let DialError::Denied { cause } = &error {
            self.on_denied(cause);
        }
    }

    /// Queues state that the hub should persist.
    pub(super) fn persist(&mut self, kept: PersistedNetState) {
        let most = if matches!(kept, PersistedNetState::Address { .. }) { MAX_KEPT } else { MAX_KEPT_OF_DHT };
        if self.kept.len() < most {
            self.kept.push(kept);
        }
    }

    /// Converts a monotonic instant to wall-clock time.
    pub(super) fn time_of(&self, moment: Instant) -> Timestamp {
        let (start, at) = self.clock;
        at + moment.saturating_duration_since(start)
    }
}

type Known = Vec<(PeerId, Vec<Multiaddr>)>;

/// Restores persisted state: known addresses for the address book, and unexpired provider records for the
/// DHT.
fn restore(
    kept: Vec<PersistedNetState>,
    (start, now): (Instant, Timestamp),
) -> (Known, Vec<kad::ProviderRecord>) {
    let (mut known, mut announced) = (Vec::new(), Vec::new());
    for kept in kept {
        match kept {
            PersistedNetState::Address { peer, addresses } => known.push((peer, addresses)),
            PersistedNetState::Announced { key, provider, addresses, until } if until > now => {
                let expires = Some(start + until.since(now));
                announced.push(kad::ProviderRecord { key, provider, expires, addresses });
            }
            PersistedNetState::Announced { .. } | PersistedNetState::Withdrawn { .. } => {}
        }
    }
    (known, announced)
}
