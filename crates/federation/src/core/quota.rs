//! How much of a hub is carried, and how fast it may come.

use std::time::Duration;

use plexus_domain::Timestamp;

/// What is kept of one hub, or of all hubs on probation together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caps {
    pub listings: usize,
    pub bytes: usize,
}

/// A hub that has to prove itself first.
pub const PROBATION: Caps = Caps { listings: 100, bytes: 1 << 20 };
/// All of those together: a thousand invented hubs cost no more than this. It is shared out evenly when it is full.
pub const ALL_ON_PROBATION: Caps = Caps { listings: 10_000, bytes: 64 << 20 };
pub const CARRIED: Caps = Caps { listings: 10_000, bytes: 128 << 20 };
/// A hub that keeps its word for so long has passed.
pub const PROBATION_TIME: Duration = Duration::from_secs(7 * 24 * 3_600);
/// Hubs that are remembered at all; beyond them no new one is taken in.
pub const MAX_HUBS: usize = 10_000;

/// What is kept at the moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Load {
    pub listings: usize,
    pub bytes: usize,
}

impl Caps {
    pub const fn holds(&self, load: Load) -> bool {
        load.listings <= self.listings && load.bytes <= self.bytes
    }

    /// So many percent of it.
    pub const fn part(&self, percent: usize) -> Self {
        Self { listings: self.listings * percent / 100, bytes: self.bytes * percent / 100 }
    }

    /// As much of a load as fits.
    pub fn cut(&self, load: Load) -> Load {
        Load { listings: load.listings.min(self.listings), bytes: load.bytes.min(self.bytes) }
    }
}

impl Load {
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

/// How fast something may come: so much at once, and one more after each `refill`.
#[derive(Clone, Copy, Debug)]
pub struct Rate {
    pub burst: u32,
    pub refill: Duration,
}

/// Listings of one hub by gossip. What is over that comes with the next comparison of sets.
pub const BY_GOSSIP: Rate = Rate { burst: 60, refill: Duration::from_secs(1) };
/// Heads and records of itself that one hub sends by gossip. It signs a head every ten minutes, and after each change.
pub const SAID: Rate = Rate { burst: 60, refill: Duration::from_secs(2) };
/// What one peer may ask. A hub that catches up asks some ten times a second; what it is refused, its next round asks.
pub const ASKED: Rate = Rate { burst: 512, refill: Duration::from_millis(100) };
/// Records that one peer may have this hub store in answer to its questions, besides listings that are new and have room:
/// 6,000 a minute after as many as a full hub has.
pub const BROUGHT: Rate = Rate { burst: 10_000, refill: Duration::from_millis(10) };

/// What is left of a rate.
#[derive(Clone, Copy, Debug)]
pub struct Bucket {
    rate: Rate,
    tokens: u32,
    filled: Timestamp,
}

impl Bucket {
    pub const fn full(rate: Rate, now: Timestamp) -> Self {
        Self { rate, tokens: rate.burst, filled: now }
    }

    /// Whether so much more would be taken.
    pub fn has_room(&self, cost: u32, now: Timestamp) -> bool {
        self.level(now) >= cost
    }

    /// Counts so much.
    pub fn take(&mut self, cost: u32, now: Timestamp) {
        let (level, gained) = (self.level(now), self.gained(now));
        // What is left of the time to the next one counts, unless the bucket ran over.
        self.filled = if level == self.rate.burst { now } else { self.filled + self.rate.refill * gained };
        self.tokens = level.saturating_sub(cost);
    }

    /// Counts one more if it would be taken; whether it was.
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
        let mut bucket = Bucket::full(BY_GOSSIP, start);
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
        let rate = Rate { burst: 2, refill: Duration::from_millis(100) };
        let mut bucket = Bucket::full(rate, start);
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
