//! Visibility lease of a hub: how long its listings stay visible after its last signed head.

use std::time::Duration;

use plexus_domain::Timestamp;

use crate::record::Seq;

/// Age of the last head from which a hub is marked as stale.
pub const STALE_AFTER: Duration = Duration::from_secs(30 * 60);
/// Age of the last head from which the listings of a hub are hidden.
pub const HIDDEN_AFTER: Duration = Duration::from_secs(48 * 3_600);

/// Visibility of a hub's listings, by the age of its last head.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum VisibilityLease {
    Fresh,
    /// Visible, marked as stale.
    Stale,
    /// Stored but not visible. Also the state of a hub without a head.
    Hidden,
}

impl VisibilityLease {
    /// Returns the lease, counted from the signing time of the head: replaying an old head extends nothing.
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
        let lease = |after| VisibilityLease::of(Some(Seq::next(None, signed)), signed + after);
        let tick = Duration::from_millis(1);
        assert_eq!(
            (lease(Duration::ZERO), lease(STALE_AFTER - tick)),
            (VisibilityLease::Fresh, VisibilityLease::Fresh)
        );
        assert_eq!(
            (lease(STALE_AFTER), lease(HIDDEN_AFTER - tick)),
            (VisibilityLease::Stale, VisibilityLease::Stale)
        );
        assert_eq!(
            (lease(HIDDEN_AFTER), VisibilityLease::of(None, signed)),
            (VisibilityLease::Hidden, VisibilityLease::Hidden)
        );
    }
}
