//! Federation engine of one hub: a sans-IO state machine that takes events and returns effects.
//!
//! Suggested reading order: `event` (events and effects), `ingest` (validation of incoming records), `version_order`
//! (version order), `inventory` (inventory), `expiry` (expiry and policy changes), `anti_entropy` and `reconciliation`
//! (anti-entropy), `catch_up` (rounds out of turn), `violations` (violations), `live_search` (live search), `hub_report` (status for the UI). These use the
//! limits in `lease`, `quota`, `probation` and `policy`.
//!
//! Architecture invariant: no IO, no clock, no randomness, and no listing bodies in memory. All maps are
//! ordered, so equal events give equal effects. Input from peers is size-bounded before it is stored in
//! memory.

mod anti_entropy;
mod catch_up;
mod event;
mod expiry;
mod hub_report;
mod ingest;
mod inventory;
mod known_hubs;
pub mod lease;
mod live_search;
mod local_hub;
mod messages;
mod peer_quotas;
pub mod policy;
mod probation;
pub mod quota;
mod reconciliation;
mod respond;
pub mod version_order;
mod violations;

use std::collections::{BTreeMap, BTreeSet};

use plexus_a2a::{keys::SecretKey, listing_id::ListingId};
use plexus_domain::{Digest, Timestamp};

pub use self::{
    anti_entropy::SYNC_INTERVAL,
    event::{Effect, Event, GossipVerdict, IgnoreReason, KnownHub},
    hub_report::{FetchProgress, HubReport, ReplicationTier},
    live_search::{HubOutcome, LiveQuery, MAX_QUERIED_HUBS, Provenance},
    messages::{
        HubInventory, MAX_BATCH, MAX_FOUND, MAX_FRAME, MAX_OWN_RECORDS, PeerRequest, PeerResponse,
        SearchQuery,
    },
    violations::{Violation, ViolationReport},
};
use self::{
    anti_entropy::SyncRound,
    expiry::SWEEP_INTERVAL,
    inventory::{ListingEntry, ListingInventory},
    known_hubs::TrackedHub,
    lease::VisibilityLease,
    live_search::LiveSearch,
    local_hub::LocalHub,
    peer_quotas::PeerQuotas,
    policy::Policy,
    probation::Probation,
    violations::SuspicionTracker,
};
use crate::{HubId, record::Envelope};

/// The federation engine of one hub.
#[derive(Clone, Debug)]
pub struct Engine {
    own: LocalHub,
    policy: Policy,
    hubs: BTreeMap<HubId, TrackedHub>,
    listings: ListingInventory,
    probation: Probation,
    peers: BTreeSet<HubId>,
    /// Running sync rounds, at most one per peer.
    rounds: BTreeMap<HubId, SyncRound>,
    /// When the last sync round with each peer began.
    compared: BTreeMap<HubId, Timestamp>,
    /// Request and delivery quotas of each peer.
    shares: PeerQuotas,
    doubts: SuspicionTracker,
    searches: BTreeMap<u64, LiveSearch>,
    /// Id of the last request sent.
    asked: u64,
    swept: Timestamp,
    synced: Timestamp,
    started: Timestamp,
}

impl Engine {
    /// Creates the engine of the hub whose key is `key`. Stored state is restored with [`Engine::restore_hub`]
    /// and [`Engine::restore_listing`] before the first event.
    pub fn new(key: SecretKey, policy: Policy, now: Timestamp) -> Self {
        let own = LocalHub::new(key, now);
        let me = own.id();
        Self {
            own,
            policy,
            hubs: BTreeMap::from([(me, TrackedHub::new(now))]),
            listings: ListingInventory::default(),
            probation: Probation::default(),
            peers: BTreeSet::new(),
            rounds: BTreeMap::new(),
            compared: BTreeMap::new(),
            shares: PeerQuotas::default(),
            doubts: SuspicionTracker::default(),
            searches: BTreeMap::new(),
            asked: 0,
            swept: now - SWEEP_INTERVAL,
            synced: now,
            started: now,
        }
    }

    /// Restores a stored hub.
    pub fn restore_hub(&mut self, known: KnownHub) {
        self.hubs.insert(known.hub, TrackedHub::from(known));
    }

    /// Restores a listing that was verified when it was stored. `bytes` is the size of its record; `shown` is
    /// the last visibility sent to the search index. The next event must be a tick: it reports the visibility
    /// changes since then.
    pub fn restore_listing(&mut self, envelope: &Envelope, hash: Digest, bytes: usize, shown: bool) {
        self.listings.put(envelope.id(), ListingEntry { shown, ..ListingEntry::new(envelope, hash, bytes) });
    }

    /// Handles one event and returns the resulting effects, in order. `now` should be monotonic; if the clock
    /// goes back, timeouts last longer.
    pub fn handle(&mut self, event: Event, now: Timestamp) -> Vec<Effect> {
        let mut out = Vec::new();
        match event {
            Event::Tick => self.tick(now, &mut out),
            Event::Gossip { from, message, bytes } => {
                let verdict = self.on_gossip(from, &bytes, now, &mut out);
                out.push(Effect::Judge { message, verdict });
            }
            Event::Published(listing) => self.publish(&listing, now, &mut out),
            Event::Described(record) => self.describe(*record, &mut out),
            Event::Connected(peer) => self.connect(peer, now, &mut out),
            Event::Disconnected(peer) => self.disconnect(peer, now, &mut out),
            Event::Asked { from, id, request } => self.answer(from, id, request, now, &mut out),
            Event::Answered { from, id, answer } => self.answered(from, id, answer, now, &mut out),
            Event::Failed { from, id } => self.failed(from, id, now, &mut out),
            Event::Offered { from, records } => self.on_offer(from, &records, now, &mut out),
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
    pub const fn local_id(&self) -> HubId {
        self.own.id()
    }

    /// Returns the stored inventory of each replicated hub, ordered by hub id.
    pub fn inventory(&self, now: Timestamp) -> Vec<HubInventory> {
        let replicated = self.hubs.keys().filter(|&&hub| self.replicates(hub, now));
        replicated.map(|&hub| self.row(hub)).collect()
    }

    /// Returns the visibility lease of a hub. This hub's own is always fresh.
    pub fn lease(&self, hub: HubId, now: Timestamp) -> VisibilityLease {
        if hub == self.local_id() {
            VisibilityLease::Fresh
        } else {
            VisibilityLease::of(self.head_seq(hub), now)
        }
    }

    /// Returns whether a listing is visible in searches.
    pub fn is_shown(&self, id: &ListingId) -> bool {
        self.listings.get(id).is_some_and(|entry| entry.shown)
    }

    /// Returns whether a listing is known, visible or not.
    pub fn contains(&self, id: &ListingId) -> bool {
        self.listings.get(id).is_some()
    }

    fn tick(&mut self, now: Timestamp, out: &mut Vec<Effect>) {
        self.sign_head_if_due(now, out);
        self.sweep_if_due(now, out);
        self.sync_if_due(now, out);
        self.catch_up_if_due(now, out);
        self.hurry_searches(now, out);
    }

    /// Routes a response to the sync round or the live search that awaits it.
    fn answered(
        &mut self,
        from: HubId,
        id: u64,
        answer: PeerResponse,
        now: Timestamp,
        out: &mut Vec<Effect>,
    ) {
        if self.rounds.get(&from).is_some_and(|round| round.awaits(id)) {
            self.on_response(from, answer, now, out);
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
    fn ask(&mut self, peer: HubId, request: PeerRequest, out: &mut Vec<Effect>) -> u64 {
        self.asked += 1;
        out.push(Effect::Ask { peer, id: self.asked, request });
        self.asked
    }
}
