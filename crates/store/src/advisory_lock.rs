//! Postgres session advisory locks, held by one instance at a time and released when the connection ends.
//! SQLite has a single process, so every lock succeeds there.

use std::{future::pending, time::Duration};

use plexus_domain::SecretId;
use sqlx::{ConnectOptions as _, Connection as _, PgConnection, query, query_scalar};
use tokio::time::{sleep, timeout};

use crate::{Error, Result, Store, Tx, conn::DriverConn};

/// Interval and timeout of the check whether the connection is alive. Together they are shorter than the time
/// Postgres needs to detect a dead client, so the holder learns of the loss before another instance gets the
/// lock.
const POLL_INTERVAL: Duration = Duration::from_secs(3);
const TIMEOUT: Duration = Duration::from_secs(4);
/// TCP settings of the Postgres server: it detects a dead client after 6 + 2 * 3 seconds, also while it is
/// sending.
const KEEPALIVE: [(&str, &str); 4] = [
    ("tcp_keepalives_idle", "6"),
    ("tcp_keepalives_interval", "3"),
    ("tcp_keepalives_count", "2"),
    ("tcp_user_timeout", "12000"),
];

/// What an advisory lock protects.
#[derive(Clone, Copy, Debug)]
pub enum LockKey {
    /// Running the federation engine of the hub.
    Swarm,
    /// Creating the initial data that every hub has.
    Setup,
    /// Making the scheduled backups of the hub.
    Backup,
    /// Embedding the passages of knowledge files.
    Embeddings,
    /// Exchanging a single-use refresh token.
    Refresh(SecretId),
}

impl LockKey {
    /// Returns the number of the lock (Postgres manual, section 13.3.5).
    fn key(self) -> i64 {
        match self {
            Self::Swarm => i64::from_be_bytes(*b"plexus:1"),
            Self::Setup => i64::from_be_bytes(*b"plexus:2"),
            Self::Backup => i64::from_be_bytes(*b"plexus:3"),
            Self::Embeddings => i64::from_be_bytes(*b"plexus:4"),
            // A collision of two secrets is harmless: they only wait for each other.
            Self::Refresh(secret) => {
                let (high, low) = secret.uuid().as_u64_pair();
                (high ^ low).cast_signed()
            }
        }
    }
}

/// Held advisory lock. Released when this value is dropped or its connection ends.
pub struct AdvisoryLock(Option<PgConnection>);

impl Store {
    /// Tries to acquire a lock. Returns `None` if another instance holds it. Always succeeds on SQLite.
    pub async fn try_acquire_lock(&self, duty: LockKey) -> Result<Option<AdvisoryLock>> {
        let Some(mut connection) = self.own_connection().await? else { return Ok(Some(AdvisoryLock(None))) };
        let taken = try_lock(&mut connection, duty).await?;
        Ok(taken.then_some(AdvisoryLock(Some(connection))))
    }

    /// Waits for a lock, polling at the interval `every`.
    pub async fn acquire_lock(&self, duty: LockKey, every: Duration) -> Result<AdvisoryLock> {
        let Some(mut connection) = self.own_connection().await? else { return Ok(AdvisoryLock(None)) };
        while !try_lock(&mut connection, duty).await? {
            sleep(every).await;
        }
        Ok(AdvisoryLock(Some(connection)))
    }

    /// Opens a connection outside of the pool; `None` on SQLite.
    async fn own_connection(&self) -> Result<Option<PgConnection>> {
        if !self.is_postgres() {
            return Ok(None);
        }
        let options = self.url().postgres_options().map_err(|error| Error::other(error.to_string()))?;
        Ok(Some(options.options(KEEPALIVE).connect().await?))
    }
}

async fn try_lock(connection: &mut PgConnection, duty: LockKey) -> Result<bool> {
    let asked = query_scalar("select pg_try_advisory_lock($1)").bind(duty.key()).fetch_one(connection);
    let answered = timeout(TIMEOUT, asked).await.map_err(|_| Error::other("Postgres does not answer"))?;
    Ok(answered?)
}

impl Tx {
    /// Waits for a lock and holds it until the transaction ends. Does nothing on SQLite, which has a single
    /// writer.
    pub async fn lock_for_transaction(&mut self, duty: LockKey) -> Result<()> {
        let result = match self.raw() {
            DriverConn::Sqlite(_) => Ok(()),
            DriverConn::Postgres(c) => {
                query("select pg_advisory_xact_lock($1)").bind(duty.key()).execute(c).await.map(drop)
            }
        };
        self.note(result)
    }
}

impl AdvisoryLock {
    /// Resolves when the lock may have been lost: the connection is dead or unresponsive.
    pub async fn wait_lost(&mut self) {
        let Some(connection) = &mut self.0 else { return pending().await };
        loop {
            sleep(POLL_INTERVAL).await;
            if !matches!(timeout(TIMEOUT, connection.ping()).await, Ok(Ok(()))) {
                return;
            }
        }
    }

    /// Releases the lock immediately.
    pub async fn unlock(self) {
        if let Some(connection) = self.0 {
            // A connection that fails to close is dead, which also releases the lock.
            let _ = connection.close().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{conn::execute, testing};

    #[tokio::test]
    async fn one_has_a_duty_until_it_leaves_or_loses_its_connection() {
        testing::on_postgres(|store| async move {
            let first = store.try_acquire_lock(LockKey::Swarm).await.unwrap().expect("nobody has it");
            assert!(store.try_acquire_lock(LockKey::Swarm).await.unwrap().is_none());
            first.unlock().await;
            let mut second =
                store.try_acquire_lock(LockKey::Swarm).await.unwrap().expect("it was given back");
            let mut conn = store.read().await.unwrap();
            let text = "select pg_terminate_backend(pid, 5000) from pg_locks where locktype = 'advisory' \
                        and database = (select oid from pg_database where datname = current_database())";
            assert_eq!(execute!(conn, query(text)).unwrap(), 1);
            timeout(POLL_INTERVAL + TIMEOUT, second.wait_lost()).await.expect("it knows in time");
            assert!(store.try_acquire_lock(LockKey::Swarm).await.unwrap().is_some());
        })
        .await;
    }
}
