//! Requests and responses between hubs, as values. The network layer encodes and decodes them, and bounds
//! sizes first.

use plexus_domain::Digest;

use crate::{
    HubId,
    record::{InventoryHead, Seq, SetFingerprint, Tag},
};

/// Maximum number of hashes or hubs in one request.
pub const MAX_BATCH: usize = 256;
/// Maximum bytes of one reconciliation message.
pub const MAX_FRAME: usize = 64 * 1024;
/// Maximum listings in one search response.
pub const MAX_FOUND: usize = 50;
/// Maximum records of the hub itself that precede them: its head and its hub record.
pub const MAX_OWN_RECORDS: usize = 2;

/// What one hub holds of the listings of another hub, or of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HubInventory {
    pub hub: HubId,
    /// Sequence number of the last known head of that hub.
    pub head: Option<Seq>,
    pub count: u64,
    pub fingerprint: SetFingerprint,
    /// The copy is declared incomplete because of a quota.
    pub partial: bool,
}

impl HubInventory {
    /// Returns whether the inventory matches the hub's signed head.
    pub fn fits(&self, head: &InventoryHead) -> bool {
        self.count == head.count && self.fingerprint == head.fingerprint
    }

    /// Returns whether both hold the same set, regardless of the heads they know.
    pub fn same_set(&self, other: &Self) -> bool {
        self.count == other.count && self.fingerprint == other.fingerprint
    }
}

/// A request between hubs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PeerRequest {
    /// Requests the inventory; `root` is the hash of the requester's own inventory.
    Rows { root: Digest },
    /// Requests the last heads and hub records of these hubs.
    Heads { hubs: Vec<HubId> },
    /// Sends one reconciliation message for the set of `hub` (negentropy protocol, version 1).
    Compare { hub: HubId, message: Vec<u8> },
    /// Requests the listings of `hub` with these hashes.
    Bodies { hub: HubId, hashes: Vec<Digest> },
    /// Searches the receiver's own agents. Its last head and hub record precede the listings.
    Find(SearchQuery),
}

/// A response between hubs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PeerResponse {
    /// The inventory; `None` when both hashes are equal.
    Rows(Option<Vec<HubInventory>>),
    Compare {
        message: Vec<u8>,
    },
    /// Response to `Heads`, `Bodies` and `Find`: records as stored, without placeholders for missing ones.
    Records(Vec<Vec<u8>>),
}

/// A search query between hubs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchQuery {
    pub text: String,
    pub tags: Vec<Tag>,
    pub limit: usize,
}

impl SearchQuery {
    /// Maximum length of `text`, in bytes.
    pub const MAX_TEXT: usize = 1_000;
}
