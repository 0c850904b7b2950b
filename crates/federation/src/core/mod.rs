//! Federation engine of one hub: a sans-IO state machine that takes events and returns effects.
//!
//! Suggested reading order: `event` (events and effects), `intake` (validation of incoming records), `merge`
//! (version order), `carried` (inventory), `sweep` (expiry and policy changes), `sync` and `compare`
//! (anti-entropy), `faults` (violations), `search` (live search), `report` (status for the UI). These use the
//! limits in `lease`, `quota`, `probation` and `policy`.
//!
//! Architecture invariant: no IO, no clock, no randomness, and no listing bodies in memory. All maps are
//! ordered, so equal events give equal effects. Input from peers is size-bounded before it is stored in
//! memory.

mod carried;
mod compare;
mod event;
mod faults;
mod hubs;
mod intake;
pub mod lease;
pub mod merge;
mod own;
pub mod policy;
mod probation;
pub mod quota;
mod report;
mod search;
mod serve;
mod shares;
mod sweep;
mod sync;
mod wire;

use std::collections::{BTreeMap, BTreeSet};

use plexus_a2a::{keys::SecretKey, listing::ListingId};
use plexus_domain::{Digest, Timestamp};

use self::{
    carried::{Carried, Entry},
    faults::Doubts,
    hubs::Hub,
    lease::Lease,
    own::Own,
    policy::Policy,
    probation::Probation,
    search::Search,
    shares::Shares,
    sweep::SWEEP_EVERY,
    sync::Round,
};
pub use self::{
    event::{Effect, Event, Ignored, KnownHub, Verdict},
    faults::{Accusation, Fault},
    report::{Fetching, Report, Terms},
    search::{MAX_ASKED, Outcome, Provenance, Wanted},
    sync::SYNC_EVERY,
    wire::{Answer, MAX_BATCH, MAX_FOUND, MAX_FRAME, MAX_SAID, Query, Request, Row},
};
use crate::{HubId, record::Envelope};

/// The federation engine of one hub.
#[derive(Clone, Debug)]
pub struct Core {
    own: Own,
    policy: Policy,
    hubs: BTreeMap<HubId, Hub>,
    carried: Carried,
    probation: Probation,
    peers: BTreeSet<HubId>,
    /// Running sync rounds, at most one per peer.
    rounds: BTreeMap<HubId, Round>,
    /// When the last sync round with each peer began.
    compared: BTreeMap<HubId, Timestamp>,
    /// Request and delivery quotas of each peer.
    shares: Shares,
    doubts: Doubts,
    searches: BTreeMap<u64, Search>,
    /// Id of the last request sent.
    asked: u64,
    swept: Timestamp,
    synced: Timestamp,
}

impl Core {
    /// Creates the engine of the hub whose key is `key`. Stored state is restored with [`Core::restore_hub`]
    /// and [`Core::restore_listing`] before the first event.
    pub fn new(key: SecretKey, policy: Policy, now: Timestamp) -> Self {
        let own = Own::new(key, now);
        let me = own.id();
        Self {
            own,
            policy,
            hubs: BTreeMap::from([(me, Hub::new(now))]),
            carried: Carried::default(),
            probation: Probation::default(),
            peers: BTreeSet::new(),
            rounds: BTreeMap::new(),
            compared: BTreeMap::new(),
            shares: Shares::default(),
            doubts: Doubts::default(),
            searches: BTreeMap::new(),
            asked: 0,
            swept: now - SWEEP_EVERY,
            synced: now,
        }
    }

    /// Restores a stored hub.
    pub fn restore_hub(&mut self, known: KnownHub) {
        self.hubs.insert(known.hub, Hub::from(known));
    }

    /// Restores a listing that was verified when it was stored. `bytes` is the size of its record; `shown` is
    /// the last visibility sent to the search index. The next event must be a tick: it reports the visibility
    /// changes since then.
    pub fn restore_listing(&mut self, envelope: &Envelope, hash: Digest, bytes: usize, shown: bool) {
        self.carried.put(envelope.id(), Entry { shown, ..Entry::new(envelope, hash, bytes) });
    }

    /// Handles one event and returns the resulting effects, in order. `now` should be monotonic; if the clock
    /// goes back, timeouts last longer.
    pub fn handle(&mut self, event: Event, now: Timestamp) -> Vec<Effect> {
        let mut out = Vec::new();
        match event {
            Event::Tick => self.tick(now, &mut out),
            Event::Gossip { from, message, bytes } => {
                let verdict = self.hear(from, &bytes, now, &mut out);
                out.push(Effect::Judge { message, verdict });
            }
            Event::Published(listing) => self.publish(&listing, now, &mut out),
            Event::Described(record) => self.describe(*record, &mut out),
            Event::Connected(peer) => self.connect(peer, now, &mut out),
            Event::Disconnected(peer) => self.disconnect(peer, now, &mut out),
            Event::Asked { from, id, request } => self.answer(from, id, request, now, &mut out),
            Event::Answered { from, id, answer } => self.answered(from, id, answer, now, &mut out),
            Event::Failed { from, id } => self.failed(from, id, now, &mut out),
            Event::Offered { from, records } => self.offered(from, &records, now, &mut out),
            Event::DomainProved { hub, domain } => self.prove(hub, domain, now, &mut out),
            Event::ModeSet(mode) => {
                self.policy.set_mode(mode);
                self.apply_policy(now, &mut out);
            }
            Event::RuleSet { source, subject, rule } => {
                if self.policy.set(&source, &subject, rule) {
                    self.apply_policy(now, &mut out);
                } else {
                    out.push(Effect::RuleRefused { source, subject });
                }
            }
            Event::RuleRemoved { source, subject } => {
                self.policy.remove(&source, &subject);
                self.apply_policy(now, &mut out);
            }
            Event::RulesReplaced { source, rules } => {
                self.policy.replace(source, rules);
                self.apply_policy(now, &mut out);
            }
            Event::Search { search, wanted } => self.search(search, wanted, now, &mut out),
            Event::Providers { search, hubs } => self.provided(search, &hubs, now, &mut out),
        }
        out
    }

    /// Returns the id of this hub.
    pub const fn me(&self) -> HubId {
        self.own.id()
    }

    /// Returns the stored inventory of each replicated hub, ordered by hub id.
    pub fn rows(&self, now: Timestamp) -> Vec<Row> {
        let carried = self.hubs.keys().filter(|&&hub| self.carries(hub, now));
        carried.map(|&hub| self.row(hub)).collect()
    }

    /// Returns the visibility lease of a hub. This hub's own is always fresh.
    pub fn lease(&self, hub: HubId, now: Timestamp) -> Lease {
        if hub == self.me() { Lease::Fresh } else { Lease::of(self.head_seq(hub), now) }
    }

    /// Returns whether a listing is visible in searches.
    pub fn is_shown(&self, id: &ListingId) -> bool {
        self.carried.get(id).is_some_and(|entry| entry.shown)
    }

    /// Returns whether a listing is known, visible or not.
    pub fn holds(&self, id: &ListingId) -> bool {
        self.carried.get(id).is_some()
    }

    fn tick(&mut self, now: Timestamp, out: &mut Vec<Effect>) {
        self.sign_head_if_due(now, out);
        self.sweep_if_due(now, out);
        self.sync_if_due(now, out);
        self.hurry_searches(now, out);
    }

    /// Routes a response to the sync round or the live search that awaits it.
    fn answered(&mut self, from: HubId, id: u64, answer: Answer, now: Timestamp, out: &mut Vec<Effect>) {
        if self.rounds.get(&from).is_some_and(|round| round.awaits(id)) {
            self.go_on(from, answer, now, out);
        } else {
            self.found(from, id, Some(answer), now, out);
        }
    }

    /// Ends the sync round, or the part of a live search, whose request failed.
    fn failed(&mut self, from: HubId, id: u64, now: Timestamp, out: &mut Vec<Effect>) {
        if self.rounds.get(&from).is_some_and(|round| round.awaits(id)) {
            self.rounds.remove(&from);
        } else {
            self.found(from, id, None, now, out);
        }
    }

    /// Emits a request and returns its id.
    fn ask(&mut self, peer: HubId, request: Request, out: &mut Vec<Effect>) -> u64 {
        self.asked += 1;
        out.push(Effect::Ask { peer, id: self.asked, request });
        self.asked
    }
}
