//! Validates and stores records from remote hubs.
//!
//! Cheap checks run first, so that invalid input costs little: size and form, policy, sequence number, quota.
//! Then the signatures are verified, and the record is stored.

use plexus_a2a::listing::ListingId;
use plexus_domain::Timestamp;

use super::{
    Accusation, Core, Effect, Fault, Ignored, Verdict,
    carried::{Entry, Offer, Which},
    hubs::Hub,
    quota::{Bucket, Load},
};
use crate::{
    HubId,
    record::{
        self, Envelope, Head, HubPayload, HubRecord, Listing, Received, RecordError, Signed, Unverified,
    },
};

/// How a record arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Via {
    /// Unrequested; limited by the rate of the record's home hub.
    Gossip,
    /// Requested from this peer; limited by the delivery quota of the peer.
    Sync(HubId),
}

/// Why a record is not stored.
enum Refusal {
    Ignored(Ignored),
    Wrong(RecordError),
}

impl Core {
    /// Ingests a record that arrived by gossip.
    pub(super) fn hear(
        &mut self,
        from: HubId,
        bytes: &[u8],
        now: Timestamp,
        out: &mut Vec<Effect>,
    ) -> Verdict {
        if !self.carries(from, now) {
            return Verdict::Ignore(Ignored::Blocked);
        }
        self.take(bytes, Via::Gossip, now, out)
    }

    /// Ingests a record: stores it if it is new and valid. The verdict is `Accept` unless a rule forbids
    /// propagation.
    pub(super) fn take(&mut self, bytes: &[u8], via: Via, now: Timestamp, out: &mut Vec<Effect>) -> Verdict {
        let taken = match record::parse(bytes) {
            Ok(Received::Listing(listing)) => self.take_listing(*listing, bytes.len(), via, now, out),
            Ok(Received::Head(head)) => self.take_head(head, via, now, out),
            Ok(Received::Hub(record)) => self.take_hub(record, via, now, out),
            Err(error) => return error.into(),
        };
        match taken {
            Ok(()) => Verdict::Accept,
            Err(Refusal::Ignored(why)) => Verdict::Ignore(why),
            Err(Refusal::Wrong(error)) => error.into(),
        }
    }

    fn take_listing(
        &mut self,
        listing: Unverified<Listing>,
        bytes: usize,
        via: Via,
        now: Timestamp,
        out: &mut Vec<Effect>,
    ) -> Result<(), Refusal> {
        let entry = Entry::new(listing.claims(), listing.hash(), bytes);
        let offer = self.screen(listing.claims(), &entry, via, now)?;
        let listing = listing.verify()?;
        if offer == Offer::Contradiction {
            let fault = Fault::Contradicts(listing.envelope().id().clone());
            out.push(Effect::Accuse(Accusation { accused: entry.hub, about: entry.hub, fault }));
        }
        self.accept(listing, entry, via, now, out)
    }

    /// Runs the cheap checks that decide whether the signatures of a listing are worth verifying.
    fn screen(&self, envelope: &Envelope, entry: &Entry, via: Via, now: Timestamp) -> Result<Offer, Ignored> {
        if !self.carries(entry.hub, now) {
            return Err(Ignored::Blocked);
        }
        if envelope.seq.is_ahead_of(now) {
            return Err(Ignored::Ahead);
        }
        if entry.kept_until <= now {
            return Err(Ignored::Lapsed);
        }
        let offer = self.carried.compare(envelope.id(), entry);
        match offer {
            Offer::Known => return Err(Ignored::Known),
            Offer::Older => return Err(Ignored::Older),
            Offer::New | Offer::Newer | Offer::Contradiction => {}
        }
        let bucket = |hub: &Hub| hub.bucket;
        if self.is_paced(entry.hub, bucket, via, now) { Ok(offer) } else { Err(Ignored::TooFast) }
    }

    /// Returns whether the rate limit of this source allows another record of `home` now.
    fn is_paced(&self, home: HubId, bucket: impl Fn(&Hub) -> Bucket, via: Via, now: Timestamp) -> bool {
        match via {
            Via::Gossip => self.hubs.get(&home).is_none_or(|hub| bucket(hub).has_room(1, now)),
            Via::Sync(peer) => self.shares.may_bring(peer, now),
        }
    }

    /// Counts a valid record against its rate limit.
    fn pace(&mut self, home: HubId, bucket: impl Fn(&mut Hub) -> &mut Bucket, via: Via, now: Timestamp) {
        match via {
            Via::Gossip => {
                if let Some(hub) = self.hubs.get_mut(&home) {
                    bucket(hub).take(1, now);
                }
            }
            Via::Sync(peer) => self.shares.bring(peer, now),
        }
    }

    /// Stores a valid listing. Quotas are charged only now, after verification: forgeries cannot use up the
    /// quota of another hub.
    fn accept(
        &mut self,
        listing: Listing,
        entry: Entry,
        via: Via,
        now: Timestamp,
        out: &mut Vec<Effect>,
    ) -> Result<(), Refusal> {
        let id = listing.envelope().id().clone();
        self.charge(&id, &entry, via, now)?;
        let hidden = self.policy.hides(&id, &entry.author, &entry.tags, now);
        let (left, home) = (self.carried.get(&id).map(|known| known.hub), entry.hub);
        if !self.carried.put(&id, entry) {
            return Err(Ignored::Older.into());
        }
        // The listing may have joined or left this hub's own set.
        left.into_iter().chain([home]).for_each(|hub| self.own_set_changed(hub, now));
        out.push(Effect::StoreListing(Box::new(listing)));
        self.refresh(Which::One(&id), now, out);
        if hidden { Err(Ignored::Blocked.into()) } else { Ok(()) }
    }

    /// Charges a valid listing to the quotas of its hub.
    fn charge(&mut self, id: &ListingId, entry: &Entry, via: Via, now: Timestamp) -> Result<(), Ignored> {
        let (room, on_probation) = (self.has_room_for(id, entry, now), self.on_probation(entry.hub, now));
        self.meet(entry.hub, now).ok_or(Ignored::OverQuota)?;
        // New listings from a sync round are bounded by the storage quota of their hub; only others count
        // against the rate.
        let added = room && self.carried.get(id).is_none();
        if via == Via::Gossip || !added {
            self.pace(entry.hub, |hub| &mut hub.bucket, via, now);
        }
        if !room {
            self.cut_short(entry.hub);
            return Err(Ignored::OverQuota);
        }
        if on_probation {
            self.probation.load = self.probation.load.and(Load { listings: 1, bytes: entry.bytes });
        }
        Ok(())
    }

    /// Marks the local copy of `hub` as incomplete. Its inventory says so until there is room again.
    pub(super) fn cut_short(&mut self, hub: HubId) {
        if let Some(hub) = self.hubs.get_mut(&hub) {
            hub.partial = true;
        }
    }

    /// Returns whether the storage quota of the home hub allows this version.
    fn has_room_for(&self, id: &ListingId, entry: &Entry, now: Timestamp) -> bool {
        let here = self.carried.get(id).filter(|known| known.hub == entry.hub);
        let replaced = here.map_or_else(Load::default, |known| Load { listings: 1, bytes: known.bytes });
        self.has_room(entry.hub, replaced, Load { listings: 1, bytes: entry.bytes }, now)
    }

    fn take_head(
        &mut self,
        head: Unverified<Signed<Head>>,
        via: Via,
        now: Timestamp,
        out: &mut Vec<Effect>,
    ) -> Result<(), Refusal> {
        let head = self.newer(head, |hub| hub.head.as_ref(), via, now, out)?;
        let of = head.body().hub;
        self.meet(of, now).ok_or(Ignored::OverQuota)?.head = Some(head.clone());
        self.pace(of, |hub| &mut hub.said, via, now);
        self.own_set_changed(of, now);
        out.push(Effect::StoreHead(Box::new(head)));
        self.renew_lease(of, now, out);
        Ok(())
    }

    fn take_hub(
        &mut self,
        record: Unverified<Signed<HubRecord>>,
        via: Via,
        now: Timestamp,
        out: &mut Vec<Effect>,
    ) -> Result<(), Refusal> {
        if record.claims().expires <= now {
            return Err(Ignored::Lapsed.into());
        }
        let record = self.newer(record, |hub| hub.record.as_ref(), via, now, out)?;
        let (of, claimed) = (record.body().hub, record.body().domain.clone());
        let hub = self.meet(of, now).ok_or(Ignored::OverQuota)?;
        hub.record = Some(record.clone());
        if hub.proved_domain != claimed {
            hub.proved_domain = None;
            out.extend(claimed.map(|domain| Effect::ProveDomain { hub: of, domain }));
        }
        self.pace(of, |hub| &mut hub.said, via, now);
        out.push(Effect::StoreHub(Box::new(record)));
        Ok(())
    }

    /// Checks a record that its hub signs alone (head or hub record) against the last known one.
    fn newer<T: HubPayload + Clone>(
        &self,
        offered: Unverified<Signed<T>>,
        known: impl Fn(&Hub) -> Option<&Signed<T>>,
        via: Via,
        now: Timestamp,
        out: &mut Vec<Effect>,
    ) -> Result<Signed<T>, Refusal> {
        let (of, seq, hash) = (offered.claims().hub(), offered.claims().seq(), offered.hash());
        if !self.carries(of, now) {
            return Err(Ignored::Blocked.into());
        }
        if seq.is_ahead_of(now) {
            return Err(Ignored::Ahead.into());
        }
        let known = self.hubs.get(&of).and_then(known).map(Signed::rank);
        if known == Some((seq, hash)) {
            return Err(Ignored::Known.into());
        }
        if known.is_some_and(|(last, _)| seq < last) {
            return Err(Ignored::Older.into());
        }
        if !self.is_paced(of, |hub| hub.said, via, now) {
            return Err(Ignored::TooFast.into());
        }
        let record = offered.verify()?;
        if known.is_some_and(|(last, _)| seq == last) {
            let accusation = Accusation { accused: of, about: of, fault: Fault::ContradictsItself };
            out.push(Effect::Accuse(accusation));
        }
        // Of two records with one sequence number every hub keeps the same one: the greater hash.
        if known.is_some_and(|known| (seq, hash) < known) { Err(Ignored::Older.into()) } else { Ok(record) }
    }
}

impl From<Ignored> for Refusal {
    fn from(why: Ignored) -> Self {
        Self::Ignored(why)
    }
}

impl From<RecordError> for Refusal {
    fn from(error: RecordError) -> Self {
        Self::Wrong(error)
    }
}
