//! Which version of a listing counts.

use plexus_domain::Digest;

use crate::record::{Envelope, Seq, Status};

/// What decides between versions of one listing: the greater one counts.
///
/// The order is total and depends on nothing but the versions, so the greatest of any number of them is the same in
/// whatever order, and however often, they arrive: `max` is commutative, associative and idempotent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rank {
    /// First, so that the holder of the recovery key wins against whoever stole the agent's key.
    recoveries: usize,
    seq: Seq,
    deleted: bool,
    /// Last, so that two versions with one number come out the same everywhere.
    hash: Digest,
}

impl Rank {
    pub fn of(envelope: &Envelope, hash: Digest) -> Self {
        let deleted = envelope.status == Status::Deleted;
        Self { recoveries: envelope.chain.recoveries(), seq: envelope.seq, deleted, hash }
    }

    pub const fn seq(&self) -> Seq {
        self.seq
    }

    pub const fn hash(&self) -> Digest {
        self.hash
    }
}

/// The version that counts.
pub fn merge(one: Rank, other: Rank) -> Rank {
    one.max(other)
}
