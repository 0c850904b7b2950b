//! Fixture: several instances of one hub on one Postgres, with the release program.

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

/// Time limit for a cluster notification to take effect on another instance. Shorter than the polling
/// fallback.
pub const SOON: Duration = Duration::from_secs(8);
/// Time limit for failure detection and takeover of a dead instance.
pub const TAKEN: Duration = Duration::from_secs(20);
const POLL: Duration = Duration::from_millis(20);

/// Cluster of one hub: its folders, database and flags.
pub struct Fleet {
    folder: TempDir,
    database: Option<Database>,
    flags: Vec<String>,
}

impl Fleet {
    /// Returns `None`, with a message, if the tests run without Postgres.
    pub async fn new(flags: &[&str]) -> Option<Self> {
        let database = Database::new().await?;
        let folder = tempfile::tempdir().expect("a folder");
        let shared = |name: &str| folder.path().join(name).display().to_string();
        let own = ["--secret-key-file", &shared("secret.key"), "--files-dir", &shared("blobs")];
        let flags = own.iter().chain(flags).map(|flag| (*flag).to_owned()).collect();
        Some(Self { folder, database: Some(database), flags })
    }

    /// Starts another instance of the hub with its own data folder.
    pub async fn serve(&self, name: &str) -> Process {
        let folder = self.place(name);
        std::fs::create_dir_all(&folder).expect("a folder");
        let flags: Vec<&str> = self.flags.iter().map(String::as_str).collect();
        Process::serve_as(&folder, &flags, self.url().as_deref()).await
    }

    /// Starts two instances with the same administrator session at each, and the scripted agent
    /// `@grace/puppet`.
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

/// Polls until a condition holds, and returns the elapsed time.
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

/// Returns the last message of a chat.
pub async fn last(client: &Client, chat: &str) -> Value {
    let page = client.api(&format!("/chats/{chat}")).await;
    page["messages"].as_array().and_then(|all| all.last()).cloned().expect("a message")
}
