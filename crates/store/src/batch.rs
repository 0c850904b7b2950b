//! Statements that belong together and answer nothing. SQLite is asked once for all of them, since the walk to its
//! thread costs more than most statements do; Postgres is sent one after the other.

use sqlx::{
    Arguments as _, AssertSqlSafe, Encode, Postgres, Sqlite, Type, postgres::PgArguments, query_with,
    sqlite::SqliteArguments,
};

use crate::{Error, Result, Tx, conn::Raw};

/// What can be bound on both databases.
pub(crate) trait Value:
    Encode<'static, Sqlite> + Type<Sqlite> + Encode<'static, Postgres> + Type<Postgres>
{
}

impl<T> Value for T where
    T: Encode<'static, Sqlite> + Type<Sqlite> + Encode<'static, Postgres> + Type<Postgres>
{
}

/// Longer texts than this are not kept prepared: they are rare, and each would hold its statements in memory.
const KEPT: usize = 4 << 10;

pub(crate) struct Batch {
    statements: Statements,
    failure: Option<Error>,
}

enum Statements {
    /// One text, through which the placeholders are counted.
    Sqlite(String, SqliteArguments),
    Postgres(Vec<(String, PgArguments)>),
}

impl Batch {
    pub fn of(tx: &mut Tx) -> Self {
        let statements = match tx.raw() {
            Raw::Sqlite(_) => Statements::Sqlite(String::new(), SqliteArguments::default()),
            Raw::Postgres(_) => Statements::Postgres(Vec::new()),
        };
        Self { statements, failure: None }
    }

    /// Adds a statement. Its values follow, in the order of its placeholders `$1`, `$2`, ….
    pub fn add(&mut self, text: &str) -> &mut Self {
        match &mut self.statements {
            Statements::Sqlite(all, arguments) => append(all, text, arguments.len()),
            Statements::Postgres(statements) => statements.push((text.to_owned(), PgArguments::default())),
        }
        self
    }

    pub fn bind<T: Value>(&mut self, value: T) -> &mut Self {
        let bound = match &mut self.statements {
            Statements::Sqlite(_, arguments) => arguments.add(value),
            Statements::Postgres(statements) => match statements.last_mut() {
                Some((_, arguments)) => arguments.add(value),
                None => Err("a value comes before its statement".into()),
            },
        };
        if let Err(error) = bound {
            self.failure.get_or_insert(sqlx::Error::Encode(error).into());
        }
        self
    }

    /// How many rows all of them changed.
    pub async fn execute(self, tx: &mut Tx) -> Result<u64> {
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        match self.statements {
            Statements::Sqlite(text, arguments) => run_on_sqlite(tx, text, arguments).await,
            Statements::Postgres(statements) => {
                let mut changed = 0;
                for (text, arguments) in statements {
                    changed += run_on_postgres(tx, text, arguments).await?;
                }
                Ok(changed)
            }
        }
    }
}

async fn run_on_sqlite(tx: &mut Tx, text: String, arguments: SqliteArguments) -> Result<u64> {
    let Raw::Sqlite(c) = tx.raw() else { return Err(elsewhere()) };
    let kept = text.len() <= KEPT;
    let done = query_with(AssertSqlSafe(text), arguments).persistent(kept).execute(c).await;
    tx.note(done).map(|done| done.rows_affected())
}

async fn run_on_postgres(tx: &mut Tx, text: String, arguments: PgArguments) -> Result<u64> {
    let Raw::Postgres(c) = tx.raw() else { return Err(elsewhere()) };
    let done = query_with(AssertSqlSafe(text), arguments).execute(c).await;
    tx.note(done).map(|done| done.rows_affected())
}

fn elsewhere() -> Error {
    Error::other("statements for one database were run on the other")
}

/// Appends a statement whose first value is the one after `before` others.
fn append(all: &mut String, text: &str, before: usize) {
    let mut pieces = text.split('$');
    all.push_str(pieces.next().unwrap_or_default());
    for piece in pieces {
        let digits = piece.len() - piece.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (number, rest) = piece.split_at(digits);
        let number = number.parse::<usize>().unwrap_or(0) + before;
        all.push('$');
        all.push_str(&number.to_string());
        all.push_str(rest);
    }
    all.push(';');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_counted_through() {
        let mut all = String::new();
        append(&mut all, "insert into a values ($1, $2), ($3, $1)", 0);
        append(&mut all, "update a set x = $2 where y = $1", 3);
        append(&mut all, "delete from a", 5);
        assert_eq!(
            all,
            "insert into a values ($1, $2), ($3, $1);update a set x = $5 where y = $4;delete from a;"
        );
    }
}
