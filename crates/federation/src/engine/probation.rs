//! Shared storage quota of unproven hubs, divided evenly: invented hubs cannot crowd out others (Sybil
//! attack).

use std::collections::{BTreeMap, BTreeSet};

use plexus_a2a::listing_id::ListingId;
use plexus_domain::Timestamp;

use super::{
    Effect, Engine,
    inventory::ListingSelector,
    policy::AdmissionMode,
    quota::{ALL_ON_PROBATION, PROBATION, PROBATION_TIME, StorageQuota, StorageUsage},
};
use crate::{HubId, record::Seq};

/// Percentage of the shared quota that a sweep frees when it is full.
const FREED: usize = 10;
/// Below this percentage of usage, the limit per hub grows again.
const RELAXED: usize = 50;

/// Shared usage and per-hub limit. Recomputed every sweep (once a minute); the usage is incremented in
/// between.
#[derive(Clone, Copy, Debug)]
pub struct Probation {
    /// Total usage of all hubs on probation.
    pub load: StorageUsage,
    /// Current limit per hub, in percent of [`PROBATION`].
    share: usize,
}

impl Default for Probation {
    fn default() -> Self {
        Self { load: StorageUsage::default(), share: 100 }
    }
}

impl Probation {
    /// Returns whether a hub that would use `own` fits, when all would use `together`.
    pub fn holds(&self, own: StorageUsage, together: StorageUsage) -> bool {
        PROBATION.part(self.share).holds(own) && ALL_ON_PROBATION.holds(together)
    }
}

impl Engine {
    /// Returns whether `hub` is on probation: no rule, no verified domain, and known for less than
    /// [`PROBATION_TIME`].
    pub(super) fn on_probation(&self, hub: HubId, now: Timestamp) -> bool {
        let known = self.hubs.get(&hub);
        let passed = known
            .is_some_and(|hub| hub.proved_domain.is_some() || now.since(hub.first_seen) >= PROBATION_TIME);
        self.policy.mode() == AdmissionMode::Probation && self.rule_on(hub, now).is_none() && !passed
    }

    /// Rebalances the shared quota. When it is nearly full, the largest hubs lose their newest listings, so
    /// that other hubs have room by the next sweep.
    pub(super) fn rebalance(&mut self, now: Timestamp, out: &mut Vec<Effect>) {
        let others = self.hubs.keys().filter(|&&hub| hub != self.local_id() && self.on_probation(hub, now));
        let loads: BTreeMap<HubId, StorageUsage> =
            others.map(|hub| (*hub, self.listings.load(hub))).collect();
        let within = |caps: StorageQuota| {
            loads.values().map(|load| caps.cut(*load)).fold(StorageUsage::default(), StorageUsage::and)
        };
        self.probation.load = loads.values().copied().fold(StorageUsage::default(), StorageUsage::and);
        if ALL_ON_PROBATION.part(RELAXED).holds(self.probation.load) {
            self.probation.share = (2 * self.probation.share).min(100);
        } else if !ALL_ON_PROBATION.part(100 - FREED / 2).holds(self.probation.load) {
            let left = ALL_ON_PROBATION.part(100 - FREED);
            let fits = |share: &usize| left.holds(within(PROBATION.part(*share)));
            self.probation.share = (1..=100).rev().find(fits).unwrap_or(1);
            let share = PROBATION.part(self.probation.share);
            let over = loads.iter().filter(|(_, load)| !share.holds(**load)).map(|(hub, _)| *hub);
            self.cut_down(&over.collect(), share, out);
        }
    }

    /// Evicts the newest listings of these hubs until each fits into `share`. Tombstones go last: they use
    /// bytes alone, and without one an older version could return.
    fn cut_down(&mut self, hubs: &BTreeSet<HubId>, share: StorageQuota, out: &mut Vec<Effect>) {
        let of_them =
            self.listings.select(ListingSelector::All).filter(|(_, entry)| hubs.contains(&entry.hub));
        let mut newest: Vec<(bool, Seq, ListingId)> =
            of_them.map(|(id, entry)| (!entry.rank.is_deleted(), entry.rank.seq(), id.clone())).collect();
        newest.sort_unstable_by(|one, other| other.cmp(one));
        let mut gone = Vec::new();
        for (_, _, id) in newest {
            let home = self.listings.get(&id).map(|entry| entry.hub);
            if let Some(home) = home.filter(|home| !share.holds(self.listings.load(home))) {
                let usage = self.listings.remove(&id).map(|entry| entry.usage()).unwrap_or_default();
                self.probation.load = self.probation.load.without(usage);
                self.mark_partial(home);
                gone.push(id);
            }
        }
        if !gone.is_empty() {
            out.extend([Effect::Hide(gone.clone()), Effect::Forget(gone)]);
        }
    }
}
