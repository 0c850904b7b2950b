//! Backup of a running hub.

use std::io::Write;

use plexus_backup::{BackupAuthor, BackupSource};
pub use plexus_backup::{BackupContents, BackupManifest};
use serde_json::json;

use crate::{Hub, Result, admin};

/// Action of the audit entry of a backup that was written completely.
pub(crate) const BACKUP_COMPLETE: &str = "hub.backup_complete";

/// Writes an archive of the hub to `output`, see [`plexus_backup`]. For the operator: no access check.
pub async fn write_backup(
    hub: &Hub,
    contents: BackupContents,
    output: impl Write + Send + 'static,
) -> Result<BackupManifest> {
    let mut tx = hub.store().write().await?;
    let change = json!({ "secret_key": contents == BackupContents::WithSecretKey });
    admin::write_cli_audit(hub, &mut tx, "hub.backup", "hub".to_owned(), change).await?;
    tx.commit().await?;
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
    let mut tx = hub.store().write().await?;
    let change = json!({ "rows": manifest.rows(), "files": manifest.files });
    admin::write_cli_audit(hub, &mut tx, BACKUP_COMPLETE, "hub".to_owned(), change).await?;
    tx.commit().await?;
    Ok(manifest)
}
