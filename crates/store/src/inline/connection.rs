//! A connection, and how a statement is run on it.

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
    Inline, Prepared,
    error::told,
    row::{Column, Outcome, Row},
    value::{Arguments, Kind},
};

/// Prepared statements kept by each connection: more than there are texts.
const STATEMENTS: usize = 256;
/// Readers never wait for the writer; a checkpoint may hold both for a moment.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// Which file, and what may be done with it.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    pub file: PathBuf,
    pub read_only: bool,
    /// Statements of `pragma …;` that a connection begins with.
    pub pragmas: &'static str,
}

impl Options {
    pub fn open(&self) -> Result<Connection, Error> {
        // A connection has one user at a time, so SQLite need not look after that.
        let access = match self.read_only {
            true => OpenFlags::SQLITE_OPEN_READ_ONLY,
            false => OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE,
        };
        let flags = access | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let sqlite = rusqlite::Connection::open_with_flags(&self.file, flags).map_err(told)?;
        sqlite.set_prepared_statement_cache_capacity(STATEMENTS);
        sqlite.busy_timeout(BUSY_TIMEOUT).map_err(told)?;
        sqlite.execute_batch(self.pragmas).map_err(told)?;
        Ok(Connection { sqlite, is_begun: Cell::new(false) })
    }
}

pub(crate) struct Connection {
    sqlite: rusqlite::Connection,
    /// Whether statements belong to a transaction. SQLite ends one by itself when the disk is full.
    is_begun: Cell<bool>,
}

impl Connection {
    /// Statements without values and without answers.
    pub fn run(&self, text: &str) -> Result<(), Error> {
        self.sqlite.execute_batch(text).map_err(told)
    }

    /// Begins a transaction that writes. Until [`Self::commit`] or [`Self::roll_back`] nothing is done outside of it.
    pub fn begin(&self) -> Result<(), Error> {
        self.step("begin immediate")?;
        self.is_begun.set(true);
        Ok(())
    }

    pub fn commit(&self) -> Result<(), Error> {
        let done = self.step("commit");
        self.is_begun.set(false);
        done
    }

    pub fn roll_back(&self) -> Result<(), Error> {
        self.is_begun.set(false);
        if self.is_writing() { self.run("rollback") } else { Ok(()) }
    }

    /// One statement of those that are run again and again.
    pub fn step(&self, text: &str) -> Result<(), Error> {
        self.check()?;
        let mut statement = self.sqlite.prepare_cached(text).map_err(told)?;
        statement.raw_execute().map(drop).map_err(told)
    }

    /// Whether a transaction is open.
    pub fn is_writing(&self) -> bool {
        !self.sqlite.is_autocommit()
    }

    /// Refuses what would be done outside of a transaction that SQLite has ended.
    fn check(&self) -> Result<(), Error> {
        if self.is_begun.get() && !self.is_writing() {
            return Err(Error::Io(io::Error::other(
                "SQLite has ended the transaction; nothing of it was kept",
            )));
        }
        Ok(())
    }

    /// The first value of the only row of a statement without values.
    pub fn number(&self, text: &str) -> Result<i64, Error> {
        self.sqlite.query_row(text, [], |row| row.get(0)).map_err(told)
    }

    /// Folds the write-ahead log into the file and empties it, so that nothing deleted is left in it. Waits for readers, at most
    /// [`BUSY_TIMEOUT`].
    pub fn truncate_log(&self) -> Result<(), Error> {
        self.sqlite.query_row("pragma wal_checkpoint(truncate)", [], |_| Ok(())).map_err(told)
    }

    /// Folds the write-ahead log into the file as far as nobody is in the way. How many pages the log has.
    pub fn fold(&self) -> Result<i64, Error> {
        self.sqlite.query_row("pragma wal_checkpoint(passive)", [], |row| row.get(1)).map_err(told)
    }

    /// Runs a statement to its end, also where only its first row is wanted: it may change something.
    fn each(
        &self,
        text: &str,
        arguments: Option<&Arguments>,
        is_kept: bool,
        take: impl FnMut(Row),
    ) -> Result<Outcome, Error> {
        if is_kept {
            let mut statement: CachedStatement<'_> = self.sqlite.prepare_cached(text).map_err(told)?;
            self.each_of(&mut statement, arguments, take)
        } else {
            self.each_of(&mut self.sqlite.prepare(text).map_err(told)?, arguments, take)
        }
    }

    fn each_of(
        &self,
        statement: &mut Statement<'_>,
        arguments: Option<&Arguments>,
        mut take: impl FnMut(Row),
    ) -> Result<Outcome, Error> {
        if let Some(arguments) = arguments {
            arguments.bind(statement)?;
        }
        let columns: Arc<[Column]> = columns(statement).into();
        let mut rows: Rows<'_> = statement.raw_query();
        while let Some(row) = rows.next().map_err(told)? {
            take(Row::read(row, &columns).map_err(told)?);
        }
        drop(rows);
        let changed = if statement.readonly() { 0 } else { self.sqlite.changes() };
        Ok(Outcome { changed })
    }

    fn ask<'q>(&self, mut query: impl Execute<'q, Inline>, take: impl FnMut(Row)) -> Result<Outcome, Error> {
        self.check()?;
        let arguments = query.take_arguments().map_err(Error::Encode)?;
        let is_kept = query.persistent();
        self.each(query.sql().as_str(), arguments.as_ref(), is_kept, take)
    }

    fn look_at(&self, sql: SqlStr) -> Result<Prepared, Error> {
        let statement = self.sqlite.prepare_cached(sql.as_str()).map_err(told)?;
        let (parameters, columns) = (statement.parameter_count(), columns(&statement));
        drop(statement);
        Ok(Prepared { sql, parameters, columns })
    }
}

fn columns(statement: &Statement<'_>) -> Vec<Column> {
    let names = statement.column_names().into_iter().enumerate();
    names.map(|(ordinal, name)| Column::new(ordinal, name)).collect()
}

impl<'c> Executor<'c> for &'c mut Connection {
    type Database = Inline;

    fn execute<'e, 'q: 'e, E>(self, query: E) -> BoxFuture<'e, Result<Outcome, Error>>
    where
        'c: 'e,
        E: 'q + Execute<'q, Inline>,
    {
        future::ready(self.ask(query, drop)).boxed()
    }

    fn fetch_many<'e, 'q: 'e, E>(self, query: E) -> BoxStream<'e, Result<Either<Outcome, Row>, Error>>
    where
        'c: 'e,
        E: 'q + Execute<'q, Inline>,
    {
        let mut rows = Vec::new();
        let outcome = self.ask(query, |row| rows.push(Ok(Either::Right(row))));
        rows.push(outcome.map(Either::Left));
        stream::iter(rows).boxed()
    }

    fn fetch_optional<'e, 'q: 'e, E>(self, query: E) -> BoxFuture<'e, Result<Option<Row>, Error>>
    where
        'c: 'e,
        E: 'q + Execute<'q, Inline>,
    {
        let mut first = None;
        let outcome = self.ask(query, |row| {
            first.get_or_insert(row);
        });
        future::ready(outcome.map(|_| first)).boxed()
    }

    fn prepare_with<'e>(self, sql: SqlStr, _: &[Kind]) -> BoxFuture<'e, Result<Prepared, Error>>
    where
        'c: 'e,
    {
        future::ready(self.look_at(sql)).boxed()
    }

    fn describe<'e>(self, sql: SqlStr) -> BoxFuture<'e, Result<Describe<Inline>, Error>>
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
    type Database = Inline;
    type Options = Options;

    async fn close(self) -> Result<(), Error> {
        self.sqlite.close().map_err(|(_, error)| told(error))
    }

    async fn close_hard(self) -> Result<(), Error> {
        self.close().await
    }

    async fn ping(&mut self) -> Result<(), Error> {
        Ok(())
    }

    async fn begin(&mut self) -> Result<Transaction<'_, Inline>, Error> {
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
        f.debug_struct(Inline::NAME).field("writes", &self.is_writing()).finish()
    }
}

/// What sqlx wants of every driver; the hub itself opens by [`Options::open`].
impl ConnectOptions for Options {
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

impl FromStr for Options {
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
        let options =
            Options { file: ":memory:".into(), read_only: false, pragmas: "create table numbers (number)" };
        let connection = options.open().unwrap();
        connection.begin().unwrap();
        connection.step("insert into numbers values (1)").unwrap();
        connection.run("rollback").unwrap();
        assert!(connection.step("insert into numbers values (2)").is_err());
        assert!(connection.commit().is_err());
        connection.step("insert into numbers values (3)").unwrap();
        let count: i64 =
            connection.sqlite.query_row("select count(*) from numbers", [], |row| row.get(0)).unwrap();
        assert_eq!(count, 1);
    }
}
