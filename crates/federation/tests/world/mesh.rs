//! What the network layer does, as a model: who is connected with whom, and how gossip travels. Each hub calls twelve others
//! and passes messages on along some of these connections, about six of its own in all; each second it names what it heard
//! lately to six others, who ask for what they lack (gossipsub specification, "Gossip propagation").

use std::{
    collections::{HashSet, VecDeque},
    rc::Rc,
    time::Duration,
};

use plexus_domain::Timestamp;
use plexus_federation::core::Event;

use crate::simulation::{CALLED, Happening, Kind, World};

/// Of the hubs that one calls, so many are in its mesh. As many call it for that, on average: together a degree of six.
const MESH: usize = 3;
/// Others to whom a hub names what it heard,
const NAMED_TO: usize = 6;
/// in so many beats.
const NAMED_FOR: u32 = 3;
/// How long a message is known by its name.
const REMEMBERED: Duration = Duration::from_secs(120);
/// Sender, number, topic and signature of a message.
const ENVELOPE: usize = 190;
/// A name of a message, and of what names some.
const NAME: usize = 34;

/// What gossip sends.
pub enum Post {
    Message {
        name: u64,
        bytes: Rc<[u8]>,
    },
    /// I have these.
    Have(Rc<[u64]>),
    /// Send me these.
    Want(Vec<u64>),
}

/// What one hub knows of messages.
#[derive(Default)]
pub struct Gossip {
    seen: HashSet<u64>,
    recent: VecDeque<(Timestamp, u64, Rc<[u8]>)>,
}

impl Gossip {
    /// Whether a message is new.
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

    /// One more hub is called while there are too few.
    pub fn tend(&mut self, n: usize) {
        if self.hubs[n].called.len() < CALLED {
            self.call_one(n);
        }
    }

    /// A few tries, as a call may fail.
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
            let event = event(self.hubs[other].core.me());
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
        let event = Event::Gossip { from: self.hubs[from].core.me(), message: name, bytes: bytes.to_vec() };
        self.handle(to, event, Some((from, bytes, name)));
    }

    /// Names what was heard lately to some of the connected.
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
