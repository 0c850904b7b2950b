//! Several processes of one hub on one Postgres, with the program as it is shipped.

use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

use plexus_store::testing::Database;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::time::sleep;

use crate::{
    agent::Agent,
    clerk,
    client::Client,
    database::{Sql, postgres_url},
    process::Process,
};

/// What a hint has reached the other process in, however slow the machine. What is found by looking alone takes longer.
pub const SOON: Duration = Duration::from_secs(8);
/// When the others have taken a process for dead and done what that asks for.
pub const TAKEN: Duration = Duration::from_secs(20);
const POLL: Duration = Duration::from_millis(20);

/// One hub, and where its processes run.
pub struct Fleet {
    folder: TempDir,
    database: Option<Database>,
    flags: Vec<String>,
}

impl Fleet {
    /// None, aloud, where the tests are to do without Postgres.
    pub async fn new(flags: &[&str]) -> Option<Self> {
        let database = Database::new().await?;
        let folder = tempfile::tempdir().expect("a folder");
        let shared = |name: &str| folder.path().join(name).display().to_string();
        let own = ["--secret-key-file", &shared("secret.key"), "--blobs-dir", &shared("blobs")];
        let flags = own.iter().chain(flags).map(|flag| (*flag).to_owned()).collect();
        Some(Self { folder, database: Some(database), flags })
    }

    /// Another process of the hub, with a data folder of its own.
    pub async fn serve(&self, name: &str) -> Process {
        let folder = self.place(name);
        std::fs::create_dir_all(&folder).expect("a folder");
        let flags: Vec<&str> = self.flags.iter().map(String::as_str).collect();
        Process::serve_as(&folder, &flags, self.url().as_deref()).await
    }

    /// Two of them, the same administrator at each, and an agent of theirs that the test plays: `@grace/puppet`.
    pub async fn two(&self) -> (Process, Process, Client, Client, Agent) {
        let mut one = self.serve("one").await;
        let here = one.administrator("grace").await;
        let agent = Agent::start().await;
        clerk::register(&here, &agent.url, "puppet").await;
        let other = self.serve("other").await;
        let there = here.at(&other.origin);
        (one, other, here, there, agent)
    }

    pub fn place(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn url(&self) -> Option<String> {
        self.database.as_ref().map(postgres_url)
    }

    pub fn sql(&self) -> Sql {
        Sql::of(self.database.as_ref(), self.folder.path())
    }

    pub async fn end(mut self) {
        if let Some(database) = self.database.take() {
            database.drop().await;
        }
    }
}

/// Waits until something holds. Answers how long that took.
pub async fn within(limit: Duration, what: &str, holds: impl AsyncFn() -> bool) -> Duration {
    let begun = Instant::now();
    while !holds().await {
        assert!(begun.elapsed() < limit, "not within {limit:?}: {what}");
        sleep(POLL).await;
    }
    begun.elapsed()
}

pub async fn stop(client: &Client, run: &str) {
    client.call(Method::POST, &format!("/runs/{run}/stop"), &json!({})).await.expect(StatusCode::ACCEPTED);
}

/// The last message of a chat.
pub async fn last(client: &Client, chat: &str) -> Value {
    let page = client.api(&format!("/chats/{chat}")).await;
    page["messages"].as_array().and_then(|all| all.last()).cloned().expect("a message")
}
