//! Synchronous sqlx driver for SQLite, which executes statements on the calling thread.
//!
//! The driver of sqlx has one thread per connection and sends each statement there and back.
//! That wakes two sleeping threads, which takes several times as long as a typical statement of the hub.
//! This driver uses rusqlite and wakes no thread: its futures are ready on the first poll.
//! Statements must therefore be short, and large reads must be paged.

mod connection;
mod error;
mod pool;
mod row;
mod value;

use sqlx::{Database, Either, SqlStr, Statement, error::Error};
use sqlx_core::{database::HasStatementCache, transaction::TransactionManager};

pub(crate) use self::{
    connection::{Connection, SqliteOptions},
    error::SqliteError,
    pool::{Pool, PooledConnection},
    row::{ExecResult, Row},
    value::BindArguments,
};
use self::{
    row::Column,
    value::{StorageClass, Value, ValueRef},
};

/// Database type of sqlx for this driver.
#[derive(Debug)]
pub(crate) struct SyncSqlite;

impl Database for SyncSqlite {
    type Connection = Connection;
    type TransactionManager = SqliteTransactions;
    type Row = Row;
    type QueryResult = ExecResult;
    type Column = Column;
    type TypeInfo = StorageClass;
    type Value = Value;
    type ValueRef<'r> = ValueRef<'r>;
    type Arguments = BindArguments;
    type ArgumentBuffer = Vec<rusqlite::types::Value>;
    type Statement = PreparedStatement;

    const NAME: &'static str = "SQLite";
    const URL_SCHEMES: &'static [&'static str] = &["sqlite"];
}

impl HasStatementCache for SyncSqlite {}

pub(crate) struct SqliteTransactions;

impl TransactionManager for SqliteTransactions {
    type Database = SyncSqlite;

    async fn begin(connection: &mut Connection, statement: Option<SqlStr>) -> Result<(), Error> {
        connection.run(statement.as_ref().map_or("begin", SqlStr::as_str))
    }

    async fn commit(connection: &mut Connection) -> Result<(), Error> {
        connection.run("commit")
    }

    async fn rollback(connection: &mut Connection) -> Result<(), Error> {
        connection.roll_back()
    }

    fn start_rollback(connection: &mut Connection) {
        if let Err(error) = connection.roll_back() {
            tracing::warn!(%error, "transaction rollback failed");
        }
    }

    fn get_transaction_depth(connection: &Connection) -> usize {
        connection.is_writing().into()
    }
}

/// Prepared statement: its text, parameter count and columns.
#[derive(Clone, Debug)]
pub(crate) struct PreparedStatement {
    sql: SqlStr,
    parameters: usize,
    columns: Vec<Column>,
}

impl Statement for PreparedStatement {
    type Database = SyncSqlite;

    fn into_sql(self) -> SqlStr {
        self.sql
    }

    fn sql(&self) -> &SqlStr {
        &self.sql
    }

    fn parameters(&self) -> Option<Either<&[StorageClass], usize>> {
        Some(Either::Right(self.parameters))
    }

    fn columns(&self) -> &[Column] {
        &self.columns
    }

    sqlx_core::impl_statement_query!(BindArguments);
}
