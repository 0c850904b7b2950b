//! An open store: read connections and write transactions.

use std::{fmt, sync::Arc};

use plexus_domain::Timestamp;
use sqlx::{PgPool, query, query_scalar};

use crate::{
    Conn, Error, OpenError, Result, StoreConfig, StoreUrl, Tx,
    conn::{DriverConn, execute},
    postgres, sqlite,
};

/// An open store. Cloning is cheap; all clones share its connections.
#[derive(Clone)]
pub struct Store(Arc<Inner>);

struct Inner {
    url: StoreUrl,
    pools: Pools,
}

enum Pools {
    Sqlite(sqlite::Pools),
    Postgres(PgPool),
}

impl Store {
    /// Opens the database, creating it if it is missing, and migrates its schema.
    pub async fn open(config: &StoreConfig) -> Result<Self, OpenError> {
        let pools = match &config.url {
            StoreUrl::Sqlite { folder } => Pools::Sqlite(sqlite::open(config, folder).await?),
            StoreUrl::Postgres { .. } => Pools::Postgres(postgres::open(config).await?),
        };
        Ok(Self(Arc::new(Inner { url: config.url.clone(), pools })))
    }

    /// Returns a read connection. Each statement sees the latest commit.
    pub async fn read(&self) -> Result<Conn> {
        match &self.0.pools {
            Pools::Sqlite(pools) => Ok(pools.readers.acquire().await?.into()),
            Pools::Postgres(pool) => {
                Ok(Box::pin(postgres::while_reachable(pool, pool.acquire())).await?.into())
            }
        }
    }

    /// [`Self::read`] for a few short statements without waiting between them. On SQLite it uses the writer
    /// connection if that is idle: its page cache is warm, while a reader must reread changed pages after
    /// each commit. Drop it before writing: a write waits for it. Use it for reading only, although writes
    /// are not rejected.
    pub async fn read_short(&self) -> Result<Conn> {
        if let Pools::Sqlite(pools) = &self.0.pools
            && let Some(glance) = pools.writer.read_idle()
        {
            return Ok(glance.into());
        }
        self.read().await
    }

    /// Returns a read connection on which all statements see the same snapshot.
    pub async fn snapshot(&self) -> Result<Conn> {
        match &self.0.pools {
            Pools::Sqlite(pools) => {
                let connection = pools.readers.acquire().await?;
                connection.run("begin")?;
                Ok(connection.into())
            }
            Pools::Postgres(pool) => {
                let begin = pool.begin_with("begin isolation level repeatable read read only");
                Ok(Box::pin(postgres::while_reachable(pool, begin)).await?.into())
            }
        }
    }

    /// Begins an interactive write transaction.
    ///
    /// On SQLite it is the only writer, so the rows that it reads cannot change. On Postgres, lock the rows
    /// on which a decision depends before reading them ([`crate::chats::lock`]).
    pub async fn write(&self) -> Result<Tx> {
        match &self.0.pools {
            Pools::Sqlite(pools) => Ok(Tx::new(pools.writer.begin_interactive().await?)),
            Pools::Postgres(pool) => {
                Ok(Tx::new(Box::pin(postgres::while_reachable(pool, pool.begin())).await?))
            }
        }
    }

    /// Begins a background write transaction, which yields to interactive ones. Finish it within 5 ms.
    pub async fn write_background(&self) -> Result<Tx> {
        match &self.0.pools {
            Pools::Sqlite(pools) => Ok(Tx::new(pools.writer.begin_background().await?)),
            Pools::Postgres(_) => self.write().await,
        }
    }

    /// Returns the space of deleted rows to the file system, in short transactions. Returns the number of
    /// pages by which the SQLite file shrank; Postgres does this by itself.
    pub async fn shrink(&self) -> Result<u64> {
        match &self.0.pools {
            Pools::Sqlite(pools) => pools.shrink().await,
            Pools::Postgres(_) => Ok(0),
        }
    }

    /// Health check: runs a trivial query.
    pub async fn check(&self) -> Result<()> {
        let mut conn = self.read().await?;
        execute!(conn, query("select 1")).map(drop)
    }

    /// Returns the clock of the database server; none for SQLite, which runs in this process.
    pub async fn database_time(&self) -> Result<Option<Timestamp>> {
        let mut conn = self.read().await?;
        let DriverConn::Postgres(c) = conn.raw() else { return Ok(None) };
        let text = "select (extract(epoch from clock_timestamp()) * 1000)::bigint";
        let millis = query_scalar(text).fetch_one(c).await.map_err(Error::from)?;
        Ok(Some(Timestamp::from_millis(millis)))
    }

    /// Returns the location of the database; displayed without its password.
    pub fn url(&self) -> &StoreUrl {
        &self.0.url
    }

    pub fn is_postgres(&self) -> bool {
        matches!(self.0.pools, Pools::Postgres(_))
    }

    /// Waits for the connections in use and closes all. On SQLite this checkpoints the WAL.
    pub async fn close(&self) {
        match &self.0.pools {
            Pools::Sqlite(pools) => pools.close().await,
            Pools::Postgres(pool) => pool.close().await,
        }
    }
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Store").field(&self.0.url).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, fs, path::Path};

    use plexus_domain::page::PageSize;
    use sqlx::query;

    use crate::{
        Conn, Error, OpenError, SchemaStatus, Store, Tx, accounts, chats,
        conn::execute,
        namespaces, on_both, schema_version,
        testing::{self, World},
        transfer,
    };

    #[test]
    fn both_databases_have_the_same_migrations() {
        let names = |database: &str| -> BTreeSet<String> {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../migrations").join(database);
            let files = fs::read_dir(folder).unwrap();
            files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect()
        };
        assert!(!names("sqlite").is_empty());
        assert_eq!(names("sqlite"), names("postgres"));
    }

    on_both! {
        async fn a_store_opened_again_is_as_it_was(store: Store) {
            let mut world = World::new(store.clone());
            world.person("ada").await;
            let before = transfer::contents(&mut store.snapshot().await.unwrap()).await.unwrap();
            store.close().await;
            assert!(store.check().await.unwrap_err().is_unavailable());
            let config = testing::config(store.url().clone());

            let again = Store::open(&config).await.unwrap();
            again.check().await.unwrap();
            assert_eq!(transfer::contents(&mut again.snapshot().await.unwrap()).await.unwrap(), before);
            again.close().await;
        }

        async fn a_schema_from_the_future_is_refused(store: Store) {
            let mut tx = store.write().await.unwrap();
            let text = "insert into _sqlx_migrations (version, description, success, checksum, execution_time) \
                        select 9999, description, success, checksum, execution_time from _sqlx_migrations \
                        where version = 1";
            execute!(tx, query(text)).unwrap();
            tx.commit().await.unwrap();
            store.close().await;
            let config = testing::config(store.url().clone());
            drop(store);
            let error = Store::open(&config).await.unwrap_err();
            assert!(matches!(&error, OpenError::NewerSchema { .. }), "{error}");
            assert!(error.to_string().contains("migration 9999 "), "{error}");
            let read = SchemaStatus::read(&config).await.unwrap_err();
            assert_eq!(read.to_string(), error.to_string());
        }

        async fn pending_migrations_are_listed(store: Store) {
            let config = testing::config(store.url().clone());
            let status = SchemaStatus::read(&config).await.unwrap();
            assert_eq!(status.newest.unwrap().version, schema_version());
            assert_eq!(status.pending, []);

            let mut tx = store.write().await.unwrap();
            execute!(tx, query("delete from _sqlx_migrations where version = $1").bind(schema_version())).unwrap();
            tx.commit().await.unwrap();
            let status = SchemaStatus::read(&config).await.unwrap();
            let pending: Vec<i64> = status.pending.iter().map(|migration| migration.version).collect();
            assert_eq!(pending, [schema_version()]);
        }

        async fn a_transaction_that_is_dropped_leaves_nothing(store: Store) {
            let mut world = World::new(store.clone());
            let ada = world.person("ada").await;
            let mut tx = store.write().await.unwrap();
            assert!(namespaces::retire(&mut tx, ada.namespace, world.now()).await.unwrap());
            drop(tx);
            let mut tx = store.write_background().await.unwrap();
            assert_eq!(namespaces::find(&mut tx, ada.namespace).await.unwrap().unwrap().retired_at, None);
        }

        async fn a_snapshot_does_not_move(store: Store) {
            let mut world = World::new(store.clone());
            let mut snapshot = store.snapshot().await.unwrap();
            let mut conn = store.read().await.unwrap();
            for conn in [&mut snapshot, &mut conn] {
                assert_eq!(accounts::list(conn, None, PageSize::DEFAULT).await.unwrap().len(), 0);
            }
            world.person("ada").await;
            assert_eq!(accounts::list(&mut snapshot, None, PageSize::DEFAULT).await.unwrap().len(), 0);
            assert_eq!(accounts::list(&mut conn, None, PageSize::DEFAULT).await.unwrap().len(), 1);
        }

        async fn a_glance_sees_what_is_committed_and_nothing_else(store: Store) {
            let mut world = World::new(store.clone());
            let ada = world.person("ada").await;
            let retired = async |conn: &mut Conn| {
                namespaces::find(conn, ada.namespace).await.unwrap().unwrap().retired_at.is_some()
            };
            let mut tx = store.write().await.unwrap();
            assert!(namespaces::retire(&mut tx, ada.namespace, world.now()).await.unwrap());
            assert!(!retired(&mut store.read_short().await.unwrap()).await, "it is not committed");
            tx.commit().await.unwrap();
            let mut alone = store.read_short().await.unwrap();
            assert!(retired(&mut alone).await);
            assert!(Tx::new(alone).commit().await.is_err(), "it is no transaction");
            drop(store.write().await.unwrap());
        }

        async fn what_this_program_did_not_write_is_called_corrupt(store: Store) {
            let mut world = World::new(store.clone());
            let ada = world.person("ada").await;
            let chat = world.chat(&ada, &[]).await;
            let mut tx = store.write().await.unwrap();
            execute!(tx, query("update chats set title = ''")).unwrap();
            let error = chats::find(&mut tx, chat).await.unwrap_err();
            assert!(matches!(error, Error::Corrupt(_)), "{error}");
        }

        async fn the_tables_check_what_is_written(store: Store) {
            let mut world = World::new(store.clone());
            world.person("ada").await;
            for text in [
                "update accounts set role = 'king'",
                "update principals set account = null",
                "update principals set pseudonym = 'x'",
                "update accounts set namespace = id",
            ] {
                let mut tx = store.write().await.unwrap();
                assert!(execute!(tx, query(text)).is_err(), "{text}");
                assert!(tx.commit().await.is_err(), "{text}");
            }
        }
    }
}
