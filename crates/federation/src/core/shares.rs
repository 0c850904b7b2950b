//! Per-peer quotas of requests and delivered records, regardless of whose listings they concern.

use std::collections::BTreeMap;

use plexus_domain::Timestamp;

use super::{
    Request,
    quota::{ASKED, BROUGHT, Bucket, MAX_HUBS},
};
use crate::HubId;

/// Quotas of all peers. They outlive connections, so that reconnecting does not reset them.
#[derive(Clone, Debug, Default)]
pub struct Shares {
    peers: BTreeMap<HubId, Share>,
}

/// Quota of one peer: requests that it sends, records that it delivers.
#[derive(Clone, Debug)]
struct Share {
    asked: Bucket,
    brought: Bucket,
}

impl Shares {
    /// Counts a request of `peer` and returns true, unless its quota is used up.
    pub fn ask(&mut self, peer: HubId, request: &Request, now: Timestamp) -> bool {
        let cost = cost(request);
        let Some(share) = self.of(peer, now).filter(|share| share.asked.has_room(cost, now)) else {
            return false;
        };
        share.asked.take(cost, now);
        true
    }

    /// Returns whether `peer` may deliver another requested record.
    pub fn may_bring(&self, peer: HubId, now: Timestamp) -> bool {
        self.peers.get(&peer).is_none_or(|share| share.brought.has_room(1, now))
    }

    /// Counts a delivered valid record.
    pub fn bring(&mut self, peer: HubId, now: Timestamp) {
        if let Some(share) = self.of(peer, now) {
            share.brought.take(1, now);
        }
    }

    /// Forgets peers whose quotas have refilled completely.
    pub fn forget_idle(&mut self, now: Timestamp) {
        self.peers.retain(|_, share| !(share.asked.is_full(now) && share.brought.is_full(now)));
    }

    /// Returns the quota of `peer`; `None` when [`MAX_HUBS`] other peers use theirs.
    fn of(&mut self, peer: HubId, now: Timestamp) -> Option<&mut Share> {
        if self.peers.len() >= MAX_HUBS && !self.peers.contains_key(&peer) {
            self.forget_idle(now);
        }
        let fits = self.peers.len() < MAX_HUBS || self.peers.contains_key(&peer);
        let new = || Share { asked: Bucket::full(ASKED, now), brought: Bucket::full(BROUGHT, now) };
        fits.then(|| self.peers.entry(peer).or_insert_with(new))
    }
}

/// Cost of a request in tokens. A search or a full inventory costs about as much as a few batches.
const fn cost(request: &Request) -> u32 {
    match request {
        Request::Find(_) | Request::Rows { .. } => 4,
        Request::Heads { .. } | Request::Compare { .. } | Request::Bodies { .. } => 1,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use plexus_a2a::keys::SecretKey;
    use plexus_domain::Digest;

    use super::*;

    #[test]
    fn nobody_is_remembered_for_longer_than_it_matters() {
        let hub = |n: u64| {
            let seed = [&n.to_le_bytes()[..], &[7; 24]].concat();
            HubId::from(SecretKey::from_seed(&seed.try_into().unwrap()).public())
        };
        let (mut shares, now) = (Shares::default(), Timestamp::from_millis(0));
        let request = Request::Rows { root: Digest::of("x") };
        (0..MAX_HUBS as u64).for_each(|n| assert!(shares.ask(hub(n), &request, now)));
        assert!(!shares.ask(hub(MAX_HUBS as u64), &request, now), "all places are in use");
        assert!(shares.ask(hub(0), &request, now), "who has one goes on");
        let later = now + Duration::from_secs(60);
        assert!(shares.ask(hub(MAX_HUBS as u64), &request, later));
        assert_eq!(shares.peers.len(), 1);
    }

    #[test]
    fn what_one_peer_brings_in_a_round_is_counted() {
        let (mut shares, now) = (Shares::default(), Timestamp::from_millis(0));
        let hub = |n| HubId::from(SecretKey::from_seed(&[n; 32]).public());
        (0..BROUGHT.burst).for_each(|_| shares.bring(hub(1), now));
        assert!(!shares.may_bring(hub(1), now) && shares.may_bring(hub(2), now));
        assert!(shares.may_bring(hub(1), now + BROUGHT.refill));
    }
}
