//! Token buckets by key, in a table of bounded size.

use std::{
    borrow::Cow,
    convert::Infallible,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    num::NonZeroU32,
    sync::Arc,
    time::Duration,
};

use governor::{
    Quota, RateLimiter,
    clock::{Clock as _, DefaultClock, Reference as _},
    nanos::Nanos,
    state::{
        NotKeyed, StateStore,
        keyed::{DashMapStateStore, ShrinkableKeyedStateStore},
    },
};
use parking_lot::Mutex;

use super::Allowance;

type Limiter<S> = RateLimiter<String, S, DefaultClock>;
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
    table: Limiter<SharedStore>,
    /// The same buckets, for checks that take nothing.
    view: Limiter<ReadOnlyStore>,
    clock: DefaultClock,
    swept: Mutex<Option<Moment>>,
}

struct SharedStore(Arc<DashMapStateStore<String>>);

/// A store that computes the result of a change and discards the change.
struct ReadOnlyStore(Arc<DashMapStateStore<String>>);

impl StateStore for SharedStore {
    type Key = String;

    fn measure_and_replace<T, F, E>(&self, key: &String, measure: F) -> Result<T, E>
    where
        F: Fn(Option<Nanos>) -> Result<(T, Nanos), E>,
    {
        self.0.measure_and_replace(key, measure)
    }
}

impl ShrinkableKeyedStateStore<String> for SharedStore {
    fn retain_recent(&self, drop_below: Nanos) {
        self.0.retain_recent(drop_below);
    }

    fn shrink_to_fit(&self) {
        self.0.shrink_to_fit();
    }

    fn len(&self) -> usize {
        self.0.len()
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl StateStore for ReadOnlyStore {
    type Key = String;

    fn measure_and_replace<T, F, E>(&self, key: &String, measure: F) -> Result<T, E>
    where
        F: Fn(Option<Nanos>) -> Result<(T, Nanos), E>,
    {
        // An error leaves the bucket as it is. A key without a bucket has a full one.
        let Some(bucket) = self.0.get(key) else { return measure(None).map(|(outcome, _)| outcome) };
        let measured: Result<Infallible, _> =
            bucket.measure_and_replace(&NotKeyed::NonKey, |state| Err(measure(state)));
        match measured {
            Ok(never) => match never {},
            Err(outcome) => outcome.map(|(outcome, _)| outcome),
        }
    }
}

impl Buckets {
    pub fn new(allowance: Allowance) -> Self {
        #[expect(clippy::expect_used, reason = "the period of an allowance is positive")]
        let quota =
            Quota::with_period(allowance.every).expect("a positive period").allow_burst(allowance.burst);
        let (store, clock) = (Arc::default(), DefaultClock::default());
        Self {
            table: RateLimiter::new(quota, SharedStore(Arc::clone(&store)), clock.clone()),
            view: RateLimiter::new(quota, ReadOnlyStore(store), clock.clone()),
            clock,
            swept: Mutex::default(),
        }
    }

    /// Takes `count` tokens from the bucket of `key`, or returns the time until they are available.
    ///
    /// More tokens than the bucket can hold count as its capacity.
    pub fn take(&self, key: &str, count: u64) -> Result<(), Duration> {
        self.test(&self.table, key, count)
    }

    /// Returns what [`Self::take`] would return, and takes nothing.
    pub fn check(&self, key: &str, count: u64) -> Result<(), Duration> {
        self.test(&self.view, key, count)
    }

    fn test<S: StateStore<Key = String>>(
        &self,
        limiter: &Limiter<S>,
        key: &str,
        count: u64,
    ) -> Result<(), Duration> {
        let Some(count) = u32::try_from(count).map_or(Some(NonZeroU32::MAX), NonZeroU32::new) else {
            return Ok(());
        };
        let key = self.bounded(key).into_owned();
        let tested = match limiter.check_key_n(&key, count) {
            Ok(tested) => tested,
            Err(capacity) => {
                let all = NonZeroU32::new(capacity.0).unwrap_or(NonZeroU32::MIN);
                limiter.check_key_n(&key, all).unwrap_or(Ok(()))
            }
        };
        tested.map_err(|until| until.wait_time_from(self.clock.now()))
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
    fn a_check_takes_no_token() {
        let buckets = Buckets::new(Allowance::new(2, 3_600_000));
        for _ in 0..3 {
            assert!(buckets.check("ada", 2).is_ok());
        }
        assert!(buckets.take("ada", 1).is_ok());
        assert!(buckets.check("ada", 1).is_ok() && buckets.check("ada", 2).is_err());
        assert!(buckets.take("ada", 1).is_ok());
        let wait = buckets.check("ada", 1).unwrap_err();
        assert!(wait > Duration::from_secs(3_500) && wait <= Duration::from_secs(3_600), "{wait:?}");
        assert!(buckets.check("grace", 1).is_ok());
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
