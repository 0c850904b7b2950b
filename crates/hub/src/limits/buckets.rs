//! Token buckets by key, in a table of bounded size.

use std::{
    borrow::Cow,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    num::NonZeroU32,
    time::Duration,
};

use governor::{
    Quota, RateLimiter,
    clock::{Clock as _, DefaultClock, Reference as _},
    state::keyed::DashMapStateStore,
};
use parking_lot::Mutex;

use super::Allowance;

type Table = RateLimiter<String, DashMapStateStore<String>, DefaultClock>;
type Moment = <DefaultClock as governor::clock::Clock>::Instant;

/// Above this many keys, full buckets are removed from the table.
const KEYS: usize = 50_000;
/// Above this many, new keys share buckets: a flood of addresses must not exhaust memory.
const MAX_KEYS: usize = 2 * KEYS;
/// Number of shared buckets.
const SHARED: u64 = 1_024;
/// Minimum interval between sweeps, since a sweep visits every key.
const SWEEP_INTERVAL: Duration = Duration::from_secs(1);

/// The buckets of one rate limit.
pub(super) struct Buckets {
    table: Table,
    clock: DefaultClock,
    swept: Mutex<Option<Moment>>,
}

impl Buckets {
    pub fn new(allowance: Allowance) -> Self {
        #[expect(clippy::expect_used, reason = "the period of an allowance is positive")]
        let quota =
            Quota::with_period(allowance.every).expect("a positive period").allow_burst(allowance.burst);
        Self { table: RateLimiter::keyed(quota), clock: DefaultClock::default(), swept: Mutex::default() }
    }

    /// Takes `count` tokens from the bucket of `key`, or returns the time until they are available.
    ///
    /// More tokens than the bucket can hold count as its capacity.
    pub fn take(&self, key: &str, count: u64) -> Result<(), Duration> {
        let Some(count) = u32::try_from(count).map_or(Some(NonZeroU32::MAX), NonZeroU32::new) else {
            return Ok(());
        };
        let key = self.bounded(key).into_owned();
        let taken = match self.table.check_key_n(&key, count) {
            Ok(taken) => taken,
            Err(capacity) => {
                let all = NonZeroU32::new(capacity.0).unwrap_or(NonZeroU32::MIN);
                self.table.check_key_n(&key, all).unwrap_or(Ok(()))
            }
        };
        taken.map_err(|until| until.wait_time_from(self.clock.now()))
    }

    /// Returns the key, or the key of a shared bucket while the table is full.
    fn bounded<'a>(&self, key: &'a str) -> Cow<'a, str> {
        if self.table.len() <= KEYS {
            return Cow::Borrowed(key);
        }
        self.sweep();
        if self.table.len() < MAX_KEYS {
            return Cow::Borrowed(key);
        }
        let mut hasher = DefaultHasher::new();
        key.hash(&mut hasher);
        Cow::Owned(format!("shared {}", hasher.finish() % SHARED))
    }

    fn sweep(&self) {
        let now = self.clock.now();
        let mut swept = self.swept.lock();
        let is_due = swept.is_none_or(|before| Duration::from(now.duration_since(before)) >= SWEEP_INTERVAL);
        if is_due {
            *swept = Some(now);
            drop(swept);
            self.table.retain_recent();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_of_keys_fills_a_bounded_table_and_is_still_limited() {
        let buckets = Buckets::new(Allowance::new(1, 3_600_000));
        let refused = (0..150_000).filter(|key| buckets.take(&format!("address {key}"), 1).is_err()).count();
        let most = MAX_KEYS + usize::try_from(SHARED).unwrap();
        assert!(buckets.table.len() <= most, "{} keys", buckets.table.len());
        // Keys that arrived when the table was full get one token for each shared bucket.
        assert!(refused >= 150_000 - most, "{refused} refused");
    }

    #[test]
    fn keys_whose_buckets_are_full_again_are_forgotten() {
        let buckets = Buckets::new(Allowance::new(100_000, 1));
        for key in 0..=KEYS {
            assert!(buckets.take(&format!("address {key}"), 1).is_ok());
        }
        *buckets.swept.lock() = None;
        std::thread::sleep(Duration::from_millis(5));
        assert!(buckets.take("another", 1).is_ok());
        assert!(buckets.table.len() < KEYS, "{} keys", buckets.table.len());
    }
}
