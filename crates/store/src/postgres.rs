//! Opens a Postgres database, version 15 or newer.

use std::{pin::pin, time::Duration};

use sqlx::{
    ConnectOptions, Connection, PgConnection, PgPool,
    migrate::{MigrateError, Migrator},
    postgres::PgPoolOptions,
    query_as, query_scalar,
};
use tokio::time::timeout;

use crate::{
    Error, OpenError, StoreConfig,
    schema_status::{APPLIED, SchemaStatus},
};

static MIGRATIONS: Migrator = sqlx::migrate!("../../migrations/postgres");

/// Statement timeout, in milliseconds. No regular statement takes this long.
const STATEMENT_TIMEOUT: &str = "30000";
/// Lock timeout, in milliseconds. A waiting writer fails as unavailable after this.
const LOCK_TIMEOUT: &str = "10000";
/// Timeout of idle transactions, in milliseconds. An abandoned transaction must not block others.
const IDLE_TIMEOUT: &str = "60000";
/// How long a request waits for the pool before the server is probed, and how long the probe takes at most: together two
/// seconds, so that requests fail before proxies give up.
const PROBE_DELAY: Duration = Duration::from_millis(1_000);
const PROBE_TIMEOUT: Duration = Duration::from_millis(900);
/// Capacity of the prepared statement cache of a connection: more than the number of distinct texts.
const STATEMENTS: usize = 256;

pub(crate) async fn open(config: &StoreConfig) -> Result<PgPool, OpenError> {
    let unreachable = |source| unreachable(config, source);
    let options = config.url.postgres_options()?.statement_cache_capacity(STATEMENTS);

    // Migrations run without timeouts: creating an index may take long.
    let mut connection = options.connect().await.map_err(unreachable)?;
    SchemaStatus::compare(applied(&mut connection).await.map_err(unreachable)?, &MIGRATIONS)?;
    MIGRATIONS.run_direct(None, &mut connection, false).await.map_err(|error| match error {
        MigrateError::Execute(source) | MigrateError::ExecuteMigration(source, _)
            if is_pooler_error(&source) =>
        {
            unreachable(source)
        }
        error => OpenError::Migration(error),
    })?;
    connection.close().await.map_err(unreachable)?;

    let limits = [
        ("statement_timeout", STATEMENT_TIMEOUT),
        ("lock_timeout", LOCK_TIMEOUT),
        ("idle_in_transaction_session_timeout", IDLE_TIMEOUT),
    ];
    PgPoolOptions::new()
        .max_connections(config.connections.max(1))
        .acquire_timeout(config.patience)
        .connect_with(options.options(limits))
        .await
        .map_err(unreachable)
}

/// Waits for work on the pool, such as acquiring a connection. It fails early if the server is away: the pool itself tries
/// to connect until its timeout.
pub(crate) async fn while_reachable<T>(
    pool: &PgPool,
    work: impl Future<Output = Result<T, sqlx::Error>>,
) -> Result<T, Error> {
    let mut work = pin!(work);
    loop {
        match timeout(PROBE_DELAY, &mut work).await {
            Ok(done) => return Ok(done?),
            Err(_) if Box::pin(is_away(pool)).await => return Err(sqlx::Error::PoolTimedOut.into()),
            Err(_) => {}
        }
    }
}

/// Returns whether no connection to the server can be made. A server that refuses one, such as for their number, answers.
async fn is_away(pool: &PgPool) -> bool {
    match timeout(PROBE_TIMEOUT, pool.connect_options().connect()).await {
        Ok(Ok(connection)) => {
            let _ = connection.close().await;
            false
        }
        Ok(Err(error)) => matches!(error, sqlx::Error::Io(_)),
        Err(_) => true,
    }
}

/// Reads which migrations a database has.
pub(crate) async fn schema_status(config: &StoreConfig) -> Result<SchemaStatus, OpenError> {
    let unreachable = |source| unreachable(config, source);
    let mut connection = config.url.postgres_options()?.connect().await.map_err(unreachable)?;
    let applied = applied(&mut connection).await.map_err(unreachable)?;
    connection.close().await.map_err(unreachable)?;
    SchemaStatus::compare(applied, &MIGRATIONS)
}

async fn applied(connection: &mut PgConnection) -> Result<Vec<(i64, String)>, sqlx::Error> {
    let text = "select to_regclass('_sqlx_migrations') is not null";
    if !query_scalar(text).fetch_one(&mut *connection).await? {
        return Ok(Vec::new());
    }
    query_as(APPLIED).fetch_all(connection).await
}

fn unreachable(config: &StoreConfig, source: sqlx::Error) -> OpenError {
    match is_pooler_error(&source) {
        true => OpenError::Pooler { at: config.url.to_string(), source },
        false => OpenError::Database { at: config.url.to_string(), source: Error::from(source) },
    }
}

/// Returns whether the error comes from a pooler that gives each transaction another session, such as pgbouncer in
/// transaction mode: a prepared statement is there already (42P05) or missing (26000), or the pooler does not pass
/// options of a session on.
fn is_pooler_error(error: &sqlx::Error) -> bool {
    let sqlx::Error::Database(error) = error else { return false };
    matches!(error.code().as_deref(), Some("42P05" | "26000"))
        || error.message().starts_with("unsupported startup parameter")
}

#[cfg(test)]
mod tests {
    use plexus_domain::page::PageSize;
    use sqlx::{query, query_scalar};

    use crate::{
        Conn, Store, accounts,
        conn::{DriverConn, on},
        testing::{self, World},
    };

    #[tokio::test]
    async fn statements_of_another_session_are_the_mark_of_a_pooler() {
        testing::on_postgres(|store| async move {
            let mut conn = store.read().await.unwrap();
            let DriverConn::Postgres(c) = conn.raw() else { unreachable!("this is Postgres") };
            sqlx::raw_sql("prepare taken as select 1").execute(&mut *c).await.unwrap();
            for text in ["prepare taken as select 1", "execute missing"] {
                let error = sqlx::raw_sql(text).execute(&mut *c).await.unwrap_err();
                assert!(super::is_pooler_error(&error), "{error}");
            }
            let other = sqlx::raw_sql("select 1 / 0").execute(&mut *c).await.unwrap_err();
            assert!(!super::is_pooler_error(&other), "{other}");
        })
        .await;
    }

    async fn backend(conn: &mut Conn) -> i32 {
        let DriverConn::Postgres(c) = conn.raw() else { unreachable!("this is Postgres") };
        query_scalar("select pg_backend_pid()").fetch_one(c).await.unwrap()
    }

    /// Terminates another connection, as an administrator or a server restart does.
    async fn terminate(store: &Store, pid: i32) {
        let mut conn = store.read().await.unwrap();
        let DriverConn::Postgres(c) = conn.raw() else { unreachable!("this is Postgres") };
        // Waits at most 5 s for its end.
        let ended: bool =
            query_scalar("select pg_terminate_backend($1, 5000)").bind(pid).fetch_one(c).await.unwrap();
        assert!(ended);
    }

    #[tokio::test]
    async fn a_lost_connection_is_told_and_another_taken() {
        testing::on_postgres(|store| async move {
            let mut world = World::new(store.clone());
            world.person("ada").await;
            let mut tx = store.write().await.unwrap();
            accounts::list(&mut tx, None, PageSize::DEFAULT).await.unwrap();
            let pid = backend(&mut tx).await;
            terminate(&store, pid).await;
            let error = accounts::list(&mut tx, None, PageSize::DEFAULT).await.unwrap_err();
            assert!(error.is_unavailable(), "{error}");
            assert!(tx.commit().await.is_err());

            world.person("bob").await;
            let mut conn = store.read().await.unwrap();
            assert_eq!(accounts::list(&mut conn, None, PageSize::DEFAULT).await.unwrap().len(), 2);
        })
        .await;
    }

    #[tokio::test]
    async fn a_connection_lost_while_idle_is_not_noticed_by_anybody() {
        testing::on_postgres(|store| async move {
            let mut conn = store.read().await.unwrap();
            let (pid, mut other) = (backend(&mut conn).await, store.read().await.unwrap());
            let alive = backend(&mut other).await;
            drop(conn);
            terminate(&store, pid).await;
            drop(other);
            for _ in 0..8 {
                let mut conn = store.read().await.unwrap();
                assert_ne!(backend(&mut conn).await, pid);
            }
            assert_ne!(alive, pid);
        })
        .await;
    }

    #[tokio::test]
    async fn statements_have_a_limit_of_time() {
        testing::on_postgres(|store| async move {
            let mut tx = store.write().await.unwrap();
            let DriverConn::Postgres(c) = tx.raw() else { unreachable!("this is Postgres") };
            let limit: String = query_scalar("show statement_timeout").fetch_one(&mut *c).await.unwrap();
            assert_eq!(limit, "30s");
            query("set local statement_timeout = 50").execute(c).await.unwrap();
            let slow: Result<i64, _> =
                on!(tx, c => query_scalar("select 1::bigint from pg_sleep(60)").fetch_one(c));
            assert!(slow.unwrap_err().is_unavailable());
        })
        .await;
    }
}
