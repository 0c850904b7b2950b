//! Opening SQLite: one file in the data folder, one writer, a few readers, one process.

use std::{
    fs::{DirBuilder, File, TryLockError},
    io,
    path::Path,
    time::Duration,
};

use sqlx::{
    SqlitePool,
    migrate::Migrator,
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous},
};

use crate::{Error, OpenError, StoreConfig};

pub(crate) const FILE: &str = "plexus.sqlite3";
const LOCK: &str = "plexus.lock";
static MIGRATIONS: Migrator = sqlx::migrate!("../../migrations/sqlite");

/// Readers never wait for the writer in WAL mode; a checkpoint may hold both for a moment.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// Prepared statements kept by each connection: more than there are texts.
const STATEMENTS: usize = 256;

pub(crate) struct Pools {
    pub writer: SqlitePool,
    pub readers: SqlitePool,
    /// Held as long as the store is open: two processes would not see each other's writers queue.
    pub _lock: File,
}

pub(crate) async fn open(config: &StoreConfig, folder: &Path) -> Result<Pools, OpenError> {
    let in_folder = |source| OpenError::Folder { folder: folder.to_owned(), source };
    make_private(folder).map_err(in_folder)?;
    let lock = lock(folder)?;
    let options = SqliteConnectOptions::new()
        .filename(folder.join(FILE))
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Normal)
        .foreign_keys(true)
        .busy_timeout(BUSY_TIMEOUT)
        .statement_cache_capacity(STATEMENTS);
    let pool = SqlitePoolOptions::new()
        .acquire_timeout(config.patience)
        .idle_timeout(None)
        .max_lifetime(None)
        .test_before_acquire(false);
    let unreachable =
        |source| OpenError::Database { at: config.url.to_string(), source: Error::from(source) };
    let writer = pool.clone().max_connections(1);
    let writer = writer.connect_with(options.clone().create_if_missing(true)).await.map_err(unreachable)?;
    MIGRATIONS.run(&writer).await.map_err(OpenError::Migration)?;
    // The number of readers is a ceiling: each is opened when it is first needed.
    let readers = pool.max_connections(config.connections.max(1)).connect_lazy_with(options.read_only(true));
    Ok(Pools { writer, readers, _lock: lock })
}

/// Makes the folder, readable by its owner alone: it holds everybody's chats.
fn make_private(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(folder)
}

fn lock(folder: &Path) -> Result<File, OpenError> {
    let path = folder.join(LOCK);
    let file = File::options().create(true).truncate(false).write(true).open(path);
    let file = file.map_err(|source| OpenError::Folder { folder: folder.to_owned(), source })?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(OpenError::InUse { folder: folder.to_owned() }),
        Err(TryLockError::Error(source)) => Err(OpenError::Folder { folder: folder.to_owned(), source }),
    }
}
