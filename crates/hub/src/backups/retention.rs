//! Retention rule of scheduled backups.

use std::collections::BTreeSet;

use super::ScheduledArchive;

/// Which archives are kept: the newest of each of the last `days` days and `weeks` weeks that have an archive. Days
/// begin at midnight UTC, weeks on Monday. The newest archive is always kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BackupRetention {
    pub days: usize,
    pub weeks: usize,
}

impl BackupRetention {
    /// Returns the archives that the rule deletes. `archives` are ordered from the newest to the oldest.
    pub fn expired<'a>(&self, archives: &'a [ScheduledArchive]) -> Vec<&'a ScheduledArchive> {
        let (mut days, mut weeks) = (BTreeSet::new(), BTreeSet::new());
        let mut expired = Vec::new();
        for (position, archive) in archives.iter().enumerate() {
            let is_daily = days.len() < self.days && days.insert(archive.created_at.day());
            let is_weekly = weeks.len() < self.weeks && weeks.insert(archive.created_at.week());
            if !is_daily && !is_weekly && position > 0 {
                expired.push(archive);
            }
        }
        expired
    }
}

#[cfg(test)]
mod tests {
    use plexus_domain::Timestamp;

    use super::*;

    fn archives(times: &[&str]) -> Vec<ScheduledArchive> {
        let archive = |time: &&str| {
            let created_at = Timestamp::from_rfc3339(time).unwrap();
            ScheduledArchive { path: (*time).into(), created_at, bytes: 1 }
        };
        times.iter().map(archive).collect()
    }

    fn expired(days: usize, weeks: usize, times: &[&str]) -> Vec<String> {
        let archives = archives(times);
        let expired = BackupRetention { days, weeks }.expired(&archives);
        expired.into_iter().map(|archive| archive.path.display().to_string()).collect()
    }

    #[test]
    fn the_newest_of_each_day_and_week_is_kept() {
        let times = [
            "2026-11-27T18:00:00Z",
            "2026-11-27T06:00:00Z", // the same Friday
            "2026-11-26T18:00:00Z",
            "2026-11-24T18:00:00Z", // the third day with an archive, the same week
            "2026-11-22T18:00:00Z", // Sunday, the second week
            "2026-11-16T18:00:00Z", // Monday of the second week
            "2026-11-15T18:00:00Z", // Sunday, the third week
        ];
        assert_eq!(expired(3, 2, &times), [times[1], times[5], times[6]]);
        assert_eq!(expired(1, 0, &times), times[1..]);
    }

    #[test]
    fn the_newest_archive_is_always_kept() {
        assert_eq!(expired(0, 0, &["2026-11-27T18:00:00Z"]), [""; 0]);
        assert!(expired(7, 4, &[]).is_empty());
    }
}
