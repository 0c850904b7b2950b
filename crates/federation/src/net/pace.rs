//! Rate limit of gossip messages that a peer publishes itself. Messages beyond it are ignored without
//! validation. A peer that keeps flooding is banned for a while, because reading its messages costs more than
//! ignoring them saves. Forwarded messages do not count, since other hubs cause them; they wait in per-peer
//! queues instead ([`super::pending`]).

use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

use libp2p::PeerId;
use plexus_domain::Timestamp;

use crate::core::quota::{Bucket, Rate};

/// Rate of messages published by one peer itself.
const SAID: Rate = Rate { burst: 128, refill: Duration::from_millis(10) };
/// Messages beyond the rate, without a pause, that count as a flood.
const FLOOD: u32 = 256;
/// Duration of a ban.
const PARTED: Duration = Duration::from_secs(600);
/// Maximum tracked peers, and maximum banned peers. Beyond it, messages of new peers are ignored.
const MAX_PEERS: usize = 1_024;

/// Rate limits of all peers.
#[derive(Debug, Default)]
pub struct Paces {
    /// Entries outlive connections, so that reconnecting does not reset them.
    peers: HashMap<PeerId, Pace>,
    parted: HashMap<PeerId, Instant>,
}

#[derive(Debug)]
struct Pace {
    bucket: Bucket,
    /// Messages beyond the rate since the bucket was last full.
    beyond: u32,
}

/// Decision about a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pacing {
    Heard,
    TooFast,
    Flood,
}

impl Paces {
    /// Counts a message published by the peer itself.
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

    /// Bans a flooding peer. False when too many are banned; its messages are then ignored as too fast.
    pub fn part(&mut self, peer: PeerId, now: Instant) -> bool {
        let fits = self.parted.len() < MAX_PEERS;
        if fits {
            self.peers.remove(&peer);
            self.parted.insert(peer, now + PARTED);
        }
        fits
    }

    /// Removes and returns the peers whose ban has ended.
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
