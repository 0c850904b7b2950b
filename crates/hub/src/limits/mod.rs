//! Rate limits: in-memory token buckets per key (an account, an address, a hub).

mod allowance;
mod buckets;
mod rate;

use std::time::Duration;

use plexus_domain::Error;

use self::buckets::Buckets;
pub use self::{
    allowance::{Allowance, Unreadable},
    rate::Rate,
};
use crate::Caller;

/// The rate limits of this hub, one table of buckets for each rate.
pub struct RateLimits(Vec<Buckets>);

/// Settings of the operator that replace defaults.
#[derive(Clone, Debug, Default)]
pub struct Rates(Vec<(Rate, Allowance)>);

/// Factor that raises all limits: 1 normally, more in benchmarks, which report it.
#[derive(Clone, Copy, Debug)]
pub struct RateLimitScale(pub u32);

/// The key of limits that apply to all callers together.
pub const WHOLE_HUB: &str = "hub";

impl Rates {
    /// Replaces the default of a rate.
    pub fn set(&mut self, rate: Rate, allowance: Allowance) {
        self.0.push((rate, allowance));
    }

    /// Returns the setting of a rate, else its default. The last setting wins.
    pub fn get(&self, rate: Rate) -> Allowance {
        let set = self.0.iter().rev().find(|(one, _)| *one == rate);
        set.map_or_else(|| rate.default(), |(_, allowance)| *allowance)
    }
}

impl RateLimits {
    pub fn new(rates: &Rates, scale: RateLimitScale) -> Self {
        Self(Rate::ALL.iter().map(|rate| Buckets::new(rates.get(*rate).raised(scale))).collect())
    }

    /// Takes one token from the bucket of `key`. The error says when the next is available.
    pub fn take(&self, rate: Rate, key: &str) -> Result<(), Error> {
        self.take_many(rate, key, 1)
    }

    /// Takes `count` tokens at once. More than the capacity requires a full bucket.
    pub fn take_many(&self, rate: Rate, key: &str, count: u64) -> Result<(), Error> {
        let Some(buckets) = self.0.get(rate as usize) else { return Ok(()) };
        buckets.take(key, count).map_err(|wait| limited(rate, wait))
    }

    /// Returns the error that [`Self::take_many`] would return, and takes nothing: a check before a body is read, whose
    /// content decides what is taken.
    pub fn check(&self, rate: Rate, key: &str, count: u64) -> Result<(), Error> {
        let Some(buckets) = self.0.get(rate as usize) else { return Ok(()) };
        buckets.check(key, count).map_err(|wait| limited(rate, wait))
    }

    /// Counts a request against the general limit of its caller: the account, or the address.
    pub fn admit(&self, caller: &Caller) -> Result<(), Error> {
        self.take(Rate::Requests, &caller.key())
    }
}

fn limited(rate: Rate, wait: Duration) -> Error {
    let retry_after_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
    refused(rate.name());
    let wait = wait_in_words(retry_after_ms);
    let message = format!("Too many {} from here. Try again in {wait}.", rate.what());
    Error::RateLimited { message, retry_after_ms }
}

/// Counts a refusal in the metrics, by the name of the limit or quota.
pub(crate) fn refused(limit: &'static str) {
    metrics::counter!("plexus_refused_total", "limit" => limit).increment(1);
}

/// Formats a waiting time for a sentence, as in `5 minutes`.
pub(crate) fn wait_in_words(millis: u64) -> String {
    let (count, unit) = match millis.div_ceil(1_000).max(1) {
        seconds @ 0..120 => (seconds, "second"),
        seconds @ 120..7_200 => (seconds.div_ceil(60), "minute"),
        seconds => (seconds.div_ceil(3_600), "hour"),
    };
    format!("{count} {unit}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_empties_for_its_key_only_and_says_when_to_come_back() {
        let mut rates = Rates::default();
        rates.set(Rate::Fetches, "2/300s".parse().unwrap());
        let limits = RateLimits::new(&rates, RateLimitScale(1));
        assert!(limits.take(Rate::Fetches, "ada").is_ok() && limits.take(Rate::Fetches, "ada").is_ok());
        let Err(Error::RateLimited { message, retry_after_ms }) = limits.take(Rate::Fetches, "ada") else {
            panic!("not limited")
        };
        assert_eq!(message, "Too many fetches of agent cards from here. Try again in 5 minutes.");
        assert!((290_000..=300_000).contains(&retry_after_ms));
        assert!(limits.take(Rate::Fetches, "grace").is_ok());
        assert!(limits.take(Rate::Messages, "ada").is_ok(), "each rate has buckets of its own");
    }

    #[test]
    fn waiting_times_are_said_in_a_unit_of_their_size() {
        let words =
            [(0, "1 second"), (119_000, "119 seconds"), (119_001, "2 minutes"), (7_200_000, "2 hours")];
        for (millis, expected) in words {
            assert_eq!(wait_in_words(millis), expected);
        }
    }

    #[test]
    fn more_than_a_bucket_holds_needs_a_full_one() {
        let mut rates = Rates::default();
        rates.set(Rate::FileKib, "100/1s".parse().unwrap());
        let limits = RateLimits::new(&rates, RateLimitScale(1));
        assert!(limits.take_many(Rate::FileKib, "ada", 1_000).is_ok());
        let again = limits.take_many(Rate::FileKib, "ada", 1_000);
        assert!(
            matches!(again, Err(Error::RateLimited { retry_after_ms: 99_000..=100_000, .. })),
            "{again:?}"
        );
        assert!(limits.take_many(Rate::FileKib, "ada", 0).is_ok());
    }

    #[test]
    fn a_scale_raises_how_many_and_how_often() {
        let mut rates = Rates::default();
        rates.set(Rate::Stars, "1/60s".parse().unwrap());
        let limits = RateLimits::new(&rates, RateLimitScale(3));
        assert!((0..3).all(|_| limits.take(Rate::Stars, "ada").is_ok()));
        let next = limits.take(Rate::Stars, "ada");
        assert!(matches!(next, Err(Error::RateLimited { retry_after_ms: 19_000..=20_000, .. })), "{next:?}");
    }
}
