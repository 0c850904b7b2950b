//! Readiness: whether the hub can accept work now.

use std::{path::Path, time::Duration};

use plexus_store::sequences;
use tokio::{
    sync::Mutex,
    time::{Instant, timeout},
};

use crate::{Hub, Result, listings};

/// Bytes that must be free on the disks of the data folder and the files folder. A message may have a megabyte,
/// and the write-ahead log holds it a second time.
const MIN_FREE_BYTES: u64 = 4 << 20;
/// How long the result of a test write is used. The check is public, and each write is synced to the disk.
const WRITE_CHECK_INTERVAL: Duration = Duration::from_secs(1);
const WRITE_TIMEOUT: Duration = Duration::from_secs(5);
/// Load balancers give up after a few seconds.
const READ_TIMEOUT: Duration = Duration::from_secs(2);
/// Counter that the test write increments.
const COUNTER: &str = "readiness";

/// Why the hub is not ready. The text is public, so it names no cause.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotReady {
    #[error("store unavailable")]
    Store,
    #[error("writes are refused")]
    Writes,
    #[error("the disk is full")]
    Disk,
    #[error("the search index is being built")]
    Index,
    #[error("waiting to restart: {}", .0.join(", "))]
    Workers(Vec<&'static str>),
}

/// Time and result of the latest test write.
#[derive(Default)]
pub(crate) struct WriteCheck(Mutex<Option<(Instant, Result<(), NotReady>)>>);

impl Hub {
    /// Checks that the store reads and writes, the disks have room, the search index is complete, and every
    /// worker runs. Causes are logged.
    pub async fn check_ready(&self) -> Result<(), NotReady> {
        match timeout(READ_TIMEOUT, self.check_store()).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => {
                tracing::warn!(%error, "health check: store unavailable");
                return Err(NotReady::Store);
            }
            Err(_) => {
                tracing::warn!("health check: store timed out");
                return Err(NotReady::Store);
            }
        }
        self.check_disks()?;
        self.check_writes().await?;
        if !listings::is_index_ready(self) {
            return Err(NotReady::Index);
        }
        let down: Vec<&str> = self.workers_down().into_iter().map(|(worker, _)| worker).collect();
        if down.is_empty() { Ok(()) } else { Err(NotReady::Workers(down)) }
    }

    fn check_disks(&self) -> Result<(), NotReady> {
        let config = self.config();
        for folder in [&config.data_dir, &config.files_dir] {
            if let Err(free) = check_disk(folder) {
                tracing::warn!(folder = %folder.display(), free, "health check: disk full");
                return Err(NotReady::Disk);
            }
        }
        Ok(())
    }

    async fn check_writes(&self) -> Result<(), NotReady> {
        let mut latest = self.write_check().0.lock().await;
        if let Some((at, found)) = &*latest
            && at.elapsed() < WRITE_CHECK_INTERVAL
        {
            return found.clone();
        }
        let found = match timeout(WRITE_TIMEOUT, self.write_once()).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => {
                tracing::warn!(%error, "health check: write failed");
                Err(NotReady::Writes)
            }
            Err(_) => {
                tracing::warn!("health check: write timed out");
                Err(NotReady::Writes)
            }
        };
        *latest = Some((Instant::now(), found.clone()));
        found
    }

    async fn write_once(&self) -> Result<()> {
        let mut tx = self.store().write().await?;
        sequences::next(&mut tx, COUNTER).await?;
        Ok(tx.commit().await?)
    }
}

/// Checks that the disk of a folder has room for the hub. The error is the number of free bytes. A missing folder passes.
pub fn check_disk(folder: &Path) -> Result<Option<u64>, u64> {
    match free_bytes(folder) {
        Some(free) if free < MIN_FREE_BYTES => Err(free),
        free => Ok(free),
    }
}

/// Returns the bytes that the hub's user may still write on the folder's disk; none if the folder is missing.
fn free_bytes(folder: &Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(folder).ok()?;
    Some(disk.f_bavail.saturating_mul(disk.f_frsize))
}
