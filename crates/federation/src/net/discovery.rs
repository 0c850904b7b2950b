//! Hub discovery: known addresses, DHT lookups, and requests that wait for an address.

use std::{collections::HashSet, time::Instant};

use libp2p::{
    Multiaddr, PeerId,
    kad::{GetProvidersOk, GetRecordOk, QueryId, QueryResult},
    multiaddr::Protocol,
    swarm::dial_opts::{DialOpts, PeerCondition},
};
use tokio::sync::oneshot;

use super::{
    actor::Actor,
    actor_api::{ActorEvent, PersistedNetState},
    address_book::WANTED,
    cbor::PeerMessage,
    dht_keys,
    dial_policy::is_relayed,
    peer_id,
};
use crate::{
    HubId,
    engine::PeerRequest,
    record::{HubRecord, Signed, Tag},
};

/// Maximum requests waiting for the address of a hub.
const MAX_WAITING: usize = 256;
/// A lookup ends after this many valid records of one hub; the newest one is used.
const ENOUGH_RECORDS: usize = 4;

/// Purpose of a DHT query.
pub(super) enum DhtQuery {
    Providers {
        search: u64,
        /// Fallback when no known hub is returned: query the shards of this tag.
        otherwise: Option<Tag>,
    },
    Hub {
        hub: HubId,
        best: Option<Box<NewestRecord>>,
    },
}

/// The newest record found by a lookup.
pub(super) struct NewestRecord {
    pub(super) record: Signed<HubRecord>,
    /// Number of valid records received, and when the first one arrived.
    pub(super) brought: usize,
    pub(super) since: Instant,
}

/// A request that waits for the address of a hub.
pub(super) enum PendingConnect {
    Ask {
        id: u64,
        request: PeerRequest,
    },
    /// Connect, and signal that dialing has started.
    Reach(oneshot::Sender<()>),
}

impl Actor {
    /// Sends a request to a hub, after a DHT lookup if its address is unknown.
    pub(super) fn ask(&mut self, hub: HubId, id: u64, request: PeerRequest) {
        self.when_found(hub, PendingConnect::Ask { id, request });
    }

    /// Starts connecting to a hub unless it is connected, then signals `done`. If its address is unknown, a
    /// DHT lookup comes first.
    pub(super) fn ensure_connected(&mut self, hub: HubId, done: oneshot::Sender<()>) {
        self.when_found(hub, PendingConnect::Reach(done));
    }

    fn when_found(&mut self, hub: HubId, waiting: PendingConnect) {
        let Some(peer) = peer_id::peer_of(hub) else { return };
        if self.is_known(&peer) || self.waiting.len() >= MAX_WAITING {
            return self.go_on(peer, hub, waiting);
        }
        self.waiting.push((hub, waiting));
        self.find_hub(hub);
    }

    /// Returns whether the peer is connected or has a known address.
    fn is_known(&mut self, peer: &PeerId) -> bool {
        self.swarm.is_connected(peer) || !self.addresses(peer).is_empty()
    }

    fn go_on(&mut self, peer: PeerId, hub: HubId, waiting: PendingConnect) {
        match waiting {
            PendingConnect::Ask { id, request } => {
                self.send(peer, hub, Some(id), PeerMessage::Request(request));
            }
            PendingConnect::Reach(done) => {
                self.connect(peer);
                _ = done.send(());
            }
        }
    }

    fn connect(&mut self, peer: PeerId) {
        let addresses = self.addresses(&peer);
        let options = DialOpts::peer_id(peer).addresses(addresses);
        let options = options.condition(PeerCondition::DisconnectedAndNotDialing).build();
        self.dial(options);
    }

    /// Executes the requests that waited for the address of `hub`; without an address they fail.
    fn found(&mut self, hub: HubId) {
        let Some(peer) = peer_id::peer_of(hub) else { return };
        let ready: Vec<_> = self.waiting.extract_if(.., |(of, _)| *of == hub).collect();
        ready.into_iter().for_each(|(hub, waiting)| self.go_on(peer, hub, waiting));
    }

    /// Starts a DHT lookup of a hub's record.
    pub(super) fn find_hub(&mut self, hub: HubId) {
        let query = self.swarm.behaviour_mut().kad.get_record(dht_keys::hub_record(hub));
        self.dht_queries.insert(query, DhtQuery::Hub { hub, best: None });
    }

    /// Returns the addresses at which to dial a peer, from the address book or else from the DHT routing table.
    pub(super) fn addresses(&mut self, peer: &PeerId) -> Vec<Multiaddr> {
        let addresses = self.book.addresses(peer).to_vec();
        let addresses = if addresses.is_empty() { self.in_table(peer) } else { addresses };
        one_circuit_per_relay(addresses)
    }

    /// Returns the addresses of a peer in the DHT routing table.
    pub(super) fn in_table(&mut self, peer: &PeerId) -> Vec<Multiaddr> {
        let Some(bucket) = self.swarm.behaviour_mut().kad.kbucket(*peer) else { return Vec::new() };
        let entry = bucket.iter().find(|entry| entry.node.key.preimage() == peer);
        entry.into_iter().flat_map(|entry| entry.node.value.iter().cloned()).collect()
    }

    /// Adds addresses of a hub to the address book, and persists them if they are new.
    pub(super) fn learn_addresses(&mut self, peer: PeerId, addresses: &[Multiaddr]) {
        if let Some(addresses) = self.book.add_addresses(peer, addresses, Instant::now()) {
            self.persist(PersistedNetState::Address { peer, addresses });
        }
    }

    /// Learns the addresses and relay support of a hub from its record. An unknown hub enters the address
    /// book only while this hub has few outbound connections: a hub that dials no others cannot be discovered
    /// otherwise. Connected hubs have reported their addresses by identify already.
    pub(super) fn on_hub_record(&mut self, record: &HubRecord) {
        let Some(peer) = peer_id::peer_of(record.hub).filter(|_| record.hub != self.me) else { return };
        let addresses = self.addresses_of(record);
        self.nat.relays.on_relay_offer(peer, record.relay, addresses.clone());
        let is_of_use = || !self.book.addresses(&peer).is_empty() || self.links.hubs_called().len() < WANTED;
        if !self.swarm.is_connected(&peer) && is_of_use() {
            self.learn_addresses(peer, &addresses);
        }
    }

    /// Returns the addresses of a record that the dial policy allows.
    fn addresses_of(&self, record: &HubRecord) -> Vec<Multiaddr> {
        let addresses = record.addresses.iter().filter_map(|address| address.parse().ok());
        addresses.filter(|address| self.reach.allows(address)).collect()
    }

    /// Handles the progress or the end of a DHT query.
    pub(super) fn progressed(&mut self, query: QueryId, result: QueryResult, last: bool) {
        match result {
            QueryResult::GetProviders(Ok(GetProvidersOk::FoundProviders { providers, .. })) => {
                self.named(query, &providers);
            }
            QueryResult::GetRecord(Ok(GetRecordOk::FoundRecord(found))) => {
                self.found_record(query, &found.record.value);
            }
            QueryResult::StartProviding(_) => self.announcing.ended(query),
            _ => {}
        }
        if last {
            match self.dht_queries.remove(&query) {
                Some(DhtQuery::Hub { hub, best }) => self.looked_up(hub, best),
                Some(DhtQuery::Providers { search, otherwise: Some(tag) }) => {
                    self.look_in_shards(search, &tag);
                }
                _ => {}
            }
        }
    }

    /// Handles providers returned by the DHT. Identities are free to create (Sybil), so the shards are
    /// queried as well unless a provider is already known. This hub's own provider records do not count.
    fn named(&mut self, query: QueryId, providers: &HashSet<PeerId>) {
        let hubs = providers.iter().filter_map(|peer| Some((peer, peer_id::hub_of(peer)?)));
        let others: Vec<_> = hubs.filter(|(_, hub)| *hub != self.me).collect();
        let one_was_met = others.iter().any(|(peer, _)| self.is_known(peer));
        let Some(DhtQuery::Providers { search, otherwise }) = self.dht_queries.get_mut(&query) else {
            return;
        };
        if one_was_met {
            *otherwise = None;
        }
        if !others.is_empty() {
            let hubs = others.into_iter().map(|(_, hub)| hub).collect();
            _ = self.events.try_send(ActorEvent::Providers { search: *search, hubs });
        }
    }

    /// Queries the shards of a tag. The peers closest to one key may withhold its providers; the shards lie
    /// on other peers.
    fn look_in_shards(&mut self, search: u64, tag: &Tag) {
        for shard in 0..dht_keys::SHARDS {
            let query = self.swarm.behaviour_mut().kad.get_providers(dht_keys::tag_shard(tag, shard));
            self.dht_queries.insert(query, DhtQuery::Providers { search, otherwise: None });
        }
    }

    /// Handles one record of a lookup. A single DHT peer may return an outdated record, which is validly
    /// signed too, so several are collected.
    pub(super) fn found_record(&mut self, query: QueryId, bytes: &[u8]) {
        let Some(DhtQuery::Hub { hub, .. }) = self.dht_queries.get(&query) else { return };
        let Some(record) = self.verified(*hub, bytes) else { return };
        let Some(DhtQuery::Hub { best, .. }) = self.dht_queries.get_mut(&query) else { return };
        let (brought, since) = best.as_ref().map_or((0, Instant::now()), |best| (best.brought, best.since));
        let newest = match best.take() {
            Some(best) if best.record.rank() >= record.rank() => best.record,
            _ => record,
        };
        *best = Some(Box::new(NewestRecord { record: newest, brought: brought + 1, since }));
        if brought + 1 >= ENOUGH_RECORDS
            && let Some(mut query) = self.swarm.behaviour_mut().kad.query_mut(&query)
        {
            query.finish();
        }
    }

    /// Ends a lookup: uses the newest record found, if any.
    fn looked_up(&mut self, hub: HubId, best: Option<Box<NewestRecord>>) {
        if let Some(best) = best {
            let addresses = self.addresses_of(best.record.body());
            if let Some(peer) = peer_id::peer_of(hub) {
                self.learn_addresses(peer, &addresses);
            }
            _ = self.events.try_send(ActorEvent::FoundHub(Box::new(best.record)));
        }
        self.found(hub);
    }
}

/// Removes further circuits through the same relay, over another transport: all addresses are dialed at once,
/// and each circuit counts against the budget at the relay. Circuits over TCP are preferred, since UDP is blocked
/// more often.
fn one_circuit_per_relay(mut addresses: Vec<Multiaddr>) -> Vec<Multiaddr> {
    let is_tcp = |address: &Multiaddr| address.iter().any(|part| matches!(part, Protocol::Tcp(_)));
    addresses.sort_by_key(|address| is_relayed(address) && !is_tcp(address));
    let mut relays = HashSet::new();
    addresses.retain(|address| relay_of(address).is_none_or(|relay| relays.insert(relay)));
    addresses
}

/// Returns the relay of a circuit address.
fn relay_of(address: &Multiaddr) -> Option<PeerId> {
    let relay = address.iter().take_while(|part| *part != Protocol::P2pCircuit).last();
    match relay {
        Some(Protocol::P2p(relay)) if is_relayed(address) => Some(relay),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hub_is_dialed_once_through_each_relay() {
        let at = |text: &str| text.parse::<Multiaddr>().unwrap();
        let [one, other] = [PeerId::random(), PeerId::random()];
        let circuit = |at: Multiaddr, relay| at.with(Protocol::P2p(relay)).with(Protocol::P2pCircuit);
        let (tcp, quic) = (at("/ip4/192.0.2.1/tcp/1"), at("/ip4/192.0.2.1/udp/1/quic-v1"));
        let direct = at("/ip4/192.0.2.9/udp/1/quic-v1");
        let given = vec![
            circuit(quic.clone(), one),
            direct.clone(),
            circuit(tcp.clone(), one),
            circuit(quic.clone(), other),
        ];
        assert_eq!(one_circuit_per_relay(given), [direct, circuit(tcp, one), circuit(quic, other)]);
    }
}
