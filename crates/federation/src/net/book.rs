//! Where other hubs were last, and when to try them again.

use std::{
    collections::{HashMap, HashSet},
    time::{Duration, Instant},
};

use libp2p::{Multiaddr, PeerId};

/// Hubs whose addresses are remembered. Of more, those that failed most often are forgotten.
pub const MAX_HUBS: usize = 1_000;
/// Addresses of one hub.
pub const MAX_ADDRESSES: usize = 4;
const MAX_ADDRESS_BYTES: usize = 256;
/// With fewer hubs connected, others are tried.
pub const WANTED: usize = 12;
/// Ways into the network. More are not tried.
const MAX_DOORS: usize = 256;
/// Hubs that are tried at the same time.
const TRIED_AT_ONCE: usize = 4;
const FIRST_WAIT: Duration = Duration::from_secs(1);
/// The wait grows by a quarter each time,
const GROWTH: f64 = 1.25;
/// up to an hour.
const LONGEST_WAIT: Duration = Duration::from_secs(3_600);

/// The address book. It is kept in memory; what changes is told, and it is filled at start.
#[derive(Debug)]
pub struct Book {
    hubs: HashMap<PeerId, Entry>,
    /// Ways into the network from the configuration: tried for ever, and never forgotten.
    doors: Vec<Door>,
}

#[derive(Debug)]
struct Entry {
    addresses: Vec<Multiaddr>,
    attempts: Attempts,
}

#[derive(Debug)]
struct Door {
    address: Multiaddr,
    attempts: Attempts,
}

#[derive(Clone, Copy, Debug)]
struct Attempts {
    failed: i32,
    next: Instant,
}

impl Attempts {
    fn fail(&mut self, now: Instant) {
        let wait = FIRST_WAIT.mul_f64(GROWTH.powi(self.failed.min(60))).min(LONGEST_WAIT);
        self.failed += 1;
        self.next = now + wait;
    }
}

impl Book {
    /// `doors` are addresses from the configuration, with or without the names of peers.
    pub fn new(doors: Vec<Multiaddr>, known: Vec<(PeerId, Vec<Multiaddr>)>, now: Instant) -> Self {
        let attempts = Attempts { failed: 0, next: now };
        let doors = doors.into_iter().map(|address| Door { address, attempts }).collect();
        let mut book = Self { hubs: HashMap::new(), doors };
        known.into_iter().for_each(|(peer, addresses)| _ = book.met(peer, &addresses, now));
        book
    }

    /// More ways in, found by their names.
    pub fn add_doors(&mut self, found: Vec<Multiaddr>, now: Instant) {
        let known: HashSet<Multiaddr> = self.doors.iter().map(|door| door.address.clone()).collect();
        let attempts = Attempts { failed: 0, next: now };
        let new = found.into_iter().filter(|address| !known.contains(address));
        let room = MAX_DOORS.saturating_sub(self.doors.len());
        self.doors.extend(new.take(room).map(|address| Door { address, attempts }));
    }

    /// A hub says that it is at `addresses`. What is to be kept, if that is new.
    pub fn met(&mut self, peer: PeerId, addresses: &[Multiaddr], now: Instant) -> Option<Vec<Multiaddr>> {
        let fitting = addresses.iter().filter(|address| address.len() <= MAX_ADDRESS_BYTES);
        let addresses: Vec<Multiaddr> = fitting.take(MAX_ADDRESSES).cloned().collect();
        if addresses.is_empty() || !self.has_room(&peer) {
            return None;
        }
        let attempts = Attempts { failed: 0, next: now + FIRST_WAIT };
        let before = self.hubs.insert(peer, Entry { addresses: addresses.clone(), attempts });
        (before.map(|entry| entry.addresses).as_ref() != Some(&addresses)).then_some(addresses)
    }

    /// Somebody was there, whoever began it: waiting starts over. Whether it is a way in.
    pub fn reached(&mut self, peer: &PeerId, address: &Multiaddr, now: Instant) -> bool {
        let attempts = Attempts { failed: 0, next: now + FIRST_WAIT };
        if let Some(entry) = self.hubs.get_mut(peer) {
            entry.attempts = attempts;
        }
        let door = self.doors.iter_mut().find(|door| same_place(&door.address, address));
        door.map(|door| door.attempts = attempts).is_some()
    }

    /// Hubs to try now, and ways in.
    pub fn due(
        &mut self,
        connected: &HashSet<PeerId>,
        now: Instant,
    ) -> (Vec<(PeerId, Vec<Multiaddr>)>, Vec<Multiaddr>) {
        if connected.len() >= WANTED {
            return Default::default();
        }
        let waiting = self
            .hubs
            .iter_mut()
            .filter(|(peer, entry)| entry.attempts.next <= now && !connected.contains(peer));
        let hubs = waiting.take(TRIED_AT_ONCE).map(|(peer, entry)| {
            entry.attempts.fail(now);
            (*peer, entry.addresses.clone())
        });
        let hubs = hubs.collect();
        let doors = self.doors.iter_mut().filter(|door| door.attempts.next <= now);
        let doors = doors.map(|door| {
            door.attempts.fail(now);
            door.address.clone()
        });
        (hubs, doors.collect())
    }

    pub fn addresses(&self, peer: &PeerId) -> &[Multiaddr] {
        self.hubs.get(peer).map(|entry| entry.addresses.as_slice()).unwrap_or_default()
    }

    fn has_room(&mut self, peer: &PeerId) -> bool {
        if self.hubs.len() < MAX_HUBS || self.hubs.contains_key(peer) {
            return true;
        }
        let worst = self.hubs.iter().max_by_key(|(_, entry)| entry.attempts.failed);
        let worst = worst.filter(|(_, entry)| entry.attempts.failed > 0).map(|(peer, _)| *peer);
        worst.is_some_and(|peer| self.hubs.remove(&peer).is_some())
    }
}

/// Whether both lead to the same place, with or without the name of who is there.
fn same_place(a: &Multiaddr, b: &Multiaddr) -> bool {
    let place = |address: &Multiaddr| {
        let mut address = address.clone();
        if matches!(address.iter().last(), Some(libp2p::multiaddr::Protocol::P2p(_))) {
            address.pop();
        }
        address
    };
    place(a) == place(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(n: usize) -> Multiaddr {
        format!("/ip4/192.0.2.1/tcp/{n}").parse().unwrap()
    }

    #[test]
    fn waits_grow_to_an_hour_and_start_over_on_contact() {
        let (start, peer) = (Instant::now(), PeerId::random());
        let mut book = Book::new(vec![address(1)], vec![(peer, vec![address(2)])], start);
        let (mut now, mut waits) = (start + FIRST_WAIT, Vec::new());
        for _ in 0..60 {
            let (hubs, _) = book.due(&HashSet::new(), now);
            assert_eq!(hubs, [(peer, vec![address(2)])]);
            let wait = book.hubs[&peer].attempts.next - now;
            waits.push(wait);
            now += wait;
        }
        assert_eq!((waits[0], waits[59]), (FIRST_WAIT, LONGEST_WAIT));
        assert!(waits.is_sorted());
        book.reached(&peer, &address(1).with(libp2p::multiaddr::Protocol::P2p(peer)), now);
        assert_eq!(book.hubs[&peer].attempts.failed, 0);
        assert_eq!(book.doors[0].attempts.failed, 0, "a door is known by its place");
    }

    #[test]
    fn nobody_is_tried_without_need() {
        let (now, peer) = (Instant::now(), PeerId::random());
        let mut book = Book::new(vec![address(1)], vec![(peer, vec![address(2)])], now);
        let many: HashSet<PeerId> = (0..WANTED).map(|_| PeerId::random()).collect();
        assert_eq!(book.due(&many, now + LONGEST_WAIT), Default::default());
        let (hubs, doors) = book.due(&HashSet::from([peer]), now + LONGEST_WAIT);
        assert!(hubs.is_empty() && doors == [address(1)]);
    }

    #[test]
    fn the_book_is_bounded_and_keeps_those_that_answer() {
        let now = Instant::now();
        let mut book = Book::new(Vec::new(), Vec::new(), now);
        let peers: Vec<PeerId> = (0..MAX_HUBS).map(|_| PeerId::random()).collect();
        peers.iter().for_each(|peer| assert!(book.met(*peer, &[address(1)], now).is_some()));
        assert_eq!(book.met(PeerId::random(), &[address(1)], now), None, "all of them answer");
        book.hubs.get_mut(&peers[7]).unwrap().attempts.fail(now);
        assert!(book.met(PeerId::random(), &[address(1)], now).is_some());
        assert!(book.addresses(&peers[7]).is_empty() && book.hubs.len() == MAX_HUBS);
        assert_eq!(book.met(peers[8], &[address(1)], now), None, "nothing new");
        let long = "/dns4/".to_owned() + &"a".repeat(300) + "/tcp/1";
        assert_eq!(book.met(peers[8], &[long.parse().unwrap()], now), None);
    }
}
