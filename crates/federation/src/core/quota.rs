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
/// All of those together: a thousand invented hubs cost no more than this.
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
}

/// Listings by gossip: one a second, and some at once. What is over that comes with the next comparison of sets.
#[derive(Clone, Copy, Debug)]
pub struct Bucket {
    tokens: u32,
    filled: Timestamp,
}

impl Bucket {
    const BURST: u32 = 60;
    const REFILL: Duration = Duration::from_secs(1);

    pub const fn full(now: Timestamp) -> Self {
        Self { tokens: Self::BURST, filled: now }
    }

    /// Whether one more would be taken.
    pub fn has_room(&self, now: Timestamp) -> bool {
        self.tokens > 0 || now.since(self.filled) >= Self::REFILL
    }

    /// Counts one.
    pub fn take(&mut self, now: Timestamp) {
        let gained =
            u32::try_from(now.since(self.filled).as_millis() / Self::REFILL.as_millis()).unwrap_or(u32::MAX);
        if gained > 0 {
            self.tokens = self.tokens.saturating_add(gained).min(Self::BURST);
            self.filled = now;
        }
        self.tokens = self.tokens.saturating_sub(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_gives_a_burst_and_then_one_a_second() {
        let start = Timestamp::from_millis(0);
        let mut bucket = Bucket::full(start);
        let mut taken = |now| {
            let mut count = 0;
            while bucket.has_room(now) {
                bucket.take(now);
                count += 1;
            }
            count
        };
        assert_eq!(taken(start), 60);
        let later: i32 = (1..=100).map(|second| taken(start + Duration::from_secs(second))).sum();
        assert_eq!(later, 100);
    }
}
