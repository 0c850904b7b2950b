//! Model of the network layer: connections and gossip. Each hub dials twelve others and forwards messages
//! over about six mesh connections. Once per second it advertises recent messages to six random peers, which
//! request what they lack (gossipsub specification, "Gossip propagation").

use std::{
    collections::{HashSet, VecDeque},
    rc::Rc,
    time::Duration,
};

use plexus_domain::Timestamp;
use plexus_federation::engine::Event;

use crate::simulator::{CALLED, Happening, Kind, World};

/// Dialed peers in a hub's mesh. On average as many dialing peers graft it: a mesh degree of six.
const MESH: usize = 3;
/// Peers that receive IHAVE advertisements per heartbeat.
const NAMED_TO: usize = 6;
/// Heartbeats during which a message is advertised.
const NAMED_FOR: u32 = 3;
/// Duration of message-id deduplication.
const REMEMBERED: Duration = Duration::from_secs(120);
/// Overhead of a message in bytes: sender, number, topic and signature.
const ENVELOPE: usize = 190;
/// Bytes of a message id, and of the header of a list of ids.
const NAME: usize = 34;

/// A gossip RPC.
pub enum Post {
    Message {
        name: u64,
        bytes: Rc<[u8]>,
    },
    /// IHAVE: advertises these messages.
    Have(Rc<[u64]>),
    /// IWANT: requests these messages.
    Want(Vec<u64>),
}

/// Gossip state of one hub.
#[derive(Default)]
pub struct Gossip {
    seen: HashSet<u64>,
    recent: VecDeque<(Timestamp, u64, Rc<[u8]>)>,
}

impl Gossip {
    /// Records a message; returns whether it is new.
    fn note(&mut self, now: Timestamp, name: u64, bytes: &Rc<[u8]>) -> bool {
        let new = self.seen.insert(name);
        if new {
            self.recent.push_back((now, name, bytes.clone()));
        }
        while self.recent.front().is_some_and(|(at, _, _)| now.since(*at) > REMEMBERED) {
            let gone = self.recent.pop_front();
            gone.map(|(_, name, _)| self.seen.remove(&name));
        }
        new
    }

    fn since(&self, then: Timestamp) -> Rc<[u64]> {
        let latest = self.recent.iter().rev().take_while(|(at, _, _)| *at >= then);
        latest.map(|(_, name, _)| *name).collect()
    }

    fn get(&self, name: u64) -> Option<Rc<[u8]>> {
        let there = self.recent.iter().rev().find(|(_, other, _)| *other == name);
        there.map(|(_, _, bytes)| bytes.clone())
    }
}

impl World {
    pub fn linked(&self, a: usize, b: usize) -> bool {
        self.hubs[a].called.contains(&b) || self.hubs[b].called.contains(&a)
    }

    pub fn neighbours(&self, n: usize) -> Vec<usize> {
        let hub = &self.hubs[n];
        hub.called.iter().chain(&hub.callers).copied().collect()
    }

    pub fn links(&self) -> impl Iterator<Item = (usize, usize)> {
        let calls = self.hubs.iter().enumerate();
        calls.flat_map(|(n, hub)| hub.called.iter().map(move |other| (n, *other)))
    }

    fn reaches(&self, a: usize, b: usize) -> bool {
        self.hubs[b].alive && self.split.is_none_or(|at| (a < at) == (b < at))
    }

    /// Dials one more hub while there are too few.
    pub fn tend(&mut self, n: usize) {
        if self.hubs[n].called.len() < CALLED {
            self.call_one(n);
        }
    }

    /// Dials a random hub; tries up to four times, since it may be unreachable or connected.
    pub fn call_one(&mut self, n: usize) {
        for _ in 0..4 {
            let other = self.dice.roll(self.hubs.len());
            if other != n && self.reaches(n, other) && !self.linked(n, other) {
                return self.connect(n, other);
            }
        }
    }

    pub fn connect(&mut self, a: usize, b: usize) {
        self.hubs[a].called.push(b);
        self.hubs[b].callers.push(a);
        self.both(a, b, Event::Connected);
    }

    pub fn disconnect(&mut self, a: usize, b: usize) {
        for (one, other) in [(a, b), (b, a)] {
            self.hubs[one].called.retain(|hub| *hub != other);
            self.hubs[one].callers.retain(|hub| *hub != other);
        }
        self.both(a, b, Event::Disconnected);
    }

    fn both(&mut self, a: usize, b: usize, event: fn(plexus_federation::HubId) -> Event) {
        for (one, other) in [(a, b), (b, a)] {
            let event = event(self.hubs[other].core.local_id());
            self.schedule(self.now, one, Happening::Event { from: one, event });
        }
    }

    fn mesh(&self, n: usize) -> Vec<usize> {
        let first = |hub: usize| self.hubs[hub].called.iter().take(MESH);
        let grafted = self.hubs[n].callers.iter().filter(|caller| first(**caller).any(|hub| *hub == n));
        first(n).chain(grafted).copied().collect()
    }

    pub fn announce(&mut self, n: usize, record: Vec<u8>) {
        let bytes: Rc<[u8]> = record.into();
        self.posted += 1;
        let name = self.posted;
        self.hubs[n].gossip.note(self.now, name, &bytes);
        self.pass_on(n, None, &bytes, name);
    }

    pub fn pass_on(&mut self, n: usize, from: Option<usize>, bytes: &Rc<[u8]>, name: u64) {
        for other in self.mesh(n).into_iter().filter(|other| Some(*other) != from) {
            self.post(n, other, ENVELOPE + bytes.len(), Post::Message { name, bytes: bytes.clone() });
        }
    }

    fn post(&mut self, from: usize, to: usize, size: usize, post: Post) {
        self.count(from, to, size);
        if self.dice.roll(100) >= self.weather.loss {
            let at = self.now + self.delay();
            self.schedule(at, to, Happening::Post { from, post });
        }
    }

    pub fn receive(&mut self, from: usize, to: usize, post: Post) {
        match post {
            Post::Message { name, bytes } => self.hear(from, to, name, &bytes),
            Post::Have(names) => {
                let seen = &self.hubs[to].gossip.seen;
                let lacking: Vec<u64> = names.iter().copied().filter(|name| !seen.contains(name)).collect();
                if !lacking.is_empty() {
                    self.post(to, from, NAME * (1 + lacking.len()), Post::Want(lacking));
                }
            }
            Post::Want(names) if self.hubs[to].kind != Kind::Hostile => {
                for name in names {
                    if let Some(bytes) = self.hubs[to].gossip.get(name) {
                        self.post(to, from, ENVELOPE + bytes.len(), Post::Message { name, bytes });
                    }
                }
            }
            Post::Want(_) => {}
        }
    }

    fn hear(&mut self, from: usize, to: usize, name: u64, bytes: &Rc<[u8]>) {
        if !self.hubs[to].gossip.note(self.now, name, bytes) {
            return;
        }
        if self.hubs[to].kind == Kind::Passing {
            return self.pass_on(to, Some(from), bytes, name);
        }
        let event =
            Event::Gossip { from: self.hubs[from].core.local_id(), message: name, bytes: bytes.to_vec() };
        self.handle(to, event, Some((from, bytes, name)));
    }

    /// Advertises recent messages to random peers.
    pub fn heartbeat(&mut self, n: usize) {
        let names = self.hubs[n].gossip.since(self.now - self.tick * NAMED_FOR);
        let others = self.neighbours(n);
        if names.is_empty() || others.is_empty() {
            return;
        }
        for _ in 0..NAMED_TO {
            let other = others[self.dice.roll(others.len())];
            self.post(n, other, NAME * (1 + names.len()), Post::Have(names.clone()));
        }
    }
}
