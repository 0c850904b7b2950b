//! Set reconciliation with one peer for one hub's listings: finds the difference, fetches what is missing and
//! reports wrong copies.

use std::{collections::BTreeSet, mem};

use negentropy::{Error, Id, Negentropy};
use plexus_a2a::listing_id::ListingId;
use plexus_domain::{Digest, Timestamp};

use super::{
    Effect, Engine, FetchProgress, GossipVerdict, HubInventory, IgnoreReason, MAX_BATCH, MAX_FRAME,
    PeerRequest,
    anti_entropy::{SyncRound, SyncStage},
    ingest::IngestSource,
    inventory::HubListingSet,
    quota::FULL,
    violations::CopyObservation,
};
use crate::{
    HubId,
    record::{self, ParsedRecord},
};

/// Maximum reconciliation steps for one set. 100,000 scattered differences take fewer.
const MAX_STEPS: usize = 1_000;
/// Maximum number of listings offered to a peer without a request; below the peer's gossip limit.
const OFFERED: usize = 32;

/// One negentropy session: the set of one hub here and at one peer.
#[derive(Clone, Debug)]
pub struct SetReconciliation {
    theirs: HubInventory,
    ours: HubInventory,
    steps: usize,
    /// The session ended and the local set did not change meanwhile, so the peer's set is known exactly.
    complete: bool,
    /// Hashes that the peer lacks.
    have: Vec<Id>,
    /// Hashes that this hub lacks and has not requested yet.
    need: Vec<Id>,
    /// Hashes requested and not received yet.
    asked: BTreeSet<Digest>,
    /// Hashes that the peer had and delivered.
    served: Vec<Digest>,
    /// Delivered hashes that are superseded by a newer version here.
    outdated: Vec<Digest>,
    /// Hashes that the peer had and did not deliver.
    undelivered: Vec<Digest>,
}

impl SetReconciliation {
    pub const fn new(theirs: HubInventory, ours: HubInventory) -> Self {
        Self {
            theirs,
            ours,
            steps: 0,
            complete: false,
            have: Vec::new(),
            need: Vec::new(),
            asked: BTreeSet::new(),
            served: Vec::new(),
            outdated: Vec::new(),
            undelivered: Vec::new(),
        }
    }

    /// Returns the hub whose listings are compared.
    pub const fn about(&self) -> HubId {
        self.theirs.hub
    }

    /// Returns how many of the missing listings have arrived.
    pub fn progress(&self, from: HubId) -> FetchProgress {
        let fetched = self.served.len() as u64;
        let open = self.need.len() + self.asked.len() + self.undelivered.len();
        FetchProgress { from, fetched, total: fetched + open as u64 }
    }

    /// Computes what the peer holds from its messages: the local set, minus what it lacks, plus what it
    /// delivered. This is stronger evidence than the inventory that the peer states.
    fn shown(&self) -> HubInventory {
        let mut fingerprint = self.ours.fingerprint;
        self.have.iter().for_each(|id| fingerprint.remove(&digest(id)));
        self.served.iter().for_each(|hash| fingerprint.add(hash));
        let count = (self.ours.count + self.served.len() as u64).saturating_sub(self.have.len() as u64);
        HubInventory { count, fingerprint, ..self.theirs }
    }
}

impl Engine {
    /// Sends the first negentropy message for one hub's set.
    pub(super) fn begin_comparison(
        &mut self,
        round: SyncRound,
        comparison: SetReconciliation,
        now: Timestamp,
        out: &mut Vec<Effect>,
    ) {
        let hub = comparison.theirs.hub;
        if let Ok(message) = self.negentropy(hub, |ours| ours.initiate()) {
            self.send_request(
                round,
                PeerRequest::Compare { hub, message },
                SyncStage::Compare(comparison),
                now,
                out,
            );
        }
    }

    /// Handles the next negentropy message. Fetches the missing listings when the session ends.
    pub(super) fn on_negentropy(
        &mut self,
        round: SyncRound,
        mut comparison: SetReconciliation,
        message: &[u8],
        now: Timestamp,
        out: &mut Vec<Effect>,
    ) {
        let hub = comparison.theirs.hub;
        let SetReconciliation { have, need, .. } = &mut comparison;
        let step = self.negentropy(hub, |ours| {
            ours.set_initiator();
            ours.reconcile_with_ids(message, have, need)
        });
        unique(&mut comparison.have);
        unique(&mut comparison.need);
        comparison.steps += 1;
        match step {
            Ok(Some(message)) if comparison.steps < MAX_STEPS && comparison.need.len() <= FULL.listings => {
                self.send_request(
                    round,
                    PeerRequest::Compare { hub, message },
                    SyncStage::Compare(comparison),
                    now,
                    out,
                );
            }
            Ok(rest) => {
                comparison.complete = rest.is_none() && self.row(hub).same_set(&comparison.ours);
                self.fetch_bodies(round, comparison, now, out);
            }
            // No honest hub sends such a message: end the round.
            Err(_) => {}
        }
    }

    /// Requests the next batch of missing listings, or ends the comparison when none is left.
    fn fetch_bodies(
        &mut self,
        round: SyncRound,
        mut comparison: SetReconciliation,
        now: Timestamp,
        out: &mut Vec<Effect>,
    ) {
        if comparison.need.is_empty() {
            return self.end_comparison(round, &comparison, now, out);
        }
        let batch = comparison.need.split_off(comparison.need.len().saturating_sub(MAX_BATCH));
        comparison.asked = batch.iter().map(digest).collect();
        let hashes = comparison.asked.iter().copied().collect();
        let request = PeerRequest::Bodies { hub: comparison.theirs.hub, hashes };
        self.send_request(round, request, SyncStage::Bodies(comparison), now, out);
    }

    /// Stores the requested listings that are valid. A forged listing counts as not delivered.
    pub(super) fn on_records(
        &mut self,
        round: SyncRound,
        mut comparison: SetReconciliation,
        bodies: &[Vec<u8>],
        now: Timestamp,
        out: &mut Vec<Effect>,
    ) {
        let before = comparison.served.len();
        for body in bodies {
            let Ok(ParsedRecord::Listing(listing)) = record::parse(body) else { continue };
            let (id, hash) = (listing.claims().id().clone(), listing.hash());
            if listing.claims().hub != comparison.theirs.hub || !comparison.asked.contains(&hash) {
                continue;
            }
            match self.ingest(body, IngestSource::Sync(round.peer), now, out) {
                GossipVerdict::Reject(_) => continue,
                // The peer used up its delivery quota. A later round resumes here.
                GossipVerdict::Ignore(IgnoreReason::TooFast) => {
                    return self.mark_partial(comparison.theirs.hub);
                }
                GossipVerdict::Ignore(IgnoreReason::Older) => {
                    comparison.outdated.push(hash);
                    self.offer_newer(round.peer, comparison.theirs.hub, &id, out);
                }
                GossipVerdict::Accept | GossipVerdict::Ignore(_) => {}
            }
            comparison.asked.remove(&hash);
            comparison.served.push(hash);
        }
        // A peer sends as many listings as fit into a response. Request the rest as long as some arrive.
        let rest = mem::take(&mut comparison.asked);
        if comparison.served.len() > before {
            comparison.need.extend(rest.iter().map(|hash| Id::from_byte_array(*hash.as_bytes())));
        } else {
            comparison.undelivered.extend(rest);
        }
        self.fetch_bodies(round, comparison, now, out);
    }

    /// Ends the comparison of one hub, offers the peer what it lacks and moves on to the next hub.
    fn end_comparison(
        &mut self,
        mut round: SyncRound,
        comparison: &SetReconciliation,
        now: Timestamp,
        out: &mut Vec<Effect>,
    ) {
        round.count(comparison.served.len() as u64);
        if comparison.complete {
            round.saw(self.offer(round.peer, comparison, out));
        }
        let home = comparison.theirs.hub;
        if home != round.peer && !self.is_complete(home) {
            // Neither copy matches the signed head: start a round with the home hub itself.
            self.begin_round(home, now, out);
        }
        self.next_hub(round, now, out);
    }

    /// Offers the peer the listings and the head that it lacks, and returns what the comparison showed.
    fn offer(&self, peer: HubId, comparison: &SetReconciliation, out: &mut Vec<Effect>) -> CopyObservation {
        let SetReconciliation { theirs, have, outdated, undelivered, .. } = comparison;
        let lacking: Vec<Digest> = have.iter().map(digest).collect();
        let hashes: Vec<Digest> = lacking.iter().take(OFFERED).copied().collect();
        let head = self.head_seq(theirs.hub).filter(|&seq| Some(seq) > theirs.head);
        let encoded = head.and_then(|_| self.encoded_head(theirs.hub));
        if encoded.is_some() || !hashes.is_empty() {
            out.push(Effect::Offer { to: peer, hub: theirs.hub, head: encoded, hashes });
        }
        let (outdated, undelivered) = (outdated.clone(), undelivered.clone());
        CopyObservation { stated: *theirs, shown: comparison.shown(), head, lacking, outdated, undelivered }
    }

    /// Offers the newest version of a listing that has moved to another hub, when the peer still has an old
    /// version.
    fn offer_newer(&self, peer: HubId, hub: HubId, id: &ListingId, out: &mut Vec<Effect>) {
        let elsewhere = self.listings.get(id).filter(|entry| entry.hub != hub);
        out.extend(elsewhere.map(|entry| Effect::Offer {
            to: peer,
            hub: entry.hub,
            head: None,
            hashes: vec![entry.rank.hash()],
        }));
    }

    /// Ingests records that a peer found missing here. They were not requested, so the gossip rate limits
    /// apply.
    pub(super) fn on_offer(
        &mut self,
        from: HubId,
        records: &[Vec<u8>],
        now: Timestamp,
        out: &mut Vec<Effect>,
    ) {
        if records.len() <= MAX_BATCH + 1 {
            records.iter().for_each(|record| _ = self.on_gossip(from, record, now, out));
        }
    }

    /// Reports violations at the end of a round. The round has then delivered what the peer knows, so
    /// listings that changed or moved meanwhile are not counted as missing.
    pub(super) fn finish_comparison(
        &mut self,
        peer: HubId,
        sights: Vec<CopyObservation>,
        out: &mut Vec<Effect>,
    ) {
        for mut sight in sights {
            if !sight.lacking.is_empty() {
                let known =
                    self.listings.set(&sight.stated.hub).map(HubListingSet::hashes).unwrap_or_default();
                sight.lacking.retain(|hash| known.contains(hash));
            }
            out.extend(self.doubts.observe(peer, &sight).map(Effect::Accuse));
        }
    }

    /// Runs one step of the negentropy protocol over the local set of `hub`.
    pub(super) fn negentropy<T>(
        &self,
        hub: HubId,
        step: impl FnOnce(&mut Negentropy<'_, HubListingSet>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let nothing = HubListingSet::default();
        let set = self.listings.set(&hub).unwrap_or(&nothing);
        step(&mut Negentropy::borrowed(set, MAX_FRAME as u64)?)
    }
}

fn digest(id: &Id) -> Digest {
    Digest::from_bytes(id.to_bytes())
}

fn unique(ids: &mut Vec<Id>) {
    ids.sort_unstable();
    ids.dedup();
}
