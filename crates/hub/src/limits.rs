//! How often anybody may do a thing: token buckets in memory, keyed by who asks.

use std::{num::NonZeroU32, time::Duration};

use governor::{Quota, RateLimiter, clock::Clock as _, clock::DefaultClock, state::keyed::DashMapStateStore};
use plexus_domain::Error;

type Buckets = RateLimiter<String, DashMapStateStore<String>, DefaultClock>;

/// Keys beyond this many are forgotten when they are full again; the table cannot grow without end.
const KEYS: usize = 50_000;

/// One bucket per key: `burst` at once, then one every `every`.
pub struct Limit {
    what: &'static str,
    buckets: Buckets,
}

impl Limit {
    /// `what` completes "Too many … from here".
    pub fn new(what: &'static str, burst: u32, every: Duration) -> Self {
        let burst = NonZeroU32::new(burst).unwrap_or(NonZeroU32::MIN);
        let every = every.max(Duration::from_nanos(1));
        #[expect(clippy::expect_used, reason = "the period was made positive one line above")]
        let quota = Quota::with_period(every).expect("a positive period").allow_burst(burst);
        Self { what, buckets: RateLimiter::keyed(quota) }
    }

    /// Takes one from the bucket of `key`, or says when the next may be taken.
    pub fn take(&self, key: &str) -> Result<(), Error> {
        if self.buckets.len() > KEYS {
            self.buckets.retain_recent();
        }
        self.buckets.check_key(&key.to_owned()).map_err(|until| {
            let wait = until.wait_time_from(DefaultClock::default().now());
            let millis = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
            let seconds = millis.div_ceil(1_000).max(1);
            Error::Limited {
                message: format!("Too many {} from here. Try again in {}.", self.what, in_words(seconds)),
                retry_after_ms: millis,
            }
        })
    }
}

fn in_words(seconds: u64) -> String {
    let (count, unit) = if seconds < 120 { (seconds, "second") } else { (seconds.div_ceil(60), "minute") };
    format!("{count} {unit}{}", if count == 1 { "" } else { "s" })
}

/// The limits of this hub (design values; MAS's defaults for sign-in and sign-up).
pub struct Limits {
    pub sign_in_per_ip: Limit,
    pub sign_in_per_account: Limit,
    pub sign_up_per_ip: Limit,
    pub sends: Limit,
    pub fetches: Limit,
    /// Requests that other hubs sign.
    pub hubs: Limit,
    /// Messages of all people of another hub, or of all hubs on probation.
    pub guests: Limit,
    /// Looks at what somebody shared by a link.
    pub shares: Limit,
    /// Requests that look at everything that is listed.
    pub catalogs: Limit,
    /// Searches that other hubs are asked for.
    pub others: Limit,
    /// The same, of all who are not signed in.
    pub strangers: Limit,
}

/// How far the limits are raised: 1 normally, more in benches, which say so.
#[derive(Clone, Copy, Debug)]
pub struct Scale(pub u32);

impl Limits {
    pub fn new(Scale(scale): Scale) -> Self {
        let scale = scale.max(1);
        let limit =
            |what, burst: u32, every: Duration| Limit::new(what, burst.saturating_mul(scale), every / scale);
        Self {
            sign_in_per_ip: limit("sign-in attempts", 10, Duration::from_secs(20)),
            sign_in_per_account: limit("sign-in attempts for this account", 1_800, Duration::from_secs(2)),
            sign_up_per_ip: limit("new accounts", 5, Duration::from_secs(1_250)),
            sends: limit("messages", 60, Duration::from_secs(1)),
            fetches: limit("fetches of agent cards", 20, Duration::from_secs(6)),
            hubs: limit("requests", 600, Duration::from_millis(50)),
            guests: limit("messages of people of your hub", 120, Duration::from_millis(500)),
            shares: limit("looks at what is shared", 60, Duration::from_millis(500)),
            catalogs: limit("searches of the catalog", 60, Duration::from_millis(500)),
            others: limit("searches of other hubs", 20, Duration::from_secs(2)),
            strangers: limit("searches of other hubs without an account", 40, Duration::from_secs(1)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_empties_for_its_key_only_and_says_when_to_come_back() {
        let limit = Limit::new("fetches", 2, Duration::from_secs(300));
        assert!(limit.take("ada").is_ok() && limit.take("ada").is_ok());
        let Err(Error::Limited { message, retry_after_ms }) = limit.take("ada") else {
            panic!("not limited")
        };
        assert_eq!(message, "Too many fetches from here. Try again in 5 minutes.");
        assert!((290_000..=300_000).contains(&retry_after_ms));
        assert!(limit.take("grace").is_ok());
    }
}
