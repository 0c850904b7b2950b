//! Per-peer quotas of requests and delivered records, regardless of whose listings they concern.

use std::collections::BTreeMap;

use plexus_domain::Timestamp;

use super::{
    PeerRequest,
    quota::{ANSWER_RECORD_RATE, ASKED, MAX_HUBS, TokenBucket},
};
use crate::HubId;

/// Quotas of all peers. They outlive connections, so that reconnecting does not reset them.
#[derive(Clone, Debug, Default)]
pub struct PeerQuotas {
    peers: BTreeMap<HubId, PeerQuota>,
}

/// Quota of one peer: requests that it sends, records that it delivers.
#[derive(Clone, Debug)]
struct PeerQuota {
    asked: TokenBucket,
    brought: TokenBucket,
}

impl PeerQuotas {
    /// Counts a request of `peer` and returns true, unless its quota is used up.
    pub fn try_request(&mut self, peer: HubId, request: &PeerRequest, now: Timestamp) -> bool {
        let cost = cost(request);
        let Some(share) = self.of(peer, now).filter(|share| share.asked.has_room(cost, now)) else {
            return false;
        };
        share.asked.take(cost, now);
        true
    }

    /// Returns whether `peer` may deliver another requested record.
    pub fn may_deliver(&self, peer: HubId, now: Timestamp) -> bool {
        self.peers.get(&peer).is_none_or(|share| share.brought.has_room(1, now))
    }

    /// Counts a delivered valid record.
    pub fn count_record(&mut self, peer: HubId, now: Timestamp) {
        if let Some(share) = self.of(peer, now) {
            share.brought.take(1, now);
        }
    }

    /// Forgets peers whose quotas have refilled completely.
    pub fn forget_idle(&mut self, now: Timestamp) {
        self.peers.retain(|_, share| !(share.asked.is_full(now) && share.brought.is_full(now)));
    }

    /// Returns the quota of `peer`; `None` when [`MAX_HUBS`] other peers use theirs.
    fn of(&mut self, peer: HubId, now: Timestamp) -> Option<&mut PeerQuota> {
        if self.peers.len() >= MAX_HUBS && !self.peers.contains_key(&peer) {
            self.forget_idle(now);
        }
        let fits = self.peers.len() < MAX_HUBS || self.peers.contains_key(&peer);
        let new = || PeerQuota {
            asked: TokenBucket::full(ASKED, now),
            brought: TokenBucket::full(ANSWER_RECORD_RATE, now),
        };
        fits.then(|| self.peers.entry(peer).or_insert_with(new))
    }
}

/// Cost of a request in tokens. A search or a full inventory costs about as much as a few batches.
const fn cost(request: &PeerRequest) -> u32 {
    match request {
        PeerRequest::Find(_) | PeerRequest::Rows { .. } => 4,
        PeerRequest::Heads { .. } | PeerRequest::Compare { .. } | PeerRequest::Bodies { .. } => 1,
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
        let (mut shares, now) = (PeerQuotas::default(), Timestamp::from_millis(0));
        let request = PeerRequest::Rows { root: Digest::of("x") };
        (0..MAX_HUBS as u64).for_each(|n| assert!(shares.try_request(hub(n), &request, now)));
        assert!(!shares.try_request(hub(MAX_HUBS as u64), &request, now), "all places are in use");
        assert!(shares.try_request(hub(0), &request, now), "who has one goes on");
        let later = now + Duration::from_secs(60);
        assert!(shares.try_request(hub(MAX_HUBS as u64), &request, later));
        assert_eq!(shares.peers.len(), 1);
    }

    #[test]
    fn what_one_peer_brings_in_a_round_is_counted() {
        let (mut shares, now) = (PeerQuotas::default(), Timestamp::from_millis(0));
        let hub = |n| HubId::from(SecretKey::from_seed(&[n; 32]).public());
        (0..ANSWER_RECORD_RATE.burst).for_each(|_| shares.count_record(hub(1), now));
        assert!(!shares.may_deliver(hub(1), now) && shares.may_deliver(hub(2), now));
        assert!(shares.may_deliver(hub(1), now + ANSWER_RECORD_RATE.refill));
    }
}
