//! Backup benchmark: a hub with 100,000 agents and 1,000,000 messages is backed up while people chat, and its
//! archive is restored, on SQLite and on Postgres. The archives of both must have the same rows.

use std::{
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::Context as _;
use sqlx::{Connection as _, PgConnection, raw_sql};
use tempfile::TempDir;

use crate::{
    chat_history,
    hub::{self, Hub, Setting},
    listings, model_relay,
    model_server::{Script, Upstream},
    print,
    startup::until_whole,
    stats::{percentile, sorted},
    token_client::{Chat, Line},
    tokens, users,
};

const AGENTS: usize = 100_000;
const MESSAGES: usize = 1_000_000;
/// How long the chat is measured without a backup.
const TIME: Duration = Duration::from_secs(30);
/// Pause between an answer and the next question, so that chatting does not fill a core by itself.
const PAUSE: Duration = Duration::from_millis(20);
const SCRIPT: Script = Script { tokens: 1, every: Duration::ZERO };
const DATABASE: &str = "plexus_bench_restored";

pub async fn run() -> anyhow::Result<()> {
    let messages = match std::env::var("PLEXUS_BENCH_MESSAGES") {
        Ok(given) => given.parse().context("PLEXUS_BENCH_MESSAGES is not a number")?,
        Err(_) => MESSAGES,
    };
    let folder = listings::folder(AGENTS).await?;
    chat_history::insert(folder.path(), messages).await?;
    print(&format!("\nBackup and restore, {AGENTS} agents, {messages} messages"));
    print("| what | seconds | database MB | archive MB | rows |");
    print("|---|---|---|---|---|");
    let archives = tempfile::tempdir()?;
    let stopped = archives.path().join("stopped.tar.gz");
    let rows = backup("backup, SQLite, stopped", &folder, &[], &stopped)?;

    let upstream = Upstream::start()?;
    let mut latencies = vec![under_backup("SQLite", folder, &upstream, Vec::new(), archives.path()).await?];

    let restored = tempfile::tempdir()?;
    restore("restore into SQLite", &restored, &[], &stopped)?;
    let again = backup("backup of it, stopped", &restored, &[], &archives.path().join("sqlite.tar.gz"))?;
    anyhow::ensure!(rows == again, "the restored SQLite has other rows:\n{rows}\n{again}");
    drop(restored);

    if let Some(postgres) = Database::create().await? {
        let folder = tempfile::tempdir()?;
        let settings = vec![("DATABASE_URL", postgres.url.clone())];
        restore("restore into Postgres", &folder, &settings, &stopped)?;
        let sqlite = folder.path().join("plexus.sqlite3");
        anyhow::ensure!(!sqlite.exists(), "the archive was restored into SQLite");
        let again = backup(
            "backup, Postgres, stopped",
            &folder,
            &settings,
            &archives.path().join("postgres.tar.gz"),
        )?;
        anyhow::ensure!(rows == again, "the restored Postgres has other rows:\n{rows}\n{again}");
        latencies.push(under_backup("Postgres", folder, &upstream, settings, archives.path()).await?);
        postgres.remove().await?;
    }
    print("\nThe archives of the three databases have the same rows: counts and SHA-256 of every table.");
    print(
        "\n| a question and its answer, one chat | p50 ms | p99 ms | p50 during a backup | p99 | answers during it |",
    );
    print("|---|---|---|---|---|---|");
    latencies.iter().for_each(|row| print(row));
    Ok(())
}

/// Measures a chat without and during a backup. Returns the row of the table.
async fn under_backup(
    database: &str,
    folder: TempDir,
    upstream: &Upstream,
    storage: Vec<Setting>,
    archives: &Path,
) -> anyhow::Result<String> {
    let path = folder.path().to_owned();
    let settings = [model_relay::settings(upstream), storage.clone()].concat();
    let hub = Hub::with_settings(folder, settings).await?;
    until_whole(&hub).await?;
    let people = users::sign_up(&hub, 1).await?;
    let person = people.first().context("no account was created")?;
    let agent = users::publish_agent(person).await?;
    let mut first = Chat::begin(person.clone(), &agent, SCRIPT).await?;
    // A chat takes the next question after the answer to the last one.
    first.hear(tokens::now()).await?;
    let mut line = Line::Chat(first);
    let alone = chat(&mut line, |begun| begun.elapsed() < TIME).await?;
    let file = archives.join(format!("{database}-running.tar.gz"));
    let mut command = command(&["backup"], &path, &storage);
    let begun = Instant::now();
    let mut backup = command.arg(&file).stdout(Stdio::null()).spawn()?;
    let mut ended = None;
    let during = chat(&mut line, |_| {
        ended = backup.try_wait().ok().flatten();
        ended.is_none()
    })
    .await?;
    let seconds = begun.elapsed().as_secs_f64();
    anyhow::ensure!(ended.is_some_and(|status| status.success()), "the backup of the running hub failed");
    let megabytes = megabytes(&file)?;
    print(&format!("| backup, {database}, while chatting | {seconds:.1} | | {megabytes:.0} | |"));
    let [alone_p50, alone_p99] = [50.0, 99.0].map(|percent| percentile(&alone, percent));
    let [during_p50, during_p99] = [50.0, 99.0].map(|percent| percentile(&during, percent));
    Ok(format!(
        "| {database} | {alone_p50:.1} | {alone_p99:.1} | {during_p50:.1} | {during_p99:.1} | {} |",
        during.len()
    ))
}

/// Asks one question after the other while `goes_on`. Returns the sorted times until the end of each answer in
/// milliseconds.
async fn chat(line: &mut Line, mut goes_on: impl FnMut(Instant) -> bool) -> anyhow::Result<Vec<f64>> {
    let begun = Instant::now();
    let mut took = Vec::new();
    while goes_on(begun) {
        let asked = Instant::now();
        line.ask(SCRIPT).await?;
        took.push(asked.elapsed().as_secs_f64() * 1e3);
        tokio::time::sleep(PAUSE).await;
    }
    Ok(sorted(took))
}

/// Backs up a stopped hub. Returns the manifest's tables with their counts and digests, as text.
fn backup(what: &str, folder: &TempDir, settings: &[Setting], archive: &Path) -> anyhow::Result<String> {
    let seconds = timed(command(&["backup"], folder.path(), settings).arg(archive))?;
    let manifest = manifest(archive)?;
    let tables = manifest["tables"].as_array().context("a manifest without tables")?;
    let rows: u64 = tables.iter().filter_map(|table| table["rows"].as_u64()).sum();
    let database = manifest["database_bytes"].as_f64().unwrap_or(f64::NAN) / 1e6;
    let megabytes = megabytes(archive)?;
    print(&format!("| {what} | {seconds:.1} | {database:.0} | {megabytes:.0} | {rows} |"));
    Ok(serde_json::to_string(tables)?)
}

fn restore(what: &str, folder: &TempDir, settings: &[Setting], archive: &Path) -> anyhow::Result<()> {
    let seconds = timed(command(&["restore"], folder.path(), settings).arg(archive))?;
    print(&format!("| {what} | {seconds:.1} | | | |"));
    Ok(())
}

fn command(arguments: &[&str], folder: &Path, settings: &[Setting]) -> Command {
    let mut command = Command::new(hub::binary());
    command.args(arguments).env("PLEXUS_DATA_DIR", folder).envs(settings.iter().cloned());
    command
}

fn timed(command: &mut Command) -> anyhow::Result<f64> {
    let begun = Instant::now();
    let output = command.stdin(Stdio::null()).output()?;
    let errors = String::from_utf8_lossy(&output.stderr);
    anyhow::ensure!(output.status.success(), "{command:?} failed: {errors}");
    Ok(begun.elapsed().as_secs_f64())
}

/// Reads the manifest, the first entry of an archive.
fn manifest(archive: &Path) -> anyhow::Result<serde_json::Value> {
    let output = Command::new("tar").arg("-xzOf").arg(archive).arg("manifest.json").output()?;
    serde_json::from_slice(&output.stdout).context("the archive has no manifest")
}

fn megabytes(file: &Path) -> anyhow::Result<f64> {
    Ok(file.metadata()?.len() as f64 / 1e6)
}

/// An empty database on the server that `PLEXUS_TEST_POSTGRES` names.
struct Database {
    server: String,
    url: String,
}

impl Database {
    /// Returns `None` without a server.
    async fn create() -> anyhow::Result<Option<Self>> {
        let Ok(server) = std::env::var("PLEXUS_TEST_POSTGRES") else { return Ok(None) };
        let (base, _) = server.rsplit_once('/').context("PLEXUS_TEST_POSTGRES names no database")?;
        let url = format!("{base}/{DATABASE}");
        let mut connection = PgConnection::connect(&server).await?;
        raw_sql("drop database if exists plexus_bench_restored").execute(&mut connection).await?;
        raw_sql("create database plexus_bench_restored").execute(&mut connection).await?;
        connection.close().await?;
        Ok(Some(Self { server, url }))
    }

    async fn remove(self) -> anyhow::Result<()> {
        let mut connection = PgConnection::connect(&self.server).await?;
        raw_sql("drop database plexus_bench_restored with (force)").execute(&mut connection).await?;
        Ok(connection.close().await?)
    }
}
