//! A hub of its own for every test, served in this process.

use std::{panic::AssertUnwindSafe, path::Path};

use futures::FutureExt as _;
use plexus_hub::{accounts, listings};
use plexus_server::{config::Serve, run::Running, settings::Settings};
use plexus_store::testing::Database;
use reqwest::StatusCode;
use tempfile::TempDir;

use crate::{
    client::{Client, PASSWORD},
    database::{Sql, postgres_url},
};

/// Makes two tests of one that starts its hub itself, `sqlite` and `postgres`: it is given a database, or none for SQLite.
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

/// Runs one body as two tests, `NAME::sqlite` and `NAME::postgres`, each with a hub of its own.
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

/// A setting as the environment gives it.
pub type Given = (&'static str, &'static str);

pub struct Hub {
    running: Option<Running>,
    origin: String,
    database: Option<Database>,
    folder: TempDir,
}

/// Runs `body` on a fresh hub, and takes the hub and its database away however it ends.
pub async fn run(database: Option<Database>, settings: &[Given], body: impl AsyncFnOnce(&Hub)) {
    let hub = Hub::start(database, settings).await;
    let outcome = AssertUnwindSafe(body(&hub)).catch_unwind().await;
    hub.end().await;
    if let Err(panic) = outcome {
        std::panic::resume_unwind(panic);
    }
}

impl Hub {
    /// On SQLite in a folder that is made within `parent`.
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

    /// Another process of this hub, on the same Postgres. It ends before this one.
    pub async fn another_process(&self) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let shared = |name: &str| self.folder.path().join(name).display().to_string();
        let (key, blobs) = (shared("secret.key"), shared("blobs"));
        let given = [("PLEXUS_SECRET_KEY_FILE", key.as_str()), ("PLEXUS_BLOBS_DIR", blobs.as_str())];
        let url = self.database.as_ref().map(postgres_url);
        let running = running(folder.path(), url.as_deref(), &given).await;
        let origin = format!("http://{}", running.address);
        Self { running: Some(running), origin, database: None, folder }
    }

    /// Where it keeps its data.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The hub behind the edges.
    pub fn inner(&self) -> &plexus_hub::Hub {
        &self.running.as_ref().expect("it runs until the end").hub
    }

    /// Does at once what it does every hour.
    pub async fn tidy(&self) {
        self.inner().tidy().await.expect("the store answers");
    }

    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// Somebody who is not signed in.
    pub fn visitor(&self) -> Client {
        Client::new(&self.origin)
    }

    /// Somebody who has just signed up.
    pub async fn person(&self, name: &str) -> Client {
        let client = self.visitor();
        client.sign_up(name).await;
        client
    }

    /// Somebody who has signed up with the first administrator's link.
    pub async fn administrator(&self, name: &str) -> Client {
        let link = self.first_administrator_link().await.expect("nobody administers the hub");
        let token = link.split_once("admin=").expect("a token").1;
        let client = self.visitor();
        let fields = [("name", name), ("password", PASSWORD), ("admin", token)];
        client.post("/signup", &fields).await.expect(StatusCode::SEE_OTHER);
        client
    }

    /// The id of an account.
    pub async fn account(&self, name: &str) -> String {
        let caller = accounts::act_for(self.inner(), Some(name)).await.expect("somebody of that name");
        caller.person.expect("an account").account.to_string()
    }

    pub async fn first_administrator_link(&self) -> Option<String> {
        accounts::first_administrator_link(self.inner()).await.expect("the store answers")
    }

    /// Changes the database behind the hub's back.
    pub async fn sql(&self, text: &str) {
        Sql::of(self.database.as_ref(), self.folder.path()).run(text).await;
    }

    /// The one number that a query answers.
    pub async fn number(&self, text: &str) -> i64 {
        Sql::of(self.database.as_ref(), self.folder.path()).number(text).await
    }

    /// The log of the only team as it was written, each entry with its signature.
    pub async fn team_log(&self) -> Vec<(Vec<u8>, Vec<u8>)> {
        let text = "select body, signature from team_log order by seq";
        Sql::of(self.database.as_ref(), self.folder.path()).pairs(text).await
    }

    /// What makes an id that nothing has, in SQL.
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

async fn running(folder: &Path, database: Option<&str>, settings: &[(&str, &str)]) -> Running {
    let serve = configured(folder, database, settings);
    let running = plexus_server::run::start(serve).await.expect("the hub starts");
    listings::until_whole(&running.hub).await;
    running
}

fn configured(folder: &Path, database: Option<&str>, settings: &[(&str, &str)]) -> Serve {
    let fixed = [
        ("PLEXUS_LISTEN", Some("127.0.0.1:0")),
        ("PLEXUS_DATA_DIR", folder.to_str()),
        ("PLEXUS_LIMITS_SCALE", Some("1000")),
        ("PLEXUS_SQLITE_DURABILITY", Some("crash")),
        ("DATABASE_URL", database),
        ("PLEXUS_DATABASE_POOL", Some("4")),
    ];
    let given = settings.iter().map(|(name, value)| (*name, Some(*value)));
    let all: Vec<(&str, Option<&str>)> = given.chain(fixed).collect();
    let variable =
        |name: &str| all.iter().find(|(key, _)| *key == name).and_then(|(_, value)| value.map(str::to_owned));
    let flags = Settings::flags(clap::Command::new("plexus")).get_matches_from(["plexus"]);
    let settings = Settings::read(&flags, variable, &folder.join("plexus.toml")).expect("settings");
    Serve::from_settings(&settings).expect("usable settings")
}
