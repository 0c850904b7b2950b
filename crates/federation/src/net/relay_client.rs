//! Relay client state: relay candidates, reservations, and which relay to try next.

use std::{
    collections::{BTreeMap, HashMap},
    time::{Duration, Instant},
};

use libp2p::{Multiaddr, PeerId, core::transport::ListenerId};

/// Number of reservations to hold: any relay may disappear.
pub const WANTED: usize = 2;
/// First retry delay after a relay refused, was lost or was unreachable: a relay that restarts is back in
/// seconds. It doubles up to [`RETRY_INTERVAL`] until the relay accepts.
const FIRST_RETRY: Duration = Duration::from_secs(1);
/// Upper bound of the retry delay.
const RETRY_INTERVAL: Duration = Duration::from_secs(120);
/// Maximum remembered hubs that advertise relaying in their record only.
const MAX_RELAYS: usize = 64;

/// Relay candidates and reservations.
#[derive(Debug, Default)]
pub struct RelaySelector {
    /// Hubs whose record advertises relaying, with their addresses.
    said: BTreeMap<PeerId, Vec<Multiaddr>>,
    /// Connected relays and the address at which this hub dialed them, in the order of connecting.
    connected: Vec<(PeerId, Multiaddr)>,
    asked: HashMap<ListenerId, Reservation>,
    /// Retry times: before them a relay is not dialed (`called`) or not asked for a reservation (`resting`).
    called: RetryTimes,
    resting: RetryTimes,
}

/// When each relay is tried again. A delay is forgotten after twice its upper bound.
#[derive(Debug, Default)]
struct RetryTimes(HashMap<PeerId, RetryTime>);

#[derive(Debug)]
struct RetryTime {
    at: Instant,
    delay: Duration,
}

impl RetryTimes {
    /// Delays the next try, twice as long as the last time.
    fn delay(&mut self, peer: PeerId, now: Instant) {
        self.0.retain(|_, retry| now.saturating_duration_since(retry.at) < RETRY_INTERVAL);
        let delay = self.0.get(&peer).map_or(FIRST_RETRY, |retry| (2 * retry.delay).min(RETRY_INTERVAL));
        self.0.insert(peer, RetryTime { at: now + delay, delay });
    }

    fn is_delayed(&self, peer: &PeerId, now: Instant) -> bool {
        self.0.get(peer).is_some_and(|retry| retry.at > now)
    }

    fn contains(&self, peer: &PeerId) -> bool {
        self.0.contains_key(peer)
    }

    fn reset(&mut self, peer: &PeerId) {
        self.0.remove(peer);
    }
}

#[derive(Debug)]
struct Reservation {
    relay: PeerId,
    agreed: bool,
}

impl RelaySelector {
    /// Updates a candidate from the hub's record.
    pub fn on_relay_offer(&mut self, peer: PeerId, lends: bool, addresses: Vec<Multiaddr>) {
        if !lends || addresses.is_empty() {
            self.said.remove(&peer);
        } else if self.has_room(&peer) {
            self.said.insert(peer, addresses);
        }
    }

    /// Makes room for a candidate if necessary, by evicting one that was dialed and did not connect.
    fn has_room(&mut self, peer: &PeerId) -> bool {
        if self.said.len() < MAX_RELAYS || self.said.contains_key(peer) {
            return true;
        }
        let is_lost = |peer: &&PeerId| self.called.contains(peer) && self.is_away(peer);
        let lost = self.said.keys().find(is_lost).copied();
        lost.is_some_and(|lost| self.said.remove(&lost).is_some())
    }

    fn is_away(&self, peer: &PeerId) -> bool {
        self.connected.iter().all(|(known, _)| known != peer)
    }

    /// Adds a connected relay; `address` is where this hub dialed it.
    pub fn on_relay_supported(&mut self, peer: PeerId, address: Multiaddr) {
        self.called.reset(&peer);
        if self.connected.iter().all(|(known, _)| *known != peer) {
            self.connected.push((peer, address));
        }
    }

    /// Removes a relay that no longer supports relaying or has disconnected.
    pub fn left(&mut self, peer: &PeerId) {
        self.connected.retain(|(known, _)| known != peer);
    }

    /// Returns the relay at which to request the next reservation, with its address.
    pub fn next_reservation(&self, now: Instant) -> Option<(PeerId, Multiaddr)> {
        let is_free = |peer: &PeerId| !self.resting.is_delayed(peer, now) && !self.is_asked(peer);
        let next = self.connected.iter().find(|(peer, _)| is_free(peer));
        next.filter(|_| self.asked.len() < WANTED).cloned()
    }

    /// Returns the next candidate to dial, when too few connected hubs are relays.
    pub fn next_relay_dial(&mut self, now: Instant) -> Option<(PeerId, Vec<Multiaddr>)> {
        if self.asked.len() >= WANTED {
            return None;
        }
        let rests = |peer: &PeerId| self.called.is_delayed(peer, now) || self.resting.is_delayed(peer, now);
        let is_due = |peer: &PeerId| !rests(peer) && self.is_away(peer);
        let mut away = self.said.iter().filter(|(peer, _)| is_due(peer));
        let (peer, addresses) = away.next().map(|(peer, addresses)| (*peer, addresses.clone()))?;
        self.called.delay(peer, now);
        Some((peer, addresses))
    }

    pub fn asked(&mut self, listener: ListenerId, relay: PeerId) {
        self.asked.insert(listener, Reservation { relay, agreed: false });
    }

    pub fn on_reserved(&mut self, relay: PeerId) {
        self.resting.reset(&relay);
        self.asked.values_mut().filter(|asked| asked.relay == relay).for_each(|asked| asked.agreed = true);
    }

    /// Removes a refused or ended reservation and returns its relay.
    pub fn closed(&mut self, listener: ListenerId, now: Instant) -> Option<PeerId> {
        let relay = self.asked.remove(&listener)?.relay;
        self.rest(relay, now);
        Some(relay)
    }

    /// Removes and returns the accepted reservations, which are not needed once this hub is directly
    /// reachable.
    pub fn unneeded(&mut self) -> Vec<ListenerId> {
        let agreed = self.asked.extract_if(|_, asked| asked.agreed);
        agreed.map(|(listener, _)| listener).collect()
    }

    pub fn rest(&mut self, relay: PeerId, now: Instant) {
        self.resting.delay(relay, now);
    }

    fn is_asked(&self, peer: &PeerId) -> bool {
        self.asked.values().any(|asked| asked.relay == *peer)
    }

    /// Returns the relays through which this hub is reachable.
    pub fn in_use(&self) -> impl Iterator<Item = PeerId> {
        self.asked.values().filter(|asked| asked.agreed).map(|asked| asked.relay)
    }

    /// Returns the relays whose connections this hub needs.
    pub fn needed(&self) -> impl Iterator<Item = PeerId> {
        self.asked.values().map(|asked| asked.relay)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(n: u16) -> Multiaddr {
        format!("/ip4/192.0.2.1/tcp/{n}").parse().unwrap()
    }

    #[test]
    fn two_are_asked_and_one_that_is_lost_is_replaced_by_another() {
        let (now, mut relays) = (Instant::now(), RelaySelector::default());
        let peers: Vec<PeerId> = (0..3).map(|_| PeerId::random()).collect();
        for (peer, port) in peers.iter().zip(1..) {
            relays.on_relay_supported(*peer, address(port));
        }
        let listeners: Vec<ListenerId> = (0..2)
            .map(|n| {
                assert_eq!(
                    relays.next_reservation(now),
                    Some((peers[n], address(u16::try_from(n).unwrap() + 1)))
                );
                let listener = ListenerId::next();
                relays.asked(listener, peers[n]);
                listener
            })
            .collect();
        assert_eq!(relays.next_reservation(now), None, "two are enough");
        assert_eq!(relays.in_use().count(), 0, "none has agreed yet");
        relays.on_reserved(peers[1]);
        assert!(relays.in_use().eq([peers[1]]));
        assert_eq!(relays.closed(listeners[0], now), Some(peers[0]));
        assert_eq!(relays.next_reservation(now).unwrap().0, peers[2], "the one that was lost rests");
        relays.left(&peers[2]);
        assert_eq!(relays.next_reservation(now), None);
        assert_eq!(relays.next_reservation(now + RETRY_INTERVAL).unwrap().0, peers[0]);
        assert_eq!(relays.unneeded(), [listeners[1]]);
        assert_eq!(relays.in_use().count(), 0);
    }

    #[test]
    fn those_that_say_so_are_called_one_after_the_other_and_bounded() {
        let (now, mut relays) = (Instant::now(), RelaySelector::default());
        let (one, other) = (PeerId::random(), PeerId::random());
        relays.on_relay_offer(one, true, vec![address(1)]);
        relays.on_relay_offer(other, true, vec![address(2)]);
        let called: Vec<PeerId> = (0..2).filter_map(|_| Some(relays.next_relay_dial(now)?.0)).collect();
        assert!(called.contains(&one) && called.contains(&other));
        assert_eq!(relays.next_relay_dial(now), None);
        relays.on_relay_supported(one, address(1));
        assert_eq!(relays.next_reservation(now).unwrap().0, one, "it is there, so it is asked at once");
        relays.left(&one);
        relays.on_relay_offer(one, false, vec![address(1)]);
        relays.on_relay_supported(other, address(2));
        assert_eq!(relays.next_relay_dial(now + RETRY_INTERVAL), None, "one does not any more, one is there");
        (0..2 * MAX_RELAYS).for_each(|_| relays.on_relay_offer(PeerId::random(), true, vec![address(3)]));
        assert_eq!(relays.said.len(), MAX_RELAYS);
        relays.on_relay_offer(one, true, vec![address(1)]);
        assert!(!relays.said.contains_key(&one), "there is no room");
        let lost = relays.next_relay_dial(now).unwrap().0;
        relays.on_relay_offer(one, true, vec![address(1)]);
        assert!(relays.said.contains_key(&one) && !relays.said.contains_key(&lost));
        assert_eq!(relays.said.len(), MAX_RELAYS);
    }

    #[test]
    fn a_relay_that_restarts_is_asked_again_within_seconds_and_one_that_refuses_more_rarely() {
        let (mut now, mut relays) = (Instant::now(), RelaySelector::default());
        let relay = PeerId::random();
        let mut delays = Vec::new();
        for _ in 0..12 {
            relays.on_relay_supported(relay, address(1));
            let (peer, _) = relays.next_reservation(now).unwrap();
            let listener = ListenerId::next();
            relays.asked(listener, peer);
            assert_eq!(relays.closed(listener, now), Some(relay), "it refuses");
            relays.left(&relay);
            let before = now;
            while relays.resting.is_delayed(&relay, now) {
                now += FIRST_RETRY;
            }
            delays.push(now - before);
        }
        assert_eq!((delays[0], delays[11]), (FIRST_RETRY, RETRY_INTERVAL));
        assert!(delays.is_sorted());
        relays.on_relay_supported(relay, address(1));
        let listener = ListenerId::next();
        relays.asked(listener, relays.next_reservation(now).unwrap().0);
        relays.on_reserved(relay);
        assert_eq!(relays.closed(listener, now), Some(relay), "it restarts");
        assert!(relays.next_reservation(now + FIRST_RETRY).is_some());
    }
}
