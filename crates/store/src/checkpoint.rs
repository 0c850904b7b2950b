//! Folding the write-ahead log of SQLite into its file, beside the writer, so that no commit waits for the disk.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicU32, Ordering},
};

use parking_lot::Mutex;
use sqlx::error::Error;
use tokio::{runtime::Handle, task::spawn_blocking};

use crate::inline::{Connection, Options};

/// Transactions from one time to the next: about a thousand pages, after which SQLite would do it by itself.
const EVERY: u32 = 48;
/// With so many pages in the log a writer folds it before others go on: beside somebody who writes it never ends.
const LARGE: i64 = 8_192;

pub(crate) struct Checkpoints(Arc<Shared>);

struct Shared {
    options: Options,
    transactions: AtomicU32,
    is_large: AtomicBool,
    /// Who folds, once that was needed. Held meanwhile.
    folding: Mutex<Option<Connection>>,
}

impl Checkpoints {
    pub fn new(options: Options) -> Self {
        let (transactions, is_large) = (AtomicU32::new(0), AtomicBool::new(false));
        Self(Arc::new(Shared { options, transactions, is_large, folding: Mutex::default() }))
    }

    /// Called after each commit by whoever wrote, while nobody else may write.
    pub fn committed(&self, transactions: u32, writer: &Connection) {
        let before = self.0.transactions.fetch_add(transactions, Ordering::Relaxed);
        if self.0.is_large.swap(false, Ordering::Relaxed) {
            // Nearly all of it is in the file already.
            self.0.look(writer.fold());
        } else if before / EVERY != before.wrapping_add(transactions) / EVERY
            && let Ok(runtime) = Handle::try_current()
        {
            let shared = Arc::clone(&self.0);
            runtime.spawn_blocking(move || shared.fold());
        }
    }

    /// Empties the write-ahead log, off the async threads.
    pub async fn truncate(&self) {
        let shared = Arc::clone(&self.0);
        let done = spawn_blocking(move || shared.truncate()).await;
        if let Err(error) = done.map_err(Error::protocol).flatten() {
            tracing::warn!(%error, "database: write-ahead log not emptied");
        }
    }

    /// Waits for the one that goes on, and closes what folds.
    pub async fn end(&self) {
        let shared = Arc::clone(&self.0);
        let waited = spawn_blocking(move || drop(shared.folding.lock().take())).await;
        if let Err(error) = waited {
            tracing::warn!(%error, "the end of a checkpoint was not seen");
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
        connection.fold()
    }

    fn look(&self, folded: Result<i64, Error>) {
        match folded {
            Ok(pages) => self.is_large.store(pages > LARGE, Ordering::Relaxed),
            Err(error) => tracing::warn!(%error, "the write-ahead log could not be folded into the file"),
        }
    }
}
