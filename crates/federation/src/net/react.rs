//! What comes from the swarm.

use std::time::Instant;

use libp2p::{
    PeerId,
    gossipsub::{self, MessageAcceptance},
    identify,
    kad::{
        self, GetProvidersOk, GetRecordOk, InboundRequest, ProviderRecord, QueryId, QueryResult,
        store::RecordStore,
    },
    mdns,
    request_response::{self, OutboundRequestId, ResponseChannel},
    swarm::SwarmEvent,
};

use super::{
    actor::{Actor, LookUp},
    api::{Event, Kept},
    behaviour::{BehaviourEvent, KAD},
    codec::SYNC,
    id, key,
    links::Link,
    pending::{Heard, Lane, Question},
    wire::{Message, Reply},
};
use crate::{
    HubId,
    record::{HubRecord, Signed},
};

/// Addresses that are taken from a peer's description of itself.
const MAX_ADDRESSES: usize = 8;

type Exchanged = request_response::Event<Message, Reply>;

impl Actor {
    pub(super) fn react(&mut self, event: SwarmEvent<BehaviourEvent>) {
        match event {
            SwarmEvent::NewListenAddr { address, .. } => {
                if self.own_addresses {
                    self.swarm.add_external_address(address.clone());
                }
                _ = self.events.try_send(Event::Listening(address));
            }
            SwarmEvent::ConnectionEstablished { peer_id, endpoint, .. } => {
                let now = Instant::now();
                let door = self.book.reached(&peer_id, endpoint.get_remote_address(), now);
                self.links.opened(peer_id, Link { since: now, door });
            }
            SwarmEvent::ConnectionClosed { peer_id, num_established: 0, .. } => {
                self.links.closed(&peer_id, id::hub_of(&peer_id));
            }
            SwarmEvent::Behaviour(event) => self.react_to(event),
            _ => {}
        }
    }

    fn react_to(&mut self, event: BehaviourEvent) {
        match event {
            BehaviourEvent::Identify(identify::Event::Received { peer_id, info, .. }) => {
                self.introduced(peer_id, info);
            }
            BehaviourEvent::Gossip(gossipsub::Event::Message { propagation_source, message_id, message }) => {
                self.heard(Heard { id: message_id, from: propagation_source }, message.data);
            }
            BehaviourEvent::Sync(event) => self.exchanged(Lane::Sync, event),
            BehaviourEvent::Query(event) => self.exchanged(Lane::Query, event),
            BehaviourEvent::Kad(kad::Event::InboundRequest {
                request: InboundRequest::AddProvider { record: Some(record) },
            }) => self.announced(record),
            BehaviourEvent::Kad(kad::Event::InboundRequest {
                request: InboundRequest::PutRecord { record: Some(record), .. },
            }) => self.put(record),
            BehaviourEvent::Kad(kad::Event::OutboundQueryProgressed { id, result, step, .. }) => {
                self.progressed(id, result, step.last);
            }
            BehaviourEvent::Mdns(mdns::Event::Discovered(found)) => {
                found.into_iter().for_each(|(_, address)| self.dial(&address));
            }
            _ => {}
        }
    }

    /// A peer said what it speaks and where it is.
    fn introduced(&mut self, peer: PeerId, info: identify::Info) {
        let addresses: Vec<_> = info.listen_addrs.into_iter().take(MAX_ADDRESSES).collect();
        if info.protocols.contains(&KAD) {
            let kad = &mut self.swarm.behaviour_mut().kad;
            addresses.iter().for_each(|address| _ = kad.add_address(&peer, address.clone()));
        }
        let Some(hub) = id::hub_of(&peer).filter(|_| info.protocols.contains(&SYNC)) else { return };
        self.links.is_hub(&peer, hub);
        if let Some(addresses) = self.book.met(peer, &addresses, Instant::now()) {
            self.keep(Kept::Address { peer, addresses });
        }
    }

    /// The hub decides whether a message is passed on. If it is too busy, nobody is blamed.
    fn heard(&mut self, heard: Heard, bytes: Vec<u8>) {
        let from = id::hub_of(&heard.from);
        let room = self.events.try_reserve();
        match (from, room) {
            (Some(from), Ok(room)) => {
                let message = self.pending.hear(heard);
                room.send(Event::Gossip { from, message, bytes });
            }
            _ => {
                let (gossip, ignore) = (&mut self.swarm.behaviour_mut().gossip, MessageAcceptance::Ignore);
                gossip.report_message_validation_result(&heard.id, &heard.from, ignore);
            }
        }
    }

    fn exchanged(&mut self, lane: Lane, event: Exchanged) {
        match event {
            Exchanged::Message { peer, message, .. } => match message {
                request_response::Message::Request { request, channel, .. } => {
                    self.asked(peer, lane, request, channel);
                }
                request_response::Message::Response { request_id, response } => {
                    self.answered(lane, request_id, Some(response));
                }
            },
            Exchanged::OutboundFailure { request_id, error, peer, .. } => {
                tracing::debug!(%peer, %error, "no answer");
                self.answered(lane, request_id, None);
            }
            Exchanged::InboundFailure { .. } | Exchanged::ResponseSent { .. } => {}
        }
    }

    /// Dropping the channel refuses.
    fn asked(&mut self, peer: PeerId, lane: Lane, message: Message, channel: ResponseChannel<Reply>) {
        let Some(from) = id::hub_of(&peer) else { return };
        let Ok(room) = self.events.try_reserve() else { return };
        match message {
            Message::Request(request) => {
                if let Some(id) = self.pending.question(Question { from: peer, lane, channel }) {
                    room.send(Event::Asked { from, id, request });
                }
            }
            Message::Offer(records) => {
                room.send(Event::Offered { from, records });
                _ = self.swarm.behaviour_mut().sync.send_response(channel, Reply::Noted);
            }
        }
    }

    /// An answer that finds no room is lost; the hub stops waiting for it by the clock.
    fn answered(&mut self, lane: Lane, request: OutboundRequestId, reply: Option<Reply>) {
        let Some((from, Some(id))) = self.pending.came(lane, request) else { return };
        _ = self.events.try_send(match reply {
            Some(Reply::Answer(answer)) => Event::Answered { from, id, answer },
            _ => Event::Failed { from, id },
        });
    }

    fn announced(&mut self, record: ProviderRecord) {
        let records = self.swarm.behaviour_mut().kad.store_mut();
        let Some(gone) = records.take(record.clone()) else { return };
        for (key, provider) in gone {
            self.keep(Kept::Withdrawn { key, provider });
        }
        if let Some(until) = record.expires.map(|moment| self.time_of(moment)) {
            let ProviderRecord { key, provider, addresses, .. } = record;
            self.keep(Kept::Announced { key, provider, addresses, until });
        }
    }

    /// Only the record of a hub is kept, under its own key, with a signature that holds.
    fn put(&mut self, record: kad::Record) {
        if key::hub_of(&record.key).is_some_and(|hub| self.is_record_of(hub, &record.value)) {
            _ = self.swarm.behaviour_mut().kad.store_mut().put(record);
        }
    }

    fn is_record_of(&self, hub: HubId, bytes: &[u8]) -> bool {
        verified(hub, bytes).is_some_and(|record| self.time_of(Instant::now()) < record.body().expires)
    }

    fn progressed(&mut self, query: QueryId, result: QueryResult, last: bool) {
        match result {
            QueryResult::GetProviders(Ok(GetProvidersOk::FoundProviders { providers, .. })) => {
                let Some(LookUp::Providers { search }) = self.look_ups.get(&query) else { return };
                let hubs = providers.iter().filter_map(id::hub_of).collect();
                _ = self.events.try_send(Event::Providers { search: *search, hubs });
            }
            QueryResult::GetRecord(Ok(GetRecordOk::FoundRecord(found))) => {
                let Some(LookUp::Hub(hub)) = self.look_ups.get(&query) else { return };
                let hub = *hub;
                self.found_record(hub, &found.record.value, query);
            }
            QueryResult::StartProviding(_) => self.announcing.ended(query),
            _ => {}
        }
        if last && let Some(LookUp::Hub(hub)) = self.look_ups.remove(&query) {
            self.found(hub);
        }
    }

    fn found_record(&mut self, hub: HubId, bytes: &[u8], query: QueryId) {
        let Some(record) = verified(hub, bytes) else { return };
        let addresses = record.body().addresses.iter().filter_map(|address| address.parse().ok());
        if let Some(peer) = id::peer_of(hub) {
            let known = self.book.met(peer, &addresses.collect::<Vec<_>>(), Instant::now());
            known.into_iter().for_each(|addresses| self.keep(Kept::Address { peer, addresses }));
        }
        // The first record that holds is enough.
        if let Some(mut query) = self.swarm.behaviour_mut().kad.query_mut(&query) {
            query.finish();
        }
        _ = self.events.try_send(Event::FoundHub(Box::new(record)));
        self.found(hub);
    }
}

fn verified(hub: HubId, bytes: &[u8]) -> Option<Signed<HubRecord>> {
    let record = Signed::<HubRecord>::parse(bytes).ok()?;
    if record.claims().hub == hub { record.verify().ok() } else { None }
}
