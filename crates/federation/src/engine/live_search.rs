//! Live search: queries remote hubs when the local results do not suffice.
//!
//! Replicated listings are searched by the local index, which covers nearly everything. This module plans the
//! rest: candidate hubs, hedged requests and deadlines.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    time::Duration,
};

use plexus_domain::{Digest, Timestamp};

use super::{
    Effect, Engine, GossipVerdict, IgnoreReason, MAX_FOUND, MAX_OWN_RECORDS, PeerRequest, PeerResponse,
    SearchQuery,
    ingest::IngestSource,
    inventory::{ListingEntry, ListingSelector},
    lease::VisibilityLease,
};
use crate::{
    HubId,
    record::{Listing, Status, Tag},
};

/// Maximum concurrent live searches; further ones return local results only.
const MAX_SEARCHES: usize = 64;
const MAX_TAGS_LOOKED_UP: usize = 3;
/// Maximum candidate hubs per search.
const MAX_CANDIDATES: usize = 64;
/// Maximum hubs considered from one DHT response.
const MAX_PROVIDERS: usize = 256;
/// Known hubs sampled per search. The DHT has no key for free text, so these are queried instead.
const SAMPLE: usize = 3;
/// Maximum hubs that one search queries.
pub const MAX_QUERIED_HUBS: usize = 8;
/// Hubs of a tag that the DHT may fail to return without an alarm: announcements take time.
const FEW: usize = 3;
/// Maximum concurrent queries before hedging.
const FIRST_ASKED: usize = 5;
/// Maximum listings in one response of a hub on probation, since creating such hubs is free (Sybil).
const MAX_FOUND_ON_PROBATION: usize = 10;
/// Deadline of the DHT lookup.
const LOOK_UP_TIME: Duration = Duration::from_secs(1);
/// Deadline of the queries to hubs.
const LIVE_TIME: Duration = Duration::from_millis(1_500);
/// Hedging delay: after it further hubs are queried in parallel.
const HEDGE_AFTER: Duration = Duration::from_millis(400);

/// A live search: the query, and how many local results there are.
#[derive(Clone, Debug)]
pub struct LiveQuery {
    pub query: SearchQuery,
    /// The user asked for the whole network, regardless of local results.
    pub whole_network: bool,
    /// Local hits among this hub's own agents (`own`) and among replicated ones (`replicated`).
    pub own: usize,
    pub replicated: usize,
}

/// Where results come from, for instance "local 3, replicated 41, live 2 hubs, 1 silent".
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Provenance {
    pub own: usize,
    pub replicated: usize,
    pub asked: BTreeMap<HubId, HubOutcome>,
}

/// Result of querying one hub.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HubOutcome {
    Answered {
        /// Number of invalid records: unparsable or with an invalid signature.
        wrong: usize,
    },
    /// No response: pending, late, disconnected or refused.
    Silent,
}

/// State of one live search.
#[derive(Clone, Debug)]
pub struct LiveSearch {
    query: SearchQuery,
    provenance: Provenance,
    /// Deadline of the DHT lookup, while it may still return hubs.
    looking_until: Option<Timestamp>,
    /// The DHT returned a hub that is known here.
    named: bool,
    ends: Timestamp,
    hedges: Option<Timestamp>,
    candidates: VecDeque<HubId>,
    waiting: BTreeMap<u64, HubId>,
}

impl Engine {
    /// Returns when a search needs the next [`super::Event::Tick`], if before the regular one.
    pub fn wakes(&self) -> Option<Timestamp> {
        let times = |search: &LiveSearch| [Some(search.ends), search.hedges, search.looking_until];
        self.searches.values().flat_map(times).flatten().min()
    }

    /// Starts a live search, or finishes it at once when local results suffice or too many searches run.
    pub(super) fn search(&mut self, search: u64, wanted: LiveQuery, now: Timestamp, out: &mut Vec<Effect>) {
        let provenance =
            Provenance { own: wanted.own, replicated: wanted.replicated, ..Provenance::default() };
        let enough = wanted.own + wanted.replicated >= wanted.query.limit && !wanted.whole_network;
        if enough || self.searches.len() >= MAX_SEARCHES || self.searches.contains_key(&search) {
            out.push(Effect::SearchDone { search, provenance });
            return;
        }
        let tags: Vec<_> = wanted.query.tags.iter().take(MAX_TAGS_LOOKED_UP).cloned().collect();
        let looking_until = (!tags.is_empty()).then(|| now + LOOK_UP_TIME);
        out.extend(tags.into_iter().map(|tag| Effect::FindProviders { search, tag }));
        let planned = LiveSearch {
            query: wanted.query,
            provenance,
            looking_until,
            named: false,
            ends: looking_until.unwrap_or(now) + LIVE_TIME,
            hedges: None,
            candidates: self.sample(search, now),
            waiting: BTreeMap::new(),
        };
        self.searches.insert(search, planned);
        self.ask_more(search, now, out);
    }

    /// Adds hubs that the DHT returned. They are only hints: responses are verified. Hubs past their
    /// probation come first.
    pub(super) fn provided(&mut self, search: u64, hubs: &[HubId], now: Timestamp, out: &mut Vec<Effect>) {
        let useful = hubs.iter().copied().take(MAX_PROVIDERS).filter(|&hub| self.may_know_more(hub, now));
        let useful: Vec<(HubId, bool)> = useful.map(|hub| (hub, self.on_probation(hub, now))).collect();
        let me = self.local_id();
        let is_known = |hub: &HubId| *hub != me && self.hubs.contains_key(hub);
        let Some(planned) = self.searches.get_mut(&search) else { return };
        planned.named |= hubs.iter().take(MAX_PROVIDERS).any(is_known);
        for (hub, on_probation) in useful {
            if planned.provenance.asked.contains_key(&hub) || planned.candidates.contains(&hub) {
                continue;
            }
            // Query unknown hubs last: identities are free to create (Sybil).
            let strangers = planned.candidates.iter().position(|hub| !is_known(hub));
            let at = match (is_known(&hub), on_probation) {
                (true, false) => 0,
                (true, true) => strangers.unwrap_or(planned.candidates.len()),
                (false, _) => planned.candidates.len(),
            };
            planned.candidates.insert(at, hub);
            planned.candidates.truncate(MAX_CANDIDATES);
        }
        self.ask_more(search, now, out);
    }

    /// Handles a hub's response to a search query; `None` when there will be none.
    pub(super) fn found(
        &mut self,
        from: HubId,
        id: u64,
        answer: Option<PeerResponse>,
        now: Timestamp,
        out: &mut Vec<Effect>,
    ) {
        let mut waiting = self.searches.iter_mut();
        let waits = waiting.find(|(_, search)| search.waiting.get(&id) == Some(&from));
        let Some((&search, planned)) = waits else { return };
        planned.waiting.remove(&id);
        let limit = planned.query.limit;
        if let Some(PeerResponse::Records(records)) = answer {
            let (listings, wrong) = self.hits(from, &records, limit, now, out);
            if let Some(planned) = self.searches.get_mut(&search) {
                planned.provenance.asked.insert(from, HubOutcome::Answered { wrong });
            }
            if !listings.is_empty() {
                out.push(Effect::Found { search, from, listings });
            }
        }
        self.ask_more(search, now, out);
    }

    /// Extracts the visible listings of a response, deduplicated, and counts its invalid records.
    fn hits(
        &mut self,
        from: HubId,
        records: &[Vec<u8>],
        limit: usize,
        now: Timestamp,
        out: &mut Vec<Effect>,
    ) -> (Vec<Listing>, usize) {
        let most = if self.on_probation(from, now) { MAX_FOUND_ON_PROBATION } else { MAX_FOUND };
        let (mut listings, mut wrong) = (Vec::<Listing>::new(), 0);
        for bytes in records.iter().take(MAX_OWN_RECORDS + most.min(limit)) {
            match self.ingest(bytes, IngestSource::Sync(from), now, out) {
                GossipVerdict::Reject(_) => wrong += 1,
                GossipVerdict::Accept
                | GossipVerdict::Ignore(IgnoreReason::OverQuota | IgnoreReason::Known) => {
                    let is_new = |new: &Listing| listings.iter().all(|known| known.hash() != new.hash());
                    let hit = self.hit(from, bytes, now).filter(is_new);
                    listings.extend(hit);
                }
                GossipVerdict::Ignore(_) => {}
            }
        }
        (listings, wrong)
    }

    /// Returns the listing if it is valid, visible and the responding hub's own. It may be stored here
    /// already.
    fn hit(&self, from: HubId, bytes: &[u8], now: Timestamp) -> Option<Listing> {
        let listing = Listing::parse(bytes).ok()?.verify().ok()?;
        let envelope = listing.envelope();
        let Status::Live(content) = &envelope.status else { return None };
        let author = *envelope.author().as_bytes();
        let hidden = self.policy.hides(envelope.id(), &author, &content.tags, now);
        (envelope.hub == from && now < content.expires && !hidden).then_some(listing)
    }

    /// Advances all live searches.
    pub(super) fn hurry_searches(&mut self, now: Timestamp, out: &mut Vec<Effect>) {
        let searches: Vec<u64> = self.searches.keys().copied().collect();
        searches.into_iter().for_each(|search| self.ask_more(search, now, out));
    }

    /// Drops the outstanding queries to a disconnected peer.
    pub(super) fn give_up_on(&mut self, peer: HubId, now: Timestamp, out: &mut Vec<Effect>) {
        self.searches.values_mut().for_each(|search| search.waiting.retain(|_, hub| *hub != peer));
        self.hurry_searches(now, out);
    }

    /// Sends the queries that are due, and ends the search when none is outstanding or its deadline has
    /// passed.
    fn ask_more(&mut self, search: u64, now: Timestamp, out: &mut Vec<Effect>) {
        let Some(mut planned) = self.searches.remove(&search) else { return };
        if planned.looking_until.take_if(|until| *until <= now).is_some() && !planned.named {
            out.extend(planned.query.tags.first().and_then(|tag| self.unnamed(tag, now)));
        }
        while let Some(hub) = planned.next(now) {
            let id = self.ask(hub, PeerRequest::Find(planned.query.clone()), out);
            planned.waiting.insert(id, hub);
        }
        let idle = planned.waiting.is_empty() && planned.looking_until.is_none();
        if idle || now >= planned.ends {
            out.push(Effect::SearchDone { search, provenance: planned.provenance });
        } else {
            self.searches.insert(search, planned);
        }
    }

    /// Returns an alarm if the DHT should have returned hubs with this tag.
    fn unnamed(&self, tag: &Tag, now: Timestamp) -> Option<Effect> {
        let live = |entry: &ListingEntry| {
            entry.tags.contains(tag) && entry.live_until.is_some_and(|until| now < until)
        };
        let alive = |hub: &HubId| *hub != self.local_id() && self.lease(*hub, now) == VisibilityLease::Fresh;
        let of_tag = self
            .listings
            .select(ListingSelector::All)
            .filter(|(_, entry)| live(entry))
            .map(|(_, entry)| entry.hub);
        let hubs = of_tag.filter(alive).collect::<BTreeSet<HubId>>().len();
        (hubs > FEW).then(|| Effect::Unnamed { tag: tag.clone(), hubs })
    }

    /// Returns whether querying a hub may help: not this hub, not blocked, and not completely replicated.
    fn may_know_more(&self, hub: HubId, now: Timestamp) -> bool {
        let covered = self.is_complete(hub) && self.lease(hub, now) == VisibilityLease::Fresh;
        hub != self.local_id() && self.replicates(hub, now) && !covered
    }

    /// Returns a pseudo-random sample of live hubs, different for each search.
    fn sample(&self, search: u64, now: Timestamp) -> VecDeque<HubId> {
        let alive =
            |hub: &HubId| self.lease(*hub, now) == VisibilityLease::Fresh && self.may_know_more(*hub, now);
        let mut hubs: Vec<HubId> = self.hubs.keys().copied().filter(alive).collect();
        hubs.sort_by_cached_key(|hub| Digest::of([&search.to_be_bytes()[..], hub.as_bytes()].concat()));
        hubs.truncate(SAMPLE);
        hubs.into()
    }
}

impl LiveSearch {
    /// Returns the next hub to query now, if any.
    fn next(&mut self, now: Timestamp) -> Option<HubId> {
        let hedging = self.hedges.is_some_and(|at| at <= now);
        let at_once = if hedging { MAX_QUERIED_HUBS } else { FIRST_ASKED };
        if self.provenance.asked.len() >= MAX_QUERIED_HUBS
            || self.waiting.len() >= at_once
            || now >= self.ends
        {
            return None;
        }
        let hub = self.candidates.pop_front()?;
        self.hedges.get_or_insert(now + HEDGE_AFTER);
        self.provenance.asked.insert(hub, HubOutcome::Silent);
        Some(hub)
    }
}
