//! Timestamps of exports: seconds as numbers, or RFC 3339. One that is invalid is absent.

use plexus_domain::Timestamp;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// Times from here on are milliseconds, not seconds: the year 5138.
const MIN_MILLIS: f64 = 1e11;
/// End of the year 9999, the last that RFC 3339 can express.
const MAX_MILLIS: f64 = 253_402_300_799_999.0;

/// A timestamp in any of the forms that exports use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExportedTime(pub Option<Timestamp>);

impl<'de> Deserialize<'de> for ExportedTime {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(deserializer)?.get();
        let text = raw.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        Ok(Self(match text {
            Some(text) => Timestamp::from_rfc3339(text),
            None => raw.parse().ok().and_then(from_number),
        }))
    }
}

fn from_number(number: f64) -> Option<Timestamp> {
    let millis = if number < MIN_MILLIS { number * 1_000.0 } else { number };
    // Exports without a time have 0.
    let is_valid = (1.0..=MAX_MILLIS).contains(&millis);
    #[expect(clippy::cast_possible_truncation, reason = "the range was checked")]
    is_valid.then(|| Timestamp::from_millis(millis as i64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_milliseconds_and_text_are_read_and_nonsense_is_absent() {
        let read = |json: &str| serde_json::from_str::<ExportedTime>(json).unwrap().0.map(Timestamp::millis);
        for same in [
            "1700000000.25",
            "1700000000250",
            "\"2023-11-14T22:13:20.25Z\"",
            "\"2023-11-14T23:13:20.250+01:00\"",
        ] {
            assert_eq!(read(same), Some(1_700_000_000_250), "{same}");
        }
        for bad in ["0", "-5", "1e300", "null", "\"yesterday\"", "[1]", "{\"a\":1}", "true"] {
            assert_eq!(read(bad), None, "{bad}");
        }
    }
}
