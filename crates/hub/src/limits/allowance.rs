//! Parameters of a token bucket, in the syntax of settings: `60/1s` is a burst of 60, then one every second.

use std::{fmt, num::NonZeroU32, str::FromStr, time::Duration};

use super::RateLimitScale;

/// A burst size and a refill period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowance {
    pub burst: NonZeroU32,
    /// Period per token; greater than zero.
    pub every: Duration,
}

/// Error for a setting that is not a valid allowance.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("write how many at once and how long until the next, as in 60/1s; units are ms, s, m and h")]
pub struct Unreadable;

const MAX_DURATION: Duration = Duration::from_secs(7 * 24 * 3_600);
/// The shortest period. A scaled period must not become zero.
const SHORTEST: Duration = Duration::from_nanos(1);

impl Allowance {
    pub(super) const fn new(burst: u32, every_ms: u64) -> Self {
        let burst = match NonZeroU32::new(burst) {
            Some(burst) => burst,
            None => NonZeroU32::MIN,
        };
        Self { burst, every: Duration::from_millis(every_ms) }
    }

    /// Scales the burst up and the period down by a factor.
    pub(super) fn raised(self, RateLimitScale(scale): RateLimitScale) -> Self {
        let scale = NonZeroU32::new(scale).unwrap_or(NonZeroU32::MIN);
        Self { burst: self.burst.saturating_mul(scale), every: (self.every / scale.get()).max(SHORTEST) }
    }
}

impl FromStr for Allowance {
    type Err = Unreadable;

    fn from_str(text: &str) -> Result<Self, Unreadable> {
        let (burst, every) = text.split_once('/').ok_or(Unreadable)?;
        let burst = burst.trim().parse().map_err(|_| Unreadable)?;
        let every = every.trim();
        let unit_at = every.find(|letter: char| !letter.is_ascii_digit()).ok_or(Unreadable)?;
        let (number, unit) = every.split_at(unit_at);
        let number: u64 = number.parse().map_err(|_| Unreadable)?;
        let millis = match unit {
            "ms" => Some(number),
            "s" => number.checked_mul(1_000),
            "m" => number.checked_mul(60_000),
            "h" => number.checked_mul(3_600_000),
            _ => None,
        };
        let every = Duration::from_millis(millis.ok_or(Unreadable)?);
        if every.is_zero() || every > MAX_DURATION {
            return Err(Unreadable);
        }
        Ok(Self { burst, every })
    }
}

impl fmt::Display for Allowance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let millis = self.every.as_millis();
        match millis {
            _ if millis.is_multiple_of(1_000) => write!(f, "{}/{}s", self.burst, millis / 1_000),
            _ => write!(f, "{}/{millis}ms", self.burst),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_allowance_is_read_as_it_is_written() {
        for (text, burst, millis) in
            [("60/1s", 60, 1_000), ("1200/20ms", 1_200, 20), ("5 / 2m", 5, 120_000), ("1/1h", 1, 3_600_000)]
        {
            assert_eq!(text.parse(), Ok(Allowance::new(burst, millis)), "{text}");
        }
        assert_eq!(Allowance::new(5, 1_250_000).to_string(), "5/1250s");
        assert_eq!(Allowance::new(1_200, 20).to_string(), "1200/20ms");
    }

    #[test]
    fn what_allows_nothing_or_cannot_be_read_is_refused() {
        for text in [
            "",
            "60",
            "60/",
            "/1s",
            "0/1s",
            "60/0s",
            "60/1",
            "60/s",
            "60/1d",
            "-1/1s",
            "60/999999999h",
            "6/1s/2",
        ] {
            assert_eq!(text.parse::<Allowance>(), Err(Unreadable), "{text}");
        }
    }
}
