//! Measures the cost of work as CPU time of its thread, which is independent of other load on the machine.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

use crate::hostile_texts::{HostileText, hostile_texts};

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

/// Sizes of the inputs of [`assert_linear`], in bytes: the first whose cost can be measured is compared with one of four times
/// the size.
const SIZES: [usize; 4] = [8 << 10, 32 << 10, 128 << 10, 512 << 10];
/// Shorter times cannot be compared.
const MEASURABLE: Duration = Duration::from_millis(2);
/// Maximum growth of the time for four times the input: linear is 4, quadratic is 16. Sorting and cache misses cost more
/// than linear time.
const MAX_GROWTH: f64 = 9.0;
/// Number of attempts. A busy machine disturbs single ones.
const ATTEMPTS: usize = 4;
/// Maximum time for a KiB, in an unoptimised build. A quadratic cost reaches it before it shows in the growth.
const PER_KIB: Duration = Duration::from_millis(5);

/// Asserts that `work` takes time linear in its text, for each kind of hostile text.
pub fn assert_linear<T>(name: &str, work: impl Fn(&str) -> T) {
    assert_linear_within(name, PER_KIB, work);
}

/// Like [`assert_linear`], for work that takes up to `per_kib`.
pub fn assert_linear_within<T>(name: &str, per_kib: Duration, work: impl Fn(&str) -> T) {
    for text in hostile_texts() {
        let attempt = || growth_of(&text, &work, per_kib);
        let failures: Vec<_> = (0..ATTEMPTS).map_while(|_| attempt()).collect();
        assert!(failures.len() < ATTEMPTS, "{name}, {}: {failures:?}", text.name);
    }
}

/// Returns the costs of two sizes if they are not linear, or not cheap.
fn growth_of<T>(text: &HostileText, work: &impl Fn(&str) -> T, per_kib: Duration) -> Option<[Cost; 2]> {
    let cost = |size: usize| {
        let input = text.of_size(size);
        Cost { size, time: measure(|| work(&input)) }
    };
    let small = SIZES.into_iter().map(cost).find(|cost| cost.time >= MEASURABLE)?;
    let large = cost(small.size * GROWTH * GROWTH);
    let is_linear = large.time.as_secs_f64() <= small.time.as_secs_f64() * MAX_GROWTH;
    let is_cheap = large.per_kib() <= per_kib.as_secs_f64() * 1e6;
    (!is_linear || !is_cheap).then_some([small, large])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quadratic_work_is_found() {
        let count_again = |text: &str| {
            let closing = |at: usize| text[..at].bytes().filter(|byte| *byte == b')').count();
            text.match_indices(')').map(|(at, _)| closing(at)).sum::<usize>()
        };
        let failed = std::panic::catch_unwind(|| assert_linear("counts again", count_again));
        assert!(failed.is_err());
        assert_linear("counts once", |text| text.bytes().filter(|byte| *byte == b')').count());
    }
}
