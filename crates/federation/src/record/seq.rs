//! Sequence number of a signer's records, which also encodes the signing time.

use std::time::Duration;

use plexus_domain::Timestamp;
use serde::{Deserialize, Serialize};

/// Maximum clock skew: how far a record may be dated ahead of the local clock.
pub const MAX_SKEW: Duration = Duration::from_secs(10 * 60);

/// Signing time in microseconds since 1970, strictly increasing over the records of one signer.
///
/// It follows the clock, so a hub restored from an old backup does not reuse numbers. It is below 2^53, so
/// every JSON parser reads it exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "u64", into = "u64")]
pub struct Seq(u64);

impl Seq {
    const MAX: u64 = (1 << 53) - 1;

    /// Returns the sequence number of a record signed `now`, after `previous`. A `previous` number from the
    /// future of `now` was signed with a wrong clock. Other hubs refuse such records, so it is ignored.
    pub fn next(previous: Option<Self>, now: Timestamp) -> Self {
        let previous = previous.filter(|previous| !previous.is_in_future_of(now));
        let by_clock = u64::try_from(now.millis().max(0)).unwrap_or(0).saturating_mul(1_000);
        let by_order = previous.map_or(0, |previous| previous.0 + 1);
        Self(by_clock.max(by_order).min(Self::MAX))
    }

    pub const fn get(self) -> u64 {
        self.0
    }

    /// Returns the claimed signing time.
    pub fn issued(self) -> Timestamp {
        Timestamp::from_millis(i64::try_from(self.0 / 1_000).unwrap_or(i64::MAX))
    }

    /// Returns whether the signing time is further in the future than clock skew explains.
    pub fn is_in_future_of(self, now: Timestamp) -> bool {
        self.issued() > now + MAX_SKEW
    }
}

impl TryFrom<u64> for Seq {
    type Error = &'static str;

    fn try_from(number: u64) -> Result<Self, Self::Error> {
        if number <= Self::MAX { Ok(Self(number)) } else { Err("a sequence number is below 2^53") }
    }
}

impl From<Seq> for u64 {
    fn from(seq: Seq) -> Self {
        seq.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_follow_the_clock_and_never_fall() {
        let at = Timestamp::from_millis(1_000);
        let first = Seq::next(None, at);
        assert_eq!((first.get(), first.issued()), (1_000_000, at));
        assert_eq!(Seq::next(Some(first), at - Duration::from_secs(1)).get(), 1_000_001);
        assert_eq!(
            Seq::next(Some(first), at - 2 * MAX_SKEW),
            Seq::next(None, at - 2 * MAX_SKEW),
            "a wrong clock"
        );
        assert!(!first.is_in_future_of(at - MAX_SKEW));
        assert!(first.is_in_future_of(at - MAX_SKEW - Duration::from_millis(1)));
        assert!(Seq::try_from(1 << 53).is_err());
    }
}
