//! Transfer of a whole store into an empty one, of the same or the other database.
//!
//! Reads from one snapshot and writes in one transaction. Before the commit, every table is read back and
//! compared.

mod cell;
mod paged_rows;
mod tables;
#[cfg(test)]
mod tests;

use futures::{StreamExt, TryStreamExt, stream::BoxStream};
use plexus_domain::Digest;
use sqlx::{AssertSqlSafe, QueryBuilder, query, query_scalar};

use crate::{
    Conn, Error, Store, Tx,
    conn::{DriverConn, execute, on},
};
use cell::Cell;
use tables::{Column, Order, TABLES, Table};

/// Upper bounds of one insert statement: number of rows, and approximate number of bytes.
const BATCH_ROWS: usize = 256;
const BATCH_BYTES: usize = 4 << 20;
/// Table of hubs. A new store has one row in it: the hub itself.
const HUBS: &str = "hubs";

/// Row count and digest of a table. Equal for two stores with equal rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableDigest {
    pub table: &'static str,
    pub rows: u64,
    /// Independent of the order of the rows.
    pub digest: Digest,
}

/// Progress of the transfer within one table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransferProgress {
    pub table: &'static str,
    pub done: u64,
    pub total: u64,
}

#[derive(Debug, thiserror::Error)]
pub enum TransferError {
    #[error("the database {at} is not empty (table {table}); choose a new database, or a new data folder")]
    NotEmpty { at: String, table: &'static str },
    #[error(
        "the schemas of the two databases differ in table {table}; open both with the same version of Plexus"
    )]
    Schema { table: &'static str },
    #[error("table {table} does not read back as it was written; the copy was rolled back")]
    Differs { table: &'static str },
    #[error(transparent)]
    Store(#[from] Error),
}

/// Copies every table and returns their digests. There must be no other writer to `to` during the transfer.
pub async fn copy(
    from: &Store,
    to: &Store,
    mut progress: impl FnMut(TransferProgress),
) -> Result<Vec<TableDigest>, TransferError> {
    let mut source = from.snapshot().await?;
    let mut target = to.write().await?;
    lift_limits(&mut source).await?;
    lift_limits(&mut target).await?;
    defer_references(&mut target).await?;
    clear(&mut target, to).await?;
    let mut contents = Vec::with_capacity(TABLES.len());
    for table in &TABLES {
        let written = copy_table(&mut source, &mut target, table, &mut progress).await?;
        if content(&mut target, table).await? != written {
            return Err(TransferError::Differs { table: table.name });
        }
        contents.push(written);
    }
    target.commit().await?;
    Ok(contents)
}

/// Returns the digest of every table, referenced tables first.
pub async fn contents(conn: &mut Conn) -> Result<Vec<TableDigest>, Error> {
    let mut contents = Vec::with_capacity(TABLES.len());
    for table in &TABLES {
        contents.push(content(conn, table).await?);
    }
    Ok(contents)
}

async fn content(conn: &mut Conn, table: &'static Table) -> Result<TableDigest, Error> {
    let columns = tables::columns(conn, table.name).await?;
    let mut sum = RowDigestSum::default();
    let mut rows = rows(conn, table, &columns);
    while let Some(row) = rows.try_next().await? {
        sum.add(&row);
    }
    Ok(sum.content(table))
}

async fn copy_table(
    source: &mut Conn,
    target: &mut Tx,
    table: &'static Table,
    progress: &mut impl FnMut(TransferProgress),
) -> Result<TableDigest, TransferError> {
    let columns = tables::columns(source, table.name).await?;
    let into = tables::columns(target, table.name).await?;
    if !columns.iter().map(|column| &column.name).eq(into.iter().map(|column| &column.name)) {
        return Err(TransferError::Schema { table: table.name });
    }
    let total = count(source, table).await?;
    let mut sum = RowDigestSum::default();
    let mut batch = Batch::default();
    let mut rows = rows(source, table, &columns);
    progress(TransferProgress { table: table.name, done: 0, total });
    while let Some(row) = rows.try_next().await? {
        sum.add(&row);
        batch.push(row);
        if batch.is_full() {
            insert(target, table, &into, &batch.take()).await?;
            progress(TransferProgress { table: table.name, done: sum.rows, total });
        }
    }
    insert(target, table, &into, &batch.take()).await?;
    progress(TransferProgress { table: table.name, done: sum.rows, total });
    Ok(sum.content(table))
}

fn rows<'a>(
    conn: &'a mut Conn,
    table: &'static Table,
    columns: &'a [Column],
) -> BoxStream<'a, Result<Vec<Cell>, Error>> {
    match conn.raw() {
        DriverConn::Sqlite(c) => paged_rows::rows(c, table, columns),
        DriverConn::Postgres(c) => {
            let order = match table.order {
                Order::Any => String::new(),
                Order::By(columns) => format!(" order by {}", columns.join(", ")),
                Order::Down(column) => format!(" order by {column} desc"),
            };
            let text = format!("select {} from {}{order}", names(columns), table.name);
            let rows = query(AssertSqlSafe(text)).fetch(c);
            rows.map(|row| Ok(row.and_then(|row| cell::from_postgres(&row, columns))?)).boxed()
        }
    }
}

fn names(columns: &[Column]) -> String {
    columns.iter().map(|column| column.name.as_str()).collect::<Vec<_>>().join(", ")
}

async fn insert(tx: &mut Tx, table: &Table, columns: &[Column], rows: &[Vec<Cell>]) -> Result<(), Error> {
    if rows.is_empty() {
        return Ok(());
    }
    let head = format!("insert into {} ({}) ", table.name, names(columns));
    let result = match tx.raw() {
        DriverConn::Sqlite(c) => {
            let mut query = QueryBuilder::new(head);
            query.push_values(rows, |mut values, row| {
                for cell in row {
                    cell.bind_sqlite(&mut values);
                }
            });
            query.build().persistent(false).execute(c).await.map(drop)
        }
        DriverConn::Postgres(c) => {
            let mut query = QueryBuilder::new(head);
            query.push_values(rows, |mut values, row| {
                for (cell, column) in row.iter().zip(columns) {
                    cell.bind_postgres(&mut values, column.kind);
                }
            });
            query.build().persistent(false).execute(c).await.map(drop)
        }
    };
    tx.note(result)
}

/// Removes the row of the hub itself, the only row of a new store, and fails if any other row exists.
/// The transfer copies that row from the source.
async fn clear(tx: &mut Tx, to: &Store) -> Result<(), TransferError> {
    // Agents refer to the row of the hub, so other tables are looked at before it is removed.
    for table in TABLES.iter().filter(|table| table.name != HUBS) {
        expect_no_rows(tx, to, table).await?;
    }
    execute!(tx, query("delete from hubs where state = 'self'"))?;
    for table in TABLES.iter().filter(|table| table.name == HUBS) {
        expect_no_rows(tx, to, table).await?;
    }
    Ok(())
}

async fn expect_no_rows(conn: &mut Conn, at: &Store, table: &Table) -> Result<(), TransferError> {
    match count(conn, table).await? {
        0 => Ok(()),
        _ => Err(TransferError::NotEmpty { at: at.url().to_string(), table: table.name }),
    }
}

/// Fails if the store has any row besides that of the hub itself.
pub async fn check_empty(store: &Store) -> Result<(), TransferError> {
    // Dropping the transaction rolls it back.
    clear(&mut store.write().await?, store).await
}

async fn count(conn: &mut Conn, table: &Table) -> Result<u64, Error> {
    let text = format!("select count(*) from {}", table.name);
    let rows: i64 = on!(conn, c => query_scalar(AssertSqlSafe(text)).fetch_one(c))?;
    Ok(u64::try_from(rows).unwrap_or(0))
}

/// Disables the Postgres timeouts: a large table takes longer to read than any regular statement.
async fn lift_limits(conn: &mut Conn) -> Result<(), Error> {
    let DriverConn::Postgres(c) = conn.raw() else { return Ok(()) };
    let text = "set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0";
    let result = sqlx::raw_sql(text).execute(c).await.map(drop);
    conn.note(result)
}

/// Defers foreign key checks: a row may precede the row of the same table that it references.
async fn defer_references(tx: &mut Tx) -> Result<(), Error> {
    let result = match tx.raw() {
        DriverConn::Sqlite(c) => query("pragma defer_foreign_keys = on").execute(c).await.map(drop),
        DriverConn::Postgres(c) => query("set constraints all deferred").execute(c).await.map(drop),
    };
    tx.note(result)
}

/// Rows that are inserted by one statement.
#[derive(Default)]
struct Batch {
    rows: Vec<Vec<Cell>>,
    bytes: usize,
}

impl Batch {
    fn push(&mut self, row: Vec<Cell>) {
        self.bytes += row.iter().map(Cell::size).sum::<usize>();
        self.rows.push(row);
    }

    const fn is_full(&self) -> bool {
        self.rows.len() >= BATCH_ROWS || self.bytes >= BATCH_BYTES
    }

    fn take(&mut self) -> Vec<Vec<Cell>> {
        self.bytes = 0;
        std::mem::take(&mut self.rows)
    }
}

/// Row count and XOR of the row digests, hence independent of the order of the rows.
#[derive(Default)]
struct RowDigestSum {
    rows: u64,
    digest: [u8; 32],
}

impl RowDigestSum {
    fn add(&mut self, row: &[Cell]) {
        self.rows += 1;
        let digest = cell::digest(row);
        for (sum, byte) in self.digest.iter_mut().zip(digest.as_bytes()) {
            *sum ^= byte;
        }
    }

    const fn content(&self, table: &'static Table) -> TableDigest {
        TableDigest { table: table.name, rows: self.rows, digest: Digest::from_bytes(self.digest) }
    }
}
