//! Periodic anti-entropy: repairs what gossip lost by reconciling with one peer per round.
//!
//! A round requests the peer's inventory per hub and fetches the heads that are newer there. For each hub
//! that differs it then reconciles the set (`reconciliation`), fetches what is missing here and offers what is
//! missing there. Working per hub excludes blocked hubs, uses the signed head as authority, and shows whose
//! copy is wrong. Fetched listings are searchable at once, so a new hub is useful while it catches up.

use std::{
    collections::{BTreeMap, VecDeque},
    hash::{BuildHasher as _, BuildHasherDefault, DefaultHasher},
    mem,
    time::Duration,
};

use plexus_domain::Timestamp;

use super::{
    Effect, Engine, FetchProgress, HubInventory, MAX_BATCH, MAX_FRAME, PeerRequest, PeerResponse,
    ingest::IngestSource, quota::MAX_HUBS, reconciliation::SetReconciliation, respond::root_of,
    violations::CopyObservation,
};
use crate::HubId;

/// Interval between rounds. Each starts with the peer that was compared least recently, and with all that
/// never were.
pub const SYNC_INTERVAL: Duration = Duration::from_secs(60);
/// Timeout for one response of a round.
const TIMEOUT: Duration = Duration::from_secs(30);
/// Maximum duration of a round. The next round resumes where it stopped.
const MAX_ROUND: Duration = Duration::from_secs(10 * 60);
/// Maximum concurrent rounds. A further round replaces the oldest if that has run for [`SYNC_INTERVAL`].
pub(super) const MAX_ROUNDS: usize = 16;

/// A running sync round with one peer.
#[derive(Clone, Debug)]
pub struct SyncRound {
    pub peer: HubId,
    began: Timestamp,
    touched: Timestamp,
    /// Id of the outstanding request.
    awaited: u64,
    stage: SyncStage,
    /// The peer's inventory of the hubs that are not compared yet.
    rows: VecDeque<HubInventory>,
    /// Observations of the peer's copies of the hubs that are compared.
    sights: Vec<CopyObservation>,
    /// Number of listings fetched.
    fetched: u64,
}

/// What the round waits for.
#[derive(Clone, Debug)]
pub enum SyncStage {
    Rows,
    /// A batch of heads; the hubs here also have newer heads at the peer, not requested yet.
    Heads(Vec<HubId>),
    Compare(SetReconciliation),
    Bodies(SetReconciliation),
}

impl SyncRound {
    pub const fn awaits(&self, id: u64) -> bool {
        self.awaited == id
    }

    pub fn saw(&mut self, sight: CopyObservation) {
        self.sights.push(sight);
    }

    pub const fn count(&mut self, fetched: u64) {
        self.fetched += fetched;
    }

    /// Returns the progress of fetching the missing listings of `hub`, if the round is doing that.
    pub fn fetching(&self, hub: HubId) -> Option<FetchProgress> {
        match &self.stage {
            SyncStage::Bodies(comparison) if comparison.about() == hub => {
                Some(comparison.progress(self.peer))
            }
            _ => None,
        }
    }

    /// Returns whether the round has timed out.
    fn is_lost(&self, now: Timestamp) -> bool {
        now.since(self.touched) >= TIMEOUT || now.since(self.began) >= MAX_ROUND
    }
}

impl Engine {
    /// Adds a connected peer and starts a round, or disconnects it if it is blocked.
    pub(super) fn connect(&mut self, peer: HubId, now: Timestamp, out: &mut Vec<Effect>) {
        if !self.replicates(peer, now) {
            out.push(Effect::Disconnect(peer));
        } else if self.peers.insert(peer) && !self.was_compared(peer, now) {
            self.begin_round(peer, now, out);
        }
    }

    pub(super) fn disconnect(&mut self, peer: HubId, now: Timestamp, out: &mut Vec<Effect>) {
        self.peers.remove(&peer);
        self.rounds.remove(&peer);
        self.give_up_on(peer, now, out);
    }

    /// Gives up rounds that timed out, and starts the next ones when due.
    pub(super) fn sync_if_due(&mut self, now: Timestamp, out: &mut Vec<Effect>) {
        let lost = self.rounds.values().filter(|round| round.is_lost(now)).map(|round| round.peer);
        lost.collect::<Vec<_>>().into_iter().for_each(|peer| self.give_up_round(peer, now));
        if now.since(self.synced) < SYNC_INTERVAL {
            return;
        }
        self.synced = now;
        let (peers, compared) = (&self.peers, &mut self.compared);
        compared.retain(|peer, at| peers.contains(peer) || now.since(*at) < SYNC_INTERVAL);
        let idle = self.peers.iter().copied().filter(|peer| !self.rounds.contains_key(peer));
        let mut idle: Vec<HubId> = idle.collect();
        idle.sort_by_key(|peer| self.compared.get(peer));
        // Also start rounds with all peers that have had none: there was no room when they connected.
        let new = idle.iter().filter(|peer| !self.compared.contains_key(peer)).count();
        idle.into_iter().take(new.max(1)).for_each(|peer| self.begin_round(peer, now, out));
    }

    /// Returns whether a round with `peer` began recently. Prevents reconnecting peers from getting more
    /// rounds than others.
    fn was_compared(&self, peer: HubId, now: Timestamp) -> bool {
        self.compared.get(&peer).is_some_and(|&at| now.since(at) < SYNC_INTERVAL)
    }

    /// Ends a round and puts the peer behind all others, even if it reconnects. Otherwise a few slow peers
    /// would block the rounds of all others (head-of-line blocking).
    fn give_up_round(&mut self, peer: HubId, now: Timestamp) {
        self.rounds.remove(&peer);
        self.compared.insert(peer, now + MAX_ROUND);
    }

    /// Returns whether another round may start, ending the oldest one if necessary. Listings fetched by that
    /// one stay stored.
    fn has_turn(&mut self, now: Timestamp) -> bool {
        let first = self.rounds.values().min_by_key(|round| round.began);
        match first.filter(|_| self.rounds.len() >= MAX_ROUNDS) {
            Some(first) if now.since(first.began) < SYNC_INTERVAL => return false,
            Some(first) => self.give_up_round(first.peer, now),
            None => {}
        }
        true
    }

    /// Starts a round by requesting the peer's inventory.
    pub(super) fn begin_round(&mut self, peer: HubId, now: Timestamp, out: &mut Vec<Effect>) {
        if self.rounds.contains_key(&peer) || !self.peers.contains(&peer) || !self.has_turn(now) {
            return;
        }
        self.compared.insert(peer, now);
        let root = root_of(&self.inventory(now));
        let round = SyncRound {
            peer,
            began: now,
            touched: now,
            awaited: 0,
            stage: SyncStage::Rows,
            rows: VecDeque::new(),
            sights: Vec::new(),
            fetched: 0,
        };
        self.send_request(round, PeerRequest::Rows { root }, SyncStage::Rows, now, out);
    }

    /// Handles the response that a round waits for. A response of the wrong kind or size ends the round.
    pub(super) fn on_response(
        &mut self,
        peer: HubId,
        answer: PeerResponse,
        now: Timestamp,
        out: &mut Vec<Effect>,
    ) {
        let Some(mut round) = self.rounds.remove(&peer) else { return };
        match (mem::replace(&mut round.stage, SyncStage::Rows), answer) {
            (SyncStage::Rows, PeerResponse::Rows(rows)) => {
                let rows = rows.unwrap_or_else(|| self.inventory(now));
                self.rows_came(round, rows, now, out);
            }
            (SyncStage::Heads(left), PeerResponse::Records(records)) if records.len() <= 2 * MAX_BATCH => {
                records.iter().for_each(|record| _ = self.ingest(record, IngestSource::Sync(peer), now, out));
                self.fetch_heads(round, left, now, out);
            }
            (SyncStage::Compare(comparison), PeerResponse::Compare { message })
                if message.len() <= MAX_FRAME =>
            {
                self.on_negentropy(round, comparison, &message, now, out);
            }
            (SyncStage::Bodies(comparison), PeerResponse::Records(bodies)) if bodies.len() <= MAX_BATCH => {
                self.on_records(round, comparison, &bodies, now, out);
            }
            _ => {}
        }
    }

    /// Plans the round from the peer's inventory.
    fn rows_came(
        &mut self,
        mut round: SyncRound,
        rows: Vec<HubInventory>,
        now: Timestamp,
        out: &mut Vec<Effect>,
    ) {
        let replicated = rows.into_iter().take(MAX_HUBS).filter(|row| self.replicates(row.hub, now));
        let rows: BTreeMap<HubId, HubInventory> = replicated.map(|row| (row.hub, row)).collect();
        let newer = rows.values().filter(|row| row.head > self.head_seq(row.hub));
        let heads = newer.map(|row| row.hub).collect();
        let mut rows: Vec<HubInventory> = rows.into_values().collect();
        // Each peer gets a different hub order, so that parallel rounds seldom fetch the same and do not
        // finish it at the same time.
        let order = BuildHasherDefault::<DefaultHasher>::default();
        rows.sort_by_cached_key(|row| order.hash_one((round.peer, row.hub)));
        round.rows = rows.into();
        self.fetch_heads(round, heads, now, out);
    }

    /// Requests the next batch of newer heads, or starts comparing when none is left.
    fn fetch_heads(&mut self, round: SyncRound, mut hubs: Vec<HubId>, now: Timestamp, out: &mut Vec<Effect>) {
        if hubs.is_empty() {
            return self.next_hub(round, now, out);
        }
        let left = hubs.split_off(hubs.len().min(MAX_BATCH));
        self.send_request(round, PeerRequest::Heads { hubs }, SyncStage::Heads(left), now, out);
    }

    /// Continues with the next hub whose sets differ, or ends the round.
    pub(super) fn next_hub(&mut self, mut round: SyncRound, now: Timestamp, out: &mut Vec<Effect>) {
        while let Some(theirs) = round.rows.pop_front() {
            let ours = self.row(theirs.hub);
            let known = self.hubs.contains_key(&theirs.hub);
            if ours.same_set(&theirs) {
                self.note_equal(round.peer, theirs.hub);
                round.saw(CopyObservation::equal(theirs));
            } else if known && !ours.partial {
                return self.begin_comparison(round, SetReconciliation::new(theirs, ours), now, out);
            }
        }
        let (peer, fetched, took) = (round.peer, round.fetched, now.since(round.began));
        self.finish_comparison(peer, round.sights, out);
        let hubs: Vec<HubId> = self.hubs.keys().copied().filter(|&hub| self.replicates(hub, now)).collect();
        let whole = hubs.iter().filter(|&&hub| self.is_complete(hub)).count();
        out.push(Effect::Compared { peer, whole, known: hubs.len(), fetched, took });
    }

    /// Sends a request and stores the round until the response arrives.
    pub(super) fn send_request(
        &mut self,
        round: SyncRound,
        request: PeerRequest,
        stage: SyncStage,
        now: Timestamp,
        out: &mut Vec<Effect>,
    ) {
        let awaited = self.ask(round.peer, request, out);
        self.rounds.insert(round.peer, SyncRound { awaited, touched: now, stage, ..round });
    }
}
