//! In-memory network of engines. Messages share one queue; a seeded generator reorders, duplicates and drops
//! them.

use std::collections::{BTreeMap, VecDeque};

use plexus_domain::{Digest, Timestamp};
use plexus_federation::{
    HubId,
    engine::{
        Effect, Engine, Event, GossipVerdict, HubInventory, PeerResponse, ViolationReport,
        policy::AdmissionMode,
    },
    record::Listing,
};

use crate::{
    fixtures::{SECOND, START, core, hub},
    rng::Dice,
};

/// One hub of the network.
pub struct Node {
    pub core: Engine,
    pub bodies: BTreeMap<Digest, Vec<u8>>,
    pub accusations: Vec<ViolationReport>,
}

/// Selects records that a dishonest hub pretends never to have received.
pub type Blind = fn(&str) -> bool;

/// The network.
pub struct Network {
    pub nodes: BTreeMap<HubId, Node>,
    pub now: Timestamp,
    pub links: Vec<(HubId, HubId)>,
    /// Percentage of gossip messages that are lost; as many are duplicated.
    pub loss: usize,
    pub blind: BTreeMap<HubId, Blind>,
    /// Number of gossip messages accepted for propagation.
    pub passed_on: usize,
    queue: VecDeque<(HubId, Event)>,
    dice: Dice,
}

impl Network {
    /// Builds hubs 1 to `n`, fully connected.
    pub fn full(n: u16, seed: u64) -> Self {
        let links = (1..=n).flat_map(|a| (a + 1..=n).map(move |b| (hub(a), hub(b)))).collect();
        Self::new(n, links, seed)
    }

    /// Builds hubs 1 to `n`, each connected to the next.
    pub fn line(n: u16, seed: u64) -> Self {
        Self::new(n, (1..n).map(|a| (hub(a), hub(a + 1))).collect(), seed)
    }

    fn new(n: u16, links: Vec<(HubId, HubId)>, seed: u64) -> Self {
        let node =
            |n| Node { core: core(n, AdmissionMode::Open), bodies: BTreeMap::new(), accusations: Vec::new() };
        let nodes = (1..=n).map(|n| (hub(n), node(n))).collect();
        let mut network = Self {
            nodes,
            now: START,
            links: Vec::new(),
            loss: 0,
            blind: BTreeMap::new(),
            passed_on: 0,
            queue: VecDeque::new(),
            dice: Dice::new(seed),
        };
        links.into_iter().for_each(|(a, b)| network.link(a, b));
        network
    }

    pub fn link(&mut self, a: HubId, b: HubId) {
        self.links.push((a, b));
        self.queue.extend([(a, Event::Connected(b)), (b, Event::Connected(a))]);
    }

    pub fn cut(&mut self, a: HubId, b: HubId) {
        self.links.retain(|link| *link != (a, b));
        self.queue.extend([(a, Event::Disconnected(b)), (b, Event::Disconnected(a))]);
    }

    /// Sends arbitrary bytes as a gossip message.
    pub fn say(&mut self, from: HubId, to: HubId, bytes: Vec<u8>) {
        self.queue.push_back((to, Event::Gossip { from, message: 0, bytes }));
    }

    /// Publishes `listing` at its home hub.
    pub fn publish(&mut self, listing: &Listing) {
        let home = listing.envelope().hub;
        self.nodes.get_mut(&home).unwrap().bodies.insert(listing.hash(), listing.encode());
        self.queue.push_back((home, Event::Published(Box::new(listing.clone()))));
    }

    /// Advances the clock by `seconds`, processing all events.
    pub fn run(&mut self, seconds: u64) {
        for _ in 0..seconds {
            let hubs: Vec<HubId> = self.nodes.keys().copied().collect();
            self.queue.extend(hubs.into_iter().map(|hub| (hub, Event::Tick)));
            self.settle();
            self.now = self.now + SECOND;
        }
    }

    fn settle(&mut self) {
        while !self.queue.is_empty() {
            // Reorder messages that are close in the queue.
            let at = self.dice.roll(self.queue.len().min(4));
            let Some((to, event)) = self.queue.remove(at) else { continue };
            let (from, bytes) = match &event {
                Event::Gossip { from, bytes, .. } => (Some(*from), bytes.clone()),
                _ => (None, Vec::new()),
            };
            let effects = self.nodes.get_mut(&to).unwrap().core.handle(event, self.now);
            effects.into_iter().for_each(|effect| self.perform(to, from, &bytes, effect));
        }
    }

    fn perform(&mut self, me: HubId, from: Option<HubId>, heard: &[u8], effect: Effect) {
        let node = self.nodes.get_mut(&me).unwrap();
        match effect {
            Effect::Judge { verdict: GossipVerdict::Accept, .. } => {
                self.passed_on += 1;
                self.spread(me, from, heard);
            }
            Effect::Announce(bytes) => self.spread(me, None, &bytes),
            Effect::StoreListing(listing) => _ = node.bodies.insert(listing.hash(), listing.encode()),
            Effect::Ask { peer, id, request } => self.send(me, peer, Event::Asked { from: me, id, request }),
            Effect::Reply { to, id, answer } => self.reply(me, to, id, answer),
            Effect::ReplyBodies { to, id, hashes, .. } => {
                let bodies = hashes.iter().filter_map(|hash| node.bodies.get(hash).cloned()).collect();
                self.reply(me, to, id, PeerResponse::Records(bodies));
            }
            Effect::Offer { to, hashes, head, .. } => {
                let bodies = hashes.iter().filter_map(|hash| node.bodies.get(hash).cloned());
                let mut records: Vec<Vec<u8>> = head.into_iter().chain(bodies).collect();
                records.retain(|record| self.sees(to, record));
                self.send(me, to, Event::Offered { from: me, records });
            }
            Effect::Refuse { to, id } => self.send(me, to, Event::Failed { from: me, id }),
            Effect::Accuse(accusation) => node.accusations.push(accusation),
            _ => {}
        }
    }

    fn reply(&mut self, me: HubId, to: HubId, id: u64, mut answer: PeerResponse) {
        if let PeerResponse::Records(records) = &mut answer {
            records.retain(|record| self.sees(to, record));
        }
        self.send(me, to, Event::Answered { from: me, id, answer });
    }

    fn send(&mut self, from: HubId, to: HubId, event: Event) {
        if self.neighbours(from).contains(&to) {
            self.queue.push_back((to, event));
        }
    }

    fn sees(&self, hub: HubId, record: &[u8]) -> bool {
        let text = std::str::from_utf8(record).unwrap();
        !self.blind.get(&hub).is_some_and(|blind| blind(text))
    }

    fn spread(&mut self, me: HubId, from: Option<HubId>, bytes: &[u8]) {
        let others = self.neighbours(me).into_iter().filter(|to| Some(*to) != from);
        for to in others.filter(|to| self.sees(*to, bytes)).collect::<Vec<_>>() {
            let copies = match self.dice.roll(100) {
                roll if roll < self.loss => 0,
                roll if roll < 2 * self.loss => 2,
                _ => 1,
            };
            let event = Event::Gossip { from: me, message: 0, bytes: bytes.to_vec() };
            self.queue.extend(std::iter::repeat_n((to, event), copies));
        }
    }

    pub fn neighbours(&self, hub: HubId) -> Vec<HubId> {
        let other = |&(a, b): &(HubId, HubId)| match hub {
            hub if hub == a => Some(b),
            hub if hub == b => Some(a),
            _ => None,
        };
        self.links.iter().filter_map(other).collect()
    }

    pub fn node(&self, n: u16) -> &Node {
        &self.nodes[&hub(n)]
    }

    /// Returns every hub's inventory, without the head numbers, which differ while heads are in transit.
    pub fn sets(&self) -> Vec<Vec<HubInventory>> {
        let set = |row: HubInventory| HubInventory { head: None, ..row };
        self.nodes.values().map(|node| node.core.inventory(self.now).into_iter().map(set).collect()).collect()
    }

    pub fn agrees(&self) -> bool {
        let sets = self.sets();
        sets.iter().all(|set| *set == sets[0])
    }
}
