//! Detection of provable violations of the federation protocol.

use std::collections::BTreeMap;

use plexus_a2a::listing_id::ListingId;
use plexus_domain::Digest;

use super::{messages::HubInventory, quota::MAX_HUBS};
use crate::{HubId, record::Seq};

/// A violation by one hub, with its evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ViolationReport {
    pub accused: HubId,
    /// The hub whose listings are affected.
    pub about: HubId,
    pub fault: Violation,
}

/// Kind of violation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Violation {
    /// Its copy lacks listings that it was offered, or that it states it has.
    MissingListings { missing: u64 },
    /// Its copy contains listings that moved to another hub, although it was offered the newer version.
    ExtraListings { extra: u64 },
    /// Its copy contains other versions than it was offered, for instance an old one in place of a tombstone.
    WrongVersions,
    /// It still states an old head after it was offered the new one.
    StaleHead,
    /// The agent's key and the hub's key signed two versions with the same sequence number.
    ListingEquivocation(ListingId),
    /// The hub signed two heads, or two hub records, with the same sequence number.
    RecordEquivocation,
}

/// What one sync round showed of a peer's copy of one hub's listings.
#[derive(Clone, Debug)]
pub struct CopyObservation {
    /// The inventory that the peer states (`stated`), and the inventory computed from its messages (`shown`).
    pub stated: HubInventory,
    pub shown: HubInventory,
    /// Sequence number of the head that it was offered, when newer than its own.
    pub head: Option<Seq>,
    /// Listings that it lacks and was offered.
    pub lacking: Vec<Digest>,
    /// Superseded listings that it has; the newer version was offered.
    pub outdated: Vec<Digest>,
    /// Listings that it named and did not deliver.
    pub undelivered: Vec<Digest>,
}

/// Defects of copies seen in the previous round, keyed by the holder and the hub whose listings they are.
///
/// A copy may lag, so one round proves nothing. The finder offers what is missing; what is still missing in
/// the next round was refused.
#[derive(Clone, Debug, Default)]
pub struct SuspicionTracker {
    seen: BTreeMap<(HubId, HubId), CopyObservation>,
}

impl SuspicionTracker {
    /// Maximum number of entries. Beyond it all are cleared. Entries survive a disconnection of the peer.
    const MAX: usize = 4 * MAX_HUBS;
    /// Maximum number of hashes remembered per list of a [`CopyObservation`].
    const SAMPLE: usize = 16;

    /// Records an observation. Returns a violation if the same defect was seen in the previous round.
    pub fn observe(&mut self, peer: HubId, sight: &CopyObservation) -> Option<ViolationReport> {
        let key = (peer, sight.stated.hub);
        let before = self.seen.remove(&key);
        if sight.stated.partial || !sight.is_wrong() {
            return None;
        }
        if self.seen.len() >= Self::MAX {
            self.seen.clear();
        }
        self.seen.insert(key, sight.sample(Self::SAMPLE));
        let fault = sight.fault_since(&before?)?;
        Some(ViolationReport { accused: peer, about: sight.stated.hub, fault })
    }
}

impl CopyObservation {
    /// Creates the observation of a copy that equals the local one.
    pub fn equal(row: HubInventory) -> Self {
        let (lacking, outdated, undelivered) = (Vec::new(), Vec::new(), Vec::new());
        Self { stated: row, shown: row, head: None, lacking, outdated, undelivered }
    }

    fn is_wrong(&self) -> bool {
        let lists = [&self.lacking, &self.outdated, &self.undelivered];
        self.head.is_some()
            || lists.into_iter().any(|list| !list.is_empty())
            || !self.stated.same_set(&self.shown)
    }

    fn sample(&self, most: usize) -> Self {
        let some = |list: &[Digest]| list.iter().take(most).copied().collect();
        let (lacking, outdated) = (some(&self.lacking), some(&self.outdated));
        Self { lacking, outdated, undelivered: some(&self.undelivered), ..self.clone() }
    }

    /// Returns the violation that was present before and still is.
    fn fault_since(&self, before: &Self) -> Option<Violation> {
        let again = |then: &[Digest], now: &[Digest]| then.iter().any(|hash| now.contains(hash));
        if before.head.is_some() && self.stated.head < before.head {
            return Some(Violation::StaleHead);
        }
        let refused = again(&before.lacking, &self.lacking) || again(&before.undelivered, &self.undelivered);
        if refused || again(&before.outdated, &self.outdated) {
            let missing = self.lacking.len() + self.undelivered.len();
            return Some(fault(missing as u64, self.outdated.len() as u64));
        }
        let lied = !self.stated.same_set(&self.shown) && self.shown.same_set(&before.shown);
        lied.then(|| fault(self.stated.count.saturating_sub(self.shown.count), 0))
    }
}

const fn fault(missing: u64, extra: u64) -> Violation {
    match (missing, extra) {
        (0, 0) => Violation::WrongVersions,
        (missing, 0) => Violation::MissingListings { missing },
        (0, extra) => Violation::ExtraListings { extra },
        _ => Violation::WrongVersions,
    }
}
