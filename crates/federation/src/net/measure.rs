//! What is measured of the network while it works.

use std::time::Duration;

use plexus_domain::Timestamp;

use crate::core::Effect;

/// What took how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measured {
    /// From when another hub says that it signed a record until gossip had brought it and it was stored here. The clocks of both
    /// hubs are in it; what was signed later than now, by them, took no time.
    Spread(Duration),
    /// A question to the DHT.
    LookUp(Duration),
    /// Comparing with a peer and fetching what was missing; nothing is measured where nothing was.
    CatchUp(Duration),
}

/// What is measured once an effect is done.
#[derive(Clone, Copy, Debug)]
pub enum Timing {
    /// Signed then, by another hub's clock.
    Since(Timestamp),
    Took(Duration),
}

impl Timing {
    /// What there is to measure about `effects`, which an event had. Only what gossip brings was signed just now: what comes
    /// by comparing may be of any age.
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

    pub fn end(self, now: Timestamp) -> Measured {
        match self {
            Self::Since(signed) => Measured::Spread(now.since(signed)),
            Self::Took(took) => Measured::CatchUp(took),
        }
    }
}
