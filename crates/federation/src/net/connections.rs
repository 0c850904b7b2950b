//! Connected peers, and which of them were reported to the hub.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    time::Instant,
};

use libp2p::{Multiaddr, PeerId};

use super::{actor_api::ActorEvent, dial_policy::is_relayed, peer_id};
use crate::HubId;

/// A peer with at least one connection.
#[derive(Clone, Debug)]
pub struct PeerConnection {
    pub since: Instant,
    /// Reached at a bootstrap address, so it is never pruned.
    pub is_bootstrap: bool,
    /// Address that this hub dialed; `None` for inbound connections.
    pub called: Option<Multiaddr>,
}

/// All connected peers.
#[derive(Debug, Default)]
pub struct PeerConnections {
    peers: BTreeMap<PeerId, PeerConnection>,
    hubs: BTreeSet<HubId>,
    /// Hubs reported as connected. Differs from `hubs` while events wait for queue space.
    told: BTreeSet<HubId>,
}

impl PeerConnections {
    pub fn opened(&mut self, peer: PeerId, link: PeerConnection) {
        let known =
            self.peers.entry(peer).or_insert(PeerConnection { is_bootstrap: false, called: None, ..link });
        known.is_bootstrap |= link.is_bootstrap;
        known.called = known.called.take().or(link.called);
    }

    pub fn closed(&mut self, peer: &PeerId, hub: Option<HubId>) {
        self.peers.remove(peer);
        hub.map(|hub| self.hubs.remove(&hub));
    }

    /// Marks a connected peer as a hub.
    pub fn is_hub(&mut self, peer: &PeerId, hub: HubId) {
        if self.peers.contains_key(peer) {
            self.hubs.insert(hub);
        }
    }

    pub fn peers(&self) -> impl Iterator<Item = (&PeerId, &PeerConnection)> {
        self.peers.iter()
    }

    /// Returns the address at which this hub dialed a connected peer.
    pub fn dialed_address(&self, peer: &PeerId) -> Option<&Multiaddr> {
        self.peers.get(peer)?.called.as_ref()
    }

    pub fn is_connected(&self, peer: &PeerId) -> bool {
        self.peers.contains_key(peer)
    }

    /// Returns whether this hub dialed a connected peer directly, not through a relay.
    pub fn is_dialed_directly(&self, peer: &PeerId) -> bool {
        self.dialed_address(peer).is_some_and(|address| !is_relayed(address))
    }

    /// Returns the hubs with an outbound connection, oldest connection first.
    pub fn hubs_called(&self) -> Vec<PeerId> {
        let is_hub = |peer: &PeerId| peer_id::hub_of(peer).is_some_and(|hub| self.hubs.contains(&hub));
        let mut called: Vec<_> =
            self.peers.iter().filter(|(peer, link)| link.called.is_some() && is_hub(peer)).collect();
        called.sort_by_key(|(_, link)| link.since);
        called.into_iter().map(|(peer, _)| *peer).collect()
    }

    pub fn names(&self) -> HashSet<PeerId> {
        self.peers.keys().copied().collect()
    }

    pub const fn hubs(&self) -> &BTreeSet<HubId> {
        &self.hubs
    }

    /// Returns the next connection event that the hub has not received yet.
    pub fn next_change(&self) -> Option<ActorEvent> {
        let gone = self.told.difference(&self.hubs).next().map(|hub| ActorEvent::Disconnected(*hub));
        gone.or_else(|| self.hubs.difference(&self.told).next().map(|hub| ActorEvent::Connected(*hub)))
    }

    /// Marks a connection event as delivered.
    pub fn mark_notified(&mut self, news: &ActorEvent) {
        match news {
            ActorEvent::Connected(hub) => _ = self.told.insert(*hub),
            ActorEvent::Disconnected(hub) => _ = self.told.remove(hub),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_waits_is_told_later_and_what_passed_is_not() {
        let hub = HubId::from(plexus_a2a::keys::SecretKey::from_seed(&[5; 32]).public());
        let (peer, mut links) = (peer_id::peer_of(hub).unwrap(), PeerConnections::default());
        links.is_hub(&peer, hub);
        assert!(links.next_change().is_none(), "not connected");
        links.opened(peer, PeerConnection { since: Instant::now(), is_bootstrap: false, called: None });
        links.is_hub(&peer, hub);
        links.closed(&peer, Some(hub));
        assert!(links.next_change().is_none(), "it came and went");
        links.opened(peer, PeerConnection { since: Instant::now(), is_bootstrap: false, called: None });
        links.is_hub(&peer, hub);
        let news = links.next_change().unwrap();
        assert!(matches!(news, ActorEvent::Connected(it) if it == hub));
        links.mark_notified(&news);
        assert!(links.next_change().is_none());
        links.closed(&peer, Some(hub));
        assert!(matches!(links.next_change(), Some(ActorEvent::Disconnected(it)) if it == hub));
    }

    #[test]
    fn hubs_that_were_called_are_told_from_others() {
        let mut links = PeerConnections::default();
        let name = |n| {
            let hub = HubId::from(plexus_a2a::keys::SecretKey::from_seed(&[n; 32]).public());
            (peer_id::peer_of(hub).unwrap(), hub)
        };
        let (now, address) = (Instant::now(), Multiaddr::empty());
        for (n, called) in [(1, None), (2, Some(&address)), (3, Some(&address)), (4, Some(&address))] {
            let since = now - std::time::Duration::from_secs(n.into());
            links.opened(name(n).0, PeerConnection { since, is_bootstrap: false, called: called.cloned() });
        }
        [1, 2, 3].map(name).iter().for_each(|(peer, hub)| links.is_hub(peer, *hub));
        assert_eq!(links.hubs_called(), [name(3).0, name(2).0], "the oldest first, and no stranger");
        links.opened(name(1).0, PeerConnection { since: now, is_bootstrap: true, called: Some(address) });
        assert_eq!(links.hubs_called().len(), 3, "it was called after it had called");
        assert_eq!(links.hubs_called().pop(), Some(name(1).0), "and is as old as its first connection");
    }
}
