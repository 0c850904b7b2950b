//! Latency measurements of the running network.

use std::time::Duration;

use plexus_domain::Timestamp;

use crate::engine::Effect;

/// A latency sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LatencySample {
    /// Propagation time by gossip: from signing at the remote hub to storing here. Includes the clock skew of
    /// both hubs; negative values count as zero.
    Propagation(Duration),
    /// Duration of a DHT lookup.
    DhtLookup(Duration),
    /// Duration of a sync round that fetched listings. Rounds that fetched nothing are not measured.
    Sync(Duration),
}

/// A measurement that ends when its effect is executed.
#[derive(Clone, Copy, Debug)]
pub enum LatencyTimer {
    /// Signing time, by the remote hub's clock.
    Since(Timestamp),
    Took(Duration),
}

impl LatencyTimer {
    /// Returns the measurements for `effects` of one event. Only records that arrived by gossip count as
    /// propagation: anti-entropy delivers records of any age.
    pub fn of(effects: &[Effect], by_gossip: bool) -> Vec<Self> {
        effects.iter().filter_map(|effect| Self::of_one(effect, by_gossip)).collect()
    }

    fn of_one(effect: &Effect, by_gossip: bool) -> Option<Self> {
        match effect {
            Effect::StoreListing(listing) if by_gossip => Some(Self::Since(listing.envelope().seq.issued())),
            Effect::StoreHead(head) if by_gossip => Some(Self::Since(head.body().seq.issued())),
            Effect::Compared { fetched: 1.., took, .. } => Some(Self::Took(*took)),
            _ => None,
        }
    }

    pub fn end(self, now: Timestamp) -> LatencySample {
        match self {
            Self::Since(signed) => LatencySample::Propagation(now.since(signed)),
            Self::Took(took) => LatencySample::Sync(took),
        }
    }
}
