//! Rights that one process has at a time: a lock of a Postgres session, which ends with its connection.

use std::{future::pending, time::Duration};

use plexus_domain::SecretId;
use sqlx::{ConnectOptions as _, Connection as _, PgConnection, query, query_scalar};
use tokio::time::{sleep, timeout};

use crate::{Error, Result, Store, Tx, conn::Raw};

/// How often it is looked whether the connection still holds, and how long the answer may take. Together less than
/// Postgres needs to find out that a machine is gone: who lost the right knows before another has it.
const LOOK_EVERY: Duration = Duration::from_secs(3);
const PATIENCE: Duration = Duration::from_secs(4);
/// When Postgres takes a machine for gone that does not answer: after 6 + 2 * 3 seconds, also while it sends something.
const KEEPALIVE: [(&str, &str); 4] = [
    ("tcp_keepalives_idle", "6"),
    ("tcp_keepalives_interval", "3"),
    ("tcp_keepalives_count", "2"),
    ("tcp_user_timeout", "12000"),
];

/// What one process does at a time.
#[derive(Clone, Copy, Debug)]
pub enum Duty {
    /// Being the hub among other hubs.
    Swarm,
    /// Making what every hub has, where it is missing.
    Setup,
    /// Getting a new token in place of one that is spent by that.
    Refresh(SecretId),
}

impl Duty {
    /// The number of the lock (Postgres manual, section 13.3.5).
    fn key(self) -> i64 {
        match self {
            Self::Swarm => i64::from_be_bytes(*b"plexus:1"),
            Self::Setup => i64::from_be_bytes(*b"plexus:2"),
            // Two secrets with the same number wait for each other, which is all.
            Self::Refresh(secret) => {
                let (high, low) = secret.uuid().as_u64_pair();
                (high ^ low).cast_signed()
            }
        }
    }
}

/// A duty that this process has, for as long as this value lives and its connection holds.
pub struct Sole(Option<PgConnection>);

impl Store {
    /// Takes a duty. None while another process has it. On SQLite there is no other process.
    pub async fn take_on(&self, duty: Duty) -> Result<Option<Sole>> {
        let Some(mut connection) = self.own_connection().await? else { return Ok(Some(Sole(None))) };
        let taken = try_lock(&mut connection, duty).await?;
        Ok(taken.then_some(Sole(Some(connection))))
    }

    /// Takes a duty once no other process has it, which it looks for `every` so often.
    pub async fn wait_for(&self, duty: Duty, every: Duration) -> Result<Sole> {
        let Some(mut connection) = self.own_connection().await? else { return Ok(Sole(None)) };
        while !try_lock(&mut connection, duty).await? {
            sleep(every).await;
        }
        Ok(Sole(Some(connection)))
    }

    /// A connection beside the pool; none on SQLite.
    async fn own_connection(&self) -> Result<Option<PgConnection>> {
        if !self.is_postgres() {
            return Ok(None);
        }
        let options = self.url().postgres_options().map_err(|error| Error::other(error.to_string()))?;
        Ok(Some(options.options(KEEPALIVE).connect().await?))
    }
}

async fn try_lock(connection: &mut PgConnection, duty: Duty) -> Result<bool> {
    let asked = query_scalar("select pg_try_advisory_lock($1)").bind(duty.key()).fetch_one(connection);
    let answered = timeout(PATIENCE, asked).await.map_err(|_| Error::other("Postgres does not answer"))?;
    Ok(answered?)
}

impl Tx {
    /// Waits until no other process has a duty, which is this transaction's until it ends. On SQLite a writer is alone.
    pub async fn alone(&mut self, duty: Duty) -> Result<()> {
        let result = match self.raw() {
            Raw::Sqlite(_) => Ok(()),
            Raw::Postgres(c) => {
                query("select pg_advisory_xact_lock($1)").bind(duty.key()).execute(c).await.map(drop)
            }
        };
        self.note(result)
    }
}

impl Sole {
    /// Waits until another process may have it.
    pub async fn lost(&mut self) {
        let Some(connection) = &mut self.0 else { return pending().await };
        loop {
            sleep(LOOK_EVERY).await;
            if !matches!(timeout(PATIENCE, connection.ping()).await, Ok(Ok(()))) {
                return;
            }
        }
    }

    /// Gives it back at once.
    pub async fn leave(self) {
        if let Some(connection) = self.0 {
            // A connection that cannot be closed is lost, and the duty with it.
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
            let first = store.take_on(Duty::Swarm).await.unwrap().expect("nobody has it");
            assert!(store.take_on(Duty::Swarm).await.unwrap().is_none());
            first.leave().await;
            let mut second = store.take_on(Duty::Swarm).await.unwrap().expect("it was given back");
            let mut conn = store.read().await.unwrap();
            let text = "select pg_terminate_backend(pid, 5000) from pg_locks where locktype = 'advisory' \
                        and database = (select oid from pg_database where datname = current_database())";
            assert_eq!(execute!(conn, query(text)).unwrap(), 1);
            timeout(LOOK_EVERY + PATIENCE, second.lost()).await.expect("it knows in time");
            assert!(store.take_on(Duty::Swarm).await.unwrap().is_some());
        })
        .await;
    }
}
