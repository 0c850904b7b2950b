//! SQLite connection and statement execution.

use std::{cell::Cell, fmt, io, path::PathBuf, str::FromStr, sync::Arc, time::Duration};

use futures::{
    FutureExt as _, StreamExt as _,
    future::{self, BoxFuture},
    stream::{self, BoxStream},
};
use rusqlite::{CachedStatement, OpenFlags, Rows, Statement};
use sqlx::{
    ConnectOptions, Database as _, Describe, Either, Execute, Executor, SqlStr, Transaction, error::Error,
};
use tracing::log::LevelFilter;
use url::Url;

use super::{
    PreparedStatement, SyncSqlite,
    error::into_sqlx,
    row::{Column, ExecResult, Row},
    value::{BindArguments, StorageClass},
};

/// Capacity of the prepared statement cache of a connection: more than the number of distinct texts.
const STATEMENTS: usize = 256;
/// Readers never wait for the writer in WAL mode, but a checkpoint may briefly lock out both.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// Options for opening a connection: file, access mode and initial pragmas.
#[derive(Clone, Debug)]
pub(crate) struct SqliteOptions {
    pub file: PathBuf,
    pub read_only: bool,
    /// `pragma …;` statements that are executed when the connection opens.
    pub pragmas: &'static str,
}

impl SqliteOptions {
    pub fn open(&self) -> Result<Connection, Error> {
        // A connection has one user at a time, so the mutexes of SQLite are not needed.
        let access = match self.read_only {
            true => OpenFlags::SQLITE_OPEN_READ_ONLY,
            false => OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE,
        };
        let flags = access | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let sqlite = rusqlite::Connection::open_with_flags(&self.file, flags).map_err(into_sqlx)?;
        sqlite.set_prepared_statement_cache_capacity(STATEMENTS);
        sqlite.busy_timeout(BUSY_TIMEOUT).map_err(into_sqlx)?;
        sqlite.execute_batch(self.pragmas).map_err(into_sqlx)?;
        Ok(Connection { sqlite, is_begun: Cell::new(false) })
    }
}

/// Connection that executes statements on the calling thread.
pub(crate) struct Connection {
    sqlite: rusqlite::Connection,
    /// Whether [`Self::begin`] started a transaction that is not ended yet.
    /// SQLite may have rolled it back on its own, for example when the disk is full.
    is_begun: Cell<bool>,
}

impl Connection {
    /// Executes statements without parameters; discards result rows.
    pub fn run(&self, text: &str) -> Result<(), Error> {
        self.sqlite.execute_batch(text).map_err(into_sqlx)
    }

    /// Begins a write transaction.
    /// Until [`Self::commit`] or [`Self::roll_back`], statements fail if SQLite has ended the transaction.
    pub fn begin(&self) -> Result<(), Error> {
        self.execute_cached("begin immediate")?;
        self.is_begun.set(true);
        Ok(())
    }

    pub fn commit(&self) -> Result<(), Error> {
        let done = self.execute_cached("commit");
        self.is_begun.set(false);
        done
    }

    pub fn roll_back(&self) -> Result<(), Error> {
        self.is_begun.set(false);
        if self.is_writing() { self.run("rollback") } else { Ok(()) }
    }

    /// Executes a statement from the prepared statement cache.
    pub fn execute_cached(&self, text: &str) -> Result<(), Error> {
        self.check()?;
        let mut statement = self.sqlite.prepare_cached(text).map_err(into_sqlx)?;
        statement.raw_execute().map(drop).map_err(into_sqlx)
    }

    /// Returns whether a transaction is open.
    pub fn is_writing(&self) -> bool {
        !self.sqlite.is_autocommit()
    }

    /// Fails if SQLite has ended the transaction on its own, so that no statement runs outside of it.
    fn check(&self) -> Result<(), Error> {
        if self.is_begun.get() && !self.is_writing() {
            return Err(Error::Io(io::Error::other("SQLite rolled back the transaction")));
        }
        Ok(())
    }

    /// Returns the single value of a query without parameters.
    pub fn number(&self, text: &str) -> Result<i64, Error> {
        self.sqlite.query_row(text, [], |row| row.get(0)).map_err(into_sqlx)
    }

    /// Checkpoints and truncates the WAL, so that it holds no deleted data.
    /// Waits for readers, at most [`BUSY_TIMEOUT`].
    pub fn truncate_log(&self) -> Result<(), Error> {
        self.sqlite.query_row("pragma wal_checkpoint(truncate)", [], |_| Ok(())).map_err(into_sqlx)
    }

    /// Checkpoints the WAL as far as possible without waiting for readers or writers. Returns the WAL size in
    /// pages.
    pub fn checkpoint(&self) -> Result<i64, Error> {
        self.sqlite.query_row("pragma wal_checkpoint(passive)", [], |row| row.get(1)).map_err(into_sqlx)
    }

    /// Executes a statement to its end even if only the first row is wanted: the statement may write.
    fn each(
        &self,
        text: &str,
        arguments: Option<&BindArguments>,
        is_kept: bool,
        take: impl FnMut(Row),
    ) -> Result<ExecResult, Error> {
        if is_kept {
            let mut statement: CachedStatement<'_> = self.sqlite.prepare_cached(text).map_err(into_sqlx)?;
            self.each_of(&mut statement, arguments, take)
        } else {
            self.each_of(&mut self.sqlite.prepare(text).map_err(into_sqlx)?, arguments, take)
        }
    }

    fn each_of(
        &self,
        statement: &mut Statement<'_>,
        arguments: Option<&BindArguments>,
        mut take: impl FnMut(Row),
    ) -> Result<ExecResult, Error> {
        if let Some(arguments) = arguments {
            arguments.bind(statement)?;
        }
        let columns: Arc<[Column]> = columns(statement).into();
        let mut rows: Rows<'_> = statement.raw_query();
        while let Some(row) = rows.next().map_err(into_sqlx)? {
            take(Row::read(row, &columns).map_err(into_sqlx)?);
        }
        drop(rows);
        let changed = if statement.readonly() { 0 } else { self.sqlite.changes() };
        Ok(ExecResult { changed })
    }

    fn ask<'q>(
        &self,
        mut query: impl Execute<'q, SyncSqlite>,
        take: impl FnMut(Row),
    ) -> Result<ExecResult, Error> {
        self.check()?;
        let arguments = query.take_arguments().map_err(Error::Encode)?;
        let is_kept = query.persistent();
        self.each(query.sql().as_str(), arguments.as_ref(), is_kept, take)
    }

    fn look_at(&self, sql: SqlStr) -> Result<PreparedStatement, Error> {
        let statement = self.sqlite.prepare_cached(sql.as_str()).map_err(into_sqlx)?;
        let (parameters, columns) = (statement.parameter_count(), columns(&statement));
        drop(statement);
        Ok(PreparedStatement { sql, parameters, columns })
    }
}

fn columns(statement: &Statement<'_>) -> Vec<Column> {
    let names = statement.column_names().into_iter().enumerate();
    names.map(|(ordinal, name)| Column::new(ordinal, name)).collect()
}

impl<'c> Executor<'c> for &'c mut Connection {
    type Database = SyncSqlite;

    fn execute<'e, 'q: 'e, E>(self, query: E) -> BoxFuture<'e, Result<ExecResult, Error>>
    where
        'c: 'e,
        E: 'q + Execute<'q, SyncSqlite>,
    {
        future::ready(self.ask(query, drop)).boxed()
    }

    fn fetch_many<'e, 'q: 'e, E>(self, query: E) -> BoxStream<'e, Result<Either<ExecResult, Row>, Error>>
    where
        'c: 'e,
        E: 'q + Execute<'q, SyncSqlite>,
    {
        let mut rows = Vec::new();
        let outcome = self.ask(query, |row| rows.push(Ok(Either::Right(row))));
        rows.push(outcome.map(Either::Left));
        stream::iter(rows).boxed()
    }

    fn fetch_optional<'e, 'q: 'e, E>(self, query: E) -> BoxFuture<'e, Result<Option<Row>, Error>>
    where
        'c: 'e,
        E: 'q + Execute<'q, SyncSqlite>,
    {
        let mut first = None;
        let outcome = self.ask(query, |row| {
            first.get_or_insert(row);
        });
        future::ready(outcome.map(|_| first)).boxed()
    }

    fn prepare_with<'e>(
        self,
        sql: SqlStr,
        _: &[StorageClass],
    ) -> BoxFuture<'e, Result<PreparedStatement, Error>>
    where
        'c: 'e,
    {
        future::ready(self.look_at(sql)).boxed()
    }

    fn describe<'e>(self, sql: SqlStr) -> BoxFuture<'e, Result<Describe<SyncSqlite>, Error>>
    where
        'c: 'e,
    {
        let described = self.look_at(sql).map(|statement| Describe {
            nullable: vec![None; statement.columns.len()],
            parameters: Some(Either::Right(statement.parameters)),
            columns: statement.columns,
        });
        future::ready(described).boxed()
    }
}

impl sqlx::Connection for Connection {
    type Database = SyncSqlite;
    type Options = SqliteOptions;

    async fn close(self) -> Result<(), Error> {
        self.sqlite.close().map_err(|(_, error)| into_sqlx(error))
    }

    async fn close_hard(self) -> Result<(), Error> {
        self.close().await
    }

    async fn ping(&mut self) -> Result<(), Error> {
        Ok(())
    }

    async fn begin(&mut self) -> Result<Transaction<'_, SyncSqlite>, Error> {
        Transaction::begin(self, None).await
    }

    fn shrink_buffers(&mut self) {}

    async fn flush(&mut self) -> Result<(), Error> {
        Ok(())
    }

    fn should_flush(&self) -> bool {
        false
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct(SyncSqlite::NAME).field("writes", &self.is_writing()).finish()
    }
}

/// Implemented because sqlx requires it of every driver; the hub uses [`SqliteOptions::open`].
impl ConnectOptions for SqliteOptions {
    type Connection = Connection;

    fn from_url(url: &Url) -> Result<Self, Error> {
        url.path().parse()
    }

    async fn connect(&self) -> Result<Connection, Error> {
        self.open()
    }

    fn log_statements(self, _: LevelFilter) -> Self {
        self
    }

    fn log_slow_statements(self, _: LevelFilter, _: Duration) -> Self {
        self
    }
}

impl FromStr for SqliteOptions {
    type Err = Error;

    fn from_str(file: &str) -> Result<Self, Error> {
        Ok(Self { file: file.into(), read_only: false, pragmas: "" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_done_outside_of_a_transaction_that_sqlite_has_ended() {
        let options = SqliteOptions {
            file: ":memory:".into(),
            read_only: false,
            pragmas: "create table numbers (number)",
        };
        let connection = options.open().unwrap();
        connection.begin().unwrap();
        connection.execute_cached("insert into numbers values (1)").unwrap();
        connection.run("rollback").unwrap();
        assert!(connection.execute_cached("insert into numbers values (2)").is_err());
        assert!(connection.commit().is_err());
        connection.execute_cached("insert into numbers values (3)").unwrap();
        let count: i64 =
            connection.sqlite.query_row("select count(*) from numbers", [], |row| row.get(0)).unwrap();
        assert_eq!(count, 1);
    }
}
