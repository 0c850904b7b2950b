//! Dates and times, with the full date as a tooltip.

use leptos::prelude::*;
use plexus_domain::Timestamp;

use super::context;
use crate::text;

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// Relative time such as "3 min ago" or "in 2 days". From 31 days on, the date.
#[component]
pub fn Ago(at: Timestamp) -> impl IntoView {
    let text = context::now().map_or_else(|| date(at), |now| relative(at, now));
    view! { <time data-ago="" datetime=at.to_rfc3339() title=date_and_clock(at)>{text}</time> }
}

/// Time of day in UTC, for messages. `site.js` converts it to the reader's time zone.
#[component]
pub fn Clock(at: Timestamp) -> impl IntoView {
    let stamp = at.to_rfc3339();
    let clock_of_day = clock(&stamp).to_owned();
    view! { <time data-clock="" datetime=stamp title=date_and_clock(at)>{clock_of_day}</time> }
}

/// Date without the time of day.
#[component]
pub fn Date(at: Timestamp) -> impl IntoView {
    view! { <time datetime=at.to_rfc3339() title=date_and_clock(at)>{date(at)}</time> }
}

/// Returns the text of [`Ago`]. `site.js` has the same rule and updates open pages as time passes.
pub fn relative(at: Timestamp, now: Timestamp) -> String {
    let ahead = at > now;
    let distance = if ahead { at.since(now) } else { now.since(at) };
    let seconds = if ahead {
        distance.as_millis().div_ceil(1_000).try_into().unwrap_or(u64::MAX)
    } else {
        distance.as_secs()
    };
    if seconds < MINUTE {
        return if ahead { text!("time-in-a-moment") } else { text!("time-just-now") };
    }
    if seconds >= 31 * DAY {
        return date(at);
    }
    // A time ahead is rounded to the nearest unit: a week that begins now is "in 7 days", not "in 6 days".
    let units = |unit: u64| if ahead { (seconds + unit / 2) / unit } else { seconds / unit };
    match (units(MINUTE), units(HOUR), units(DAY)) {
        (count @ 0..60, _, _) if ahead => text!("time-in-minutes", count = count),
        (count @ 0..60, _, _) => text!("time-minutes-ago", count = count),
        (_, count @ 0..24, _) if ahead => text!("time-in-hours", count = count),
        (_, count @ 0..24, _) => text!("time-hours-ago", count = count),
        (_, _, count) if ahead => text!("time-in-days", count = count),
        (_, _, count) => text!("time-days-ago", count = count),
    }
}

/// Formats the time since then, such as "3 h"; from 31 days on, the date.
pub fn elapsed(at: Timestamp, now: Timestamp) -> String {
    let seconds = now.since(at).as_secs();
    match (seconds / MINUTE, seconds / HOUR, seconds / DAY) {
        (0, ..) => text!("time-just-now"),
        (count @ ..60, ..) => text!("time-minutes", count = count),
        (_, count @ ..24, _) => text!("time-hours", count = count),
        (_, _, count @ ..31) => text!("time-days", count = count),
        _ => date(at),
    }
}

/// Formats a date, such as "5 Nov 2026". The order of its parts and the names of months are those of CLDR.
pub fn date(at: Timestamp) -> String {
    let stamp = at.to_rfc3339();
    let mut fields = stamp.split(['-', 'T']);
    let (year, month, day) = (fields.next(), fields.next(), fields.next());
    let month = month.and_then(|month| month.parse::<u32>().ok());
    match (year, month, day) {
        (Some(year), Some(month), Some(day)) => {
            text!("date", day = day.trim_start_matches('0'), month = month, year = year)
        }
        _ => stamp,
    }
}

fn date_and_clock(at: Timestamp) -> String {
    text!("date-and-clock", date = date(at), clock = clock(&at.to_rfc3339()))
}

/// Returns hours and minutes of an RFC 3339 timestamp.
fn clock(stamp: &str) -> &str {
    stamp.split_once('T').and_then(|(_, time)| time.get(..5)).unwrap_or(stamp)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn what_expires_is_not_said_to_expire_a_unit_too_early() {
        let made = Timestamp::from_millis(1_795_132_800_123);
        let shown = made + Duration::from_millis(900);
        let later = |seconds| relative(made + Duration::from_secs(seconds), shown);
        assert_eq!(later(7 * DAY), "in 7 days");
        assert_eq!(later(30 * MINUTE), "in 30 min");
        assert_eq!(later(24 * HOUR), "in 1 day");
        assert_eq!(later(HOUR), "in 1 h");
        assert_eq!(later(90), "in 2 min");
        assert_eq!(later(30), "in a moment");
    }

    #[test]
    fn times_are_told_as_people_say_them() {
        let now = Timestamp::from_millis(1_795_132_800_123);
        let ago = |seconds| relative(now - Duration::from_secs(seconds), now);
        assert_eq!(ago(0), "just now");
        assert_eq!(ago(59), "just now");
        assert_eq!(ago(3 * MINUTE), "3 min ago");
        assert_eq!(ago(23 * HOUR), "23 h ago");
        assert_eq!(ago(30 * HOUR), "1 day ago");
        assert_eq!(ago(9 * DAY), "9 days ago");
        assert_eq!(ago(15 * DAY + 31 * DAY), "5 Oct 2026");
        assert_eq!(relative(now + Duration::from_secs(3 * DAY), now), "in 3 days");
        assert_eq!(date_and_clock(now), "20 Nov 2026, 00:00 UTC");
    }
}
