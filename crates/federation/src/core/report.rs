//! How a hub stands with this one, for people.

use plexus_domain::Timestamp;

use super::{Core, quota::PROBATION_TIME};
use crate::HubId;

/// How much of a hub is carried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Terms {
    /// As much as any hub may have.
    Full,
    /// A little, until it proves a domain, and at the longest until then.
    Probation { until: Timestamp },
    /// Nothing.
    Refused,
}

/// A catch-up under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fetching {
    /// Who is asked, which need not be the hub whose listings they are.
    pub from: HubId,
    /// Listings of those wanted that came.
    pub got: u64,
    pub wanted: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Report {
    pub hub: HubId,
    pub terms: Terms,
    /// Listings of the hub that are here, paused and deleted ones among them.
    pub here: u64,
    /// As many as its last head promises.
    pub promised: Option<u64>,
    /// Something of it was left out because of a cap.
    pub partial: bool,
    pub fetching: Option<Fetching>,
}

impl Core {
    /// None of a hub that this one does not remember.
    pub fn report(&self, hub: HubId, now: Timestamp) -> Option<Report> {
        let known = self.hubs.get(&hub)?;
        let terms = if !self.carries(hub, now) {
            Terms::Refused
        } else if self.on_probation(hub, now) {
            Terms::Probation { until: known.first_seen + PROBATION_TIME }
        } else {
            Terms::Full
        };
        let row = self.row(hub);
        // Two peers may be asked for the same: whichever is further says how far it is.
        let fetching = self.rounds.values().filter_map(|round| round.fetching(hub)).max_by_key(|it| it.got);
        Some(Report {
            hub,
            terms,
            here: row.count,
            promised: self.head(hub).map(|head| head.count),
            partial: row.partial,
            fetching,
        })
    }
}
