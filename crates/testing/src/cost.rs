//! Measures the cost of work as CPU time of its thread, which is independent of other load on the machine.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// Growth factor of the input from one measurement to the next.
const GROWTH: usize = 2;
/// Shorter times are not meaningful.
const NOISE: Duration = Duration::from_millis(4);

/// Returns the CPU time that `work` takes in this thread.
pub fn measure<T>(work: impl FnOnce() -> T) -> Duration {
    let begun = thread_time();
    std::hint::black_box(work());
    thread_time().saturating_sub(begun)
}

fn thread_time() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap_or_default()
}

/// Measures `work` for an input of about `size` bytes, and for two and four times that.
pub fn growth<I, T>(size: usize, input: impl Fn(usize) -> I, work: impl Fn(&I) -> T) -> [Cost; 3] {
    [size, size * GROWTH, size * GROWTH * GROWTH].map(|size| {
        let input = input(size);
        let once = || measure(|| work(&input));
        // Best of three: caches are warm, and an interrupt disturbs at most one of them.
        Cost { size, time: once().min(once()).min(once()) }
    })
}

/// Cost of an input of `size` bytes.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    pub size: usize,
    pub time: Duration,
}

impl Cost {
    /// Returns the microseconds per KiB.
    pub fn per_kib(&self) -> f64 {
        self.time.as_secs_f64() * 1e6 / (self.size as f64 / 1024.0)
    }

    pub fn is_noise(&self) -> bool {
        self.time < NOISE
    }
}
