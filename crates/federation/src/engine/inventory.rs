//! Inventory of all known listings, of this hub and of remote hubs, without their bodies.

use std::collections::{BTreeMap, BTreeSet};

use negentropy::{Bound, Error, Id, Item, NegentropyStorageBase};
use plexus_a2a::listing_id::ListingId;
use plexus_domain::{Digest, Timestamp};

use super::{
    quota::StorageUsage,
    version_order::{VersionRank, merge},
};
use crate::{
    HubId,
    record::{Envelope, SetFingerprint, Status, Tag},
};

/// What the engine remembers of one listing.
#[derive(Clone, Debug)]
pub struct ListingEntry {
    /// Home hub of the listing.
    pub hub: HubId,
    pub rank: VersionRank,
    pub author: [u8; 32],
    pub tags: Box<[Tag]>,
    /// Expiry of the listing; `None` when it is paused or deleted.
    pub live_until: Option<Timestamp>,
    /// When the listing is purged.
    pub kept_until: Timestamp,
    /// Size of the encoded record.
    pub bytes: usize,
    /// Last visibility sent to the search index.
    pub shown: bool,
}

impl ListingEntry {
    pub fn new(envelope: &Envelope, hash: Digest, bytes: usize) -> Self {
        let live_until = match &envelope.status {
            Status::Live(content) => Some(content.expires),
            Status::Paused(_) | Status::Deleted => None,
        };
        let tags = envelope.content().map(|content| content.tags.clone()).unwrap_or_default();
        Self {
            hub: envelope.hub,
            rank: VersionRank::of(envelope, hash),
            author: *envelope.author().as_bytes(),
            tags: tags.into_boxed_slice(),
            live_until,
            kept_until: envelope.kept_until(),
            bytes,
            shown: false,
        }
    }

    pub fn usage(&self) -> StorageUsage {
        StorageUsage { listings: usize::from(!self.rank.is_deleted()), bytes: self.bytes }
    }

    fn item(&self) -> Item {
        let issued = self.rank.seq().issued().millis() / 1_000;
        let id = Id::from_byte_array(*self.rank.hash().as_bytes());
        Item::with_timestamp_and_id(u64::try_from(issued).unwrap_or(0), id)
    }
}

/// Comparison of an incoming version with the known one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VersionComparison {
    New,
    Newer,
    /// The known version itself.
    Known,
    Older,
    /// Different content with the same sequence number and author key: the signer contradicts itself
    /// (equivocation).
    Contradiction,
}

/// Selects a subset of the listings.
#[derive(Clone, Copy, Debug)]
pub enum ListingSelector<'a> {
    One(&'a ListingId),
    OfHub(HubId),
    All,
}

/// All known listings by id, with one set of hashes per hub. The sets are derived from the listings and
/// updated with them.
#[derive(Clone, Debug, Default)]
pub struct ListingInventory {
    entries: BTreeMap<ListingId, ListingEntry>,
    sets: BTreeMap<HubId, HubListingSet>,
}

impl ListingInventory {
    pub fn get(&self, id: &ListingId) -> Option<&ListingEntry> {
        self.entries.get(id)
    }

    pub fn select(&self, which: ListingSelector<'_>) -> impl Iterator<Item = (&ListingId, &ListingEntry)> {
        let (one, rest, home) = match which {
            ListingSelector::One(id) => (self.entries.get_key_value(id), None, None),
            ListingSelector::OfHub(hub) => (None, Some(&self.entries), Some(hub)),
            ListingSelector::All => (None, Some(&self.entries), None),
        };
        let at_home =
            move |(_, entry): &(&ListingId, &ListingEntry)| home.is_none_or(|home| entry.hub == home);
        one.into_iter().chain(rest.into_iter().flatten().filter(at_home))
    }

    /// Records the visibility that the search index was sent last.
    pub fn mark(&mut self, id: &ListingId, shown: bool) {
        if let Some(entry) = self.entries.get_mut(id) {
            entry.shown = shown;
        }
    }

    pub fn set(&self, hub: &HubId) -> Option<&HubListingSet> {
        self.sets.get(hub)
    }

    pub fn load(&self, hub: &HubId) -> StorageUsage {
        self.set(hub).map(HubListingSet::load).unwrap_or_default()
    }

    /// Compares an incoming version with the known one.
    pub fn compare(&self, id: &ListingId, offered: &ListingEntry) -> VersionComparison {
        let Some(known) = self.get(id) else { return VersionComparison::New };
        let (ours, theirs) = (known.rank, offered.rank);
        if ours == theirs {
            VersionComparison::Known
        } else if ours.seq() == theirs.seq() && known.author == offered.author {
            VersionComparison::Contradiction
        } else if merge(ours, theirs) == theirs {
            VersionComparison::Newer
        } else {
            VersionComparison::Older
        }
    }

    /// Stores a version if it ranks above the known one; returns whether it did. The caller must then
    /// re-evaluate visibility.
    pub fn put(&mut self, id: &ListingId, mut entry: ListingEntry) -> bool {
        if let Some(known) = self.get(id) {
            if merge(known.rank, entry.rank) == known.rank {
                return false;
            }
            entry.shown = known.shown;
        }
        self.remove(id);
        self.sets.entry(entry.hub).or_default().insert(&entry);
        self.entries.insert(id.clone(), entry);
        true
    }

    pub fn remove(&mut self, id: &ListingId) -> Option<ListingEntry> {
        let entry = self.entries.remove(id)?;
        let set = self.sets.get_mut(&entry.hub)?;
        set.remove(&entry);
        if set.items.is_empty() {
            self.sets.remove(&entry.hub);
        }
        Some(entry)
    }
}

/// The listings of one hub, ordered by signing time. The newest, which differ most between hubs, are
/// adjacent.
#[derive(Clone, Debug, Default)]
pub struct HubListingSet {
    items: Vec<Item>,
    fingerprint: SetFingerprint,
    usage: StorageUsage,
}

impl HubListingSet {
    pub const fn fingerprint(&self) -> SetFingerprint {
        self.fingerprint
    }

    pub const fn load(&self) -> StorageUsage {
        self.usage
    }

    /// Returns the number of listings, tombstones included.
    pub const fn count(&self) -> u64 {
        self.items.len() as u64
    }

    pub fn hashes(&self) -> BTreeSet<Digest> {
        self.items.iter().map(|item| Digest::from_bytes(item.id.to_bytes())).collect()
    }

    fn insert(&mut self, entry: &ListingEntry) {
        let item = entry.item();
        if let Err(at) = self.items.binary_search(&item) {
            self.items.insert(at, item);
            self.fingerprint.add(&entry.rank.hash());
            self.usage = self.usage.and(entry.usage());
        }
    }

    fn remove(&mut self, entry: &ListingEntry) {
        if let Ok(at) = self.items.binary_search(&entry.item()) {
            self.items.remove(at);
            self.fingerprint.remove(&entry.rank.hash());
            self.usage = self.usage.without(entry.usage());
        }
    }
}

impl NegentropyStorageBase for HubListingSet {
    fn size(&self) -> Result<usize, Error> {
        Ok(self.items.len())
    }

    fn get_item(&self, at: usize) -> Result<Option<Item>, Error> {
        Ok(self.items.get(at).copied())
    }

    fn iterate(
        &self,
        begin: usize,
        end: usize,
        visit: &mut dyn FnMut(Item, usize) -> Result<bool, Error>,
    ) -> Result<(), Error> {
        for (item, at) in self.items.get(begin..end).ok_or(Error::BadRange)?.iter().zip(begin..) {
            if !visit(*item, at)? {
                break;
            }
        }
        Ok(())
    }

    fn find_lower_bound(&self, first: usize, last: usize, bound: &Bound) -> usize {
        let range = self.items.get(first..last).unwrap_or_default();
        first + range.partition_point(|item| *item < bound.item)
    }
}
