//! Batch of statements without result rows, built for one database and executed in order.

use sqlx::{Arguments as _, AssertSqlSafe, Encode, Postgres, Type, postgres::PgArguments, query_with};

use crate::{
    Error, Result, Tx,
    conn::DriverConn,
    sqlite_driver::{BindArguments, SyncSqlite},
};

/// Values that can be bound on both databases.
pub(crate) trait BindValue:
    Encode<'static, SyncSqlite> + Type<SyncSqlite> + Encode<'static, Postgres> + Type<Postgres>
{
}

impl<T> BindValue for T where
    T: Encode<'static, SyncSqlite> + Type<SyncSqlite> + Encode<'static, Postgres> + Type<Postgres>
{
}

/// Longest statement text that is cached as a prepared statement, in bytes.
/// Longer texts are rare, and each would occupy memory for its statement.
const MAX_SAMPLES: usize = 4 << 10;

pub(crate) struct StatementBatch {
    statements: Statements,
    failure: Option<Error>,
}

enum Statements {
    Sqlite(Vec<(String, BindArguments)>),
    Postgres(Vec<(String, PgArguments)>),
}

impl StatementBatch {
    pub fn of(tx: &mut Tx) -> Self {
        let statements = match tx.raw() {
            DriverConn::Sqlite(_) => Statements::Sqlite(Vec::new()),
            DriverConn::Postgres(_) => Statements::Postgres(Vec::new()),
        };
        Self { statements, failure: None }
    }

    /// Appends a statement. Its values are bound next, in the order of the placeholders `$1`, `$2`, ….
    pub fn add(&mut self, text: &str) -> &mut Self {
        match &mut self.statements {
            Statements::Sqlite(statements) => statements.push((text.to_owned(), BindArguments::default())),
            Statements::Postgres(statements) => statements.push((text.to_owned(), PgArguments::default())),
        }
        self
    }

    pub fn bind<T: BindValue>(&mut self, value: T) -> &mut Self {
        let missing = || Err("a value comes before its statement".into());
        let bound = match &mut self.statements {
            Statements::Sqlite(all) => all.last_mut().map_or_else(missing, |(_, values)| values.add(value)),
            Statements::Postgres(all) => all.last_mut().map_or_else(missing, |(_, values)| values.add(value)),
        };
        if let Err(error) = bound {
            self.failure.get_or_insert(sqlx::Error::Encode(error).into());
        }
        self
    }

    /// Executes the statements and returns the total number of changed rows.
    pub async fn execute(self, tx: &mut Tx) -> Result<u64> {
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        let mut changed = 0;
        match self.statements {
            Statements::Sqlite(statements) => {
                for (text, arguments) in statements {
                    changed += run_on_sqlite(tx, text, arguments).await?;
                }
            }
            Statements::Postgres(statements) => {
                for (text, arguments) in statements {
                    changed += run_on_postgres(tx, text, arguments).await?;
                }
            }
        }
        Ok(changed)
    }
}

async fn run_on_sqlite(tx: &mut Tx, text: String, arguments: BindArguments) -> Result<u64> {
    let DriverConn::Sqlite(c) = tx.raw() else { return Err(elsewhere()) };
    let kept = text.len() <= MAX_SAMPLES;
    let done = query_with(AssertSqlSafe(text), arguments).persistent(kept).execute(c).await;
    tx.note(done).map(|done| done.rows_affected())
}

async fn run_on_postgres(tx: &mut Tx, text: String, arguments: PgArguments) -> Result<u64> {
    let DriverConn::Postgres(c) = tx.raw() else { return Err(elsewhere()) };
    let done = query_with(AssertSqlSafe(text), arguments).execute(c).await;
    tx.note(done).map(|done| done.rows_affected())
}

fn elsewhere() -> Error {
    Error::other("statements for one database were run on the other")
}
