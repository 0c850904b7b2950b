//! Background WAL checkpoints for SQLite, so that no commit waits for the disk.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicU32, Ordering},
};

use parking_lot::Mutex;
use sqlx::error::Error;
use tokio::{runtime::Handle, task::spawn_blocking};

use crate::sqlite_driver::{Connection, SqliteOptions};

/// Transactions between two checkpoints: about a thousand pages, SQLite's own default for automatic
/// checkpoints.
const INTERVAL: u32 = 48;
/// WAL size in pages above which a writer runs the checkpoint itself, while it blocks other writers.
/// A background checkpoint cannot finish while a writer keeps appending.
const LARGE: i64 = 8_192;

pub(crate) struct WalCheckpointer(Arc<Shared>);

struct Shared {
    options: SqliteOptions,
    transactions: AtomicU32,
    is_large: AtomicBool,
    /// Connection that runs checkpoints, opened when first needed. Locked during a checkpoint.
    folding: Mutex<Option<Connection>>,
}

impl WalCheckpointer {
    pub fn new(options: SqliteOptions) -> Self {
        let (transactions, is_large) = (AtomicU32::new(0), AtomicBool::new(false));
        Self(Arc::new(Shared { options, transactions, is_large, folding: Mutex::default() }))
    }

    /// Starts a checkpoint when one is due. Called by the writer after each commit, while it excludes other
    /// writers.
    pub fn after_commit(&self, transactions: u32, writer: &Connection) {
        let before = self.0.transactions.fetch_add(transactions, Ordering::Relaxed);
        if self.0.is_large.swap(false, Ordering::Relaxed) {
            // A background checkpoint has already copied nearly all pages into the file.
            self.0.look(writer.checkpoint());
        } else if before / INTERVAL != before.wrapping_add(transactions) / INTERVAL
            && let Ok(runtime) = Handle::try_current()
        {
            let shared = Arc::clone(&self.0);
            runtime.spawn_blocking(move || shared.fold());
        }
    }

    /// Truncates the WAL, on a blocking thread.
    pub async fn truncate(&self) {
        let shared = Arc::clone(&self.0);
        let done = spawn_blocking(move || shared.truncate()).await;
        if let Err(error) = done.map_err(Error::protocol).flatten() {
            tracing::warn!(%error, "database: write-ahead log not emptied");
        }
    }

    /// Waits for a running checkpoint and closes its connection.
    pub async fn end(&self) {
        let shared = Arc::clone(&self.0);
        let waited = spawn_blocking(move || drop(shared.folding.lock().take())).await;
        if let Err(error) = waited {
            tracing::warn!(%error, "database: waiting for the checkpoint failed");
        }
    }
}

impl Shared {
    fn fold(&self) {
        let Some(mut folding) = self.folding.try_lock() else { return };
        self.look(self.fold_by(&mut folding));
    }

    fn truncate(&self) -> Result<(), Error> {
        let mut folding = self.folding.lock();
        match &mut *folding {
            Some(connection) => connection,
            folding @ None => folding.insert(self.options.open()?),
        }
        .truncate_log()
    }

    fn fold_by(&self, folding: &mut Option<Connection>) -> Result<i64, Error> {
        let connection = match folding {
            Some(connection) => connection,
            None => folding.insert(self.options.open()?),
        };
        connection.checkpoint()
    }

    fn look(&self, folded: Result<i64, Error>) {
        match folded {
            Ok(pages) => self.is_large.store(pages > LARGE, Ordering::Relaxed),
            Err(error) => tracing::warn!(%error, "database: checkpoint failed"),
        }
    }
}
