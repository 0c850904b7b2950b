//! What work costs as CPU time of the thread that does it: other load on the machine does not count.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// Input grows by this factor from one measurement to the next.
const GROWTH: usize = 2;
/// Shorter times are noise.
const NOISE: Duration = Duration::from_millis(4);

/// CPU time that `work` takes in this thread.
pub fn measure<T>(work: impl FnOnce() -> T) -> Duration {
    let begun = thread_time();
    std::hint::black_box(work());
    thread_time().saturating_sub(begun)
}

fn thread_time() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap_or_default()
}

/// CPU time of `work` for an input of `size` bytes or so and for its double and quadruple.
pub fn growth<I, T>(size: usize, input: impl Fn(usize) -> I, work: impl Fn(&I) -> T) -> [Cost; 3] {
    [size, size * GROWTH, size * GROWTH * GROWTH].map(|size| {
        let input = input(size);
        let once = || measure(|| work(&input));
        // The best of three: caches are warm, and an interrupt hits one of them at most.
        Cost { size, time: once().min(once()).min(once()) }
    })
}

/// What an input of `size` bytes cost.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    pub size: usize,
    pub time: Duration,
}

impl Cost {
    /// Microseconds for each KiB.
    pub fn per_kib(&self) -> f64 {
        self.time.as_secs_f64() * 1e6 / (self.size as f64 / 1024.0)
    }

    pub fn is_noise(&self) -> bool {
        self.time < NOISE
    }
}
