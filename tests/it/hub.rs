//! Fixture: hub in this process, one per test.

use std::{panic::AssertUnwindSafe, path::Path};

use futures::FutureExt as _;
use plexus_hub::{accounts, listings};
use plexus_server::{config::ServeConfig, serve::RunningServer, settings::Settings};
use plexus_store::testing::{self, Database};
use reqwest::StatusCode;
use tempfile::TempDir;

use crate::{
    client::{Client, PASSWORD},
    database::{Sql, postgres_url},
    process,
};

/// Defines the tests `sqlite` and `postgres` from a function that starts its own hub. The function receives a
/// database, or `None` for SQLite.
macro_rules! play_on_both {
    ($play:ident) => {
        #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn sqlite() {
            $play(None).await;
        }

        #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn postgres() {
            let Some(database) = plexus_store::testing::Database::new().await else { return };
            $play(Some(database)).await;
        }
    };
}
pub(crate) use play_on_both;

/// Defines the tests `NAME::sqlite` and `NAME::postgres` from one body, each with its own hub.
macro_rules! on_both {
    ($(async fn $name:ident($hub:ident: &Hub $(, [$($setting:expr),* $(,)?])?) $body:block)*) => {$(
        mod $name {
            use super::*;

            async fn body($hub: &Hub) $body

            async fn body_on(database: Option<plexus_store::testing::Database>) {
                $crate::hub::run(database, &[$($($setting),*)?], body).await;
            }

            $crate::hub::play_on_both!(body_on);
        }
    )*};
}
pub(crate) use on_both;

/// Setting as an environment variable.
pub type Given = (&'static str, &'static str);

pub struct Hub {
    running: Option<RunningServer>,
    origin: String,
    database: Option<Database>,
    folder: TempDir,
}

/// Runs `body` on a new hub, and removes the hub and its database even if `body` panics.
pub async fn run(database: Option<Database>, settings: &[Given], body: impl AsyncFnOnce(&Hub)) {
    let hub = Hub::start(database, settings).await;
    let outcome = AssertUnwindSafe(body(&hub)).catch_unwind().await;
    hub.end().await;
    if let Err(panic) = outcome {
        std::panic::resume_unwind(panic);
    }
}

impl Hub {
    /// Starts a hub on SQLite in a new folder in `parent`.
    pub async fn within(parent: &Path, settings: &[Given]) -> Self {
        let folder = TempDir::new_in(parent).expect("a folder");
        Self::serve(folder, None, settings).await
    }

    async fn start(database: Option<Database>, settings: &[Given]) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        Self::serve(folder, database, settings).await
    }

    async fn serve(folder: TempDir, database: Option<Database>, settings: &[Given]) -> Self {
        let url = database.as_ref().map(postgres_url);
        let running = running(folder.path(), url.as_deref(), settings).await;
        let origin = format!("http://{}", running.address);
        Self { running: Some(running), origin, database, folder }
    }

    /// Starts another instance of this hub on the same Postgres. It must be stopped before this one.
    pub async fn another_process(&self) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let shared = |name: &str| self.folder.path().join(name).display().to_string();
        let (key, blobs) = (shared("secret.key"), shared("blobs"));
        let given = [("PLEXUS_SECRET_KEY_FILE", key.as_str()), ("PLEXUS_FILES_DIR", blobs.as_str())];
        let url = self.database.as_ref().map(postgres_url);
        let running = running(folder.path(), url.as_deref(), &given).await;
        let origin = format!("http://{}", running.address);
        Self { running: Some(running), origin, database: None, folder }
    }

    /// Returns the data folder.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Returns the hub's service layer.
    pub fn inner(&self) -> &plexus_hub::Hub {
        &self.running.as_ref().expect("it runs until the end").hub
    }

    /// Runs the hourly maintenance now.
    pub async fn tidy(&self) {
        self.inner().tidy().await.expect("the store answers");
    }

    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// Returns an anonymous client.
    pub fn visitor(&self) -> Client {
        Client::new(&self.origin)
    }

    /// Signs up a new user.
    pub async fn person(&self, name: &str) -> Client {
        let client = self.visitor();
        client.sign_up(name).await;
        client
    }

    /// Signs up with the link for the first administrator.
    pub async fn administrator(&self, name: &str) -> Client {
        let link = self.first_administrator_link().await.expect("nobody administers the hub");
        let token = link.split_once("admin=").expect("a token").1;
        let client = self.visitor();
        let fields = [("name", name), ("password", PASSWORD), ("admin", token)];
        client.post("/signup", &fields).await.expect(StatusCode::SEE_OTHER);
        client
    }

    /// Returns the id of an account.
    pub async fn account(&self, name: &str) -> String {
        let caller = accounts::impersonate(self.inner(), Some(name)).await.expect("somebody of that name");
        caller.person.expect("an account").account.to_string()
    }

    pub async fn first_administrator_link(&self) -> Option<String> {
        accounts::first_administrator_link(self.inner()).await.expect("the store answers")
    }

    /// Returns the hub's database.
    pub fn database(&self) -> Sql {
        Sql::of(self.database.as_ref(), self.folder.path())
    }

    /// Executes SQL directly on the hub's database.
    pub async fn sql(&self, text: &str) {
        Sql::of(self.database.as_ref(), self.folder.path()).run(text).await;
    }

    /// Returns the single number that a query selects.
    pub async fn number(&self, text: &str) -> i64 {
        Sql::of(self.database.as_ref(), self.folder.path()).number(text).await
    }

    /// Returns the stored log of the only team: each entry with its signature.
    pub async fn team_log(&self) -> Vec<(Vec<u8>, Vec<u8>)> {
        let text = "select body, signature from team_log order by seq";
        Sql::of(self.database.as_ref(), self.folder.path()).pairs(text).await
    }

    /// Returns an SQL expression for a new id.
    pub const fn new_id(&self) -> &'static str {
        if self.database.is_some() { "gen_random_uuid()" } else { "randomblob(16)" }
    }

    pub async fn end(mut self) {
        let running = self.running.take().expect("it ends once");
        running.stop().await.expect("the hub stops");
        if let Some(database) = self.database.take() {
            database.drop().await;
        }
    }
}

async fn running(folder: &Path, database: Option<&str>, settings: &[(&str, &str)]) -> RunningServer {
    if database.is_none() {
        testing::prepare_sqlite(folder).await;
    }
    let serve = configured(folder, database, settings);
    let running = plexus_server::serve::start(serve).await.expect("the hub starts");
    listings::wait_index_ready(&running.hub).await;
    running
}

fn configured(folder: &Path, database: Option<&str>, settings: &[(&str, &str)]) -> ServeConfig {
    let fixed = [
        ("PLEXUS_LISTEN", Some("127.0.0.1:0")),
        ("PLEXUS_DATA_DIR", folder.to_str()),
        ("PLEXUS_RATE_LIMIT_SCALE", Some("1000")),
        ("PLEXUS_SQLITE_DURABILITY", Some("crash")),
        ("DATABASE_URL", database),
        ("PLEXUS_DATABASE_POOL_SIZE", Some("4")),
    ];
    let given = settings.iter().map(|(name, value)| (*name, Some(*value)));
    let all: Vec<(&str, Option<&str>)> = given.chain(fixed).collect();
    let variable =
        |name: &str| all.iter().find(|(key, _)| *key == name).and_then(|(_, value)| value.map(str::to_owned));
    let flags = Settings::flags(clap::Command::new("plexus")).get_matches_from(["plexus"]);
    let settings = Settings::read(&flags, variable, &folder.join("plexus.toml")).expect("settings");
    let mut serve = ServeConfig::from_settings(&settings).expect("usable settings");
    serve.hub.extractor_program = process::program();
    serve
}
