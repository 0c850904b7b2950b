//! Who breaks the rules, and how that shows.

use std::collections::BTreeMap;

use plexus_a2a::listing::ListingId;
use plexus_domain::Digest;

use super::{quota::MAX_HUBS, wire::Row};
use crate::{HubId, record::Seq};

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
    /// Its copy lacks listings that it was offered, or that it says it has.
    Withholds { missing: u64 },
    /// Its copy has listings that moved elsewhere, as it was told.
    Pads { extra: u64 },
    /// Its copy has other versions than it was offered: an old one for a tombstone, for instance.
    Swaps,
    /// It goes on with an old head after it was offered the new one.
    StaleHead,
    /// The agent's key and the hub's key signed two versions with one number.
    Contradicts(ListingId),
    /// The hub signed two heads, or two records of itself, with one number.
    ContradictsItself,
}

/// What a round showed of a peer's copy of one hub.
#[derive(Clone, Debug)]
pub struct Sight {
    /// What the peer says that it holds, and what it holds going by what it sent.
    pub stated: Row,
    pub shown: Row,
    /// The head that it was offered, newer than its own.
    pub head: Option<Seq>,
    /// What it lacks and was offered.
    pub lacking: Vec<Digest>,
    /// What it has though it was superseded; the newer version was offered.
    pub outdated: Vec<Digest>,
    /// What it named and did not deliver.
    pub undelivered: Vec<Digest>,
}

/// What was wrong with copies when they were last looked at, by who holds them and whose listings they are.
///
/// A copy may lag. Whoever finds that offers what is missing, so what is still missing the next time was refused.
#[derive(Clone, Debug, Default)]
pub struct Doubts {
    seen: BTreeMap<(HubId, HubId), Sight>,
}

impl Doubts {
    /// When there are so many, all begin anew. Disconnecting settles none.
    const MAX: usize = 4 * MAX_HUBS;
    /// Of each kind, so many hashes are remembered.
    const SAMPLE: usize = 16;

    pub fn look(&mut self, peer: HubId, sight: &Sight) -> Option<Accusation> {
        let key = (peer, sight.stated.hub);
        let before = self.seen.remove(&key);
        if sight.stated.partial || !sight.is_wrong() {
            return None;
        }
        if self.seen.len() >= Self::MAX {
            self.seen.clear();
        }
        self.seen.insert(key, sight.sample(Self::SAMPLE));
        let fault = sight.fault_since(&before?)?;
        Some(Accusation { accused: peer, about: sight.stated.hub, fault })
    }
}

impl Sight {
    /// A copy that is like the one here.
    pub fn equal(row: Row) -> Self {
        let (lacking, outdated, undelivered) = (Vec::new(), Vec::new(), Vec::new());
        Self { stated: row, shown: row, head: None, lacking, outdated, undelivered }
    }

    fn is_wrong(&self) -> bool {
        let lists = [&self.lacking, &self.outdated, &self.undelivered];
        self.head.is_some()
            || lists.into_iter().any(|list| !list.is_empty())
            || !self.stated.same_set(&self.shown)
    }

    fn sample(&self, most: usize) -> Self {
        let some = |list: &[Digest]| list.iter().take(most).copied().collect();
        let (lacking, outdated) = (some(&self.lacking), some(&self.outdated));
        Self { lacking, outdated, undelivered: some(&self.undelivered), ..self.clone() }
    }

    /// What was wrong before and is wrong still.
    fn fault_since(&self, before: &Self) -> Option<Fault> {
        let again = |then: &[Digest], now: &[Digest]| then.iter().any(|hash| now.contains(hash));
        if before.head.is_some() && self.stated.head < before.head {
            return Some(Fault::StaleHead);
        }
        let refused = again(&before.lacking, &self.lacking) || again(&before.undelivered, &self.undelivered);
        if refused || again(&before.outdated, &self.outdated) {
            let missing = self.lacking.len() + self.undelivered.len();
            return Some(fault(missing as u64, self.outdated.len() as u64));
        }
        let lied = !self.stated.same_set(&self.shown) && self.shown.same_set(&before.shown);
        lied.then(|| fault(self.stated.count.saturating_sub(self.shown.count), 0))
    }
}

const fn fault(missing: u64, extra: u64) -> Fault {
    match (missing, extra) {
        (0, 0) => Fault::Swaps,
        (missing, 0) => Fault::Withholds { missing },
        (0, extra) => Fault::Pads { extra },
        _ => Fault::Swaps,
    }
}
