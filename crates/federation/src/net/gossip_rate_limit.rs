//! Rate limit of gossip messages that a peer publishes itself. Messages beyond it are ignored without
//! validation. A peer that keeps flooding is banned for a while, because reading its messages costs more than
//! ignoring them saves. Forwarded messages do not count, since other hubs cause them; they wait in per-peer
//! queues instead ([`super::in_flight`]).

use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

use libp2p::PeerId;
use plexus_domain::Timestamp;

use crate::engine::quota::{RateLimit, TokenBucket};

/// Rate of messages published by one peer itself.
const MESSAGE_RATE: RateLimit = RateLimit { burst: 128, refill: Duration::from_millis(10) };
/// Messages beyond the rate, without a pause, that count as a flood.
const FLOOD: u32 = 256;
/// Duration of a ban.
const PARTED: Duration = Duration::from_secs(600);
/// Maximum tracked peers, and maximum banned peers. Beyond it, messages of new peers are ignored.
const MAX_PEERS: usize = 1_024;

/// Rate limits of all peers.
#[derive(Debug, Default)]
pub struct GossipRateLimiter {
    /// Entries outlive connections, so that reconnecting does not reset them.
    peers: HashMap<PeerId, PeerRate>,
    parted: HashMap<PeerId, Instant>,
}

#[derive(Debug)]
struct PeerRate {
    bucket: TokenBucket,
    /// Messages beyond the rate since the bucket was last full.
    beyond: u32,
}

/// Decision about a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RateDecision {
    Heard,
    TooFast,
    Flood,
}

impl GossipRateLimiter {
    /// Counts a message published by the peer itself.
    pub fn record_message(&mut self, peer: PeerId, now: Timestamp) -> RateDecision {
        if self.parted.contains_key(&peer) {
            return RateDecision::TooFast;
        }
        if self.peers.len() >= MAX_PEERS && !self.peers.contains_key(&peer) {
            self.peers.retain(|_, pace| !pace.bucket.is_full(now));
            if self.peers.len() >= MAX_PEERS {
                return RateDecision::TooFast;
            }
        }
        let new = || PeerRate { bucket: TokenBucket::full(MESSAGE_RATE, now), beyond: 0 };
        let pace = self.peers.entry(peer).or_insert_with(new);
        if pace.bucket.is_full(now) {
            pace.beyond = 0;
        }
        if pace.bucket.take_one(now) {
            return RateDecision::Heard;
        }
        pace.beyond += 1;
        if pace.beyond > FLOOD { RateDecision::Flood } else { RateDecision::TooFast }
    }

    /// Bans a flooding peer. False when too many are banned; its messages are then ignored as too fast.
    pub fn disconnect_for_a_while(&mut self, peer: PeerId, now: Instant) -> bool {
        let fits = self.parted.len() < MAX_PEERS;
        if fits {
            self.peers.remove(&peer);
            self.parted.insert(peer, now + PARTED);
        }
        fits
    }

    /// Removes and returns the peers whose ban has ended.
    pub fn expired_bans(&mut self, now: Instant) -> Vec<PeerId> {
        self.parted.extract_if(|_, until| *until <= now).map(|(peer, _)| peer).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Timestamp = Timestamp::from_millis(0);

    fn all(
        gossip_limiter: &mut GossipRateLimiter,
        peer: PeerId,
        count: u32,
        now: Timestamp,
    ) -> Vec<RateDecision> {
        (0..count).map(|_| gossip_limiter.record_message(peer, now)).collect()
    }

    #[test]
    fn who_goes_on_floods() {
        let (mut gossip_limiter, one, other) =
            (GossipRateLimiter::default(), PeerId::random(), PeerId::random());
        let said = all(&mut gossip_limiter, one, MESSAGE_RATE.burst + FLOOD + 1, START);
        let count = |what| said.iter().filter(|said| **said == what).count();
        assert_eq!(count(RateDecision::Heard), usize::try_from(MESSAGE_RATE.burst).unwrap());
        assert_eq!((count(RateDecision::Flood), said.last()), (1, Some(&RateDecision::Flood)));
        assert_eq!(
            gossip_limiter.record_message(other, START),
            RateDecision::Heard,
            "one does not count against another"
        );
    }

    #[test]
    fn silence_makes_good_and_parting_ends() {
        let (mut gossip_limiter, peer, now) =
            (GossipRateLimiter::default(), PeerId::random(), Instant::now());
        let rest = MESSAGE_RATE.refill * (MESSAGE_RATE.burst + 1);
        for round in 0..3 {
            let said = all(&mut gossip_limiter, peer, MESSAGE_RATE.burst + FLOOD, START + rest * round);
            assert!(!said.contains(&RateDecision::Flood));
        }
        assert!(gossip_limiter.disconnect_for_a_while(peer, now));
        assert_eq!(
            gossip_limiter.record_message(peer, START + rest * 3),
            RateDecision::TooFast,
            "what was on its way"
        );
        assert!(gossip_limiter.expired_bans(now).is_empty());
        assert_eq!(gossip_limiter.expired_bans(now + PARTED), [peer]);
        assert!(gossip_limiter.expired_bans(now + PARTED).is_empty());
        assert_eq!(gossip_limiter.record_message(peer, START + rest * 3), RateDecision::Heard);
    }

    #[test]
    fn those_that_are_counted_are_bounded_and_those_that_rest_make_room() {
        let mut gossip_limiter = GossipRateLimiter::default();
        for _ in 0..2 * MAX_PEERS {
            gossip_limiter.record_message(PeerId::random(), START);
        }
        assert_eq!(gossip_limiter.peers.len(), MAX_PEERS);
        assert_eq!(gossip_limiter.record_message(PeerId::random(), START), RateDecision::TooFast);
        assert_eq!(
            gossip_limiter.record_message(PeerId::random(), START + MESSAGE_RATE.refill),
            RateDecision::Heard
        );
        assert_eq!(gossip_limiter.peers.len(), 1);
        let parted = (0..2 * MAX_PEERS)
            .filter(|_| gossip_limiter.disconnect_for_a_while(PeerId::random(), Instant::now()));
        assert_eq!(parted.count(), MAX_PEERS);
    }
}
