//! Peer address book with redial backoff.

use std::{
    cmp::Reverse,
    collections::{HashMap, HashSet},
    time::{Duration, Instant},
};

use libp2p::{Multiaddr, PeerId, multiaddr::Protocol};

use super::dial_policy::is_relayed;

/// Maximum hubs in the book. When full, unproven ones are evicted first, then those that cannot be reached.
pub const MAX_HUBS: usize = 1_000;
/// Maximum addresses of one hub.
pub const MAX_ADDRESSES: usize = 4;
const MAX_ADDRESS_BYTES: usize = 256;
/// Target number of outbound hub connections; below it, further hubs are dialed. Inbound connections do not
/// count, so that an attacker cannot fill the target by connecting often (eclipse attack).
pub const WANTED: usize = 12;
/// Maximum bootstrap addresses; more are not tried.
const MAX_BOOTSTRAP: usize = 256;
/// Maximum hubs dialed per call of [`AddressBook::next_dials`].
const TRIED_AT_ONCE: usize = 4;
/// Minimum interval between persisted changes of one hub's addresses.
const REPORT_INTERVAL: Duration = Duration::from_secs(60);
const INITIAL_BACKOFF: Duration = Duration::from_secs(1);
/// Backoff: an unreachable hub is dialed again after 1/`SHARE` of the time since the first failure.
const SHARE: u32 = 4;
/// Upper bound of the backoff.
const MAX_BACKOFF: Duration = Duration::from_secs(3_600);
/// Upper bound of the backoff during `AT_FIRST` for hubs that were reachable before, so that a partitioned
/// network heals soon.
const MAX_INITIAL_BACKOFF: Duration = Duration::from_secs(15);
const AT_FIRST: Duration = Duration::from_secs(3_600);

/// The address book, in memory. Changes are returned to be persisted, and it is filled again at start.
#[derive(Debug)]
pub struct AddressBook {
    hubs: HashMap<PeerId, AddressEntry>,
    /// Bootstrap addresses: retried for ever and never evicted.
    bootstrap: Vec<BootstrapAddress>,
}

#[derive(Debug)]
struct AddressEntry {
    addresses: Vec<Multiaddr>,
    attempts: DialBackoff,
    /// This hub has dialed it successfully at these addresses.
    proved: bool,
    /// Addresses last returned to be persisted, and when.
    told: (Vec<Multiaddr>, Instant),
}

impl AddressEntry {
    /// Returns the addresses without a relay. Relays serve requests, not permanent gossip connections.
    fn direct(&self) -> impl Iterator<Item = &Multiaddr> {
        self.addresses.iter().filter(|address| !is_relayed(address))
    }
}

#[derive(Debug)]
struct BootstrapAddress {
    address: Multiaddr,
    attempts: DialBackoff,
    /// The peer that was reached at this address.
    peer: Option<PeerId>,
    /// Why the last dial failed, until one succeeds.
    failure: Option<DialFailure>,
}

impl BootstrapAddress {
    const fn new(address: Multiaddr, attempts: DialBackoff) -> Self {
        Self { address, attempts, peer: None, failure: None }
    }
}

/// Why a dial failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DialFailure {
    /// Another peer than the one that the address names.
    WrongPeer(PeerId),
    /// No connection; the innermost error.
    NoAnswer(String),
}

/// A bootstrap address at which no hub is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BootstrapFailure {
    pub address: Multiaddr,
    pub failure: DialFailure,
    /// The same host and port answers over the other transport.
    pub answers_otherwise: bool,
}

#[derive(Clone, Copy, Debug)]
struct DialBackoff {
    /// Time of the first failure since the last success.
    failing: Option<Instant>,
    next: Instant,
}

impl DialBackoff {
    const fn new(next: Instant) -> Self {
        Self { failing: None, next }
    }

    /// Records the start of a dial. It counts as failed until a connection succeeds.
    fn begin(&mut self, was_there: bool, now: Instant) {
        let since = *self.failing.get_or_insert(now);
        let gone = now.saturating_duration_since(since);
        let most = if was_there && gone < AT_FIRST { MAX_INITIAL_BACKOFF } else { MAX_BACKOFF };
        self.next = now + (gone / SHARE).clamp(INITIAL_BACKOFF, most);
    }
}

impl AddressBook {
    /// Creates the book from the configured bootstrap addresses, with or without peer ids, and the restored
    /// addresses.
    pub fn new(bootstrap: Vec<Multiaddr>, known: Vec<(PeerId, Vec<Multiaddr>)>, now: Instant) -> Self {
        let attempts = DialBackoff::new(now);
        let bootstrap =
            bootstrap.into_iter().map(|address| BootstrapAddress::new(address, attempts)).collect();
        let mut book = Self { hubs: HashMap::new(), bootstrap };
        known.into_iter().for_each(|(peer, addresses)| _ = book.add_addresses(peer, &addresses, now));
        book
    }

    /// Adds bootstrap addresses found in DNS.
    pub fn add_bootstrap(&mut self, found: Vec<Multiaddr>, now: Instant) {
        let known: HashSet<Multiaddr> = self.bootstrap.iter().map(|entry| entry.address.clone()).collect();
        let attempts = DialBackoff::new(now);
        let new = found.into_iter().filter(|address| !known.contains(address));
        let room = MAX_BOOTSTRAP.saturating_sub(self.bootstrap.len());
        self.bootstrap.extend(new.take(room).map(|address| BootstrapAddress::new(address, attempts)));
    }

    /// Updates the addresses of a hub. Returns them if they should be persisted.
    pub fn add_addresses(
        &mut self,
        peer: PeerId,
        addresses: &[Multiaddr],
        now: Instant,
    ) -> Option<Vec<Multiaddr>> {
        let fitting = addresses.iter().filter(|address| address.len() <= MAX_ADDRESS_BYTES);
        let addresses: Vec<Multiaddr> = fitting.take(MAX_ADDRESSES).cloned().collect();
        if addresses.is_empty() || !self.has_room(&peer) {
            return None;
        }
        let fresh = AddressEntry {
            addresses: Vec::new(),
            attempts: DialBackoff::new(now + INITIAL_BACKOFF),
            proved: false,
            told: (Vec::new(), now),
        };
        let new = !self.hubs.contains_key(&peer);
        let entry = self.hubs.entry(peer).or_insert(fresh);
        if entry.addresses != addresses {
            entry.attempts = DialBackoff::new(now + INITIAL_BACKOFF);
            entry.proved = false;
            entry.addresses.clone_from(&addresses);
        }
        let (told, at) = &entry.told;
        if *told == addresses || !(new || now.saturating_duration_since(*at) >= REPORT_INTERVAL) {
            return None;
        }
        entry.told = (addresses.clone(), now);
        Some(addresses)
    }

    /// Records a successful dial and resets the backoff. Returns whether the address is a bootstrap address.
    pub fn on_dial_success(&mut self, peer: &PeerId, address: &Multiaddr, now: Instant) -> bool {
        self.prove(peer, now);
        let entry = self.bootstrap.iter_mut().find(|entry| matches_bootstrap(&entry.address, address, peer));
        let attempts = DialBackoff::new(now + INITIAL_BACKOFF);
        entry
            .map(|entry| (entry.attempts, entry.peer, entry.failure) = (attempts, Some(*peer), None))
            .is_some()
    }

    /// Records a failed dial, if the address is a bootstrap address.
    pub fn on_dial_failure(&mut self, address: &Multiaddr, failure: DialFailure) {
        let (place, _) = split(address);
        if let Some(entry) = self.bootstrap.iter_mut().find(|entry| split(&entry.address).0 == place) {
            entry.failure = Some(failure);
        }
    }

    /// Returns the bootstrap addresses whose last dial failed.
    pub fn bootstrap_failures(&self) -> Vec<BootstrapFailure> {
        let answers = |entry: &BootstrapAddress| entry.peer.is_some() && entry.failure.is_none();
        let failed = self.bootstrap.iter().filter_map(|entry| Some((entry, entry.failure.clone()?)));
        let failures = failed.map(|(entry, failure)| BootstrapFailure {
            address: entry.address.clone(),
            failure,
            answers_otherwise: self.bootstrap.iter().any(|other| {
                answers(other) && host_and_port(&other.address) == host_and_port(&entry.address)
            }),
        });
        failures.collect()
    }

    /// Marks a hub as proven, because an outbound connection to it succeeded, and resets its backoff.
    pub fn prove(&mut self, peer: &PeerId, now: Instant) {
        if let Some(entry) = self.hubs.get_mut(peer) {
            entry.attempts = DialBackoff::new(now + INITIAL_BACKOFF);
            entry.proved = true;
        }
    }

    /// Returns the hubs and bootstrap addresses to dial now; none when `called` outbound connections suffice.
    pub fn next_dials(
        &mut self,
        connected: &HashSet<PeerId>,
        called: usize,
        now: Instant,
    ) -> (Vec<(PeerId, Vec<Multiaddr>)>, Vec<Multiaddr>) {
        if called >= WANTED {
            return Default::default();
        }
        let mut waiting: Vec<_> = self
            .hubs
            .iter_mut()
            .filter(|(peer, entry)| entry.attempts.next <= now && !connected.contains(peer))
            .filter(|(_, entry)| entry.direct().next().is_some())
            .collect();
        // Proven hubs come first but leave one slot to others: many unreachable ones would be due again
        // before all others had a turn (starvation).
        waiting.sort_by_key(|(_, entry)| entry.attempts.next);
        let (proved, others): (Vec<_>, Vec<_>) = waiting.into_iter().partition(|(_, entry)| entry.proved);
        let turns = TRIED_AT_ONCE.saturating_sub(proved.len()).max(1).min(others.len());
        let first = proved.into_iter().take(TRIED_AT_ONCE - turns).chain(others.into_iter().take(turns));
        let hubs = first.map(|(peer, entry)| {
            entry.attempts.begin(entry.proved, now);
            (*peer, entry.direct().cloned().collect())
        });
        let hubs = hubs.collect();
        let away = |entry: &BootstrapAddress| !entry.peer.is_some_and(|peer| connected.contains(&peer));
        let bootstrap = self.bootstrap.iter_mut().filter(|entry| entry.attempts.next <= now && away(entry));
        let bootstrap = bootstrap.map(|entry| {
            // The operator vouches for this address: use the short backoff.
            entry.attempts.begin(true, now);
            entry.address.clone()
        });
        (hubs, bootstrap.collect())
    }

    pub fn addresses(&self, peer: &PeerId) -> &[Multiaddr] {
        self.hubs.get(peer).map(|entry| entry.addresses.as_slice()).unwrap_or_default()
    }

    /// Makes room for `peer` if necessary; returns whether there is room.
    fn has_room(&mut self, peer: &PeerId) -> bool {
        if self.hubs.len() < MAX_HUBS || self.hubs.contains_key(peer) {
            return true;
        }
        let worst =
            self.hubs.iter().max_by_key(|(_, entry)| (!entry.proved, entry.attempts.failing.map(Reverse)));
        let goes = |entry: &AddressEntry| !entry.proved || entry.attempts.failing.is_some();
        let worst = worst.filter(|(_, entry)| goes(entry)).map(|(peer, _)| *peer);
        worst.is_some_and(|peer| self.hubs.remove(&peer).is_some())
    }
}

/// Returns whether a bootstrap address is the address at which `peer` was reached. A peer id in the address
/// must match.
pub(super) fn matches_bootstrap(entry: &Multiaddr, reached: &Multiaddr, peer: &PeerId) -> bool {
    let (place, named) = split(entry);
    place == split(reached).0 && named.is_none_or(|named| named == *peer)
}

/// Returns the host of an address, and its port of either transport.
fn host_and_port(address: &Multiaddr) -> Option<(Protocol<'_>, u16)> {
    let mut parts = address.iter();
    match (parts.next()?, parts.next()?) {
        (host, Protocol::Tcp(port) | Protocol::Udp(port)) => Some((host, port)),
        _ => None,
    }
}

/// Splits an address into its transport part and its trailing peer id.
pub(super) fn split(address: &Multiaddr) -> (Multiaddr, Option<PeerId>) {
    let mut place = address.clone();
    match place.pop() {
        Some(Protocol::P2p(peer)) => (place, Some(peer)),
        _ => (address.clone(), None),
    }
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
        let mut book = AddressBook::new(vec![address(1)], vec![(peer, vec![address(2)])], start);
        let (mut now, mut waits) = (start + INITIAL_BACKOFF, Vec::new());
        for _ in 0..60 {
            let (hubs, _) = book.next_dials(&HashSet::new(), 0, now);
            assert_eq!(hubs, [(peer, vec![address(2)])]);
            let wait = book.hubs[&peer].attempts.next - now;
            waits.push(wait);
            now += wait;
        }
        assert_eq!((waits[0], waits[59]), (INITIAL_BACKOFF, MAX_BACKOFF));
        assert!(waits.is_sorted());
        book.on_dial_success(&peer, &address(1).with(Protocol::P2p(peer)), now);
        assert_eq!(book.hubs[&peer].attempts.failing, None);
        assert_eq!(book.bootstrap[0].attempts.failing, None, "a door is known by its place");
    }

    /// A network partition can end at any time without a notification: known hubs and bootstrap addresses are
    /// retried soon.
    #[test]
    fn who_was_there_is_tried_every_quarter_of_a_minute_for_an_hour() {
        let (start, peer) = (Instant::now(), PeerId::random());
        let mut book = AddressBook::new(Vec::new(), vec![(peer, vec![address(2)])], start);
        book.prove(&peer, start);
        let longest = |book: &mut AddressBook, until: Instant| {
            let mut longest = Duration::ZERO;
            while book.hubs[&peer].attempts.next < until {
                let now = book.hubs[&peer].attempts.next;
                assert_eq!(book.next_dials(&HashSet::new(), 0, now).0.len(), 1);
                longest = longest.max(book.hubs[&peer].attempts.next - now);
            }
            longest
        };
        assert_eq!(longest(&mut book, start + AT_FIRST), MAX_INITIAL_BACKOFF);
        assert_eq!(longest(&mut book, start + 10 * AT_FIRST), MAX_BACKOFF);
        let mut book = AddressBook::new(vec![address(1)], Vec::new(), start);
        let bootstrap =
            (0..600).map(|second| book.next_dials(&HashSet::new(), 0, start + Duration::from_secs(second)).1);
        assert!(bootstrap.filter(|bootstrap| !bootstrap.is_empty()).count() > 40, "in ten minutes");
    }

    #[test]
    fn bootstrap_addresses_that_fail_are_listed_until_they_answer() {
        let at = |text: &str| text.parse::<Multiaddr>().unwrap();
        let (now, peer, other) = (Instant::now(), PeerId::random(), PeerId::random());
        let (tcp, quic) = (at("/dns/hub.example/tcp/4001"), at("/dns/hub.example/udp/4001/quic-v1"));
        let wrong = at("/ip4/192.0.2.1/tcp/1").with(Protocol::P2p(other));
        let mut book = AddressBook::new(vec![tcp.clone(), quic.clone(), wrong.clone()], Vec::new(), now);
        assert!(book.bootstrap_failures().is_empty(), "none was dialed");
        let silent = DialFailure::NoAnswer("timed out".into());
        book.on_dial_failure(&quic, silent.clone());
        book.on_dial_failure(&at("/ip4/192.0.2.1/tcp/1"), DialFailure::WrongPeer(peer));
        let named = |address: &Multiaddr, failure: &DialFailure, answers_otherwise| BootstrapFailure {
            address: address.clone(),
            failure: failure.clone(),
            answers_otherwise,
        };
        let not_it = named(&wrong, &DialFailure::WrongPeer(peer), false);
        assert_eq!(book.bootstrap_failures(), [named(&quic, &silent, false), not_it.clone()]);
        book.on_dial_success(&peer, &tcp, now);
        assert_eq!(book.bootstrap_failures(), [named(&quic, &silent, true), not_it.clone()], "UDP is closed");
        book.on_dial_success(&peer, &quic, now);
        assert_eq!(book.bootstrap_failures(), [not_it]);
    }

    #[test]
    fn nobody_is_tried_without_need() {
        let (now, peer) = (Instant::now(), PeerId::random());
        let mut book = AddressBook::new(vec![address(1)], vec![(peer, vec![address(2)])], now);
        assert_eq!(book.next_dials(&HashSet::new(), WANTED, now + MAX_BACKOFF), Default::default());
        let (hubs, bootstrap) = book.next_dials(&HashSet::from([peer]), 1, now + MAX_BACKOFF);
        assert!(hubs.is_empty() && bootstrap == [address(1)]);
        let later = now + 2 * MAX_BACKOFF;
        assert!(book.on_dial_success(&peer, &address(1), now));
        assert_eq!(
            book.next_dials(&HashSet::from([peer]), 1, later),
            Default::default(),
            "the door is open already"
        );
    }

    #[test]
    fn nobody_is_tried_through_others() {
        let (now, [one, other]) = (Instant::now(), [PeerId::random(), PeerId::random()]);
        let circuit = address(3).with(Protocol::P2p(other)).with(Protocol::P2pCircuit);
        let known = vec![(one, vec![circuit.clone(), address(2)]), (other, vec![circuit.clone()])];
        let mut book = AddressBook::new(Vec::new(), known, now);
        assert_eq!(book.next_dials(&HashSet::new(), 0, now + MAX_BACKOFF).0, [(one, vec![address(2)])]);
        assert_eq!(book.addresses(&other), [circuit], "a call goes that way");
    }

    /// Any number of inbound connections does not stop outbound dialing.
    #[test]
    fn those_that_call_keep_nobody_from_being_called() {
        let (now, peer) = (Instant::now(), PeerId::random());
        let mut book = AddressBook::new(Vec::new(), vec![(peer, vec![address(2)])], now);
        let callers: HashSet<PeerId> = (0..10 * WANTED).map(|_| PeerId::random()).collect();
        assert_eq!(book.next_dials(&callers, WANTED - 1, now + MAX_BACKOFF).0.len(), 1);
    }

    #[test]
    fn who_only_says_where_it_is_makes_room_for_others_and_pushes_out_nobody() {
        let now = Instant::now();
        let mut book = AddressBook::new(Vec::new(), Vec::new(), now);
        let friends: Vec<PeerId> = (0..10).map(|_| PeerId::random()).collect();
        for friend in &friends {
            book.add_addresses(*friend, &[address(1)], now);
            book.prove(friend, now);
            book.hubs.get_mut(friend).unwrap().attempts.begin(true, now);
        }
        for _ in 0..2 * MAX_HUBS {
            assert!(book.add_addresses(PeerId::random(), &[address(2)], now).is_some());
        }
        assert_eq!(book.hubs.len(), MAX_HUBS);
        assert!(friends.iter().all(|friend| !book.addresses(friend).is_empty()));
        let (tried, _) = book.next_dials(&HashSet::new(), 0, now + MAX_BACKOFF);
        let known = tried.iter().filter(|(peer, _)| friends.contains(peer)).count();
        assert_eq!((known, tried.len()), (TRIED_AT_ONCE - 1, TRIED_AT_ONCE), "friends come first");
    }

    /// A hundred unreachable hubs, each due every quarter of a minute: a new hub is dialed, and so is each of
    /// them.
    #[test]
    fn many_that_are_gone_keep_nobody_from_being_called() {
        let (start, new) = (Instant::now(), PeerId::random());
        let mut book = AddressBook::new(Vec::new(), Vec::new(), start);
        let gone: HashSet<PeerId> = (0..100).map(|_| PeerId::random()).collect();
        for peer in &gone {
            book.add_addresses(*peer, &[address(1)], start);
            book.prove(peer, start);
        }
        let mut tried = HashSet::new();
        for second in 0..600 {
            if second == 300 {
                book.add_addresses(new, &[address(2)], start + Duration::from_secs(second));
            }
            let (hubs, _) = book.next_dials(&HashSet::new(), 0, start + Duration::from_secs(second));
            tried.extend(hubs.into_iter().map(|(peer, _)| peer).filter(|peer| second > 300 || *peer == new));
        }
        assert!(tried.contains(&new) && gone.is_subset(&tried), "{} of 101", tried.len());
    }

    #[test]
    fn who_moves_all_the_time_is_written_down_now_and_then() {
        let (now, peer) = (Instant::now(), PeerId::random());
        let mut book = AddressBook::new(Vec::new(), Vec::new(), now);
        let told = (0..600).filter_map(|n| {
            let at = now + Duration::from_millis(n * 100);
            book.add_addresses(peer, &[address(usize::try_from(n).unwrap())], at)
        });
        assert_eq!(told.count(), 1);
        assert_eq!(book.addresses(&peer), [address(599)]);
        assert!(
            book.add_addresses(peer, &[address(599)], now + REPORT_INTERVAL).is_some(),
            "what it came to is told"
        );
        assert!(book.add_addresses(peer, &[address(599)], now + 2 * REPORT_INTERVAL).is_none());
    }

    #[test]
    fn a_door_that_names_somebody_leads_to_nobody_else() {
        let (now, peer, other) = (Instant::now(), PeerId::random(), PeerId::random());
        let mut book = AddressBook::new(vec![address(1).with(Protocol::P2p(peer))], Vec::new(), now);
        assert!(!book.on_dial_success(&other, &address(1), now));
        assert!(book.on_dial_success(&peer, &address(1).with(Protocol::P2p(peer)), now));
    }

    #[test]
    fn the_book_is_bounded_and_keeps_those_that_answer() {
        let now = Instant::now();
        let mut book = AddressBook::new(Vec::new(), Vec::new(), now);
        let peers: Vec<PeerId> = (0..MAX_HUBS).map(|_| PeerId::random()).collect();
        peers.iter().for_each(|peer| assert!(book.add_addresses(*peer, &[address(1)], now).is_some()));
        peers.iter().for_each(|peer| book.prove(peer, now));
        assert_eq!(book.add_addresses(PeerId::random(), &[address(1)], now), None, "all of them answer");
        book.hubs.get_mut(&peers[7]).unwrap().attempts.begin(true, now);
        assert!(book.add_addresses(PeerId::random(), &[address(1)], now).is_some());
        assert!(book.addresses(&peers[7]).is_empty() && book.hubs.len() == MAX_HUBS);
        assert_eq!(book.add_addresses(peers[8], &[address(1)], now), None, "nothing new");
        let long = "/dns4/".to_owned() + &"a".repeat(300) + "/tcp/1";
        assert_eq!(book.add_addresses(peers[8], &[long.parse().unwrap()], now), None);
    }
}
