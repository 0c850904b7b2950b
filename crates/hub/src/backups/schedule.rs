//! Scheduled backups: each archive is written, restored for a test, and only then gets its name. One instance of the
//! hub makes them.

use std::time::Duration;

use anyhow::Context as _;
use plexus_backup::{ArchiveFile, restore_for_test};
use plexus_domain::Timestamp;
use plexus_store::{LockKey, permissions};
use serde_json::json;
use tokio::task::spawn_blocking;
use tokio_util::sync::CancellationToken;

use super::{
    ArchiveFolder, BACKUP_COMPLETE, BACKUP_FAILED, BackupContents, BackupRetention, ScheduledArchive, latest,
    record, record_complete, write_archive,
};
use crate::{Hub, Result, audit::SystemActor};

/// How often an instance tries to take over from the one that makes the backups.
const LOCK_POLL: Duration = Duration::from_secs(60);
/// Pause after a failed backup, if the interval is not shorter.
const RETRY: Duration = Duration::from_secs(3_600);

/// When backups are made, where, and which are kept.
#[derive(Clone, Debug)]
pub struct BackupSchedule {
    pub folder: ArchiveFolder,
    /// Time from the begin of a backup to the begin of the next one.
    pub interval: Duration,
    pub retention: BackupRetention,
}

/// State of the schedule, for the operator.
#[derive(Clone, Debug)]
pub struct ScheduleStatus {
    pub schedule: BackupSchedule,
    /// Complete archives, from the newest to the oldest.
    pub archives: Vec<ScheduledArchive>,
    /// Time and cause of the last attempt, if it failed.
    pub failure: Option<(Timestamp, String)>,
    pub next_at: Timestamp,
}

/// Makes scheduled backups until `stop`.
pub(crate) async fn run_schedule(stop: CancellationToken, hub: Hub, schedule: BackupSchedule) {
    let work = async {
        loop {
            match hub.store().acquire_lock(LockKey::Backup, LOCK_POLL).await {
                Ok(mut lock) => tokio::select! {
                    () = lock.wait_lost() => tracing::warn!("scheduled backup: database lock lost"),
                    () = run_elected(&hub, &schedule) => {}
                },
                Err(error) => tracing::warn!(%error, "scheduled backup: database lock not acquired"),
            }
            tokio::time::sleep(LOCK_POLL).await;
        }
    };
    stop.run_until_cancelled(work).await;
}

/// Makes backups for ever. The times come from the archives in the folder, so that a restart changes nothing.
async fn run_elected(hub: &Hub, schedule: &BackupSchedule) {
    let mut earliest = hub.env().now();
    loop {
        let due = match archives(&schedule.folder).await {
            Ok(archives) => due(schedule, &archives).max(earliest),
            // The attempt fails as well, and records the cause.
            Err(_) => earliest,
        };
        tokio::time::sleep(due.since(hub.env().now())).await;
        match make_backup(hub, schedule).await {
            Ok(archive) => {
                metrics::counter!("plexus_scheduled_backups_total", "outcome" => "complete").increment(1);
                let path = archive.path.display().to_string();
                tracing::info!(path, bytes = archive.bytes, "scheduled backup: complete");
                earliest = archive.created_at + schedule.interval;
            }
            Err(error) => {
                metrics::counter!("plexus_scheduled_backups_total", "outcome" => "failed").increment(1);
                tracing::error!(error = format!("{error:#}"), "scheduled backup: failed");
                let change = json!({ "error": format!("{error:#}") });
                if let Err(error) = record(hub, SystemActor::Schedule, BACKUP_FAILED, change).await {
                    tracing::warn!(%error, "scheduled backup: failure not recorded in the audit log");
                }
                earliest = hub.env().now() + RETRY.min(schedule.interval);
            }
        }
    }
}

/// Returns when the next backup is due; in the past if there is none yet.
fn due(schedule: &BackupSchedule, archives: &[ScheduledArchive]) -> Timestamp {
    archives.first().map_or(Timestamp::from_millis(0), |newest| newest.created_at + schedule.interval)
}

async fn archives(folder: &ArchiveFolder) -> Result<Vec<ScheduledArchive>> {
    let folder = folder.clone();
    let listed = spawn_blocking(move || {
        folder.archives().with_context(|| format!("reading the backup folder {}", folder.0.display()))
    });
    Ok(listed.await.context("the listing failed")??)
}

/// Writes an archive, restores it for a test, and deletes those that the retention rule does not keep.
async fn make_backup(hub: &Hub, schedule: &BackupSchedule) -> Result<ScheduledArchive> {
    let folder = &schedule.folder;
    let created_at = hub.env().now();
    let path = folder.path_at(created_at);
    let (parent, target) = (folder.clone(), path.clone());
    let created = spawn_blocking(move || {
        permissions::create_folder(&parent.0)?;
        parent.delete_incomplete()?;
        anyhow::Ok(ArchiveFile::create(&target)?)
    });
    let created = created.await.context("the task failed")?;
    let file = created.with_context(|| format!("writing to the backup folder {}", folder.0.display()))?;
    let output = std::io::BufWriter::new(file.writer().map_err(anyhow::Error::new)?);
    let manifest =
        write_archive(hub, SystemActor::Schedule, BackupContents::WithoutSecretKey, output).await?;
    let restored = restore_for_test(file.path(), &folder.0).await;
    restored
        .map_err(anyhow::Error::new)
        .context("the archive was written, but restoring it for a test failed")?;
    let published = spawn_blocking(move || file.publish()).await.context("the task failed")?;
    let bytes = published.map_err(anyhow::Error::new)?;
    record_complete(hub, SystemActor::Schedule, &manifest).await?;
    for expired in schedule.retention.expired(&archives(folder).await?) {
        match tokio::fs::remove_file(&expired.path).await {
            Ok(()) => tracing::info!(path = %expired.path.display(), "scheduled backup: old archive deleted"),
            Err(error) => {
                tracing::warn!(%error, path = %expired.path.display(), "scheduled backup: old archive not deleted");
            }
        }
    }
    Ok(ScheduledArchive { path, created_at, bytes })
}

/// Returns the state of the schedule; `None` if there is no schedule. For the operator: no access check.
pub async fn schedule_status(hub: &Hub) -> Result<Option<ScheduleStatus>> {
    let Some(schedule) = hub.config().backups.clone() else { return Ok(None) };
    // A folder that cannot be read also fails the next backup, which records the cause.
    let archives = archives(&schedule.folder).await.unwrap_or_default();
    let mut conn = hub.store().snapshot().await?;
    let complete = latest(&mut conn, BACKUP_COMPLETE).await?;
    let failed = latest(&mut conn, BACKUP_FAILED).await?;
    let failure = failed
        .filter(|failed| complete.is_none_or(|complete| complete.recorded_at < failed.recorded_at))
        .map(|failed| {
            let cause = failed.change["error"].as_str().unwrap_or("unknown cause").to_owned();
            (failed.recorded_at, cause)
        });
    let retry = failure.as_ref().map(|(at, _)| *at + RETRY.min(schedule.interval));
    let next_at = due(&schedule, &archives).max(retry.unwrap_or(hub.env().now()));
    Ok(Some(ScheduleStatus { schedule, archives, failure, next_at }))
}

impl ScheduleStatus {
    /// Returns what the operator must know.
    pub fn warning(&self) -> Option<String> {
        let (at, cause) = self.failure.as_ref()?;
        Some(format!(
            "The scheduled backup of {} failed: {cause}. The hub tries again at {}.",
            at.to_rfc3339(),
            self.next_at.to_rfc3339()
        ))
    }
}
