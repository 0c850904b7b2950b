//! Fixture: raw SQL access to a hub's database.

use std::{path::Path, time::Instant};

use futures::TryFutureExt as _;
use plexus_store::{StoreUrl, testing::Database};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection, SqliteConnection, query_as, query_scalar, raw_sql};

use crate::events::TIMEOUT;

/// Runs a query on either database over a separate connection.
macro_rules! ask {
    ($sql:expr, $connection:ident => $answer:expr) => {
        match $sql {
            Sql::Sqlite { url } => {
                let $connection = &mut SqliteConnection::connect(url).await.expect("opens");
                $answer.await.expect("SQLite answers")
            }
            Sql::Postgres { url } => {
                let $connection = &mut PgConnection::connect(url).await.expect("answers");
                $answer.await.expect("Postgres answers")
            }
        }
    };
}

/// Database of a hub, which may be running.
pub enum Sql {
    Sqlite { url: String },
    Postgres { url: String },
}

impl Sql {
    /// Returns the test database, or the SQLite file in the data folder.
    pub fn of(database: Option<&Database>, data: &Path) -> Self {
        match database {
            Some(database) => Self::Postgres { url: postgres_url(database) },
            None => Self::Sqlite { url: format!("sqlite://{}", data.join("plexus.sqlite3").display()) },
        }
    }

    pub async fn run(&self, text: &str) {
        let text = AssertSqlSafe(match self {
            // As the connections of the hub: what is deleted does not stay in the file.
            Self::Sqlite { .. } => format!("pragma secure_delete = on; {text}"),
            Self::Postgres { .. } => text.to_owned(),
        });
        ask!(self, connection => raw_sql(text).execute(connection).map_ok(drop));
    }

    /// Returns the single number that a query selects.
    pub async fn number(&self, text: &str) -> i64 {
        let text = AssertSqlSafe(text.to_owned());
        ask!(self, connection => query_scalar(text).fetch_one(connection))
    }

    /// Returns the single id that a query selects.
    pub async fn id(&self, text: &str) -> [u8; 16] {
        let text = AssertSqlSafe(match self {
            Self::Sqlite { .. } => text.to_owned(),
            Self::Postgres { .. } => format!("select uuid_send(found.id) from ({text}) found"),
        });
        let bytes: Vec<u8> = ask!(self, connection => query_scalar(text).fetch_one(connection));
        bytes.try_into().expect("an id")
    }

    /// Returns the two byte columns that a query selects.
    pub async fn pairs(&self, text: &'static str) -> Vec<(Vec<u8>, Vec<u8>)> {
        ask!(self, connection => query_as(text).fetch_all(connection))
    }

    /// Waits until a query selects at least `number`.
    pub async fn until_at_least(&self, number: usize, text: &str) {
        let begun = Instant::now();
        while self.number(text).await < i64::try_from(number).expect("few") {
            assert!(begun.elapsed() < TIMEOUT, "{text} does not come to {number}");
        }
    }
}

pub fn postgres_url(database: &Database) -> String {
    match database.url() {
        StoreUrl::Postgres { url } => url.to_string(),
        StoreUrl::Sqlite { .. } => unreachable!("a test database is on Postgres"),
    }
}
