//! Timestamps in milliseconds since 1970-01-01 UTC, a precision that both databases store exactly.

use std::{
    ops::{Add, Sub},
    time::Duration,
};

use serde::{Deserialize, Serialize};

const DAY_MILLIS: i64 = 24 * 3_600 * 1_000;
/// Day number of the first Monday of 1970.
const FIRST_MONDAY: i64 = 4;

/// A point in time. Created from the hub's clock or the database, never by this crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(i64);

impl Timestamp {
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    pub const fn millis(self) -> i64 {
        self.0
    }

    /// Returns the number of the UTC day; day 0 is 1970-01-01.
    pub const fn day(self) -> i64 {
        self.0.div_euclid(DAY_MILLIS)
    }

    /// Returns the begin of a UTC day.
    pub const fn of_day(day: i64) -> Self {
        Self(day * DAY_MILLIS)
    }

    /// Returns the number of the first UTC day of the month.
    pub fn first_day_of_month(self) -> i64 {
        let (_, _, day_of_month) = civil_from_days(self.day());
        self.day() + 1 - day_of_month
    }

    /// Returns the number of the UTC week, which begins on Monday; week 0 begins on 1970-01-05.
    pub const fn week(self) -> i64 {
        (self.day() - FIRST_MONDAY).div_euclid(7)
    }

    /// Returns the begin of a week.
    pub const fn of_week(week: i64) -> Self {
        Self((FIRST_MONDAY + week * 7) * DAY_MILLIS)
    }

    /// Returns the time elapsed since `earlier`, or zero if `earlier` is in the future.
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }

    /// Parses an RFC 3339 timestamp with any offset. Returns `None` if it is invalid or before 1970.
    pub fn from_rfc3339(text: &str) -> Option<Self> {
        let (date, time) = text.split_once(['T', 't'])?;
        let [year, month, day] = numbers(date, '-')?;
        let (clock, zone) = time.split_at(time.find(['Z', 'z', '+', '-'])?);
        let (clock, fraction) = clock.split_once('.').unwrap_or((clock, "0"));
        let [hour, minute, second] = numbers(clock, ':')?;
        let in_range = (1..=12).contains(&month) && (1..=31).contains(&day) && hour < 24 && minute < 60;
        if !in_range || second > 60 || !(1970..10_000).contains(&year) {
            return None;
        }
        let seconds = ((days_from_civil(year, month, day) * 24 + hour) * 60 + minute) * 60 + second;
        Some(Self((seconds - offset(zone)?) * 1_000 + millis(fraction)?))
    }

    /// Formats the UTC date as `YYYY-MM-DD`.
    pub fn to_date(self) -> String {
        let (year, month, day) = civil_from_days(self.day());
        format!("{year:04}-{month:02}-{day:02}")
    }

    /// Formats as `YYYY-MM-DDTHH:MM:SS.mmmZ`, the form of RFC 3339 that A2A and HTML's `<time>` require.
    pub fn to_rfc3339(self) -> String {
        let (date, millis) = (self.to_date(), self.0.rem_euclid(DAY_MILLIS));
        let (hour, minute) = (millis / 3_600_000, millis / 60_000 % 60);
        let (second, milli) = (millis / 1_000 % 60, millis % 1_000);
        format!("{date}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z")
    }

    /// Formats as `YYYY-MM-DDTHH-MM-SSZ`, precise to the second and without the colons that file names cannot have
    /// everywhere.
    pub fn to_file_name(self) -> String {
        let text = self.to_rfc3339().replace(':', "-");
        let seconds = text.split('.').next().unwrap_or_default();
        format!("{seconds}Z")
    }
}

/// Parses exactly `N` whole numbers, digits only.
fn numbers<const N: usize>(text: &str, between: char) -> Option<[i64; N]> {
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit()).then(|| part.parse().ok())?;
    let found: Option<Vec<i64>> = text.split(between).map(digits).collect();
    found?.try_into().ok()
}

/// Returns the UTC offset in seconds, positive east of UTC.
fn offset(zone: &str) -> Option<i64> {
    if zone.eq_ignore_ascii_case("z") {
        return Some(0);
    }
    let sign = if zone.starts_with('-') { -1 } else { 1 };
    let [hours, minutes] = numbers(zone.get(1..)?, ':')?;
    (hours < 24 && minutes < 60).then_some(sign * (hours * 60 + minutes) * 60)
}

/// Returns the milliseconds of a decimal fraction of a second, truncated to three digits.
fn millis(fraction: &str) -> Option<i64> {
    let known = fraction.bytes().all(|byte| byte.is_ascii_digit()) && !fraction.is_empty();
    known.then(|| format!("{fraction:0<3}")[..3].parse().ok())?
}

/// Returns days since 1970 of a Gregorian date; inverse of [`civil_from_days`], from the same source.
const fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * (if month > 2 { month - 3 } else { month + 9 }) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// Returns year, month and day (Gregorian) of a number of days since 1970.
///
/// Source: H. Hinnant, "chrono-compatible low-level date algorithms", `civil_from_days`.
fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

impl Add<Duration> for Timestamp {
    type Output = Self;

    fn add(self, after: Duration) -> Self {
        Self(self.0.saturating_add(i64::try_from(after.as_millis()).unwrap_or(i64::MAX)))
    }
}

impl Sub<Duration> for Timestamp {
    type Output = Self;

    fn sub(self, before: Duration) -> Self {
        Self(self.0.saturating_sub(i64::try_from(before.as_millis()).unwrap_or(i64::MAX)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_month_begins_on_its_first_day() {
        let day = |text: &str| Timestamp::from_rfc3339(text).unwrap();
        for (now, first) in [
            ("2026-11-28T23:59:59Z", "2026-11-01T00:00:00Z"),
            ("2026-11-01T00:00:00Z", "2026-11-01T00:00:00Z"),
            ("2028-02-29T12:00:00Z", "2028-02-01T00:00:00Z"),
        ] {
            assert_eq!(day(now).first_day_of_month(), day(first).day(), "{now}");
            assert_eq!(Timestamp::of_day(day(now).first_day_of_month()), day(first));
            assert_eq!(day(first).to_date(), &first[..10]);
        }
    }

    #[test]
    fn weeks_begin_on_monday() {
        let at = |text| Timestamp::from_rfc3339(text).unwrap();
        assert_eq!((at("1970-01-04T23:59:59Z").week(), at("1970-01-05T00:00:00Z").week()), (-1, 0));
        let friday = at("2026-11-27T08:00:00Z");
        assert_eq!(Timestamp::of_week(friday.week()), at("2026-11-23T00:00:00Z"));
        assert_eq!(friday.day() - at("2026-11-23T00:00:00Z").day(), 4);
    }

    #[test]
    fn rfc3339_is_read_in_every_zone() {
        for (text, millis) in [
            ("1970-01-01T00:00:00Z", 0),
            ("2026-11-20T09:30:15.123Z", 1_795_167_015_123),
            ("2026-11-20T10:30:15.1234567+01:00", 1_795_167_015_123),
            ("2024-02-29t00:00:00.5-00:30", 1_709_166_600_500),
        ] {
            assert_eq!(Timestamp::from_rfc3339(text), Some(Timestamp::from_millis(millis)), "{text}");
        }
        for text in [
            "",
            "2026-11-20",
            "2026-13-01T00:00:00Z",
            "2026-01-01T00:00:00",
            "2026-01-01T00:00:00.Z",
            "+026-1-1T0:0:0Z",
        ] {
            assert_eq!(Timestamp::from_rfc3339(text), None, "{text}");
        }
        let now = Timestamp::from_millis(1_795_167_015_123);
        assert_eq!(Timestamp::from_rfc3339(&now.to_rfc3339()), Some(now));
    }

    #[test]
    fn known_moments_are_written_as_rfc3339() {
        for (millis, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (1_795_132_800_123, "2026-11-20T00:00:00.123Z"),
            (-1, "1969-12-31T23:59:59.999Z"),
        ] {
            assert_eq!(Timestamp::from_millis(millis).to_rfc3339(), text);
        }
    }
}
