//! Result rows and the outcome of a statement.

use std::sync::Arc;

use sqlx::{ColumnIndex, error::Error};

use super::{
    PreparedStatement, SyncSqlite,
    value::{StorageClass, Value, ValueRef},
};

#[derive(Clone, Debug)]
pub(crate) struct Column {
    ordinal: usize,
    name: Box<str>,
}

impl Column {
    pub fn new(ordinal: usize, name: &str) -> Self {
        Self { ordinal, name: name.into() }
    }
}

impl sqlx::Column for Column {
    type Database = SyncSqlite;

    fn ordinal(&self) -> usize {
        self.ordinal
    }

    fn name(&self) -> &str {
        &self.name
    }

    /// SQLite columns are untyped: each value carries its own storage class.
    fn type_info(&self) -> &StorageClass {
        &StorageClass::Null
    }
}

pub(crate) struct Row {
    values: Vec<Value>,
    columns: Arc<[Column]>,
}

impl Row {
    pub(super) fn read(row: &rusqlite::Row<'_>, columns: &Arc<[Column]>) -> rusqlite::Result<Self> {
        let values = (0..columns.len()).map(|at| row.get(at).map(Value)).collect::<rusqlite::Result<_>>()?;
        Ok(Self { values, columns: Arc::clone(columns) })
    }
}

impl sqlx::Row for Row {
    type Database = SyncSqlite;

    fn columns(&self) -> &[Column] {
        &self.columns
    }

    fn try_get_raw<I: ColumnIndex<Self>>(&self, index: I) -> Result<ValueRef<'_>, Error> {
        Ok(ValueRef(&self.values[index.index(self)?]))
    }
}

sqlx_core::impl_column_index_for_row!(Row);
sqlx_core::impl_column_index_for_statement!(PreparedStatement);

impl ColumnIndex<Row> for str {
    fn index(&self, row: &Row) -> Result<usize, Error> {
        find(&row.columns, self)
    }
}

impl ColumnIndex<PreparedStatement> for str {
    fn index(&self, statement: &PreparedStatement) -> Result<usize, Error> {
        find(&statement.columns, self)
    }
}

/// Linear search: there are few columns, so it is faster than a hash map.
fn find(columns: &[Column], name: &str) -> Result<usize, Error> {
    let found = columns.iter().position(|column| &*column.name == name);
    found.ok_or_else(|| Error::ColumnNotFound(name.to_owned()))
}

/// Outcome of a statement: the number of changed rows.
#[derive(Debug, Default)]
pub(crate) struct ExecResult {
    pub(super) changed: u64,
}

impl ExecResult {
    /// Named like the method of the Postgres driver, so that macros work with both.
    pub const fn rows_affected(&self) -> u64 {
        self.changed
    }
}

impl Extend<Self> for ExecResult {
    fn extend<T: IntoIterator<Item = Self>>(&mut self, others: T) {
        self.changed += others.into_iter().map(|other| other.changed).sum::<u64>();
    }
}
