//! How long a hub's listings are shown after it was last heard of.

use std::time::Duration;

use plexus_domain::Timestamp;

use crate::record::Seq;

/// A hub that signed nothing for so long is marked as stale.
pub const STALE_AFTER: Duration = Duration::from_secs(30 * 60);
/// A hub that signed nothing for so long is not shown.
pub const HIDDEN_AFTER: Duration = Duration::from_secs(48 * 3_600);

/// What a hub's last head is still good for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lease {
    Fresh,
    /// Shown, with a mark.
    Stale,
    /// Kept, not shown. Also the state of a hub without a head.
    Hidden,
}

impl Lease {
    /// Counted from when the head was signed, so that replaying an old one prolongs nothing.
    pub fn of(head: Option<Seq>, now: Timestamp) -> Self {
        match head.map(|seq| now.since(seq.issued())) {
            Some(silent) if silent < STALE_AFTER => Self::Fresh,
            Some(silent) if silent < HIDDEN_AFTER => Self::Stale,
            _ => Self::Hidden,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lease_runs_out_in_two_steps() {
        let signed = Timestamp::from_millis(1_000_000);
        let lease = |after| Lease::of(Some(Seq::next(None, signed)), signed + after);
        let tick = Duration::from_millis(1);
        assert_eq!((lease(Duration::ZERO), lease(STALE_AFTER - tick)), (Lease::Fresh, Lease::Fresh));
        assert_eq!((lease(STALE_AFTER), lease(HIDDEN_AFTER - tick)), (Lease::Stale, Lease::Stale));
        assert_eq!((lease(HIDDEN_AFTER), Lease::of(None, signed)), (Lease::Hidden, Lease::Hidden));
    }
}
