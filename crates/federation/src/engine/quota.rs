//! Storage quotas and rate limits (token buckets).

use std::time::Duration;

use plexus_domain::Timestamp;

/// Maximum storage of one hub, or of all hubs on probation together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StorageQuota {
    /// Listings that are not deleted.
    pub listings: usize,
    /// Bytes of all records. They alone bound the tombstones.
    pub bytes: usize,
}

/// Quota of one hub on probation.
pub const PROBATION: StorageQuota = StorageQuota { listings: 100, bytes: 1 << 20 };
/// Shared quota of all hubs on probation: a thousand invented hubs cost no more (Sybil). Divided evenly when
/// full.
pub const ALL_ON_PROBATION: StorageQuota = StorageQuota { listings: 10_000, bytes: 64 << 20 };
/// Quota of any other hub.
pub const FULL: StorageQuota = StorageQuota { listings: 10_000, bytes: 128 << 20 };
/// Duration of the probation, after which a hub has passed.
pub const PROBATION_TIME: Duration = Duration::from_secs(7 * 24 * 3_600);
/// Maximum number of known hubs; no new one is added beyond it.
pub const MAX_HUBS: usize = 10_000;

/// Current storage usage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StorageUsage {
    /// Listings that are not deleted: a tombstone uses bytes alone, so that deleted agents leave their slots to
    /// others.
    pub listings: usize,
    pub bytes: usize,
}

impl StorageQuota {
    pub const fn holds(&self, load: StorageUsage) -> bool {
        load.listings <= self.listings && load.bytes <= self.bytes
    }

    /// Returns `percent` percent of the quota.
    pub const fn part(&self, percent: usize) -> Self {
        Self { listings: self.listings * percent / 100, bytes: self.bytes * percent / 100 }
    }

    /// Clamps a usage to the quota.
    pub fn cut(&self, load: StorageUsage) -> StorageUsage {
        StorageUsage { listings: load.listings.min(self.listings), bytes: load.bytes.min(self.bytes) }
    }
}

impl StorageUsage {
    pub const fn and(self, other: Self) -> Self {
        Self { listings: self.listings + other.listings, bytes: self.bytes + other.bytes }
    }

    pub const fn without(self, other: Self) -> Self {
        Self {
            listings: self.listings.saturating_sub(other.listings),
            bytes: self.bytes.saturating_sub(other.bytes),
        }
    }
}

/// Rate limit: `burst` at once, then one token per `refill`.
#[derive(Clone, Copy, Debug)]
pub struct RateLimit {
    pub burst: u32,
    pub refill: Duration,
}

/// Listings of one hub by gossip. Anything beyond is fetched by the next anti-entropy round.
pub const BY_GOSSIP: RateLimit = RateLimit { burst: 60, refill: Duration::from_secs(1) };
/// Heads and hub records of one hub by gossip. A hub signs a head every ten minutes and after each change.
pub const GOSSIP_RATE: RateLimit = RateLimit { burst: 60, refill: Duration::from_secs(2) };
/// Requests of one peer. A hub that catches up sends about ten per second; its next round repeats refused
/// requests.
pub const ASKED: RateLimit = RateLimit { burst: 512, refill: Duration::from_millis(100) };
/// Records that one peer may deliver in responses, except new listings within the storage quota: a burst as
/// large as a full hub, then 6,000 per minute.
pub const ANSWER_RECORD_RATE: RateLimit = RateLimit { burst: 10_000, refill: Duration::from_millis(10) };

/// Token bucket of one rate limit.
#[derive(Clone, Copy, Debug)]
pub struct TokenBucket {
    rate: RateLimit,
    tokens: u32,
    filled: Timestamp,
}

impl TokenBucket {
    pub const fn full(rate: RateLimit, now: Timestamp) -> Self {
        Self { rate, tokens: rate.burst, filled: now }
    }

    /// Returns whether `cost` tokens are available.
    pub fn has_room(&self, cost: u32, now: Timestamp) -> bool {
        self.level(now) >= cost
    }

    /// Takes `cost` tokens, at most as many as are left.
    pub fn take(&mut self, cost: u32, now: Timestamp) {
        let (level, gained) = (self.level(now), self.gained(now));
        // Keep the elapsed fraction of the refill interval, unless the bucket overflowed.
        self.filled = if level == self.rate.burst { now } else { self.filled + self.rate.refill * gained };
        self.tokens = level.saturating_sub(cost);
    }

    /// Takes one token if available, and returns whether it did.
    pub fn take_one(&mut self, now: Timestamp) -> bool {
        let has_room = self.has_room(1, now);
        if has_room {
            self.take(1, now);
        }
        has_room
    }

    pub fn is_full(&self, now: Timestamp) -> bool {
        self.level(now) == self.rate.burst
    }

    fn level(&self, now: Timestamp) -> u32 {
        self.tokens.saturating_add(self.gained(now)).min(self.rate.burst)
    }

    fn gained(&self, now: Timestamp) -> u32 {
        let times = now.since(self.filled).as_millis() / self.rate.refill.as_millis();
        u32::try_from(times).unwrap_or(u32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_gives_a_burst_and_then_one_a_second() {
        let start = Timestamp::from_millis(0);
        let mut bucket = TokenBucket::full(BY_GOSSIP, start);
        let mut taken = |now| {
            let mut count = 0;
            while bucket.take_one(now) {
                count += 1;
            }
            count
        };
        assert_eq!(taken(start), 60);
        let later: i32 = (1..=100).map(|second| taken(start + Duration::from_secs(second))).sum();
        assert_eq!(later, 100);
    }
    #[test]
    fn what_is_left_of_the_time_to_the_next_one_counts() {
        let start = Timestamp::from_millis(0);
        let rate = RateLimit { burst: 2, refill: Duration::from_millis(100) };
        let mut bucket = TokenBucket::full(rate, start);
        bucket.take(2, start);
        let at = |millis| start + Duration::from_millis(millis);
        assert!(!bucket.has_room(1, at(99)) && bucket.has_room(1, at(150)));
        bucket.take(1, at(150));
        assert!(!bucket.has_room(1, at(199)) && bucket.has_room(1, at(200)));
        assert!(!bucket.is_full(at(200)) && bucket.is_full(at(300)));
        bucket.take(3, at(300));
        assert!(!bucket.has_room(1, at(300)), "it is never below nothing");
    }
}
