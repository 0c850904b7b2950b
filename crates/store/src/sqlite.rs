//! Opens SQLite: one file in the data folder, used by one process with one writer and a pool of readers.

use std::{
    fs::{File, TryLockError},
    path::Path,
    sync::Arc,
};

use sqlx::{
    ConnectOptions as _, Connection as _,
    migrate::Migrator,
    query, query_as, query_scalar,
    sqlite::{
        SqliteAutoVacuum, SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqliteSynchronous,
    },
};

use crate::{
    Durability, Error, OpenError, StoreConfig,
    group_commit::GroupCommitWriter,
    permissions::{create_file, create_folder, restrict},
    schema_status::{APPLIED, SchemaStatus},
    sqlite_driver::{Pool, SqliteOptions},
    wal_checkpoint::WalCheckpointer,
};

pub(crate) const FILE: &str = "plexus.sqlite3";
const LOCK: &str = "plexus.lock";
static MIGRATIONS: Migrator = sqlx::migrate!("../../migrations/sqlite");

/// Pragmas of every connection, for each [`Durability`]. `secure_delete` overwrites deleted data with zeros.
/// `journal_size_limit` bounds the WAL file that remains after a burst of writes. `temp_store = memory` holds
/// statement and savepoint journals in memory: otherwise each needs a temporary file.
macro_rules! pragmas {
    ($synchronous:literal) => {
        concat!(
            "pragma foreign_keys = on; pragma secure_delete = on; pragma wal_autocheckpoint = 0; \
             pragma journal_size_limit = 16777216; pragma temp_store = memory; pragma synchronous = ",
            $synchronous
        )
    };
}

/// Free pages that one step of [`Pools::shrink`] releases: few enough to block writers for only a few
/// milliseconds.
const SHRINK_STEP: &str = "pragma incremental_vacuum(256)";
/// Free pages (4 KiB each) that remain for future writes.
const MAX_FREE_PAGES: i64 = 256;

impl Durability {
    const fn pragmas(self) -> &'static str {
        match self {
            Self::PowerCut => pragmas!("full"),
            Self::Crash => pragmas!("normal"),
        }
    }
}

/// Returns the number of the newest migration, which is the same for both databases.
pub fn schema_version() -> i64 {
    MIGRATIONS.iter().map(|migration| migration.version).max().unwrap_or(0)
}

pub(crate) struct Pools {
    pub writer: Arc<GroupCommitWriter>,
    pub readers: Pool,
    /// Locked while the store is open: a second process would bypass the write queue of this one.
    lock: File,
}

impl Pools {
    /// Returns free pages at the end of the file to the file system, in short transactions, and truncates the
    /// WAL. Returns the number of pages by which the file shrank.
    pub async fn shrink(&self) -> crate::Result<u64> {
        let mut given_back = 0;
        loop {
            let writing = self.writer.begin_background().await?;
            let free = writing.number("pragma freelist_count")?;
            if free <= MAX_FREE_PAGES {
                break;
            }
            writing.run(SHRINK_STEP)?;
            given_back += free - writing.number("pragma freelist_count")?;
            writing.commit().await?;
        }
        self.writer.truncate_log().await;
        Ok(given_back.try_into().unwrap_or_default())
    }

    pub async fn close(&self) {
        self.readers.close().await;
        self.writer.close().await;
        if let Err(error) = self.lock.unlock() {
            tracing::warn!(%error, "data folder: unlock failed; the lock remains until the process exits");
        }
    }
}

pub(crate) async fn open(config: &StoreConfig, folder: &Path) -> Result<Pools, OpenError> {
    let in_folder = |source| OpenError::Folder { folder: folder.to_owned(), source };
    create_folder(folder).map_err(in_folder)?;
    let lock = lock(folder)?;
    let file = folder.join(FILE);
    // SQLite creates its other files with the mode of this one.
    create_file(&file).map_err(in_folder)?;
    for suffix in ["-wal", "-shm"] {
        restrict(&folder.join(format!("{FILE}{suffix}")));
    }
    migrate(config, &file).await?;
    let options = SqliteOptions { file, read_only: false, pragmas: config.durability.pragmas() };
    let writer = Pool::new(options.clone(), 1, config.patience);
    let writer = GroupCommitWriter::new(writer, WalCheckpointer::new(options.clone()), config.durability);
    // An upper bound: each reader is opened when first needed.
    let readers = SqliteOptions { read_only: true, ..options };
    let readers = Pool::new(readers, config.connections, config.patience);
    Ok(Pools { writer, readers, lock })
}

fn unreachable(config: &StoreConfig) -> impl Fn(sqlx::Error) -> OpenError + Copy {
    |source| OpenError::Database { at: config.url.to_string(), source: Error::from(source) }
}

/// Reads which migrations a file has; none if it is missing.
pub(crate) async fn schema_status(config: &StoreConfig, folder: &Path) -> Result<SchemaStatus, OpenError> {
    let file = folder.join(FILE);
    if !file.exists() {
        return SchemaStatus::compare(Vec::new(), &MIGRATIONS);
    }
    let unreachable = unreachable(config);
    let options = SqliteConnectOptions::new().filename(file);
    let mut connection = options.connect().await.map_err(unreachable)?;
    let applied = applied(&mut connection).await.map_err(unreachable)?;
    connection.close().await.map_err(unreachable)?;
    SchemaStatus::compare(applied, &MIGRATIONS)
}

async fn applied(connection: &mut SqliteConnection) -> Result<Vec<(i64, String)>, sqlx::Error> {
    let text = "select count(*) from sqlite_master where type = 'table' and name = '_sqlx_migrations'";
    let tables: i64 = query_scalar(text).fetch_one(&mut *connection).await?;
    if tables == 0 {
        return Ok(Vec::new());
    }
    query_as(APPLIED).fetch_all(connection).await
}

/// Copies the database into an empty file (`vacuum into`). Fails if a hub uses the folder, or if the file is not empty.
pub(crate) async fn copy(config: &StoreConfig, folder: &Path, target: &Path) -> Result<(), OpenError> {
    let unreachable = unreachable(config);
    let _locked = lock(folder)?;
    let options = SqliteConnectOptions::new().filename(folder.join(FILE));
    let mut connection = options.connect().await.map_err(unreachable)?;
    let target = target.to_string_lossy().into_owned();
    query("vacuum into $1").bind(target).execute(&mut connection).await.map_err(unreachable)?;
    connection.close().await.map_err(unreachable)
}

/// Creates the file if it is missing and migrates its schema, with the SQLite driver of sqlx.
async fn migrate(config: &StoreConfig, file: &Path) -> Result<(), OpenError> {
    let unreachable = unreachable(config);
    let options = SqliteConnectOptions::new()
        .filename(file)
        .create_if_missing(true)
        .auto_vacuum(SqliteAutoVacuum::Incremental)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full);
    let mut connection = options.connect().await.map_err(unreachable)?;
    SchemaStatus::compare(applied(&mut connection).await.map_err(unreachable)?, &MIGRATIONS)?;
    enable_incremental_vacuum(&mut connection).await.map_err(unreachable)?;
    MIGRATIONS.run_direct(None, &mut connection, false).await.map_err(OpenError::Migration)?;
    connection.close().await.map_err(unreachable)
}

/// Enables incremental vacuum, without which the file cannot shrink. Files of older versions lack the page
/// map for it. Building the map rewrites the file once. Failure, such as a full disk, is only logged: the hub
/// works without it.
async fn enable_incremental_vacuum(connection: &mut SqliteConnection) -> Result<(), sqlx::Error> {
    const INCREMENTAL: i64 = 2;
    let mode: i64 = query_scalar("pragma auto_vacuum").fetch_one(&mut *connection).await?;
    if mode == INCREMENTAL {
        return Ok(());
    }
    tracing::info!("database: rewriting the file once, so that it can shrink");
    if let Err(error) = query("pragma auto_vacuum = incremental; vacuum").execute(connection).await {
        tracing::warn!(%error, "database: file not rewritten; deleted rows will not shrink it");
    }
    Ok(())
}

fn lock(folder: &Path) -> Result<File, OpenError> {
    let path = folder.join(LOCK);
    let file =
        create_file(&path).map_err(|source| OpenError::Folder { folder: folder.to_owned(), source })?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(OpenError::InUse { folder: folder.to_owned() }),
        Err(TryLockError::Error(source)) => Err(OpenError::Folder { folder: folder.to_owned(), source }),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use plexus_domain::{ChatId, PrincipalId};
    use sqlx::{query, query_scalar};

    use super::*;
    use crate::{
        Store, StoreUrl, Tx, chats,
        conn::{DriverConn, execute},
        messages,
        testing::{self, World},
    };

    #[tokio::test]
    async fn a_second_process_is_told_which_folder_is_in_use() {
        let folder = tempfile::tempdir().unwrap();
        let store = testing::open_sqlite(folder.path()).await;
        let error = Store::open(&testing::config(store.url().clone())).await.unwrap_err();
        assert!(matches!(&error, OpenError::InUse { .. }), "{error}");
        assert!(error.to_string().contains(folder.path().to_str().unwrap()), "{error}");

        let url = store.url().clone();
        store.close().await;
        drop(store);
        Store::open(&testing::config(url)).await.unwrap().close().await;
    }

    #[tokio::test]
    async fn the_data_folder_is_made_for_its_owner_alone() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("a/data");
        let store = testing::open_sqlite(&inner).await;
        store.close().await;
        let mode = std::fs::metadata(&inner).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
        assert!(inner.join(FILE).exists());
    }

    #[tokio::test]
    async fn a_folder_that_cannot_be_made_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "").unwrap();
        let config = StoreConfig::parse(None, &file.join("data")).unwrap();
        let error = Store::open(&config).await.unwrap_err();
        assert!(matches!(&error, OpenError::Folder { .. }), "{error}");
        assert!(error.to_string().contains("file/data"), "{error}");
    }

    #[tokio::test]
    async fn what_is_no_database_is_refused_and_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(FILE);
        std::fs::write(&file, "something else that matters to somebody, longer than a page header is")
            .unwrap();
        let config = StoreConfig::parse(None, folder.path()).unwrap();
        let error = Store::open(&config).await.unwrap_err();
        assert!(matches!(&error, OpenError::Database { source: Error::Corrupt(_), .. }), "{error}");
        assert!(std::fs::read_to_string(&file).unwrap().starts_with("something else"));
    }

    #[tokio::test]
    async fn nothing_is_lost_when_the_disk_is_full() {
        testing::on_sqlite(|store| async move {
            let mut world = World::new(store.clone());
            let ada = world.person("ada").await;
            let chat = world.chat(&ada, &[]).await;
            let kept = world.say(chat, ada.principal, None, "before").await;
            limit_pages(&store, 0).await;

            let error = fill(&mut world, chat, ada.principal).await;
            assert!(error.is_unavailable(), "{error}");
            let mut conn = store.read().await.unwrap();
            assert_eq!(
                messages::load(&mut conn, &[kept]).await.unwrap()[0].parts[0].as_text(),
                Some("before")
            );
            let said = messages::list_by_chat(&mut conn, chat).await.unwrap().len();
            drop(conn);

            limit_pages(&store, 1_000_000).await;
            world.say(chat, ada.principal, None, "after").await;
            let mut conn = store.read().await.unwrap();
            assert_eq!(messages::list_by_chat(&mut conn, chat).await.unwrap().len(), said + 1);
        })
        .await;
    }

    /// Limits the growth of the file to this many pages. The limit belongs to the connection, and the writer
    /// reuses its own.
    async fn limit_pages(store: &Store, more: i64) {
        let mut tx = store.write().await.unwrap();
        let DriverConn::Sqlite(c) = tx.raw() else { unreachable!("this is SQLite") };
        let pages: i64 = query_scalar("pragma page_count").fetch_one(&mut *c).await.unwrap();
        let text = format!("pragma max_page_count = {}", pages + more);
        query(sqlx::AssertSqlSafe(text)).execute(c).await.unwrap();
    }

    /// Inserts messages until the disk is full.
    async fn fill(world: &mut World, chat: ChatId, author: PrincipalId) -> Error {
        let parts = [plexus_domain::Part::text("x".repeat(50_000))];
        for _ in 0..100 {
            let new = world.message(chat, author, None, &parts);
            let mut tx = world.write().await;
            if let Err(error) = messages::insert(&mut tx, &new).await {
                return error;
            }
            if let Err(error) = tx.commit().await {
                return error;
            }
        }
        unreachable!("the disk is never full")
    }

    #[tokio::test]
    async fn the_log_does_not_grow_with_what_was_written() {
        testing::on_sqlite(|store| async move {
            let mut world = World::new(store.clone());
            let ada = world.person("ada").await;
            let chat = world.chat(&ada, &[]).await;
            let text = "x".repeat(200_000);
            for _ in 0..500 {
                world.say(chat, ada.principal, None, &text).await;
            }
            let StoreUrl::Sqlite { folder } = store.url() else { unreachable!("this is SQLite") };
            let log = std::fs::metadata(folder.join(format!("{FILE}-wal"))).unwrap().len();
            assert!(log < 50_000_000, "{log} bytes of more than 100,000,000");
        })
        .await;
    }

    fn contains(file: &Path, words: &str) -> bool {
        let bytes = std::fs::read(file).unwrap();
        bytes.windows(words.len()).any(|window| window == words.as_bytes())
    }

    #[tokio::test]
    async fn what_is_deleted_is_gone_and_the_file_shrinks() {
        testing::on_sqlite(|store| async move {
            const MARKER: &str = "zebrafinch";
            let mut world = World::new(store.clone());
            let ada = world.person("ada").await;
            let chat = world.chat(&ada, &[]).await;
            for _ in 0..50 {
                world.say(chat, ada.principal, None, &MARKER.repeat(10_000)).await;
            }
            let StoreUrl::Sqlite { folder } = store.url() else { unreachable!("this is SQLite") };
            let (file, log) = (folder.join(FILE), folder.join(format!("{FILE}-wal")));
            store.shrink().await.unwrap();
            let before = std::fs::metadata(&file).unwrap().len();
            assert!(before > 5_000_000 && contains(&file, MARKER), "{before} bytes");

            let mut tx = store.write().await.unwrap();
            assert!(chats::delete(&mut tx, chat).await.unwrap());
            tx.commit().await.unwrap();
            let pages = store.shrink().await.unwrap();
            let after = std::fs::metadata(&file).unwrap().len();
            assert!(pages > 500 && after < before / 2, "{pages} pages, {before} to {after} bytes");
            assert!(!contains(&file, MARKER) && !contains(&log, MARKER));
        })
        .await;
    }

    #[tokio::test]
    async fn a_file_from_before_can_shrink_as_well() {
        let folder = tempfile::tempdir().unwrap();
        let options = SqliteConnectOptions::new().filename(folder.path().join(FILE)).create_if_missing(true);
        let mut before = options.clone().connect().await.unwrap();
        query("create table before (number integer)").execute(&mut before).await.unwrap();
        before.close().await.unwrap();
        testing::open_sqlite(folder.path()).await.close().await;
        let mut after = options.connect().await.unwrap();
        let mode: i64 = query_scalar("pragma auto_vacuum").fetch_one(&mut after).await.unwrap();
        assert_eq!(mode, 2, "incremental");
    }

    #[tokio::test]
    async fn a_reader_cannot_write() {
        testing::on_sqlite(|store| async move {
            let mut reader = Tx::new(store.snapshot().await.unwrap());
            assert!(execute!(reader, query("delete from sessions")).is_err());
        })
        .await;
    }
}
