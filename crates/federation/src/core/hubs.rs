//! What is known of each hub, and what it may have here.

use plexus_domain::Timestamp;

use super::{
    Core, Effect, KnownHub, Row,
    lease::Lease,
    policy::{Action, Mode},
    quota::{BY_GOSSIP, Bucket, CARRIED, Load, MAX_HUBS, SAID},
};
use crate::{
    HubId,
    record::{Head, HubRecord, Seq, Signed},
};

#[derive(Clone, Debug)]
pub struct Hub {
    pub first_seen: Timestamp,
    pub head: Option<Signed<Head>>,
    pub record: Option<Signed<HubRecord>>,
    pub proved_domain: Option<String>,
    /// Its listings by gossip.
    pub bucket: Bucket,
    /// What it says of itself by gossip.
    pub said: Bucket,
    /// What was told of it last.
    pub lease: Lease,
    /// Something of it was left out because of a cap.
    pub partial: bool,
}

impl Hub {
    pub const fn new(now: Timestamp) -> Self {
        Self {
            first_seen: now,
            head: None,
            record: None,
            proved_domain: None,
            bucket: Bucket::full(BY_GOSSIP, now),
            said: Bucket::full(SAID, now),
            lease: Lease::Hidden,
            partial: false,
        }
    }
}

impl From<KnownHub> for Hub {
    fn from(known: KnownHub) -> Self {
        let KnownHub { first_seen, proved_domain, head, record, .. } = known;
        Self { proved_domain, head, record, ..Self::new(first_seen) }
    }
}

impl Core {
    /// Whether this hub has to do with `hub` at all.
    pub(super) fn carries(&self, hub: HubId, now: Timestamp) -> bool {
        if hub == self.me() {
            return true;
        }
        match self.rule_on(hub, now) {
            Some(action) => action == Action::Allow,
            None => self.policy.mode() != Mode::Allowlist,
        }
    }

    /// Whether `hub` may have `added` more than it has. Its own listings a hub always keeps.
    pub(super) fn has_room(&self, hub: HubId, replaced: Load, added: Load, now: Timestamp) -> bool {
        let after = |load: Load| load.and(added).without(replaced);
        let load = after(self.carried.load(&hub));
        if hub == self.me() {
            true
        } else if self.on_probation(hub, now) {
            self.probation.holds(load, after(self.probation.load))
        } else {
            CARRIED.holds(load)
        }
    }

    pub(super) fn rule_on(&self, hub: HubId, now: Timestamp) -> Option<Action> {
        let domain = self.hubs.get(&hub).and_then(|hub| hub.proved_domain.as_deref());
        self.policy.on_hub(hub, domain, now)
    }

    /// The hub, which is remembered from now on if it is new and there is room.
    pub(super) fn meet(&mut self, hub: HubId, now: Timestamp) -> Option<&mut Hub> {
        if self.hubs.len() < MAX_HUBS || self.hubs.contains_key(&hub) {
            Some(self.hubs.entry(hub).or_insert_with(|| Hub::new(now)))
        } else {
            None
        }
    }

    pub(super) fn prove(&mut self, hub: HubId, domain: String, now: Timestamp, out: &mut Vec<Effect>) {
        if let Some(known) = self.hubs.get_mut(&hub) {
            known.proved_domain = Some(domain);
            known.partial = false;
            self.apply_policy(now, out);
        }
    }

    pub(super) fn head(&self, hub: HubId) -> Option<&Head> {
        self.hubs.get(&hub)?.head.as_ref().map(Signed::body)
    }

    pub(super) fn head_seq(&self, hub: HubId) -> Option<Seq> {
        self.head(hub).map(|head| head.seq)
    }

    /// What is held here of `hub`.
    pub(super) fn row(&self, hub: HubId) -> Row {
        let set = self.carried.set(&hub);
        Row {
            hub,
            head: self.head_seq(hub),
            count: self.carried.load(&hub).listings as u64,
            fingerprint: set.map(|set| set.fingerprint()).unwrap_or_default(),
            partial: self.hubs.get(&hub).is_some_and(|hub| hub.partial),
        }
    }

    /// Whether the copy of `hub` here is what it promised.
    pub(super) fn is_whole(&self, hub: HubId) -> bool {
        self.head(hub).is_some_and(|head| self.row(hub).fits(head))
    }
}
