//! Test support: a fresh store for every test, on both databases.
//!
//! [`on_both!`] makes two tests of one body. Postgres runs at the address in `PLEXUS_TEST_POSTGRES`, or as a
//! temporary server that ends with the test process.

mod fixtures;
mod postgres_server;

use std::{
    fs,
    future::Future,
    io::Write as _,
    path::Path,
    sync::atomic::{AtomicU64, Ordering},
};

use sqlx::{AssertSqlSafe, Connection, PgConnection, query};
use tokio::sync::OnceCell;
use url::Url;

use crate::{Store, StoreConfig, StoreUrl, permissions::create_file, sqlite};

pub use fixtures::{AgentSeed, Person, World};

/// Runs one body as two tests, `NAME::sqlite` and `NAME::postgres`, each with a fresh store.
#[macro_export]
macro_rules! on_both {
    ($($(#[$meta:meta])* async fn $name:ident($store:ident: Store) $body:block)*) => {$(
        #[cfg(test)]
        mod $name {
            use super::*;

            $(#[$meta])*
            async fn body($store: $crate::Store) $body

            #[::tokio::test]
            async fn sqlite() {
                $crate::testing::on_sqlite(body).await;
            }

            #[::tokio::test]
            async fn postgres() {
                $crate::testing::on_postgres(body).await;
            }
        }
    )*};
}

/// Returns the store configuration for tests.
pub fn config(url: StoreUrl) -> StoreConfig {
    StoreConfig { connections: 4, ..StoreConfig::new(url) }
}

/// Runs a test on SQLite in a temporary folder.
pub async fn on_sqlite<F: Future<Output = ()>>(body: impl FnOnce(Store) -> F) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    prepare_sqlite(folder.path()).await;
    let store = open_sqlite(folder.path()).await;
    body(store.clone()).await;
    store.close().await;
}

/// Opens SQLite in a folder.
pub async fn open_sqlite(folder: &Path) -> Store {
    let url = StoreUrl::Sqlite { folder: folder.to_owned() };
    Store::open(&config(url)).await.expect("SQLite opens")
}

/// Creates a migrated database in a folder that has none. Migrating takes a second in a debug build; each process
/// does it once, and copies the result.
pub async fn prepare_sqlite(folder: &Path) {
    static TEMPLATE: OnceCell<Vec<u8>> = OnceCell::const_new();
    let file = folder.join(sqlite::FILE);
    if !folder.exists() || file.exists() {
        return;
    }
    let template = TEMPLATE.get_or_init(make_sqlite_template).await;
    create_file(&file).and_then(|mut file| file.write_all(template)).expect("the database is copied");
}

async fn make_sqlite_template() -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    open_sqlite(folder.path()).await.close().await;
    // Closing moves the write-ahead log into the file.
    assert!(!folder.path().join(format!("{}-wal", sqlite::FILE)).exists(), "the template is one file");
    fs::read(folder.path().join(sqlite::FILE)).expect("the template is read")
}

/// Runs a test on Postgres in a database of its own.
pub async fn on_postgres<F>(body: impl FnOnce(Store) -> F)
where
    F: Future<Output = ()> + Send + 'static,
{
    let Some(database) = Database::new().await else { return };
    let store = Store::open(&config(database.url())).await.expect("Postgres opens");
    // Runs in a separate task, so that the database is dropped even if the test panics.
    let outcome = tokio::spawn(body(store.clone())).await;
    store.close().await;
    database.drop().await;
    if let Err(panic) = outcome {
        std::panic::resume_unwind(panic.into_panic());
    }
}

/// A temporary database on the Postgres server of the tests.
pub struct Database {
    server: Url,
    name: String,
}

impl Database {
    /// Creates a migrated database; `None` if tests on Postgres are disabled.
    pub async fn new() -> Option<Self> {
        static TEMPLATE: OnceCell<String> = OnceCell::const_new();
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let server = postgres_server::url()?;
        let template = TEMPLATE.get_or_init(|| make_template(&server)).await;
        let name = format!("plexus_test_{}_{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        // With `fsync` off, this strategy is twice as fast as the default.
        run(&server, format!("create database {name} template {template} strategy file_copy")).await;
        Some(Self { server, name })
    }

    pub fn url(&self) -> StoreUrl {
        within(&self.server, &self.name)
    }

    pub async fn drop(self) {
        run(&self.server, format!("drop database {} with (force)", self.name)).await;
    }
}

async fn make_template(server: &Url) -> String {
    let name = format!("plexus_template_{}", std::process::id());
    run(server, format!("drop database if exists {name} with (force)")).await;
    run(server, format!("create database {name}")).await;
    let store = Store::open(&config(within(server, &name))).await.expect("the template opens");
    store.close().await;
    name
}

fn within(server: &Url, database: &str) -> StoreUrl {
    let mut url = server.clone();
    url.set_path(database);
    StoreUrl::Postgres { url }
}

async fn run(server: &Url, text: String) {
    let mut connection = PgConnection::connect(server.as_str()).await.expect("the test cluster answers");
    query(AssertSqlSafe(text)).execute(&mut connection).await.expect("the test cluster obeys");
    connection.close().await.expect("the test cluster says goodbye");
}
