//! Copies the database of a hub into another database, for a move between SQLite and Postgres.

use plexus_store::transfer::{self, TransferProgress};

use crate::{BackupError, BackupTable, HubStorage};

/// Copies every table into an empty database and returns their row counts and digests, which were compared on both
/// sides. No hub may run on either database.
///
/// Files and secret key are not copied: both hubs use the same folder, or the operator copies them.
pub async fn copy_database(
    from: &HubStorage,
    to: &HubStorage,
    progress: impl FnMut(TransferProgress) + Send,
) -> Result<Vec<BackupTable>, BackupError> {
    let source = from.open().await?;
    let target = match to.open().await {
        Ok(target) => target,
        Err(error) => {
            source.close().await;
            return Err(error.into());
        }
    };
    let copied = transfer::copy(&source, &target, progress).await;
    source.close().await;
    target.close().await;
    Ok(copied?.iter().map(Into::into).collect())
}
