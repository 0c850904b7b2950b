//! Backups of a running hub: on request (`write_backup`), or by a schedule (`schedule`) whose archives are kept by a
//! rule (`retention`).

mod archive_folder;
mod retention;
mod schedule;

use std::{
    io::{self, Write},
    path::PathBuf,
};

use plexus_backup::{BackupAuthor, BackupSource};
pub use plexus_backup::{BackupContents, BackupManifest};
use plexus_domain::Timestamp;
use plexus_store::{
    Conn,
    admin::RowRange,
    audit::{self, AuditEntry, AuditFilter},
};
use serde_json::{Value, json};

pub(crate) use self::schedule::run_schedule;
pub use self::{
    archive_folder::{ArchiveFolder, ScheduledArchive},
    retention::BackupRetention,
    schedule::{BackupSchedule, ScheduleStatus, schedule_status},
};
use crate::{
    Hub, HubConfig, Result,
    audit::{SystemActor, write_system_audit},
};

/// Action of the audit entry of a backup that was written completely.
const BACKUP_COMPLETE: &str = "hub.backup_complete";
/// Action of the audit entry of a scheduled backup that failed, with its cause.
const BACKUP_FAILED: &str = "hub.backup_failed";

/// Lists what interrupted backups, restores and migrations left: copies of the database, and incomplete archives. Blocks.
pub fn leftovers(config: &HubConfig) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for folder in folders(config) {
        found.extend(plexus_backup::leftovers(&folder)?);
    }
    Ok(found)
}

/// Deletes the [`leftovers`]. A failure is only logged, since the hub runs without it.
pub(crate) fn delete_leftovers(config: &HubConfig) {
    for folder in folders(config) {
        if let Err(error) = plexus_backup::delete_leftovers(&folder) {
            tracing::warn!(%error, path = %folder.display(), "leftovers of interrupted backups: not deleted");
        }
    }
}

/// Returns the folders in which backups and migrations write.
fn folders(config: &HubConfig) -> Vec<PathBuf> {
    let mut folders = vec![config.data_dir.clone(), config.data_dir.join("backups")];
    folders.extend(config.backups.as_ref().map(|schedule| schedule.folder.0.clone()));
    folders.dedup();
    folders
}

/// Writes an archive of the hub to `output`, see [`plexus_backup`]. For the operator: no access check.
pub async fn write_backup(
    hub: &Hub,
    contents: BackupContents,
    output: impl Write + Send + 'static,
) -> Result<BackupManifest> {
    let manifest = write_archive(hub, SystemActor::CommandLine, contents, output).await?;
    record_complete(hub, SystemActor::CommandLine, &manifest).await?;
    Ok(manifest)
}

/// Writes an archive. The caller records when it is complete.
async fn write_archive(
    hub: &Hub,
    actor: SystemActor,
    contents: BackupContents,
    output: impl Write + Send + 'static,
) -> Result<BackupManifest> {
    let with_key = contents == BackupContents::WithSecretKey;
    record(hub, actor, "hub.backup", json!({ "secret_key": with_key })).await?;
    let config = hub.config();
    let source = BackupSource {
        store: hub.store().clone(),
        files_dir: config.files_dir.clone(),
        secret_key_file: config.secret_key_file.clone(),
        temporary: config.data_dir.clone(),
        made_by: BackupAuthor { program: env!("CARGO_PKG_VERSION"), now: hub.env().now() },
    };
    let manifest = plexus_backup::write(source, contents, output, |_| ()).await;
    let manifest = manifest.map_err(anyhow::Error::new)?;
    tracing::info!(rows = manifest.rows(), files = manifest.files, "backup: written");
    Ok(manifest)
}

async fn record_complete(hub: &Hub, actor: SystemActor, manifest: &BackupManifest) -> Result<()> {
    let change = json!({ "rows": manifest.rows(), "files": manifest.files });
    record(hub, actor, BACKUP_COMPLETE, change).await
}

async fn record(hub: &Hub, actor: SystemActor, action: &str, change: Value) -> Result<()> {
    let mut tx = hub.store().write().await?;
    write_system_audit(hub, &mut tx, actor, action, "hub".to_owned(), change).await?;
    Ok(tx.commit().await?)
}

/// Returns when the last complete backup was written.
pub(crate) async fn last_backup(conn: &mut Conn) -> Result<Option<Timestamp>> {
    Ok(latest(conn, BACKUP_COMPLETE).await?.map(|entry| entry.recorded_at))
}

async fn latest(conn: &mut Conn, action: &str) -> Result<Option<AuditEntry>> {
    let filter = AuditFilter { actor: "", action };
    Ok(audit::slice(conn, filter, RowRange { skip: 0, take: 1 }).await?.into_iter().next())
}
