//! Periodic sweep and policy changes: leases, visibility, eviction and expiry.

use std::time::Duration;

use plexus_a2a::listing_id::ListingId;
use plexus_domain::Timestamp;

use super::{
    Effect, Engine,
    inventory::{ListingEntry, ListingSelector},
    known_hubs::TrackedHub,
    lease::{HIDDEN_AFTER, VisibilityLease},
    quota::StorageUsage,
};
use crate::{HubId, record::MAX_BYTES};

/// Interval of the sweep, which visits every listing: tens of milliseconds for 100,000
/// (`cargo run --release -p plexus-federation --example cost`).
pub const SWEEP_INTERVAL: Duration = Duration::from_secs(60);

impl Engine {
    /// Runs the sweep when it is due.
    pub(super) fn sweep_if_due(&mut self, now: Timestamp, out: &mut Vec<Effect>) {
        if now.since(self.swept) < SWEEP_INTERVAL {
            return;
        }
        self.swept = now;
        self.rebalance(now, out);
        let hubs: Vec<HubId> = self.hubs.keys().copied().collect();
        for hub in hubs {
            self.tell_lease(hub, now, out);
            self.make_room(hub, now);
        }
        self.forget_lapsed(now, out);
        self.forget_silent_hubs(now, out);
        self.shares.forget_idle(now);
        self.update_visibility(ListingSelector::All, now, out);
    }

    /// Updates the lease after a new head; shows the hub's listings if they were hidden.
    pub(super) fn renew_lease(&mut self, hub: HubId, now: Timestamp, out: &mut Vec<Effect>) {
        let before = self.hubs.get(&hub).map(|hub| hub.lease);
        if self.tell_lease(hub, now, out) && before == Some(VisibilityLease::Hidden) {
            self.update_visibility(ListingSelector::OfHub(hub), now, out);
        }
    }

    /// Reports the lease of a hub if it changed, and returns whether it did.
    fn tell_lease(&mut self, hub: HubId, now: Timestamp, out: &mut Vec<Effect>) -> bool {
        let lease = self.lease(hub, now);
        let Some(known) = self.hubs.get_mut(&hub).filter(|known| known.lease != lease) else { return false };
        known.lease = lease;
        out.push(Effect::Lease { hub, lease });
        true
    }

    /// Re-evaluates peers and visibility after a rule change. Nothing is deleted, so that a rule can be
    /// undone at once.
    pub(super) fn apply_policy(&mut self, now: Timestamp, out: &mut Vec<Effect>) {
        let (kept, refused): (Vec<HubId>, _) =
            self.peers.iter().partition(|&&peer| self.replicates(peer, now));
        for peer in &refused {
            self.rounds.remove(peer);
            // Start a round at once when the peer is allowed again.
            self.compared.remove(peer);
            out.push(Effect::Disconnect(*peer));
        }
        self.peers = kept.into_iter().collect();
        self.hubs.values_mut().for_each(|hub| hub.partial = false);
        self.update_visibility(ListingSelector::All, now, out);
    }

    /// Sends visibility changes of the selected listings to the search index.
    pub(super) fn update_visibility(
        &mut self,
        which: ListingSelector<'_>,
        now: Timestamp,
        out: &mut Vec<Effect>,
    ) {
        let changed: Vec<(ListingId, bool)> = self
            .listings
            .select(which)
            .map(|(id, entry)| (id.clone(), entry.shown, self.may_be_shown(id, entry, now)))
            .filter(|(_, before, after)| before != after)
            .map(|(id, _, after)| (id, after))
            .collect();
        for (id, shown) in &changed {
            self.listings.mark(id, *shown);
        }
        let (show, hide): (Vec<_>, Vec<_>) = changed.into_iter().partition(|(_, shown)| *shown);
        let ids = |list: Vec<(ListingId, bool)>| list.into_iter().map(|(id, _)| id).collect::<Vec<_>>();
        tell(ids(show), Effect::Show, out);
        tell(ids(hide), Effect::Hide, out);
    }

    /// Returns whether a listing is unexpired, of a visible and replicated hub, and not hidden by a rule.
    fn may_be_shown(&self, id: &ListingId, entry: &ListingEntry, now: Timestamp) -> bool {
        entry.live_until.is_some_and(|until| now < until)
            && self.lease(entry.hub, now) != VisibilityLease::Hidden
            && self.replicates(entry.hub, now)
            && !self.policy.hides(id, &entry.author, &entry.tags, now)
    }

    /// Clears the incomplete mark when there is room again (larger quota, expired listings), so that the hub
    /// is compared again.
    fn make_room(&mut self, hub: HubId, now: Timestamp) {
        let room =
            self.has_room(hub, StorageUsage::default(), StorageUsage { listings: 1, bytes: MAX_BYTES }, now);
        if let Some(known) = self.hubs.get_mut(&hub).filter(|known| known.partial && room) {
            known.partial = false;
        }
    }

    /// Forgets long-silent hubs without listings, so that invented hubs do not use up the limit of known hubs
    /// (Sybil).
    fn forget_silent_hubs(&mut self, now: Timestamp, out: &mut Vec<Effect>) {
        let gone = |hub: &HubId, known: &TrackedHub| {
            let silent =
                known.lease == VisibilityLease::Hidden && now.since(known.first_seen) >= HIDDEN_AFTER;
            silent && *hub != self.local_id() && self.listings.set(hub).is_none()
        };
        let gone: Vec<HubId> =
            self.hubs.iter().filter(|(hub, known)| gone(hub, known)).map(|(hub, _)| *hub).collect();
        for hub in &gone {
            self.hubs.remove(hub);
        }
        tell(gone, Effect::ForgetHubs, out);
    }

    /// Purges listings past their retention time.
    fn forget_lapsed(&mut self, now: Timestamp, out: &mut Vec<Effect>) {
        let lapsed = self.listings.select(ListingSelector::All).filter(|(_, entry)| entry.kept_until <= now);
        let lapsed: Vec<ListingId> = lapsed.map(|(id, _)| id.clone()).collect();
        for id in &lapsed {
            if let Some(entry) = self.listings.remove(id) {
                self.own_set_changed(entry.hub, now);
            }
        }
        tell(lapsed, Effect::Forget, out);
    }
}

/// Emits an effect unless its list is empty.
fn tell<T>(list: Vec<T>, effect: fn(Vec<T>) -> Effect, out: &mut Vec<Effect>) {
    if !list.is_empty() {
        out.push(effect(list));
    }
}
