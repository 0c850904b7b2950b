//! Simulator: hubs, event queue, virtual clock and network.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap},
    rc::Rc,
    time::Duration,
};

use plexus_a2a::listing_id::ListingId;
use plexus_domain::{Digest, Timestamp};
use plexus_federation::{
    HubId,
    engine::{
        Effect, Engine, Event, GossipVerdict, PeerRequest, PeerResponse, ViolationReport,
        lease::VisibilityLease,
        policy::{AdmissionMode, Policy},
    },
    net::cbor::{self, PeerMessage, PeerReply},
    record::Listing,
};

use crate::{
    fixtures::{self, START},
    gossip_model::{Gossip, Post},
    rng::Dice,
};

/// Number of hubs that each hub dials, as in `net::book`.
pub const CALLED: usize = 12;
/// Redial interval for hubs that were reachable before, as in `net::book`.
const RETRY_INTERVAL: Duration = Duration::from_secs(15);
/// Timeout of a request.
const UNANSWERED: Duration = Duration::from_secs(10);
/// Delay of a request by a lost packet: a TCP retransmission.
const RESEND_INTERVAL: Duration = Duration::from_millis(200);
/// Overhead of a request or response, in bytes.
const FRAMING: usize = 64;
const HOUR_IN_MINUTES: usize = 60;

/// Network conditions. One-way delays, in milliseconds.
#[derive(Clone, Copy)]
pub struct Weather {
    pub delay: (usize, usize),
    /// Percentage of lost gossip messages; as many requests are delayed.
    pub loss: usize,
}

pub const CALM: Weather = Weather { delay: (20, 60), loss: 0 };
pub const LOSSY: Weather = Weather { loss: 10, ..CALM };

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Honest,
    /// Propagates and delivers nothing, states a complete inventory, and forges.
    Hostile,
    /// Forwards gossip without an engine state: memory does not suffice for ten thousand hubs that know each
    /// other.
    Passing,
}

/// A simulated hub.
pub struct Hub {
    pub core: Engine,
    pub kind: Kind,
    pub alive: bool,
    /// Dead: it does not return.
    pub gone: bool,
    /// Time of its last start or stop.
    pub since: Timestamp,
    pub called: Vec<usize>,
    pub callers: Vec<usize>,
    pub gossip: Gossip,
    /// Leases reported for other hubs.
    pub leases: HashMap<HubId, VisibilityLease>,
    /// Visible listings, and since when.
    pub shown: BTreeMap<ListingId, Timestamp>,
    pub accusations: Vec<ViolationReport>,
    /// Bytes sent and received.
    pub traffic: u64,
    bodies: BTreeSet<Digest>,
}

/// A scheduled event of one hub.
pub enum Happening {
    Tick,
    Return,
    /// It reconnects to a hub that it had dialed before.
    Reach(usize),
    Event {
        from: usize,
        event: Event,
    },
    Post {
        from: usize,
        post: Post,
    },
}

struct Due {
    at: Timestamp,
    order: u64,
    to: usize,
    what: Happening,
}

/// The simulation.
pub struct World {
    pub now: Timestamp,
    pub hubs: Vec<Hub>,
    pub weather: Weather,
    pub dice: Dice,
    pub tick: Duration,
    numbers: HashMap<HubId, usize>,
    bodies: BTreeMap<Digest, Rc<[u8]>>,
    queue: BinaryHeap<Reverse<Due>>,
    scheduled: u64,
    pub posted: u64,
    /// Partition: hubs below this number cannot reach the others.
    pub split: Option<usize>,
    severed: Vec<(usize, usize)>,
}

impl World {
    /// Builds `count` hubs; those from number `honest` on are of `kind`. Clocks tick every `tick`, and heads
    /// are due at different times.
    pub fn new(count: usize, honest: usize, kind: Kind, tick: Duration, weather: Weather) -> Self {
        let mut dice = Dice::new(count as u64);
        let hubs: Vec<Hub> = (0..count)
            .map(|n| Hub::new(n, if n < honest { Kind::Honest } else { kind }, dice.roll(600)))
            .collect();
        let numbers = hubs.iter().enumerate().map(|(n, hub)| (hub.core.local_id(), n)).collect();
        let mut world = Self {
            now: START,
            hubs,
            weather,
            dice,
            tick,
            numbers,
            bodies: BTreeMap::new(),
            queue: BinaryHeap::new(),
            scheduled: 0,
            posted: 0,
            split: None,
            severed: Vec::new(),
        };
        for n in 0..count {
            (0..CALLED).for_each(|_| world.call_one(n));
            let at = world.now + world.within(tick);
            world.schedule(at, n, Happening::Tick);
        }
        world
    }

    pub fn honest(count: usize, tick: Duration, weather: Weather) -> Self {
        Self::new(count, count, Kind::Honest, tick, weather)
    }

    /// Advances time, processing all events.
    pub fn run(&mut self, time: Duration) {
        let end = self.now + time;
        while self.queue.peek().is_some_and(|Reverse(due)| due.at <= end) {
            let Some(Reverse(due)) = self.queue.pop() else { return };
            self.now = due.at;
            self.happen(due.to, due.what);
        }
        self.now = end;
    }

    pub fn publish(&mut self, listing: &Listing) {
        let home = self.numbers[&listing.envelope().hub];
        self.store(home, listing);
        self.handle(home, Event::Published(Box::new(listing.clone())), None);
    }

    /// Stops a hub for good.
    pub fn bury(&mut self, n: usize) {
        self.stop(n);
        self.hubs[n].gone = true;
    }

    fn stop(&mut self, n: usize) {
        for other in self.neighbours(n) {
            self.disconnect(n, other);
            let event = Event::Disconnected(self.hubs[other].core.local_id());
            self.hubs[n].core.handle(event, self.now);
        }
        self.hubs[n].alive = false;
        self.hubs[n].since = self.now;
    }

    /// Stops random hubs: `share` percent per hour. Each returns after about an hour.
    pub fn churn(&mut self, minutes: usize, share: usize) {
        for _ in 0..minutes {
            let chances = self.hubs.len() * share;
            let sides = 100 * HOUR_IN_MINUTES;
            let leaving = chances / sides + usize::from(self.dice.roll(sides) < chances % sides);
            for _ in 0..leaving {
                let n = self.dice.roll(self.hubs.len());
                if self.hubs[n].alive {
                    self.stop(n);
                    let away = Duration::from_secs(60 * (10 + self.dice.roll(100) as u64));
                    self.schedule(self.now + away, n, Happening::Return);
                }
            }
            self.run(fixtures::MINUTE);
        }
    }

    /// Partitions the network: hubs below `at` cannot reach the others.
    pub fn partition(&mut self, at: usize) {
        self.split = Some(at);
        let links: Vec<(usize, usize)> = self.links().filter(|(a, b)| (*a < at) != (*b < at)).collect();
        links.iter().for_each(|(a, b)| self.disconnect(*a, *b));
        self.severed = links;
    }

    /// Ends the partition: hubs redial those they were disconnected from.
    pub fn heal(&mut self) {
        self.split = None;
        for (a, b) in std::mem::take(&mut self.severed) {
            let at = self.now + self.within(RETRY_INTERVAL);
            self.schedule(at, a, Happening::Reach(b));
        }
    }

    pub fn schedule(&mut self, at: Timestamp, to: usize, what: Happening) {
        self.scheduled += 1;
        self.queue.push(Reverse(Due { at, order: self.scheduled, to, what }));
    }

    /// Returns a random duration below `most`.
    fn within(&mut self, most: Duration) -> Duration {
        let millis = usize::try_from(most.as_millis()).unwrap();
        Duration::from_millis(self.dice.roll(millis) as u64)
    }

    pub fn delay(&mut self) -> Duration {
        let (least, most) = self.weather.delay;
        Duration::from_millis((least + self.dice.roll(most - least)) as u64)
    }

    fn happen(&mut self, to: usize, what: Happening) {
        match what {
            Happening::Tick => {
                if self.hubs[to].alive {
                    self.handle(to, Event::Tick, None);
                    self.tend(to);
                    self.heartbeat(to);
                }
                self.schedule(self.now + self.tick, to, Happening::Tick);
            }
            Happening::Return if self.hubs[to].gone => {}
            Happening::Return => {
                self.hubs[to].alive = true;
                self.hubs[to].since = self.now;
                (0..CALLED).for_each(|_| self.call_one(to));
            }
            Happening::Reach(other) => {
                if self.hubs[to].alive && self.hubs[other].alive && !self.linked(to, other) {
                    self.connect(to, other);
                }
            }
            Happening::Event { from, event } => self.come(from, to, event),
            Happening::Post { from, post } => {
                if self.hubs[to].alive && self.linked(from, to) {
                    self.receive(from, to, post);
                }
            }
        }
    }

    /// Delivers an event of one hub to another, if they are still connected. A request that cannot be
    /// delivered fails.
    fn come(&mut self, from: usize, to: usize, event: Event) {
        let answers = self.hubs[to].kind != Kind::Passing;
        if self.hubs[to].alive && answers && (from == to || self.linked(from, to)) {
            return self.handle(to, event, None);
        }
        if let Event::Asked { id, .. } = event {
            let event = Event::Failed { from: self.hubs[to].core.local_id(), id };
            self.schedule(self.now + UNANSWERED, from, Happening::Event { from, event });
        }
    }

    /// Passes an event to an engine and executes its effects. `heard` is the gossip message of the event.
    pub fn handle(&mut self, n: usize, event: Event, heard: Option<(usize, &Rc<[u8]>, u64)>) {
        let effects = self.hubs[n].core.handle(event, self.now);
        for effect in effects {
            match (effect, heard) {
                (Effect::Judge { verdict: GossipVerdict::Accept, .. }, Some((from, bytes, name))) => {
                    if self.hubs[n].kind != Kind::Hostile {
                        self.pass_on(n, Some(from), bytes, name);
                    }
                }
                (effect, _) => self.perform(n, effect),
            }
        }
    }

    fn perform(&mut self, n: usize, effect: Effect) {
        let (now, hub) = (self.now, &mut self.hubs[n]);
        match effect {
            Effect::Announce(bytes) => self.announce(n, bytes),
            Effect::StoreListing(listing) => self.store(n, &listing),
            Effect::Ask { peer, id, request } => self.ask(n, peer, id, request),
            Effect::Reply { to, id, answer } => self.reply(n, to, id, answer),
            Effect::ReplyBodies { to, id, hashes, .. } => {
                let bodies = self.bodies_of(n, &hashes);
                self.reply(n, to, id, PeerResponse::Records(bodies));
            }
            Effect::Refuse { to, id } => {
                self.send(n, to, FRAMING, Event::Failed { from: self.hubs[n].core.local_id(), id });
            }
            Effect::Offer { to, hashes, head, .. } => {
                let records: Vec<Vec<u8>> = head.into_iter().chain(self.bodies_of(n, &hashes)).collect();
                let size = records.iter().map(Vec::len).sum::<usize>() + FRAMING;
                if self.hubs[n].kind == Kind::Honest {
                    self.send(n, to, size, Event::Offered { from: self.hubs[n].core.local_id(), records });
                }
            }
            Effect::Lease { hub: of, lease } => _ = hub.leases.insert(of, lease),
            Effect::Show(ids) => hub.shown.extend(ids.into_iter().map(|id| (id, now))),
            Effect::Hide(ids) => ids.iter().for_each(|id| _ = hub.shown.remove(id)),
            Effect::Accuse(accusation) => hub.accusations.push(accusation),
            _ => {}
        }
    }

    fn ask(&mut self, n: usize, peer: HubId, id: u64, request: PeerRequest) {
        let size = cbor::write_message(&PeerMessage::Request(request.clone())).unwrap().len() + FRAMING;
        self.send(n, peer, size, Event::Asked { from: self.hubs[n].core.local_id(), id, request });
    }

    fn reply(&mut self, n: usize, to: HubId, id: u64, mut answer: PeerResponse) {
        if let (Kind::Hostile, PeerResponse::Records(records)) = (self.hubs[n].kind, &mut answer) {
            records.clear();
        }
        let size = cbor::write_reply(&PeerReply::Answer(answer.clone())).unwrap().len() + FRAMING;
        self.send(n, to, size, Event::Answered { from: self.hubs[n].core.local_id(), id, answer });
    }

    fn send(&mut self, from: usize, to: HubId, size: usize, event: Event) {
        let to = self.numbers[&to];
        let mut delay = self.delay();
        while self.dice.roll(100) < self.weather.loss {
            delay += RESEND_INTERVAL;
        }
        self.count(from, to, size);
        self.schedule(self.now + delay, to, Happening::Event { from, event });
    }

    pub fn count(&mut self, from: usize, to: usize, bytes: usize) {
        self.hubs[from].traffic += bytes as u64;
        self.hubs[to].traffic += bytes as u64;
    }

    fn store(&mut self, n: usize, listing: &Listing) {
        let hash = listing.hash();
        self.bodies.entry(hash).or_insert_with(|| listing.encode().into());
        self.hubs[n].bodies.insert(hash);
    }

    fn bodies_of(&self, n: usize, hashes: &[Digest]) -> Vec<Vec<u8>> {
        let there = hashes.iter().filter(|hash| self.hubs[n].bodies.contains(*hash));
        there.filter_map(|hash| self.bodies.get(hash)).map(|body| body.to_vec()).collect()
    }
}

impl Hub {
    fn new(n: usize, kind: Kind, due: usize) -> Self {
        let due = START + Duration::from_secs(due as u64);
        Self {
            core: Engine::new(
                fixtures::key(u16::try_from(n).unwrap()),
                Policy::new(AdmissionMode::Open),
                due,
            ),
            kind,
            alive: true,
            gone: false,
            since: START,
            called: Vec::new(),
            callers: Vec::new(),
            gossip: Gossip::default(),
            leases: HashMap::new(),
            shown: BTreeMap::new(),
            accusations: Vec::new(),
            traffic: 0,
            bodies: BTreeSet::new(),
        }
    }
}

impl Ord for Due {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.at, self.order).cmp(&(other.at, other.order))
    }
}

impl PartialOrd for Due {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Due {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Due {}
