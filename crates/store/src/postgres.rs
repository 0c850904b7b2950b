//! Opening Postgres, 15 or newer.

use sqlx::{ConnectOptions, Connection, PgPool, migrate::Migrator, postgres::PgPoolOptions};

use crate::{Error, OpenError, StoreConfig};

static MIGRATIONS: Migrator = sqlx::migrate!("../../migrations/postgres");

/// No statement of the hub takes this long unless something is wrong. Milliseconds.
const STATEMENT_TIMEOUT: &str = "30000";
/// A writer that waits longer is told to come back. Milliseconds.
const LOCK_TIMEOUT: &str = "10000";
/// A transaction that was forgotten must not hold others. Milliseconds.
const IDLE_TIMEOUT: &str = "60000";
/// Prepared statements kept by each connection: more than there are texts.
const STATEMENTS: usize = 256;

pub(crate) async fn open(config: &StoreConfig) -> Result<PgPool, OpenError> {
    let unreachable =
        |source| OpenError::Database { at: config.url.to_string(), source: Error::from(source) };
    let options = config.url.postgres_options()?.statement_cache_capacity(STATEMENTS);

    // Migrations run without the time limits: building an index takes what it takes.
    let mut connection = options.connect().await.map_err(unreachable)?;
    MIGRATIONS.run_direct(None, &mut connection, false).await.map_err(OpenError::Migration)?;
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
