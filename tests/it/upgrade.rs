//! Tests that the data of an earlier version opens, on both databases.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use base64::{Engine as _, prelude::BASE64_STANDARD as BASE64};
use plexus_store::testing::Database;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::{
    agent_lists::until,
    chat::seq,
    client::{Client, text_of},
    database::{Sql, postgres_url},
    events::{answer_after, read_answer, text_in},
    process::{Process, plexus, stderr, stdout},
};

const PASSWORD: &str = "correct horse battery staple";

/// What a hub of an earlier version left behind; `data/README.md` says how it was made.
struct OldData {
    dump: &'static str,
    key: &'static str,
    facts: &'static str,
}

impl OldData {
    const SQLITE: Self = Self {
        dump: include_str!("data/fcc336f/sqlite/dump.sql"),
        key: include_str!("data/fcc336f/sqlite/secret.key.base64"),
        facts: include_str!("data/fcc336f/sqlite/facts.json"),
    };
    const POSTGRES: Self = Self {
        dump: include_str!("data/fcc336f/postgres/dump.sql"),
        key: include_str!("data/fcc336f/postgres/secret.key.base64"),
        facts: include_str!("data/fcc336f/postgres/facts.json"),
    };

    /// Writes it to the data folder below `folder`, and to the Postgres database if there is one.
    async fn write(&self, folder: &Path, database: Option<&Database>) {
        let data = folder.join("data");
        fs::create_dir(&data).expect("a data folder");
        let key = data.join("secret.key");
        fs::write(&key, BASE64.decode(self.key.trim()).expect("base64")).expect("written");
        fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).expect("allowed");
        if database.is_none() {
            fs::write(data.join("plexus.sqlite3"), "").expect("an empty database");
        }
        if database.is_some() {
            let empty = Sql::of(database, &data);
            empty.run("drop schema public cascade; create schema public").await;
        }
        // The dump of SQLite creates tables in the order of their names, so rows come before those that they reference.
        let unchecked = if database.is_none() { "pragma foreign_keys = off;\n" } else { "" };
        Sql::of(database, &data).run(&format!("{unchecked}{}", self.dump)).await;
    }
}

#[tokio::test]
async fn opens_sqlite_data_of_an_earlier_version() {
    opens(OldData::SQLITE, None).await;
}

#[tokio::test]
async fn opens_postgres_data_of_an_earlier_version() {
    let Some(database) = Database::new().await else { return };
    opens(OldData::POSTGRES, Some(&database)).await;
    database.drop().await;
}

async fn opens(old: OldData, database: Option<&Database>) {
    let folder = tempfile::tempdir().expect("a folder");
    old.write(folder.path(), database).await;
    let hub = Process::serve_on(folder.path(), database.map(postgres_url).as_deref()).await;
    let facts: Value = serde_json::from_str(old.facts).expect("JSON");
    let (chat, team) = (text_of(&facts["chat"]), text_of(&facts["team"]));

    // The password's hash is read as it was written.
    let ada = Client::new(&hub.origin);
    ada.sign_in("ada", PASSWORD).await.expect(StatusCode::SEE_OTHER);
    let shown = ada.api(&format!("/chats/{chat}")).await;
    let texts: Vec<Value> = messages(&shown).iter().map(|message| json!(text_in(message))).collect();
    assert_eq!(json!(texts), facts["messages"]);

    // Messages of before are indexed in the background.
    let search = "/api/v1/chats/search?q=250%20m";
    let found =
        until(&ada, search, |found| found["items"].as_array().is_some_and(|items| items.len() == 2)).await;
    assert_eq!(found["items"][0]["chat"], facts["chat"]);

    // The token is known by its digest, and stays valid at the new address of the hub.
    let program = Client::new(&hub.origin).with_token(&text_of(&facts["token"]));
    program.call(Method::GET, &format!("/chats/{chat}"), &json!({})).await.expect(StatusCode::OK);

    // A team's log is read through its chain of hashes and signatures.
    let shown = ada.api(&format!("/teams/{team}")).await;
    assert_eq!(shown["state"], facts["state"]);
    let log = ada.api(&format!("/teams/{team}/log")).await;
    assert_eq!(log["items"].as_array().expect("entries").len(), 7);
    let report = ada.get(&format!("/{}", text_of(&facts["link"]))).await.expect(StatusCode::OK);
    assert!(report.body.contains("2 + 3"), "{}", report.body);

    // Events that were stored under their earlier names are sent under the present ones.
    let replayed = read_answer(&ada, &chat, 0).await;
    assert!(replayed.messages.values().any(|shown| shown.ended && shown.branch == 1), "{}", replayed.last);

    // The old chat takes new messages.
    let before = seq(&ada, &chat).await;
    ada.say(&chat, "2 km + 1 km").await;
    assert!(text_in(&answer_after(&ada, &chat, before).await).contains("3 km"));
    hub.kill().await;
}

#[tokio::test]
async fn a_sqlite_database_is_copied_and_migrated_by_a_command() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    OldData::SQLITE.write(folder.path(), None).await;
    let copy = migrates(folder.path(), &[]).await;
    assert_eq!(fs::metadata(data.join("backups")).expect("a folder").permissions().mode() & 0o777, 0o700);

    // The copy takes the place of the database, and can be migrated again.
    fs::copy(&copy, data.join("plexus.sqlite3")).expect("copied");
    migrates(folder.path(), &[]).await;

    let hub = Process::serve(folder.path()).await;
    let ada = Client::new(&hub.origin);
    ada.sign_in("ada", PASSWORD).await.expect(StatusCode::SEE_OTHER);
    hub.kill().await;
    refuses_a_newer_schema(folder.path(), None).await;
}

#[tokio::test]
async fn a_postgres_database_is_dumped_and_migrated_by_a_command() {
    let Some(database) = Database::new().await else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let url = postgres_url(&database);
    OldData::POSTGRES.write(folder.path(), Some(&database)).await;
    let missing = folder.path().join("missing");
    fs::write(&missing, "not a folder").expect("written");
    let refused = plexus(
        folder.path(),
        &["migrate", "--database-url", &url, "--backup-dir", missing.to_str().expect("a path")],
    )
    .await;
    assert_eq!(refused.status.code(), Some(1));
    assert!(stderr(&refused).contains("so it was not migrated"), "{}", stderr(&refused));

    let copy = migrates(folder.path(), &["--database-url", &url]).await;
    assert!(fs::read(copy).expect("a dump").starts_with(b"PGDMP"));
    refuses_a_newer_schema(folder.path(), Some(&database)).await;
    database.drop().await;
}

/// Migrates the database, and checks that the command lists, copies and migrates. Returns the path of the copy.
async fn migrates(folder: &Path, settings: &[&str]) -> PathBuf {
    let run = async |flags: &[&str], code: i32| {
        let output = plexus(folder, &[&["migrate"], settings, flags].concat()).await;
        assert_eq!(output.status.code(), Some(code), "{}{}", stdout(&output), stderr(&output));
        stdout(&output)
    };
    let listed = run(&["--check"], 3).await;
    assert!(listed.contains("0054 (agent knowledge)"), "{listed}");
    let done = run(&[], 0).await;
    assert!(done.contains("Migrated the database."), "{done}");
    let copied = done.lines().find_map(|line| line.strip_prefix("Copied the database to "));
    let copy = PathBuf::from(copied.expect("a copy").trim_end_matches('.'));
    assert_eq!(
        fs::metadata(&copy).expect("a copy").permissions().mode() & 0o077,
        0,
        "only its owner may read it"
    );
    let again = run(&["--check"], 0).await;
    assert!(again.contains("The database is up to date."), "{again}");
    copy
}

async fn refuses_a_newer_schema(folder: &Path, database: Option<&Database>) {
    let data = folder.join("data");
    let text = "insert into _sqlx_migrations (version, description, success, checksum, execution_time) \
                select 9999, 'time travel', success, checksum, execution_time from _sqlx_migrations where version = 1";
    Sql::of(database, &data).run(text).await;
    let url = database.map(postgres_url);
    let settings: Vec<&str> = url.iter().flat_map(|url| ["--database-url", url.as_str()]).collect();
    for command in ["migrate", "serve"] {
        let refused = plexus(folder, &[&[command], settings.as_slice()].concat()).await;
        assert_eq!(refused.status.code(), Some(1), "{}", stdout(&refused));
        let said = stderr(&refused) + &stdout(&refused);
        assert!(said.contains("migration 9999 (time travel) of a newer Plexus"), "{said}");
    }
}

fn messages(chat: &Value) -> &[Value] {
    chat["messages"].as_array().expect("messages")
}
