//! A store that is open, and how to read and write in it.

use std::{fmt, sync::Arc};

use sqlx::PgPool;

use crate::{Conn, OpenError, Result, StoreConfig, StoreUrl, Tx, gate::Gate, postgres, sqlite};

/// An open store. Cloning is cheap; all clones share its connections.
#[derive(Clone)]
pub struct Store(Arc<Inner>);

struct Inner {
    url: StoreUrl,
    pools: Pools,
    gate: Gate,
}

enum Pools {
    Sqlite(sqlite::Pools),
    Postgres(PgPool),
}

impl Store {
    /// Opens the database, making it where it does not exist, and brings its schema up to date.
    pub async fn open(config: &StoreConfig) -> Result<Self, OpenError> {
        let pools = match &config.url {
            StoreUrl::Sqlite { folder } => Pools::Sqlite(sqlite::open(config, folder).await?),
            StoreUrl::Postgres { .. } => Pools::Postgres(postgres::open(config).await?),
        };
        Ok(Self(Arc::new(Inner { url: config.url.clone(), pools, gate: Gate::new() })))
    }

    /// A connection to read with; each statement sees the newest commit.
    pub async fn read(&self) -> Result<Conn> {
        match &self.0.pools {
            Pools::Sqlite(pools) => Ok(pools.readers.acquire().await?.into()),
            Pools::Postgres(pool) => Ok(pool.acquire().await?.into()),
        }
    }

    /// A connection to read with; all statements see the same moment.
    pub async fn snapshot(&self) -> Result<Conn> {
        match &self.0.pools {
            Pools::Sqlite(pools) => Ok(pools.readers.begin().await?.into()),
            Pools::Postgres(pool) => {
                Ok(pool.begin_with("begin isolation level repeatable read read only").await?.into())
            }
        }
    }

    /// A transaction for somebody who waits for the answer.
    ///
    /// On SQLite it is the only one that writes, so what it reads cannot change under it. On Postgres a decision
    /// that rests on rows read before locks them first ([`crate::chats::lock`]).
    pub async fn write(&self) -> Result<Tx> {
        match &self.0.pools {
            Pools::Sqlite(pools) => {
                let turn = self.0.gate.person().await?;
                Ok(Tx::new(pools.writer.begin_with("begin immediate").await?, Some(turn)))
            }
            Pools::Postgres(pool) => Ok(Tx::new(pool.begin().await?, None)),
        }
    }

    /// A transaction for work that nobody waits for: it lets people go first. Keep it under 5 ms.
    pub async fn write_bulk(&self) -> Result<Tx> {
        match &self.0.pools {
            Pools::Sqlite(pools) => {
                let turn = self.0.gate.bulk().await?;
                Ok(Tx::new(pools.writer.begin_with("begin immediate").await?, Some(turn)))
            }
            Pools::Postgres(_) => self.write().await,
        }
    }

    /// Where it is, without its password.
    pub fn url(&self) -> &StoreUrl {
        &self.0.url
    }

    pub fn is_postgres(&self) -> bool {
        matches!(self.0.pools, Pools::Postgres(_))
    }

    /// Waits for the connections in use and closes all. On SQLite this folds the write-ahead log into the file.
    pub async fn close(&self) {
        match &self.0.pools {
            Pools::Sqlite(pools) => {
                pools.readers.close().await;
                pools.writer.close().await;
            }
            Pools::Postgres(pool) => pool.close().await,
        }
    }
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Store").field(&self.0.url).finish()
    }
}
