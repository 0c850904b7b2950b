//! How fast peers may say words of their own by gossip. What one says beyond that is not judged, and whoever goes on is parted
//! with for a while: reading them costs more than ignoring them saves. What peers pass on does not count here, since that is
//! for others to do to them: it waits for their turn ([`super::pending`]).

use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

use libp2p::PeerId;
use plexus_domain::Timestamp;

use crate::core::quota::{Bucket, Rate};

/// Messages of one peer's own.
const SAID: Rate = Rate { burst: 128, refill: Duration::from_millis(10) };
/// So many beyond that, in one go, are a flood.
const FLOOD: u32 = 256;
/// How long a peer is parted with.
const PARTED: Duration = Duration::from_secs(600);
/// Peers whose words are counted, and as many that are parted with. Of more, those that are new are not heard.
const MAX_PEERS: usize = 1_024;

#[derive(Debug, Default)]
pub struct Paces {
    /// They outlast connections, so that coming again gains nothing.
    peers: HashMap<PeerId, Pace>,
    parted: HashMap<PeerId, Instant>,
}

#[derive(Debug)]
struct Pace {
    bucket: Bucket,
    /// Messages that were too many, since it was last silent.
    beyond: u32,
}

/// What becomes of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pacing {
    Heard,
    TooFast,
    Flood,
}

impl Paces {
    /// A peer says something of its own.
    pub fn said(&mut self, peer: PeerId, now: Timestamp) -> Pacing {
        if self.parted.contains_key(&peer) {
            return Pacing::TooFast;
        }
        if self.peers.len() >= MAX_PEERS && !self.peers.contains_key(&peer) {
            self.peers.retain(|_, pace| !pace.bucket.is_full(now));
            if self.peers.len() >= MAX_PEERS {
                return Pacing::TooFast;
            }
        }
        let new = || Pace { bucket: Bucket::full(SAID, now), beyond: 0 };
        let pace = self.peers.entry(peer).or_insert_with(new);
        if pace.bucket.is_full(now) {
            pace.beyond = 0;
        }
        if pace.bucket.take_one(now) {
            return Pacing::Heard;
        }
        pace.beyond += 1;
        if pace.beyond > FLOOD { Pacing::Flood } else { Pacing::TooFast }
    }

    /// False where too many are parted with already: it goes on being too fast.
    pub fn part(&mut self, peer: PeerId, now: Instant) -> bool {
        let fits = self.parted.len() < MAX_PEERS;
        if fits {
            self.peers.remove(&peer);
            self.parted.insert(peer, now + PARTED);
        }
        fits
    }

    /// Those that may come again.
    pub fn rejoined(&mut self, now: Instant) -> Vec<PeerId> {
        self.parted.extract_if(|_, until| *until <= now).map(|(peer, _)| peer).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Timestamp = Timestamp::from_millis(0);

    fn all(paces: &mut Paces, peer: PeerId, count: u32, now: Timestamp) -> Vec<Pacing> {
        (0..count).map(|_| paces.said(peer, now)).collect()
    }

    #[test]
    fn who_goes_on_floods() {
        let (mut paces, one, other) = (Paces::default(), PeerId::random(), PeerId::random());
        let said = all(&mut paces, one, SAID.burst + FLOOD + 1, START);
        let count = |what| said.iter().filter(|said| **said == what).count();
        assert_eq!(count(Pacing::Heard), usize::try_from(SAID.burst).unwrap());
        assert_eq!((count(Pacing::Flood), said.last()), (1, Some(&Pacing::Flood)));
        assert_eq!(paces.said(other, START), Pacing::Heard, "one does not count against another");
    }

    #[test]
    fn silence_makes_good_and_parting_ends() {
        let (mut paces, peer, now) = (Paces::default(), PeerId::random(), Instant::now());
        let rest = SAID.refill * (SAID.burst + 1);
        for round in 0..3 {
            let said = all(&mut paces, peer, SAID.burst + FLOOD, START + rest * round);
            assert!(!said.contains(&Pacing::Flood));
        }
        assert!(paces.part(peer, now));
        assert_eq!(paces.said(peer, START + rest * 3), Pacing::TooFast, "what was on its way");
        assert!(paces.rejoined(now).is_empty());
        assert_eq!(paces.rejoined(now + PARTED), [peer]);
        assert!(paces.rejoined(now + PARTED).is_empty());
        assert_eq!(paces.said(peer, START + rest * 3), Pacing::Heard);
    }

    #[test]
    fn those_that_are_counted_are_bounded_and_those_that_rest_make_room() {
        let mut paces = Paces::default();
        for _ in 0..2 * MAX_PEERS {
            paces.said(PeerId::random(), START);
        }
        assert_eq!(paces.peers.len(), MAX_PEERS);
        assert_eq!(paces.said(PeerId::random(), START), Pacing::TooFast);
        assert_eq!(paces.said(PeerId::random(), START + SAID.refill), Pacing::Heard);
        assert_eq!(paces.peers.len(), 1);
        let parted = (0..2 * MAX_PEERS).filter(|_| paces.part(PeerId::random(), Instant::now()));
        assert_eq!(parted.count(), MAX_PEERS);
    }
}
