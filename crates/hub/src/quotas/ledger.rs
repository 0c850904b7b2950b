//! Cache of sums of stored bytes. Summing the chats of an account takes 0.2 ms per thousand of them, which is
//! too slow for every message.

use std::{collections::HashMap, time::Duration};

use parking_lot::Mutex;
use plexus_domain::Timestamp;
use plexus_store::usage::{Holder, Stored};

/// Maximum age of a sum that allows the request. Other instances write, too.
const FRESH: Duration = Duration::from_secs(60);
/// Maximum age of a sum that refuses it.
const FRESH_WHEN_OVER: Duration = Duration::from_secs(1);
/// Maximum number of cached sums. A full cache is cleared.
const MAX_ITEMS: usize = 10_000;

/// The last sum read for each holder, plus what was added since.
#[derive(Default)]
pub(crate) struct Ledger(Mutex<HashMap<Whose, Known>>);

/// Key of a sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Whose {
    Holder(Holder),
    Hub,
}

#[derive(Clone, Copy)]
struct Known {
    stored: Stored,
    read: Timestamp,
}

impl Ledger {
    /// Returns the cached sum if it is recent enough to decide whether the request `fits`.
    pub(super) fn known(
        &self,
        whose: Whose,
        now: Timestamp,
        fits: impl Fn(Stored) -> bool,
    ) -> Option<Stored> {
        let known = self.0.lock().get(&whose).copied()?;
        let fresh = if fits(known.stored) { FRESH } else { FRESH_WHEN_OVER };
        (now.since(known.read) < fresh).then_some(known.stored)
    }

    /// Caches a sum that was just read.
    pub(super) fn keep(&self, whose: Whose, stored: Stored, now: Timestamp) {
        let mut all = self.0.lock();
        if all.len() >= MAX_ITEMS && !all.contains_key(&whose) {
            all.clear();
        }
        all.insert(whose, Known { stored, read: now });
    }

    /// Adds what is about to be stored. After a rollback it still counts, until the sum is read again.
    pub(super) fn add(&self, whose: Whose, added: Stored) {
        if let Some(known) = self.0.lock().get_mut(&whose) {
            known.stored.chats = known.stored.chats.saturating_add(added.chats);
            known.stored.bytes = known.stored.bytes.saturating_add(added.bytes);
        }
    }

    /// Invalidates a sum after a deletion.
    pub(super) fn forget(&self, whose: Whose) {
        self.0.lock().remove(&whose);
    }
}

#[cfg(test)]
mod tests {
    use plexus_domain::PrincipalId;

    use super::*;

    const START: Timestamp = Timestamp::from_millis(1_000_000);

    fn ada() -> Whose {
        Whose::Holder(Holder::Principal(PrincipalId::new(START, &[1; 10])))
    }

    #[test]
    fn a_sum_that_refuses_is_read_anew_sooner_than_one_that_allows() {
        let (ledger, stored) = (Ledger::default(), Stored { chats: 1, bytes: 90 });
        assert_eq!(ledger.known(ada(), START, |_| true), None);
        ledger.keep(ada(), stored, START);
        let at = |seconds| START + Duration::from_secs(seconds);
        assert_eq!(ledger.known(ada(), at(59), |_| true), Some(stored));
        assert_eq!(ledger.known(ada(), at(60), |_| true), None);
        assert_eq!(ledger.known(ada(), at(0), |_| false), Some(stored));
        assert_eq!(ledger.known(ada(), at(1), |_| false), None);
        ledger.add(ada(), Stored { chats: 0, bytes: 10 });
        assert_eq!(
            ledger.known(ada(), at(1), |known| known.bytes == 100).map(|known| known.bytes),
            Some(100)
        );
        ledger.forget(ada());
        assert_eq!(ledger.known(ada(), at(1), |_| true), None);
    }

    #[test]
    fn as_many_sums_are_kept_as_fit() {
        let ledger = Ledger::default();
        for number in 0..25_000_u32 {
            let mut entropy = [0; 10];
            entropy[..4].copy_from_slice(&number.to_le_bytes());
            let whose = Whose::Holder(Holder::Principal(PrincipalId::new(START, &entropy)));
            ledger.keep(whose, Stored { chats: 0, bytes: 0 }, START);
        }
        assert!(ledger.0.lock().len() <= MAX_ITEMS);
    }
}
