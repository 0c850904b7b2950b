//! What the tests of several crates share.

pub mod cost;
mod dns;

use proptest::test_runner::Config;

pub use self::dns::Dns;

/// What proptest runs when nobody says how many.
const USUAL: u64 = 256;

/// Milliseconds in which a smaller example of a failure is looked for: one that is slow would be tried for hours.
const SHRINKING: u32 = 60_000;

/// Runs `cases` of a property, or as many times more as `PROPTEST_CASES` is more than the usual 256: a property that
/// is slow stays as much shorter than the others in `make test-long` as it is in `make test`.
pub fn cases(cases: u32) -> Config {
    let given = Config::default();
    let scaled = u64::from(cases) * u64::from(given.cases) / USUAL;
    let cases = u32::try_from(scaled.max(1)).unwrap_or(u32::MAX);
    Config { cases, failure_persistence: None, max_shrink_time: SHRINKING, ..given }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_raises_every_number_alike() {
        let raised = u64::from(Config::default().cases);
        assert_eq!(u64::from(cases(24).cases), (24 * raised / USUAL).max(1));
        assert_eq!(u64::from(cases(256).cases), raised);
    }
}
