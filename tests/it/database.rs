//! What a hub has written, looked at behind its back.

use std::{path::Path, time::Instant};

use plexus_store::{StoreUrl, testing::Database};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection, SqliteConnection, query_scalar, raw_sql};

use crate::events::PATIENCE;

/// The database of a hub that may be running.
pub enum Sql {
    Sqlite { url: String },
    Postgres { url: String },
}

impl Sql {
    /// The test database, or the file in the data folder.
    pub fn of(database: Option<&Database>, data: &Path) -> Self {
        match database {
            Some(database) => Self::Postgres { url: postgres_url(database) },
            None => Self::Sqlite { url: format!("sqlite://{}", data.join("plexus.sqlite3").display()) },
        }
    }

    pub async fn run(&self, text: &str) {
        let text = AssertSqlSafe(text.to_owned());
        match self {
            Self::Sqlite { url } => {
                let mut connection = SqliteConnection::connect(url).await.expect("opens");
                raw_sql(text).execute(&mut connection).await.expect("SQLite obeys");
            }
            Self::Postgres { url } => {
                let mut connection = PgConnection::connect(url).await.expect("Postgres answers");
                raw_sql(text).execute(&mut connection).await.expect("Postgres obeys");
            }
        }
    }

    /// The one number that a query answers.
    pub async fn number(&self, text: &str) -> i64 {
        let text = AssertSqlSafe(text.to_owned());
        match self {
            Self::Sqlite { url } => {
                let mut connection = SqliteConnection::connect(url).await.expect("opens");
                query_scalar(text).fetch_one(&mut connection).await.expect("SQLite answers")
            }
            Self::Postgres { url } => {
                let mut connection = PgConnection::connect(url).await.expect("Postgres answers");
                query_scalar(text).fetch_one(&mut connection).await.expect("Postgres answers")
            }
        }
    }

    /// Waits until a query answers at least `number`.
    pub async fn until_at_least(&self, number: usize, text: &str) {
        let begun = Instant::now();
        while self.number(text).await < i64::try_from(number).expect("few") {
            assert!(begun.elapsed() < PATIENCE, "{text} does not come to {number}");
        }
    }
}

pub fn postgres_url(database: &Database) -> String {
    match database.url() {
        StoreUrl::Postgres { url } => url.to_string(),
        StoreUrl::Sqlite { .. } => unreachable!("a test database is on Postgres"),
    }
}
