//! Who breaks the rules, and how that shows.

use std::collections::BTreeMap;

use plexus_a2a::listing::ListingId;

use super::{quota::MAX_HUBS, wire::Row};
use crate::{HubId, record::Head};

/// What can be said of a hub, with what shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accusation {
    pub accused: HubId,
    /// Whose listings it is about.
    pub about: HubId,
    pub fault: Fault,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Its copy lacks listings that the signed head counts.
    Withholds { missing: u64 },
    /// Its copy has more than the signed head counts.
    Pads { extra: u64 },
    /// Its copy has as many as the head counts, but not the same: an old version for a tombstone, for instance.
    Swaps,
    /// It goes on with an old head after it could know the new one.
    StaleHead,
    /// The agent's key and the hub's key signed two versions with one number.
    Contradicts(ListingId),
    /// The hub signed two heads, or two records of itself, with one number.
    ContradictsItself,
}

/// Copies that were wrong when they were last looked at, by who holds them and whose listings they are.
#[derive(Clone, Debug, Default)]
pub struct Doubts {
    seen: BTreeMap<(HubId, HubId), Row>,
}

impl Doubts {
    /// When there are so many, all begin anew. Disconnecting settles none.
    const MAX: usize = 4 * MAX_HUBS;

    /// Looks at the copy that `peer` showed. A copy may lag: it is a fault when it is wrong twice without having
    /// changed in between, since it was offered what it lacks.
    pub fn look(&mut self, peer: HubId, shown: &Row, head: &Head) -> Option<Accusation> {
        let key = (peer, shown.hub);
        if shown.partial || shown.fits(head) {
            self.seen.remove(&key);
            return None;
        }
        if self.seen.get(&key).is_some_and(|before| before.same_set(shown)) {
            return Some(Accusation { accused: peer, about: shown.hub, fault: fault(shown, head) });
        }
        if self.seen.len() >= Self::MAX {
            self.seen.clear();
        }
        self.seen.insert(key, *shown);
        None
    }
}

fn fault(shown: &Row, head: &Head) -> Fault {
    if shown.head.is_some_and(|seq| seq < head.seq) {
        return Fault::StaleHead;
    }
    match (head.count.checked_sub(shown.count), shown.count.checked_sub(head.count)) {
        (Some(0), _) => Fault::Swaps,
        (Some(missing), _) => Fault::Withholds { missing },
        (None, extra) => Fault::Pads { extra: extra.unwrap_or(0) },
    }
}
