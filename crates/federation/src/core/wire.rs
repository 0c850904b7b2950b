//! What hubs ask each other, as values. The network layer writes them as bytes and bounds them before that.

use plexus_domain::Digest;

use crate::{
    HubId,
    record::{Fingerprint, Head, Seq, Tag},
};

/// Hashes, or hubs, in one request.
pub const MAX_BATCH: usize = 256;
/// Bytes in one step of comparing two sets.
pub const MAX_FRAME: usize = 64 * 1024;
/// Listings that one hub answers a query with.
pub const MAX_FOUND: usize = 50;
/// What it says of itself before them: its head and its record.
pub const MAX_SAID: usize = 2;

/// What a hub holds of another one, or of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    pub hub: HubId,
    /// The last head of that hub which it knows.
    pub head: Option<Seq>,
    pub count: u64,
    pub fingerprint: Fingerprint,
    /// It says that it does not carry all of it, because of a cap.
    pub partial: bool,
}

impl Row {
    /// Whether it is what the hub promised.
    pub fn fits(&self, head: &Head) -> bool {
        self.count == head.count && self.fingerprint == head.fingerprint
    }

    /// Whether both hold the same, whatever they know of the hub besides.
    pub fn same_set(&self, other: &Self) -> bool {
        self.count == other.count && self.fingerprint == other.fingerprint
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// What do you hold? `root` is the hash of what the asker holds.
    Rows { root: Digest },
    /// The last heads and hub records of these.
    Heads { hubs: Vec<HubId> },
    /// A step of comparing the set of `hub`, in the negentropy protocol, version 1.
    Compare { hub: HubId, message: Vec<u8> },
    /// The listings of `hub` with these hashes.
    Bodies { hub: HubId, hashes: Vec<Digest> },
    /// Your own agents that fit, after your last head and hub record.
    Find(Query),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// None when the roots are equal.
    Rows(Option<Vec<Row>>),
    Compare {
        message: Vec<u8>,
    },
    /// To `Heads`, `Bodies` and `Find`: records as they came, none that is not there.
    Records(Vec<Vec<u8>>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    pub text: String,
    pub tags: Vec<Tag>,
    pub limit: usize,
}

impl Query {
    /// Bytes.
    pub const MAX_TEXT: usize = 1_000;
}
