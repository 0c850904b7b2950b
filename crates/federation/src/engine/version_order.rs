//! Total order of the versions of a listing (last-writer-wins merge).

use plexus_domain::Digest;

use crate::record::{Envelope, Seq, Status};

/// Rank of a version: of two versions of one listing the greater rank wins.
///
/// The order is total and depends only on the versions. Hence `max` is commutative, associative and
/// idempotent: hubs converge in whatever order, and however often, versions arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct VersionRank {
    /// First, so that the holder of the recovery key wins against a thief of the agent's key.
    recoveries: usize,
    seq: Seq,
    deleted: bool,
    /// Last: a deterministic tie-break between versions with one sequence number.
    hash: Digest,
}

impl VersionRank {
    pub fn of(envelope: &Envelope, hash: Digest) -> Self {
        let deleted = envelope.status == Status::Deleted;
        Self { recoveries: envelope.chain.recoveries(), seq: envelope.seq, deleted, hash }
    }

    pub const fn seq(&self) -> Seq {
        self.seq
    }

    pub const fn is_deleted(&self) -> bool {
        self.deleted
    }

    pub const fn hash(&self) -> Digest {
        self.hash
    }
}

/// Returns the winning version.
pub fn merge(one: VersionRank, other: VersionRank) -> VersionRank {
    one.max(other)
}
