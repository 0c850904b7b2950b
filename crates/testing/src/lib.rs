//! Helpers shared by the tests of several crates.

pub mod cost;
mod dns;
mod free_port;
mod hostile_texts;
pub mod images;
pub mod pdf;

use proptest::test_runner::Config;

pub use self::{
    dns::Dns,
    free_port::free_port,
    hostile_texts::{HostileText, hostile_texts},
};

/// Default number of cases of proptest.
const USUAL: u64 = 256;

/// Time limit for shrinking a failing case, in milliseconds. A slow property would otherwise shrink for
/// hours.
const SHRINKING: u32 = 60_000;

/// Configures `cases` test cases, scaled by `PROPTEST_CASES` relative to the usual 256. A slow property thus
/// has the same share of the cases in `make test-long` as in `make test`.
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
