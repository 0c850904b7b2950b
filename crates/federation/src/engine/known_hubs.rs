//! Per-hub state of the engine, and the storage quota of each hub.

use std::time::Duration;

use plexus_domain::Timestamp;

use super::{
    Effect, Engine, HubInventory, KnownHub,
    inventory::HubListingSet,
    lease::VisibilityLease,
    policy::{AdmissionMode, RuleAction},
    quota::{BY_GOSSIP, FULL, GOSSIP_RATE, MAX_HUBS, StorageUsage, TokenBucket},
};
use crate::{
    HubId,
    record::{HubRecord, InventoryHead, Seq, Signed},
};

/// State of one known hub.
#[derive(Clone, Debug)]
pub struct TrackedHub {
    pub first_seen: Timestamp,
    pub head: Option<Signed<InventoryHead>>,
    pub record: Option<Signed<HubRecord>>,
    pub proved_domain: Option<String>,
    /// Rate limit of its listings by gossip.
    pub bucket: TokenBucket,
    /// Rate limit of its heads and hub records by gossip.
    pub said: TokenBucket,
    /// Last lease reported by [`Effect::Lease`].
    pub lease: VisibilityLease,
    /// The local copy is incomplete because a quota was exceeded.
    pub partial: bool,
    /// Set while its last head named listings that are missing here.
    pub behind: Option<Behind>,
}

/// When to fetch the missing listings of a hub, without waiting for the next periodic round.
#[derive(Clone, Copy, Debug)]
pub struct Behind {
    pub next: Timestamp,
    /// Delay after the next attempt. It doubles while attempts bring nothing.
    pub wait: Duration,
}

impl Behind {
    /// Delay of the first attempt: gossip may still bring the listings.
    pub const FIRST_WAIT: Duration = Duration::from_secs(2);

    pub fn new(now: Timestamp) -> Self {
        Self { next: now + Self::FIRST_WAIT, wait: Self::FIRST_WAIT }
    }
}

impl TrackedHub {
    pub const fn new(now: Timestamp) -> Self {
        Self {
            first_seen: now,
            head: None,
            record: None,
            proved_domain: None,
            bucket: TokenBucket::full(BY_GOSSIP, now),
            said: TokenBucket::full(GOSSIP_RATE, now),
            lease: VisibilityLease::Hidden,
            partial: false,
            behind: None,
        }
    }
}

impl From<KnownHub> for TrackedHub {
    fn from(known: KnownHub) -> Self {
        let KnownHub { first_seen, proved_domain, head, record, .. } = known;
        Self { proved_domain, head, record, ..Self::new(first_seen) }
    }
}

impl Engine {
    /// Returns whether this hub replicates `hub` at all, by rule or admission mode.
    pub(super) fn replicates(&self, hub: HubId, now: Timestamp) -> bool {
        if hub == self.local_id() {
            return true;
        }
        match self.rule_on(hub, now) {
            Some(action) => action == RuleAction::Allow,
            None => self.policy.mode() != AdmissionMode::Allowlist,
        }
    }

    /// Returns whether `hub` is within its storage quota after replacing `replaced` with `added`. This hub's
    /// own listings are not limited.
    pub(super) fn has_room(
        &self,
        hub: HubId,
        replaced: StorageUsage,
        added: StorageUsage,
        now: Timestamp,
    ) -> bool {
        let after = |load: StorageUsage| load.and(added).without(replaced);
        let load = after(self.listings.load(&hub));
        if hub == self.local_id() {
            true
        } else if self.on_probation(hub, now) {
            self.probation.holds(load, after(self.probation.load))
        } else {
            FULL.holds(load)
        }
    }

    /// Returns the rule that applies to a hub, by its id or verified domain.
    pub(super) fn rule_on(&self, hub: HubId, now: Timestamp) -> Option<RuleAction> {
        let domain = self.hubs.get(&hub).and_then(|hub| hub.proved_domain.as_deref());
        self.policy.on_hub(hub, domain, now)
    }

    /// Returns the state of `hub`, creating it if it is new. `None` when [`MAX_HUBS`] is reached.
    pub(super) fn track_hub(&mut self, hub: HubId, now: Timestamp) -> Option<&mut TrackedHub> {
        if self.hubs.len() < MAX_HUBS || self.hubs.contains_key(&hub) {
            Some(self.hubs.entry(hub).or_insert_with(|| TrackedHub::new(now)))
        } else {
            None
        }
    }

    /// Records a verified domain, which ends the probation of the hub.
    pub(super) fn prove(&mut self, hub: HubId, domain: String, now: Timestamp, out: &mut Vec<Effect>) {
        if let Some(known) = self.hubs.get_mut(&hub) {
            known.proved_domain = Some(domain);
            known.partial = false;
            self.apply_policy(now, out);
        }
    }

    pub(super) fn head(&self, hub: HubId) -> Option<&InventoryHead> {
        self.hubs.get(&hub)?.head.as_ref().map(Signed::body)
    }

    pub(super) fn head_seq(&self, hub: HubId) -> Option<Seq> {
        self.head(hub).map(|head| head.seq)
    }

    /// Returns the inventory that is stored here of `hub`.
    pub(super) fn row(&self, hub: HubId) -> HubInventory {
        let set = self.listings.set(&hub);
        HubInventory {
            hub,
            head: self.head_seq(hub),
            count: set.map(HubListingSet::count).unwrap_or_default(),
            fingerprint: set.map(|set| set.fingerprint()).unwrap_or_default(),
            partial: self.hubs.get(&hub).is_some_and(|hub| hub.partial),
        }
    }

    /// Returns whether the local copy of `hub` matches its signed head.
    pub(super) fn is_complete(&self, hub: HubId) -> bool {
        self.head(hub).is_some_and(|head| self.row(hub).fits(head))
    }
}
