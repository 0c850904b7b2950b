//! Connections for queries, and write transactions.

use std::ops::{Deref, DerefMut};

use sqlx::{PgConnection, Postgres, Transaction, pool::PoolConnection};

use crate::{
    Error, Result,
    group_commit::{IdleWriterRead, WriteTx},
    sqlite_driver::{Connection, PooledConnection},
};

/// A connection in use. All query functions take one; [`Tx`] dereferences to it.
pub struct Conn {
    inner: Inner,
    failed: bool,
}

enum Inner {
    Sqlite(PooledConnection),
    SqliteGlance(IdleWriterRead),
    SqliteTransaction(WriteTx),
    Postgres(PoolConnection<Postgres>),
    PostgresTransaction(Transaction<'static, Postgres>),
}

/// The driver connection, for [`on!`] and the few statements that differ between the databases.
pub(crate) enum DriverConn<'a> {
    Sqlite(&'a mut Connection),
    Postgres(&'a mut PgConnection),
}

/// Runs one statement on the database of `$conn`. Text and bound values are the same for both databases.
macro_rules! on {
    ($conn:expr, $c:ident => $statement:expr) => {{
        let result = match $conn.raw() {
            $crate::conn::DriverConn::Sqlite($c) => $statement.await,
            $crate::conn::DriverConn::Postgres($c) => $statement.await,
        };
        $conn.note(result)
    }};
}
pub(crate) use on;

/// [`on!`] for a statement without result rows; returns the number of changed rows.
macro_rules! execute {
    ($conn:expr, $query:expr) => {
        $crate::conn::on!($conn, c => async { $query.execute(c).await.map(|done| done.rows_affected()) })
    };
}
pub(crate) use execute;

/// Returns the placeholders of a multi-row `insert`: `($1, $2), ($3, $4)`.
pub(crate) fn rows(count: usize, columns: usize) -> String {
    let row = |row: usize| {
        let columns: Vec<_> = (1..=columns).map(|column| format!("${}", row * columns + column)).collect();
        format!("({})", columns.join(", "))
    };
    (0..count).map(row).collect::<Vec<_>>().join(", ")
}

impl Conn {
    pub(crate) fn raw(&mut self) -> DriverConn<'_> {
        match &mut self.inner {
            Inner::Sqlite(connection) => DriverConn::Sqlite(connection),
            Inner::SqliteGlance(glance) => DriverConn::Sqlite(&mut glance.connection),
            Inner::SqliteTransaction(writing) => DriverConn::Sqlite(writing),
            Inner::Postgres(connection) => DriverConn::Postgres(connection),
            Inner::PostgresTransaction(transaction) => DriverConn::Postgres(transaction),
        }
    }

    /// Classifies the error of a statement and marks the connection as failed.
    pub(crate) fn note<T>(&mut self, result: Result<T, sqlx::Error>) -> Result<T> {
        result.map_err(|error| {
            self.failed = true;
            error.into()
        })
    }

    const fn new(inner: Inner) -> Self {
        Self { inner, failed: false }
    }
}

impl From<PooledConnection> for Conn {
    fn from(connection: PooledConnection) -> Self {
        Self::new(Inner::Sqlite(connection))
    }
}

impl From<IdleWriterRead> for Conn {
    fn from(glance: IdleWriterRead) -> Self {
        Self::new(Inner::SqliteGlance(glance))
    }
}

impl From<WriteTx> for Conn {
    fn from(writing: WriteTx) -> Self {
        Self::new(Inner::SqliteTransaction(writing))
    }
}

impl From<PoolConnection<Postgres>> for Conn {
    fn from(connection: PoolConnection<Postgres>) -> Self {
        Self::new(Inner::Postgres(connection))
    }
}

impl From<Transaction<'static, Postgres>> for Conn {
    fn from(transaction: Transaction<'static, Postgres>) -> Self {
        Self::new(Inner::PostgresTransaction(transaction))
    }
}

/// Write transaction. Rolled back if dropped without [`Tx::commit`].
pub struct Tx(Conn);

impl Tx {
    pub(crate) fn new(conn: impl Into<Conn>) -> Self {
        Self(conn.into())
    }

    /// Commits the transaction.
    ///
    /// Fails if a statement failed before: Postgres would report success but roll back, SQLite would commit a
    /// part.
    pub async fn commit(self) -> Result<()> {
        if self.0.failed {
            return Err(Error::other("a transaction is not committed after one of its statements failed"));
        }
        match self.0.inner {
            Inner::SqliteTransaction(writing) => writing.commit().await,
            Inner::PostgresTransaction(transaction) => Ok(transaction.commit().await?),
            Inner::Sqlite(_) | Inner::SqliteGlance(_) | Inner::Postgres(_) => {
                Err(Error::other("this is not a transaction"))
            }
        }
    }
}

impl Deref for Tx {
    type Target = Conn;

    fn deref(&self) -> &Conn {
        &self.0
    }
}

impl DerefMut for Tx {
    fn deref_mut(&mut self) -> &mut Conn {
        &mut self.0
    }
}
