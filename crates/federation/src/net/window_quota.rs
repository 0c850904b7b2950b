//! Quota per peer and in total, within a sliding time window.

use std::{
    collections::VecDeque,
    time::{Duration, Instant},
};

use libp2p::PeerId;

/// Sliding-window quota.
#[derive(Debug)]
pub struct WindowQuota {
    each: usize,
    all: usize,
    within: Duration,
    /// Grants within the window, oldest first; at most `all`.
    given: VecDeque<(Instant, PeerId)>,
}

impl WindowQuota {
    pub const fn new(each: usize, all: usize, within: Duration) -> Self {
        Self { each, all, within, given: VecDeque::new() }
    }

    /// Counts one more grant for the peer, if the quota allows it.
    pub fn take(&mut self, peer: PeerId, now: Instant) -> bool {
        let is_over = |given: &(Instant, PeerId)| now.saturating_duration_since(given.0) >= self.within;
        while self.given.front().is_some_and(is_over) {
            self.given.pop_front();
        }
        let of_peer = self.given.iter().filter(|(_, to)| *to == peer).count();
        let fits = of_peer < self.each && self.given.len() < self.all;
        if fits {
            self.given.push_back((now, peer));
        }
        fits
    }

    /// Returns the latest grant of the peer, which was not used.
    pub fn give_back(&mut self, peer: PeerId) {
        if let Some(at) = self.given.iter().rposition(|(_, to)| *to == peer) {
            self.given.remove(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_peer_gets_its_share_and_all_together_no_more_than_theirs() {
        let (minute, start, one) = (Duration::from_secs(60), Instant::now(), PeerId::random());
        let mut share = WindowQuota::new(2, 3, minute);
        assert!(share.take(one, start) && share.take(one, start));
        assert!(!share.take(one, start), "it had its share");
        share.give_back(one);
        assert!(share.take(one, start) && !share.take(one, start), "one was not used");
        assert!(share.take(PeerId::random(), start));
        assert!(!share.take(PeerId::random(), start), "there is no more");
        assert!(share.take(one, start + minute), "a minute later there is");
        assert_eq!(share.given.len(), 1, "nothing older is remembered");
    }
}
