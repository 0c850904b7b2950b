//! Who is connected, and who of them the hub was told about.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    time::Instant,
};

use libp2p::PeerId;

use super::api::Event;
use crate::HubId;

/// A peer with at least one connection.
#[derive(Debug)]
pub struct Link {
    pub since: Instant,
    /// It leads into the network, so it is kept.
    pub door: bool,
}

#[derive(Debug, Default)]
pub struct Links {
    peers: BTreeMap<PeerId, Link>,
    hubs: BTreeSet<HubId>,
    /// Differs from `hubs` while events wait for room.
    told: BTreeSet<HubId>,
}

impl Links {
    pub fn opened(&mut self, peer: PeerId, link: Link) {
        self.peers.entry(peer).or_insert(link);
    }

    pub fn closed(&mut self, peer: &PeerId, hub: Option<HubId>) {
        self.peers.remove(peer);
        hub.map(|hub| self.hubs.remove(&hub));
    }

    /// A peer turned out to be a hub.
    pub fn is_hub(&mut self, peer: &PeerId, hub: HubId) {
        if self.peers.contains_key(peer) {
            self.hubs.insert(hub);
        }
    }

    pub fn peers(&self) -> impl Iterator<Item = (&PeerId, &Link)> {
        self.peers.iter()
    }

    pub fn names(&self) -> HashSet<PeerId> {
        self.peers.keys().copied().collect()
    }

    pub const fn hubs(&self) -> &BTreeSet<HubId> {
        &self.hubs
    }

    /// What the hub is to be told next.
    pub fn news(&self) -> Option<Event> {
        let gone = self.told.difference(&self.hubs).next().map(|hub| Event::Disconnected(*hub));
        gone.or_else(|| self.hubs.difference(&self.told).next().map(|hub| Event::Connected(*hub)))
    }

    pub fn told(&mut self, news: &Event) {
        match news {
            Event::Connected(hub) => _ = self.told.insert(*hub),
            Event::Disconnected(hub) => _ = self.told.remove(hub),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::id;

    #[test]
    fn what_waits_is_told_later_and_what_passed_is_not() {
        let hub = HubId::from(plexus_a2a::keys::SecretKey::from_seed(&[5; 32]).public());
        let (peer, mut links) = (id::peer_of(hub).unwrap(), Links::default());
        links.is_hub(&peer, hub);
        assert!(links.news().is_none(), "not connected");
        links.opened(peer, Link { since: Instant::now(), door: false });
        links.is_hub(&peer, hub);
        links.closed(&peer, Some(hub));
        assert!(links.news().is_none(), "it came and went");
        links.opened(peer, Link { since: Instant::now(), door: false });
        links.is_hub(&peer, hub);
        let news = links.news().unwrap();
        assert!(matches!(news, Event::Connected(it) if it == hub));
        links.told(&news);
        assert!(links.news().is_none());
        links.closed(&peer, Some(hub));
        assert!(matches!(links.news(), Some(Event::Disconnected(it)) if it == hub));
    }
}
