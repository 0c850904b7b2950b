//! Handlers of swarm events.

use std::time::{Duration, Instant};

use libp2p::{
    Multiaddr, PeerId,
    core::{ConnectedPoint, Endpoint},
    gossipsub::{self, MessageAcceptance},
    identify,
    kad::{self, InboundRequest, ProviderRecord, store::RecordStore},
    mdns, memory_connection_limits, relay,
    request_response::{self, OutboundRequestId},
    swarm::{ConnectionDenied, ConnectionId, DialError, ListenError, SwarmEvent},
};

use super::{
    actor::Actor,
    actor_api::{ActorEvent, PersistedNetState},
    address_book::{DialFailure, matches_bootstrap},
    cbor::{PeerMessage, PeerReply},
    connections::PeerConnection,
    dht_keys,
    dial_policy::is_relayed,
    gossip_rate_limit::RateDecision,
    in_flight::{GossipRef, PendingRequest, StreamProtocol},
    peer_id,
    request_codec::SYNC,
    swarm::{BehaviourEvent, KAD},
};
use crate::{
    HubId,
    record::{HubRecord, Signed},
};

/// Maximum addresses taken from a peer's identify message.
const MAX_ADDRESSES: usize = 8;
/// Interval of the warning that connections are refused.
const WARNING_INTERVAL: Duration = Duration::from_secs(60);

type Exchanged = request_response::Event<PeerMessage, PeerReply>;

impl Actor {
    /// Dispatches a swarm event.
    pub(super) fn on_swarm_event(&mut self, event: SwarmEvent<BehaviourEvent>) {
        match event {
            SwarmEvent::NewListenAddr { address, .. } => {
                // The address at a relay is announced once the reservation is accepted.
                if self.own_addresses && !is_relayed(&address) {
                    self.swarm.add_external_address(address.clone());
                    self.request_probe(&address);
                }
                _ = self.events.try_send(ActorEvent::Listening(address));
            }
            SwarmEvent::ConnectionEstablished { peer_id, connection_id, endpoint, .. } => {
                let now = Instant::now();
                if self.proves_reachability(&peer_id, &endpoint) {
                    self.nat.confirm(peer_id);
                }
                let called = self.called(connection_id, endpoint);
                let direct = called.as_ref().is_some_and(|address| !is_relayed(address));
                if direct && self.links.is_dialed_directly(&peer_id) {
                    // A bootstrap address without a transport is dialed over TCP and QUIC: one is enough.
                    _ = self.swarm.close_connection(connection_id);
                }
                let is_bootstrap =
                    called.as_ref().is_some_and(|address| self.book.on_dial_success(&peer_id, address, now));
                self.links.opened(peer_id, PeerConnection { since: now, is_bootstrap, called });
            }
            SwarmEvent::ConnectionClosed { peer_id, num_established: 0, .. } => {
                self.links.closed(&peer_id, peer_id::hub_of(&peer_id));
                self.nat.left(&peer_id);
            }
            SwarmEvent::IncomingConnectionError { error: ListenError::Denied { cause }, .. } => {
                self.on_denied(&cause);
            }
            SwarmEvent::OutgoingConnectionError { error, .. } => self.on_dial_error(&error),
            SwarmEvent::ListenerClosed { listener_id, reason, .. } => {
                if let Some(relay) = self.nat.relays.closed(listener_id, Instant::now()) {
                    tracing::debug!(%relay, ?reason, "relay reservation lost");
                }
            }
            SwarmEvent::Behaviour(event) => self.react_to(event),
            _ => {}
        }
    }

    /// Warns the operator of connections that this hub refused for lack of memory.
    pub(super) fn on_denied(&mut self, cause: &ConnectionDenied) {
        let Some(limit) = cause.downcast_ref::<memory_connection_limits::MemoryUsageLimitExceeded>() else {
            return;
        };
        let now = Instant::now();
        if self.memory_warned.is_none_or(|at| now.duration_since(at) >= WARNING_INTERVAL) {
            self.memory_warned = Some(now);
            tracing::warn!(
                memory = limit.process_physical_memory_bytes(),
                limit = limit.max_allowed_bytes(),
                "connections of other hubs refused: the process is above its memory limit"
            );
        }
    }

    /// Records the failures of bootstrap addresses, for the operator.
    fn on_dial_error(&mut self, error: &DialError) {
        match error {
            DialError::WrongPeerId { obtained, address } => {
                self.book.on_dial_failure(address, DialFailure::WrongPeer(*obtained));
            }
            DialError::Transport(failed) => {
                for (address, error) in failed {
                    self.book.on_dial_failure(address, DialFailure::NoAnswer(cause(error)));
                }
            }
            _ => {}
        }
    }

    /// Returns the address if this hub dialed by its own choice. Dial-backs and hole punching connect to
    /// addresses chosen by unknown peers, so they do not count as outbound (eclipse protection).
    pub(super) fn called(&self, connection: ConnectionId, endpoint: ConnectedPoint) -> Option<Multiaddr> {
        let calls_back = self.swarm.behaviour().calling_back.gate.made(connection);
        match endpoint {
            ConnectedPoint::Dialer { address, role_override: Endpoint::Dialer, .. } if !calls_back => {
                Some(address)
            }
            _ => None,
        }
    }

    /// Dispatches an event of a behaviour.
    fn react_to(&mut self, event: BehaviourEvent) {
        match event {
            BehaviourEvent::Identify(identify::Event::Received { peer_id, info, .. }) => {
                self.on_identify(peer_id, info);
            }
            BehaviourEvent::Gossip(gossipsub::Event::Message { propagation_source, message_id, message }) => {
                self.heard(GossipRef { id: message_id, from: propagation_source }, message);
            }
            BehaviourEvent::Asking(event) => self.probed(&event),
            BehaviourEvent::Relayed(event) => self.relayed(&event),
            BehaviourEvent::RelayServer(event) => self.nat.relay_clients.note(&event),
            BehaviourEvent::Punching(event) => self.on_hole_punch(&event),
            BehaviourEvent::Sync(event) => self.exchanged(StreamProtocol::Sync, event),
            BehaviourEvent::Query(event) => self.exchanged(StreamProtocol::Query, event),
            BehaviourEvent::Kad(kad::Event::InboundRequest {
                request: InboundRequest::AddProvider { record: Some(record) },
            }) => self.announced(record),
            BehaviourEvent::Kad(kad::Event::InboundRequest {
                request: InboundRequest::PutRecord { record: Some(record), .. },
            }) => self.on_dht_put(record),
            BehaviourEvent::Kad(kad::Event::OutboundQueryProgressed { id, result, stats, step }) => {
                if step.last && self.dht_queries.contains_key(&id) {
                    self.looked.0 += 1;
                    self.looked.1 += u64::from(stats.num_requests());
                    // Not counted when the event queue is full.
                    let took = stats.duration().unwrap_or_default();
                    _ = self.events.try_send(ActorEvent::LookedUp(took));
                }
                self.progressed(id, result, step.last);
            }
            BehaviourEvent::Mdns(mdns::Event::Discovered(found)) => {
                found.into_iter().for_each(|(_, address)| self.dial(address));
            }
            _ => {}
        }
    }

    /// Handles a peer's identify message: its protocols and addresses.
    pub(super) fn on_identify(&mut self, peer: PeerId, info: identify::Info) {
        let named = info.listen_addrs.into_iter().filter(|address| self.reach.allows(address));
        let addresses: Vec<_> = named.take(MAX_ADDRESSES).collect();
        if info.protocols.contains(&KAD) {
            self.note_in_table(peer, &addresses);
        } else {
            self.swarm.behaviour_mut().kad.remove_peer(&peer);
        }
        let Some(hub) = peer_id::hub_of(&peer).filter(|_| info.protocols.contains(&SYNC)) else { return };
        self.links.is_hub(&peer, hub);
        self.learn_addresses(peer, &addresses);
        let Some(called) = self.links.dialed_address(&peer) else { return };
        self.book.prove(&peer, Instant::now());
        if info.protocols.contains(&relay::HOP_PROTOCOL_NAME) && !is_relayed(called) {
            self.nat.relays.on_relay_supported(peer, called.clone());
        } else {
            self.nat.relays.left(&peer);
        }
    }

    /// Updates the peer's addresses in the DHT routing table. The table never drops an address itself, so
    /// those no longer reported are removed.
    fn note_in_table(&mut self, peer: PeerId, addresses: &[Multiaddr]) {
        let kad = &mut self.swarm.behaviour_mut().kad;
        addresses.iter().for_each(|address| _ = kad.add_address(&peer, address.clone()));
        let named =
            |known: &Multiaddr| addresses.iter().any(|address| matches_bootstrap(address, known, &peer));
        let gone: Vec<Multiaddr> = self.in_table(&peer).into_iter().filter(|known| !named(known)).collect();
        if !addresses.is_empty() {
            let kad = &mut self.swarm.behaviour_mut().kad;
            gone.iter().for_each(|address| _ = kad.remove_address(&peer, address));
        }
    }

    /// Queues a gossip message for validation by the hub. When there is no room it is ignored, without a
    /// penalty for the sender.
    fn heard(&mut self, heard: GossipRef, message: gossipsub::Message) {
        let is_hub = peer_id::hub_of(&heard.from).is_some();
        let GossipRef { id, from } = heard.clone();
        if !(is_hub && self.is_paced(&heard, &message) && self.pending.try_add_message(heard, message.data)) {
            let gossip = &mut self.swarm.behaviour_mut().gossip;
            gossip.report_message_validation_result(&id, &from, MessageAcceptance::Ignore);
        }
        self.deliver_gossip();
    }

    /// Passes queued messages to the hub, up to the validation limit.
    pub(super) fn deliver_gossip(&mut self) {
        while let Ok(room) = self.events.try_reserve()
            && let Some((message, from, bytes)) = self.pending.next_message()
        {
            if let Some(from) = peer_id::hub_of(&from) {
                room.send(ActorEvent::Gossip { from, message, bytes });
            }
        }
    }

    /// Applies the gossip rate limit, and bans a flooding peer.
    fn is_paced(&mut self, heard: &GossipRef, message: &gossipsub::Message) -> bool {
        if message.source != Some(heard.from) {
            return true;
        }
        let now = Instant::now();
        match self.gossip_limiter.record_message(heard.from, self.time_of(now)) {
            RateDecision::Heard => true,
            RateDecision::TooFast => false,
            RateDecision::Flood => {
                if self.gossip_limiter.disconnect_for_a_while(heard.from, now) {
                    tracing::warn!(peer = %heard.from, "gossip flood: peer temporarily banned");
                    self.pending.forget(&heard.from);
                    self.ban_peer(heard.from);
                }
                false
            }
        }
    }

    /// Handles an event of a request-response protocol.
    fn exchanged(&mut self, lane: StreamProtocol, event: Exchanged) {
        match event {
            Exchanged::Message { peer, message, .. } => match message {
                request_response::Message::Request { request_id: request, request: message, channel } => {
                    self.asked(message, PendingRequest { from: peer, lane, request, channel });
                }
                request_response::Message::Response { request_id, response } => {
                    self.answered(lane, request_id, Some(response));
                }
            },
            Exchanged::OutboundFailure { request_id, error, peer, .. } => {
                tracing::debug!(%peer, %error, "peer request failed");
                self.answered(lane, request_id, None);
            }
            Exchanged::InboundFailure { request_id, .. } | Exchanged::ResponseSent { request_id, .. } => {
                self.pending.wrote(lane, request_id);
            }
        }
    }

    /// Admits an inbound request or offer. Returning early drops the channel, which refuses it.
    fn asked(&mut self, message: PeerMessage, question: PendingRequest) {
        let Some(from) = peer_id::hub_of(&question.from) else { return };
        let Ok(room) = self.events.try_reserve() else { return };
        match message {
            PeerMessage::Request(request) => {
                if let Some(id) = self.pending.question(question) {
                    room.send(ActorEvent::Asked { from, id, request });
                }
            }
            PeerMessage::Offer(records) => {
                if let Some(id) = self.pending.offer(question) {
                    room.send(ActorEvent::Offered { from, id, records });
                }
            }
        }
    }

    /// Delivers a response to the hub. It is lost when the event queue is full; the engine then times out.
    fn answered(&mut self, lane: StreamProtocol, request: OutboundRequestId, reply: Option<PeerReply>) {
        let Some((from, Some(id))) = self.pending.take_response(lane, request) else { return };
        _ = self.events.try_send(match reply {
            Some(PeerReply::Answer(answer)) => ActorEvent::Answered { from, id, answer },
            _ => ActorEvent::Failed { from, id },
        });
    }

    /// Stores a provider record, and persists the change.
    fn announced(&mut self, record: ProviderRecord) {
        let records = self.swarm.behaviour_mut().kad.store_mut();
        let Some(gone) = records.take(record.clone()) else { return };
        for (key, provider) in gone {
            self.persist(PersistedNetState::Withdrawn { key, provider });
        }
        if let Some(until) = record.expires.map(|moment| self.time_of(moment)) {
            let ProviderRecord { key, provider, addresses, .. } = record;
            self.persist(PersistedNetState::Announced { key, provider, addresses, until });
        }
    }

    /// Stores a hub record in the DHT: only under its own key, with a valid signature, and until it expires.
    pub(super) fn on_dht_put(&mut self, mut record: kad::Record) {
        let Some(signed) = dht_keys::hub_of(&record.key).and_then(|hub| self.verified(hub, &record.value))
        else {
            return;
        };
        let now = Instant::now();
        let over = now + signed.body().expires.since(self.time_of(now));
        record.expires = Some(record.expires.map_or(over, |expires| expires.min(over)));
        _ = self.swarm.behaviour_mut().kad.store_mut().put(record);
    }

    /// Returns the record if it belongs to `hub`, is currently valid and correctly signed.
    pub(super) fn verified(&self, hub: HubId, bytes: &[u8]) -> Option<Signed<HubRecord>> {
        let record = Signed::<HubRecord>::parse(bytes).ok()?;
        let (claims, now) = (record.claims(), self.time_of(Instant::now()));
        let holds = claims.hub == hub && now < claims.expires && !claims.seq.is_in_future_of(now);
        if holds { record.verify().ok() } else { None }
    }
}

/// Returns the innermost error, which says what failed.
fn cause(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}
