//! Where other hubs are: what is known, what the DHT is asked, and what waits for that.

use std::{collections::HashSet, time::Instant};

use libp2p::{
    Multiaddr, PeerId,
    kad::{GetProvidersOk, GetRecordOk, QueryId, QueryResult},
    swarm::dial_opts::{DialOpts, PeerCondition},
};
use tokio::sync::oneshot;

use super::{
    actor::Actor,
    api::{Event, Kept},
    book::WANTED,
    id, key,
    wire::Message,
};
use crate::{
    HubId,
    core::Request,
    record::{HubRecord, Signed, Tag},
};

/// What waits until the DHT says where a hub is.
const MAX_WAITING: usize = 256;
/// Of so many records of one hub the newest counts.
const ENOUGH_RECORDS: usize = 4;

/// What a query of the DHT is for.
pub(super) enum LookUp {
    Providers {
        search: u64,
        /// Where to look when nobody is named: in the shards of this tag.
        otherwise: Option<Tag>,
    },
    Hub {
        hub: HubId,
        best: Option<Box<Best>>,
    },
}

/// The newest record that a look-up brought.
pub(super) struct Best {
    pub(super) record: Signed<HubRecord>,
    /// How many brought one that holds, and when the first did.
    pub(super) brought: usize,
    pub(super) since: Instant,
}

/// What is to be done once it is known where a hub is.
pub(super) enum Waiting {
    Ask {
        id: u64,
        request: Request,
    },
    /// Connect, and say that this is begun.
    Reach(oneshot::Sender<()>),
}

impl Actor {
    /// Asks at once if it is known where the hub is, otherwise once the DHT says so.
    pub(super) fn ask(&mut self, hub: HubId, id: u64, request: Request) {
        self.when_found(hub, Waiting::Ask { id, request });
    }

    /// Begins to connect with a hub, unless it is connected, and says so. If it is not known where it is, the DHT says so first.
    pub(super) fn reach(&mut self, hub: HubId, done: oneshot::Sender<()>) {
        self.when_found(hub, Waiting::Reach(done));
    }

    fn when_found(&mut self, hub: HubId, waiting: Waiting) {
        let Some(peer) = id::peer_of(hub) else { return };
        if self.is_known(&peer) || self.waiting.len() >= MAX_WAITING {
            return self.go_on(peer, hub, waiting);
        }
        self.waiting.push((hub, waiting));
        self.find_hub(hub);
    }

    /// Whether it is connected, or is known to have been somewhere.
    fn is_known(&mut self, peer: &PeerId) -> bool {
        self.swarm.is_connected(peer) || !self.addresses(peer).is_empty()
    }

    fn go_on(&mut self, peer: PeerId, hub: HubId, waiting: Waiting) {
        match waiting {
            Waiting::Ask { id, request } => self.send(peer, hub, Some(id), Message::Request(request)),
            Waiting::Reach(done) => {
                self.connect(peer);
                _ = done.send(());
            }
        }
    }

    fn connect(&mut self, peer: PeerId) {
        let addresses = self.addresses(&peer);
        let options = DialOpts::peer_id(peer).addresses(addresses);
        let options = options.condition(PeerCondition::DisconnectedAndNotDialing).build();
        if let Err(error) = self.swarm.dial(options) {
            tracing::debug!(%peer, %error, "not dialled");
        }
    }

    /// What waited for the address of `hub` is done, or fails for want of one.
    fn found(&mut self, hub: HubId) {
        let Some(peer) = id::peer_of(hub) else { return };
        let ready: Vec<_> = self.waiting.extract_if(.., |(of, _)| *of == hub).collect();
        ready.into_iter().for_each(|(hub, waiting)| self.go_on(peer, hub, waiting));
    }

    pub(super) fn find_hub(&mut self, hub: HubId) {
        let query = self.swarm.behaviour_mut().kad.get_record(key::hub_record(hub));
        self.look_ups.insert(query, LookUp::Hub { hub, best: None });
    }

    /// Where a hub was last, by the book or by the table of the DHT.
    pub(super) fn addresses(&mut self, peer: &PeerId) -> Vec<Multiaddr> {
        let addresses = self.book.addresses(peer).to_vec();
        if addresses.is_empty() { self.in_table(peer) } else { addresses }
    }

    /// What the table of the DHT knows of a peer.
    pub(super) fn in_table(&mut self, peer: &PeerId) -> Vec<Multiaddr> {
        let Some(bucket) = self.swarm.behaviour_mut().kad.kbucket(*peer) else { return Vec::new() };
        let entry = bucket.iter().find(|entry| entry.node.key.preimage() == peer);
        entry.into_iter().flat_map(|entry| entry.node.value.iter().cloned()).collect()
    }

    /// A hub says that it is at `addresses`.
    pub(super) fn meet(&mut self, peer: PeerId, addresses: &[Multiaddr]) {
        if let Some(addresses) = self.book.met(peer, addresses, Instant::now()) {
            self.keep(Kept::Address { peer, addresses });
        }
    }

    /// A hub says of itself where it is, and whether it lends itself. For this alone it is remembered only while this hub lacks
    /// neighbours: then it may be one that cannot be found otherwise, since it calls nobody itself. Who is connected has said so
    /// already.
    pub(super) fn described(&mut self, record: &HubRecord) {
        let Some(peer) = id::peer_of(record.hub).filter(|_| record.hub != self.me) else { return };
        let addresses = self.addresses_of(record);
        self.nat.relays.said(peer, record.relay, addresses.clone());
        let is_of_use = || !self.book.addresses(&peer).is_empty() || self.links.hubs_called().len() < WANTED;
        if !self.swarm.is_connected(&peer) && is_of_use() {
            self.meet(peer, &addresses);
        }
    }

    /// Those that may be called.
    fn addresses_of(&self, record: &HubRecord) -> Vec<Multiaddr> {
        let addresses = record.addresses.iter().filter_map(|address| address.parse().ok());
        addresses.filter(|address| self.reach.allows(address)).collect()
    }

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
            match self.look_ups.remove(&query) {
                Some(LookUp::Hub { hub, best }) => self.looked_up(hub, best),
                Some(LookUp::Providers { search, otherwise: Some(tag) }) => self.look_in_shards(search, &tag),
                _ => {}
            }
        }
    }

    /// The DHT named hubs. Names cost nothing, so the shards are looked in, too, unless one of them has been met. What this hub
    /// announced itself says nothing about others.
    fn named(&mut self, query: QueryId, providers: &HashSet<PeerId>) {
        let hubs = providers.iter().filter_map(|peer| Some((peer, id::hub_of(peer)?)));
        let others: Vec<_> = hubs.filter(|(_, hub)| *hub != self.me).collect();
        let one_was_met = others.iter().any(|(peer, _)| self.is_known(peer));
        let Some(LookUp::Providers { search, otherwise }) = self.look_ups.get_mut(&query) else { return };
        if one_was_met {
            *otherwise = None;
        }
        if !others.is_empty() {
            let hubs = others.into_iter().map(|(_, hub)| hub).collect();
            _ = self.events.try_send(Event::Providers { search: *search, hubs });
        }
    }

    /// Whoever is closest to one key may keep quiet about it; the shards are elsewhere.
    fn look_in_shards(&mut self, search: u64, tag: &Tag) {
        for shard in 0..key::SHARDS {
            let query = self.swarm.behaviour_mut().kad.get_providers(key::tag_shard(tag, shard));
            self.look_ups.insert(query, LookUp::Providers { search, otherwise: None });
        }
    }

    /// One hub that keeps records may give out an old one, which is signed as well. So a few are asked.
    pub(super) fn found_record(&mut self, query: QueryId, bytes: &[u8]) {
        let Some(LookUp::Hub { hub, .. }) = self.look_ups.get(&query) else { return };
        let Some(record) = self.verified(*hub, bytes) else { return };
        let Some(LookUp::Hub { best, .. }) = self.look_ups.get_mut(&query) else { return };
        let (brought, since) = best.as_ref().map_or((0, Instant::now()), |best| (best.brought, best.since));
        let newest = match best.take() {
            Some(best) if best.record.rank() >= record.rank() => best.record,
            _ => record,
        };
        *best = Some(Box::new(Best { record: newest, brought: brought + 1, since }));
        if brought + 1 >= ENOUGH_RECORDS
            && let Some(mut query) = self.swarm.behaviour_mut().kad.query_mut(&query)
        {
            query.finish();
        }
    }

    /// A look-up ended: where the hub is, if anybody knew.
    fn looked_up(&mut self, hub: HubId, best: Option<Box<Best>>) {
        if let Some(best) = best {
            let addresses = self.addresses_of(best.record.body());
            if let Some(peer) = id::peer_of(hub) {
                self.meet(peer, &addresses);
            }
            _ = self.events.try_send(Event::FoundHub(Box::new(best.record)));
        }
        self.found(hub);
    }
}
