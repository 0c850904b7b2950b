//! Validates and stores records from remote hubs.
//!
//! Cheap checks run first, so that invalid input costs little: size and form, policy, sequence number, quota.
//! Then the signatures are verified, and the record is stored.

use plexus_a2a::listing_id::ListingId;
use plexus_domain::Timestamp;

use super::{
    Effect, Engine, GossipVerdict, IgnoreReason, Violation, ViolationReport,
    inventory::{ListingEntry, ListingSelector, VersionComparison},
    known_hubs::TrackedHub,
    quota::TokenBucket,
};
use crate::{
    HubId,
    record::{
        self, Envelope, HubPayload, HubRecord, InventoryHead, Listing, ParsedRecord, RecordError, Signed,
        Unverified,
    },
};

/// How a record arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IngestSource {
    /// Unrequested; limited by the rate of the record's home hub.
    Gossip,
    /// Requested from this peer; limited by the delivery quota of the peer.
    Sync(HubId),
}

/// Why a record is not stored.
enum IngestError {
    Ignored(IgnoreReason),
    Wrong(RecordError),
}

impl Engine {
    /// Ingests a record that arrived by gossip.
    pub(super) fn on_gossip(
        &mut self,
        from: HubId,
        bytes: &[u8],
        now: Timestamp,
        out: &mut Vec<Effect>,
    ) -> GossipVerdict {
        if !self.replicates(from, now) {
            return GossipVerdict::Ignore(IgnoreReason::Blocked);
        }
        self.ingest(bytes, IngestSource::Gossip, now, out)
    }

    /// Ingests a record: stores it if it is new and valid. The verdict is `Accept` unless a rule forbids
    /// propagation.
    pub(super) fn ingest(
        &mut self,
        bytes: &[u8],
        via: IngestSource,
        now: Timestamp,
        out: &mut Vec<Effect>,
    ) -> GossipVerdict {
        let taken = match record::parse(bytes) {
            Ok(ParsedRecord::Listing(listing)) => self.take_listing(*listing, bytes.len(), via, now, out),
            Ok(ParsedRecord::Head(head)) => self.take_head(head, via, now, out),
            Ok(ParsedRecord::Hub(record)) => self.take_hub(record, via, now, out),
            Err(error) => return error.into(),
        };
        match taken {
            Ok(()) => GossipVerdict::Accept,
            Err(IngestError::Ignored(why)) => GossipVerdict::Ignore(why),
            Err(IngestError::Wrong(error)) => error.into(),
        }
    }

    fn take_listing(
        &mut self,
        listing: Unverified<Listing>,
        bytes: usize,
        via: IngestSource,
        now: Timestamp,
        out: &mut Vec<Effect>,
    ) -> Result<(), IngestError> {
        let entry = ListingEntry::new(listing.claims(), listing.hash(), bytes);
        let offer = self.screen(listing.claims(), &entry, via, now)?;
        let listing = listing.verify()?;
        if offer == VersionComparison::Contradiction {
            let fault = Violation::ListingEquivocation(listing.envelope().id().clone());
            out.push(Effect::Accuse(ViolationReport { accused: entry.hub, about: entry.hub, fault }));
        }
        self.accept(listing, entry, via, now, out)
    }

    /// Runs the cheap checks that decide whether the signatures of a listing are worth verifying.
    fn screen(
        &self,
        envelope: &Envelope,
        entry: &ListingEntry,
        via: IngestSource,
        now: Timestamp,
    ) -> Result<VersionComparison, IgnoreReason> {
        if !self.replicates(entry.hub, now) {
            return Err(IgnoreReason::Blocked);
        }
        if envelope.seq.is_in_future_of(now) {
            return Err(IgnoreReason::Ahead);
        }
        if entry.kept_until <= now {
            return Err(IgnoreReason::Lapsed);
        }
        let offer = self.listings.compare(envelope.id(), entry);
        match offer {
            VersionComparison::Known => return Err(IgnoreReason::Known),
            VersionComparison::Older => return Err(IgnoreReason::Older),
            VersionComparison::New | VersionComparison::Newer | VersionComparison::Contradiction => {}
        }
        let bucket = |hub: &TrackedHub| hub.bucket;
        if self.is_paced(entry.hub, bucket, via, now) { Ok(offer) } else { Err(IgnoreReason::TooFast) }
    }

    /// Returns whether the rate limit of this source allows another record of `home` now.
    fn is_paced(
        &self,
        home: HubId,
        bucket: impl Fn(&TrackedHub) -> TokenBucket,
        via: IngestSource,
        now: Timestamp,
    ) -> bool {
        match via {
            IngestSource::Gossip => self.hubs.get(&home).is_none_or(|hub| bucket(hub).has_room(1, now)),
            IngestSource::Sync(peer) => self.shares.may_deliver(peer, now),
        }
    }

    /// Counts a valid record against its rate limit.
    fn pace(
        &mut self,
        home: HubId,
        bucket: impl Fn(&mut TrackedHub) -> &mut TokenBucket,
        via: IngestSource,
        now: Timestamp,
    ) {
        match via {
            IngestSource::Gossip => {
                if let Some(hub) = self.hubs.get_mut(&home) {
                    bucket(hub).take(1, now);
                }
            }
            IngestSource::Sync(peer) => self.shares.count_record(peer, now),
        }
    }

    /// Stores a valid listing. Quotas are charged only now, after verification: forgeries cannot use up the
    /// quota of another hub.
    fn accept(
        &mut self,
        listing: Listing,
        entry: ListingEntry,
        via: IngestSource,
        now: Timestamp,
        out: &mut Vec<Effect>,
    ) -> Result<(), IngestError> {
        let (id, seq) = (listing.envelope().id().clone(), listing.envelope().seq);
        self.charge(&id, &entry, via, now)?;
        let hidden = self.policy.hides(&id, &entry.author, &entry.tags, now);
        let (left, home) = (self.listings.get(&id).map(|known| known.hub), entry.hub);
        if !self.listings.put(&id, entry) {
            return Err(IgnoreReason::Older.into());
        }
        // The listing may have joined or left this hub's own set.
        left.into_iter().chain([home]).for_each(|hub| self.own_set_changed(hub, now));
        self.update_behind(home, via != IngestSource::Gossip, now);
        self.note_own_key(home, seq, out);
        out.push(Effect::StoreListing(Box::new(listing)));
        self.update_visibility(ListingSelector::One(&id), now, out);
        if hidden { Err(IgnoreReason::Blocked.into()) } else { Ok(()) }
    }

    /// Charges a valid listing to the quotas of its hub.
    fn charge(
        &mut self,
        id: &ListingId,
        entry: &ListingEntry,
        via: IngestSource,
        now: Timestamp,
    ) -> Result<(), IgnoreReason> {
        let (room, on_probation) = (self.has_room_for(id, entry, now), self.on_probation(entry.hub, now));
        self.track_hub(entry.hub, now).ok_or(IgnoreReason::OverQuota)?;
        // New listings from a sync round are bounded by the storage quota of their hub; only others count
        // against the rate.
        let added = room && self.listings.get(id).is_none();
        if via == IngestSource::Gossip || !added {
            self.pace(entry.hub, |hub| &mut hub.bucket, via, now);
        }
        if !room {
            self.mark_partial(entry.hub);
            return Err(IgnoreReason::OverQuota);
        }
        if on_probation {
            self.probation.load = self.probation.load.and(entry.usage());
        }
        Ok(())
    }

    /// Marks the local copy of `hub` as incomplete. Its inventory says so until there is room again.
    pub(super) fn mark_partial(&mut self, hub: HubId) {
        if let Some(hub) = self.hubs.get_mut(&hub) {
            hub.partial = true;
        }
    }

    /// Returns whether the storage quota of the home hub allows this version.
    fn has_room_for(&self, id: &ListingId, entry: &ListingEntry, now: Timestamp) -> bool {
        let known = self.listings.get(id).filter(|known| known.hub == entry.hub);
        let replaced = known.map(ListingEntry::usage).unwrap_or_default();
        self.has_room(entry.hub, replaced, entry.usage(), now)
    }

    fn take_head(
        &mut self,
        head: Unverified<Signed<InventoryHead>>,
        via: IngestSource,
        now: Timestamp,
        out: &mut Vec<Effect>,
    ) -> Result<(), IngestError> {
        let head = self.newer(head, |hub| hub.head.as_ref(), via, now, out)?;
        let (of, seq) = (head.body().hub, head.body().seq);
        self.track_hub(of, now).ok_or(IgnoreReason::OverQuota)?.head = Some(head.clone());
        self.pace(of, |hub| &mut hub.said, via, now);
        self.own_set_changed(of, now);
        self.note_own_key(of, seq, out);
        self.on_head(of, now);
        out.push(Effect::StoreHead(Box::new(head)));
        self.renew_lease(of, now, out);
        Ok(())
    }

    fn take_hub(
        &mut self,
        record: Unverified<Signed<HubRecord>>,
        via: IngestSource,
        now: Timestamp,
        out: &mut Vec<Effect>,
    ) -> Result<(), IngestError> {
        if record.claims().expires <= now {
            return Err(IgnoreReason::Lapsed.into());
        }
        let record = self.newer(record, |hub| hub.record.as_ref(), via, now, out)?;
        let (of, claimed) = (record.body().hub, record.body().domain.clone());
        let hub = self.track_hub(of, now).ok_or(IgnoreReason::OverQuota)?;
        hub.record = Some(record.clone());
        if hub.proved_domain != claimed {
            hub.proved_domain = None;
            out.extend(claimed.map(|domain| Effect::ProveDomain { hub: of, domain }));
        }
        self.pace(of, |hub| &mut hub.said, via, now);
        self.note_own_key(of, record.body().seq, out);
        out.push(Effect::StoreHub(Box::new(record)));
        Ok(())
    }

    /// Checks a record that its hub signs alone (head or hub record) against the last known one.
    fn newer<T: HubPayload + Clone>(
        &self,
        offered: Unverified<Signed<T>>,
        known: impl Fn(&TrackedHub) -> Option<&Signed<T>>,
        via: IngestSource,
        now: Timestamp,
        out: &mut Vec<Effect>,
    ) -> Result<Signed<T>, IngestError> {
        let (of, seq, hash) = (offered.claims().hub(), offered.claims().seq(), offered.hash());
        if !self.replicates(of, now) {
            return Err(IgnoreReason::Blocked.into());
        }
        if seq.is_in_future_of(now) {
            return Err(IgnoreReason::Ahead.into());
        }
        let known = self.hubs.get(&of).and_then(known).map(Signed::rank);
        if known == Some((seq, hash)) {
            return Err(IgnoreReason::Known.into());
        }
        if known.is_some_and(|(last, _)| seq < last) {
            return Err(IgnoreReason::Older.into());
        }
        if !self.is_paced(of, |hub| hub.said, via, now) {
            return Err(IgnoreReason::TooFast.into());
        }
        let record = offered.verify()?;
        if known.is_some_and(|(last, _)| seq == last) {
            let accusation = ViolationReport { accused: of, about: of, fault: Violation::RecordEquivocation };
            out.push(Effect::Accuse(accusation));
        }
        // Of two records with one sequence number every hub keeps the same one: the greater hash.
        if known.is_some_and(|known| (seq, hash) < known) {
            Err(IgnoreReason::Older.into())
        } else {
            Ok(record)
        }
    }
}

impl From<IgnoreReason> for IngestError {
    fn from(why: IgnoreReason) -> Self {
        Self::Ignored(why)
    }
}

impl From<RecordError> for IngestError {
    fn from(error: RecordError) -> Self {
        Self::Wrong(error)
    }
}
