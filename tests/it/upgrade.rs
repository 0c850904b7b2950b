//! Tests that the data of an earlier version opens, on both databases.

use std::{fs, os::unix::fs::PermissionsExt as _, path::Path};

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
    process::Process,
};

const PASSWORD: &str = "correct horse battery staple";

/// What a hub of an earlier version left behind; `data/README.md` says how it was made.
struct OldData {
    dump: &'static str,
    key: &'static str,
    facts: &'static str,
}

#[tokio::test]
async fn opens_sqlite_data_of_an_earlier_version() {
    let old = OldData {
        dump: include_str!("data/fcc336f/sqlite/dump.sql"),
        key: include_str!("data/fcc336f/sqlite/secret.key.base64"),
        facts: include_str!("data/fcc336f/sqlite/facts.json"),
    };
    opens(old, None).await;
}

#[tokio::test]
async fn opens_postgres_data_of_an_earlier_version() {
    let Some(database) = Database::new().await else { return };
    let old = OldData {
        dump: include_str!("data/fcc336f/postgres/dump.sql"),
        key: include_str!("data/fcc336f/postgres/secret.key.base64"),
        facts: include_str!("data/fcc336f/postgres/facts.json"),
    };
    let empty = Sql::of(Some(&database), Path::new(""));
    empty.run("drop schema public cascade; create schema public").await;
    opens(old, Some(&database)).await;
    database.drop().await;
}

async fn opens(old: OldData, database: Option<&Database>) {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    fs::create_dir(&data).expect("a data folder");
    let key = data.join("secret.key");
    fs::write(&key, BASE64.decode(old.key.trim()).expect("base64")).expect("written");
    fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).expect("allowed");
    if database.is_none() {
        fs::write(data.join("plexus.sqlite3"), "").expect("an empty database");
    }
    // The dump of SQLite creates tables in the order of their names, so rows come before those that they reference.
    let unchecked = if database.is_none() { "pragma foreign_keys = off;\n" } else { "" };
    Sql::of(database, &data).run(&format!("{unchecked}{}", old.dump)).await;

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

fn messages(chat: &Value) -> &[Value] {
    chat["messages"].as_array().expect("messages")
}
