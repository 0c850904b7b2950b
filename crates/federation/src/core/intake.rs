//! What becomes of a record from outside.
//!
//! The cheap questions come first, so that junk costs little: size and form, policy, number, quota; then the
//! signatures; then it is taken in.

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

/// How a record came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Via {
    /// Unasked for, so its rate is limited.
    Gossip,
    /// This peer was asked for it, so its rate is limited together with all else that it brings.
    Sync(HubId),
}

/// Why a record is not taken in.
enum Refusal {
    Ignored(Ignored),
    Wrong(RecordError),
}

impl Core {
    /// A record by gossip.
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

    /// A record that is new and holds is stored, and accepted unless a rule keeps it from being passed on.
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

    /// Whether a listing is worth checking its signatures.
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

    /// Whether another record of `home` that comes this way is not too much at the moment.
    fn is_paced(&self, home: HubId, bucket: impl Fn(&Hub) -> Bucket, via: Via, now: Timestamp) -> bool {
        match via {
            Via::Gossip => self.hubs.get(&home).is_none_or(|hub| bucket(hub).has_room(1, now)),
            Via::Sync(peer) => self.shares.may_bring(peer, now),
        }
    }

    /// Counts a record that holds.
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

    /// Takes in a listing that holds. Only now is anything counted against its hub, so nobody uses up another's
    /// share with forgeries.
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
        // One of this hub's own may have come, or moved away.
        left.into_iter().chain([home]).for_each(|hub| self.own_set_changed(hub, now));
        out.push(Effect::StoreListing(Box::new(listing)));
        self.refresh(Which::One(&id), now, out);
        if hidden { Err(Ignored::Blocked.into()) } else { Ok(()) }
    }

    /// Counts a listing that holds against its hub.
    fn charge(&mut self, id: &ListingId, entry: &Entry, via: Via, now: Timestamp) -> Result<(), Ignored> {
        let (room, on_probation) = (self.has_room_for(id, entry, now), self.on_probation(entry.hub, now));
        self.meet(entry.hub, now).ok_or(Ignored::OverQuota)?;
        // What a comparison adds is bounded by the room of its hub; only the rest is bounded by its rate.
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

    /// From now on this hub says that it does not carry all of `hub`, until it finds that it can.
    pub(super) fn cut_short(&mut self, hub: HubId) {
        if let Some(hub) = self.hubs.get_mut(&hub) {
            hub.partial = true;
        }
    }

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

    /// Checks what a hub signed alone, against what it signed before.
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
        // Of two with one number every hub keeps the same one.
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
