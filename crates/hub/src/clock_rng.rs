//! The hub's clock and source of randomness; no other code calls the system for either.

use std::sync::Arc;

use parking_lot::Mutex;
use plexus_domain::Timestamp;

use crate::FaultInjection;

/// Source of time and random bytes. Cheap to clone.
#[derive(Clone)]
pub struct ClockRng {
    source: Arc<dyn ClockRngSource>,
    faults: FaultInjection,
}

trait ClockRngSource: Send + Sync {
    fn now(&self) -> Timestamp;
    fn fill(&self, bytes: &mut [u8]);
}

impl ClockRng {
    /// Uses the system clock and the operating system's random numbers.
    pub fn system() -> Self {
        Self { source: Arc::new(System), faults: FaultInjection::default() }
    }

    /// For tests: a clock that only advances on request, and a deterministic random generator.
    pub fn fixed(start: Timestamp, seed: u64) -> (Self, FixedClock) {
        let clock = FixedClock(Arc::new(Mutex::new((start, seed))));
        (Self { source: Arc::new(clock.clone()), faults: FaultInjection::default() }, clock)
    }

    pub fn now(&self) -> Timestamp {
        self.source.now()
    }

    /// Returns `N` unpredictable bytes.
    pub fn bytes<const N: usize>(&self) -> [u8; N] {
        let mut bytes = [0; N];
        self.source.fill(&mut bytes);
        bytes
    }

    /// Returns the panics that tests inject into workers; no setting reaches this.
    pub fn faults(&self) -> &FaultInjection {
        &self.faults
    }

    /// Creates an id of any kind, as in `env.id(RunId::new)`.
    pub fn id<T>(&self, new: impl FnOnce(Timestamp, &plexus_domain::Entropy) -> T) -> T {
        new(self.now(), &self.bytes())
    }
}

struct System;

impl ClockRngSource for System {
    #[expect(clippy::disallowed_methods, reason = "this is the clock that everything else asks")]
    fn now(&self) -> Timestamp {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        Timestamp::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }

    #[expect(clippy::disallowed_methods, clippy::expect_used, reason = "without randomness nothing is safe")]
    fn fill(&self, bytes: &mut [u8]) {
        getrandom::fill(bytes).expect("the operating system gives randomness");
    }
}

/// Handle that advances the clock of a fixed [`ClockRng`].
#[derive(Clone)]
pub struct FixedClock(Arc<Mutex<(Timestamp, u64)>>);

impl FixedClock {
    pub fn advance(&self, by: std::time::Duration) {
        let mut state = self.0.lock();
        state.0 = state.0 + by;
    }
}

impl ClockRngSource for FixedClock {
    fn now(&self) -> Timestamp {
        self.0.lock().0
    }

    /// SplitMix64 (Steele, Lea, Flood 2014): repeatable, and every id differs.
    fn fill(&self, bytes: &mut [u8]) {
        let mut state = self.0.lock();
        for chunk in bytes.chunks_mut(8) {
            state.1 = state.1.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut word = state.1;
            word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            chunk.copy_from_slice(&(word ^ (word >> 31)).to_le_bytes()[..chunk.len()]);
        }
    }
}
