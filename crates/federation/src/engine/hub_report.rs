//! Replication status of a remote hub, for the UI.

use plexus_domain::Timestamp;

use super::{Engine, quota::PROBATION_TIME};
use crate::HubId;

/// Replication tier of a hub.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplicationTier {
    /// Replicated up to the full quota.
    Full,
    /// Replicated within the probation quota, until it verifies a domain and at the latest until `until`.
    Probation { until: Timestamp },
    /// Not replicated.
    Refused,
}

/// Progress of fetching missing listings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FetchProgress {
    /// The peer that is queried; not necessarily the hub whose listings are fetched.
    pub from: HubId,
    /// Missing listings received so far.
    pub fetched: u64,
    pub total: u64,
}

/// Replication status of one hub.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HubReport {
    pub hub: HubId,
    pub tier: ReplicationTier,
    /// Stored listings of the hub, including paused and deleted ones.
    pub replicated: u64,
    /// Listing count in the last signed head.
    pub announced: Option<u64>,
    /// The local copy is incomplete because a quota was exceeded.
    pub partial: bool,
    pub fetching: Option<FetchProgress>,
}

impl Engine {
    /// Returns the status of a hub; `None` when the hub is unknown.
    pub fn report(&self, hub: HubId, now: Timestamp) -> Option<HubReport> {
        let known = self.hubs.get(&hub)?;
        let tier = if !self.replicates(hub, now) {
            ReplicationTier::Refused
        } else if self.on_probation(hub, now) {
            ReplicationTier::Probation { until: known.first_seen + PROBATION_TIME }
        } else {
            ReplicationTier::Full
        };
        let row = self.row(hub);
        // Several peers may be queried for the same hub: report the furthest progress.
        let fetching =
            self.rounds.values().filter_map(|round| round.fetching(hub)).max_by_key(|it| it.fetched);
        Some(HubReport {
            hub,
            tier,
            replicated: row.count,
            announced: self.head(hub).map(|head| head.count),
            partial: row.partial,
            fetching,
        })
    }
}
