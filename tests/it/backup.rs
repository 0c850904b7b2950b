//! Tests of backup, restore and the move between databases with the `plexus` program.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use plexus_store::testing::Database;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::{
    chat::seq,
    client::{Client, PASSWORD},
    database::postgres_url,
    events::{answer_after, text_in},
    federation::until,
    process::{Process, plexus, stderr, stdout},
};

async fn run(folder: &Path, arguments: &[&str]) -> String {
    let output = plexus(folder, arguments).await;
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}{}", stdout(&output), stderr(&output));
    stdout(&output)
}

async fn refusal(folder: &Path, arguments: &[&str]) -> String {
    let output = plexus(folder, arguments).await;
    assert_eq!(output.status.code(), Some(1), "{arguments:?}: {}", stdout(&output));
    stderr(&output)
}

/// Serves a new hub on which ada has a chat with an answer. Returns the chat.
async fn serve_with_chat(folder: &Path) -> (Process, String) {
    let hub = Process::serve(folder).await;
    let ada = Client::new(&hub.origin);
    ada.sign_up("ada").await;
    let chat = ada.begin("@plexus/calc", "2 + 3").await.chat;
    assert!(text_in(&answer_after(&ada, &chat, 0).await).contains('5'));
    (hub, chat)
}

/// Checks that ada's chat is complete on a hub, and that it takes a new message.
async fn expect_chat(hub: &Process, chat: &str) {
    let ada = Client::new(&hub.origin);
    ada.sign_in("ada", PASSWORD).await.expect(StatusCode::SEE_OTHER);
    let shown = ada.api(&format!("/chats/{chat}")).await;
    let texts: Vec<&str> = shown["messages"].as_array().expect("messages").iter().map(text_in).collect();
    assert_eq!((texts.len(), texts[0]), (2, "2 + 3"), "{texts:?}");
    let before = seq(&ada, chat).await;
    ada.say(chat, "4 + 5").await;
    assert!(text_in(&answer_after(&ada, chat, before).await).contains('9'));
}

#[tokio::test]
async fn a_running_hub_is_backed_up_and_restored_to_both_databases() {
    let folder = tempfile::tempdir().expect("a folder");
    let (hub, chat) = serve_with_chat(folder.path()).await;
    let archive = folder.path().join("backup.tar.gz");
    let archive = archive.to_str().expect("a path");
    let said = run(folder.path(), &["backup", archive, "--with-secret-key"]).await;
    assert!(said.starts_with("Wrote and checked") && said.contains(" rows, 0 files, "), "{said}");
    assert_eq!(fs::metadata(archive).expect("an archive").permissions().mode() & 0o777, 0o600);
    let again = refusal(folder.path(), &["backup", archive]).await;
    assert!(again.contains("exists; choose another name"), "{again}");
    let running = refusal(folder.path(), &["restore", archive]).await;
    assert!(running.contains("a hub runs on"), "{running}");
    hub.kill().await;

    let sqlite = tempfile::tempdir().expect("a folder");
    let said = run(sqlite.path(), &["restore", archive]).await;
    assert!(said.starts_with("Restored ") && !said.contains("secret key"), "{said}");
    let restored = Process::serve(sqlite.path()).await;
    expect_chat(&restored, &chat).await;
    restored.kill().await;

    let Some(database) = Database::new().await else { return };
    let (postgres, url) = (tempfile::tempdir().expect("a folder"), postgres_url(&database));
    run(postgres.path(), &["restore", archive, "--database-url", &url]).await;
    let twice = refusal(postgres.path(), &["restore", archive, "--database-url", &url]).await;
    assert!(twice.contains("is not empty"), "{twice}");
    let restored = Process::serve_on(postgres.path(), Some(&url)).await;
    expect_chat(&restored, &chat).await;
    restored.kill().await;
    database.drop().await;
}

#[tokio::test]
async fn a_stopped_hub_is_backed_up_without_its_key() {
    let folder = tempfile::tempdir().expect("a folder");
    let archive = folder.path().join("backup.tar.gz");
    let archive = archive.to_str().expect("a path");
    let none = refusal(folder.path(), &["backup", archive]).await;
    assert!(none.contains("nothing to back up") && !Path::new(archive).exists(), "{none}");

    let (hub, chat) = serve_with_chat(folder.path()).await;
    hub.kill().await;
    let said = run(folder.path(), &["backup", archive]).await;
    assert!(said.contains("Keep a copy of") && said.contains("secret.key"), "{said}");
    let other = tempfile::tempdir().expect("a folder");
    let said = run(other.path(), &["restore", archive]).await;
    assert!(said.contains("The archive holds no secret key."), "{said}");
    let early = refusal(other.path(), &["serve"]).await;
    assert!(early.contains("secret.key is missing"), "{early}");
    fs::copy(folder.path().join("data/secret.key"), other.path().join("data/secret.key")).expect("copied");
    let restored = Process::serve(other.path()).await;
    expect_chat(&restored, &chat).await;
    restored.kill().await;
}

#[tokio::test]
async fn a_failed_backup_leaves_no_archive() {
    let folder = tempfile::tempdir().expect("a folder");
    let (hub, _) = serve_with_chat(folder.path()).await;
    fs::remove_file(folder.path().join("data/secret.key")).expect("removed");
    let archive = folder.path().join("backup.tar.gz");
    let said =
        refusal(folder.path(), &["backup", archive.to_str().expect("a path"), "--with-secret-key"]).await;
    assert!(said.contains("see the log of the hub for the cause"), "{said}");
    let left: Vec<_> =
        fs::read_dir(folder.path()).expect("a folder").map(|entry| entry.expect("one").file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().contains("backup")), "{left:?}");
    hub.kill().await;
}

/// Tries to kill a hub within one step of a backup.
const ATTEMPTS: usize = 10;

#[tokio::test]
async fn a_hub_killed_during_a_backup_leaves_no_copy_after_its_next_start() {
    let folder = tempfile::tempdir().expect("a folder");
    let (data, backups) = (folder.path().join("data"), folder.path().join("backups"));
    let hub = Process::serve(folder.path()).await;
    let ada = Client::new(&hub.origin);
    ada.sign_up("ada").await;
    // A backup of this chat takes long enough to be killed.
    let text = "x".repeat(1 << 20);
    let message = |number: u32| {
        json!({ "id": number.to_string(), "parent": number.checked_sub(1).map(|parent| parent.to_string()), "branch": 0,
            "author": { "kind": "person", "name": "bob" }, "parts": [{ "kind": "text", "text": text }] })
    };
    let messages: Vec<Value> = (0..40).map(message).collect();
    let chat = json!({ "format": "plexus-chat/1", "hub": "https://hub.example/", "id": "p", "title": "Large",
        "current_message": "39", "messages": messages });
    ada.send(ada.request(Method::POST, "/api/v1/chats/import").body(chat.to_string()))
        .await
        .expect(StatusCode::OK);
    hub.kill().await;

    let flags = ["--backup-dir", backups.to_str().expect("a path")];
    for (parent, start) in [(&data, "backup-"), (&backups, ".restore-test-"), (&backups, "plexus-")] {
        let is_named =
            |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(start));
        let mut left = Vec::new();
        // The step may end between the look and the kill. The next start makes the backup again.
        for _ in 0..ATTEMPTS {
            let hub = Process::start(folder.path(), &flags).await;
            until("a backup is being made", async || {
                let found = names(parent).into_iter().any(|name| name.starts_with(start));
                found && (start != "plexus-" || names(parent).iter().any(|name| name.ends_with(".partial")))
            })
            .await;
            hub.kill().await;
            left = plexus_backup::leftovers(parent).expect("a folder");
            if left.iter().any(is_named) {
                break;
            }
        }
        assert!(left.iter().any(is_named), "{start}: {left:?}");
        let closed =
            |path: &PathBuf| fs::metadata(path).expect("it is there").permissions().mode() & 0o077 == 0;
        assert!(left.iter().all(closed), "closed to other users");
        let doctor = plexus(folder.path(), &[&["doctor"][..], &flags].concat()).await;
        let said = format!("{}{}", stdout(&doctor), stderr(&doctor));
        assert!(said.contains(start) && said.contains("interrupted backups"), "{said}");

        // The next start makes the backup again, and within the same second its archive would have the same name.
        let killed = Instant::now();
        until("the next second", async || killed.elapsed() > Duration::from_secs(1)).await;
        let hub = Process::start(folder.path(), &flags).await;
        hub.kill().await;
        assert!(left.iter().all(|path| !path.exists()), "{start}: {left:?}");
    }
}

/// Returns the names in a folder; none if it is missing.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

#[tokio::test]
async fn scheduled_backups_are_restored_for_a_test_and_shown() {
    let folder = tempfile::tempdir().expect("a folder");
    let backups = folder.path().join("backups");
    let flags = ["--backup-dir", backups.to_str().expect("a path")];
    let mut hub = Process::serve_with(folder.path(), &flags).await;
    let boss = hub.administrator("boss").await;
    until("a backup is complete", async || {
        boss.get("/admin").await.body.contains("plexus-2")
            && boss.get("/admin").await.body.contains("Every day")
    })
    .await;
    let log = boss.get("/admin/audit?actor=schedule").await.expect(StatusCode::OK);
    log.says("hub.backup_complete");
    hub.kill().await;

    let names = || -> Vec<_> {
        fs::read_dir(&backups).expect("listed").map(|one| one.expect("one").path()).collect()
    };
    let archives = names();
    assert_eq!(archives.len(), 1, "{archives:?}");
    let mode = fs::metadata(&archives[0]).expect("an archive").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let other = tempfile::tempdir().expect("a folder");
    run(other.path(), &["restore", archives[0].to_str().expect("a path")]).await;
    fs::copy(folder.path().join("data/secret.key"), other.path().join("data/secret.key")).expect("copied");
    Process::serve(other.path()).await.kill().await;

    // The next one is due in a day, also after a restart.
    let hub = Process::serve_with(folder.path(), &flags).await;
    let boss = Client::new(&hub.origin);
    boss.sign_in("boss", PASSWORD).await.expect(StatusCode::SEE_OTHER);
    boss.get("/admin").await.expect(StatusCode::OK).says("in 1 day");
    assert_eq!(names(), archives);
    hub.kill().await;
}

#[tokio::test]
async fn a_scheduled_backup_that_fails_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let taken = folder.path().join("backups");
    fs::write(&taken, "not a folder").expect("written");
    let taken = taken.to_str().expect("a path");
    let mut hub = Process::serve_with(folder.path(), &["--backup-dir", taken]).await;
    let boss = hub.administrator("boss").await;
    until("the failure is recorded", async || {
        boss.get("/admin/audit?action=hub.backup_failed").await.body.contains("schedule")
    })
    .await;
    let overview = boss.get("/admin").await.expect(StatusCode::OK);
    overview.says("The scheduled backup of ");
    overview.says(taken);
    hub.kill().await;
    let doctor = plexus(folder.path(), &["doctor", "--backup-dir", taken]).await;
    assert_eq!(doctor.status.code(), Some(1));
    assert!(stdout(&doctor).contains("PLEXUS_BACKUP_DIR"), "{}", stdout(&doctor));
}

#[tokio::test]
async fn a_database_is_copied_to_postgres_and_back() {
    let Some(database) = Database::new().await else { return };
    let url = postgres_url(&database);
    let folder = tempfile::tempdir().expect("a folder");
    let (hub, chat) = serve_with_chat(folder.path()).await;
    let running = refusal(folder.path(), &["copy-database", "--to-postgres", &url]).await;
    assert!(running.contains("stop it first"), "{running}");
    hub.kill().await;

    let said = run(folder.path(), &["copy-database", "--to-postgres", &url]).await;
    assert!(said.contains("Set DATABASE_URL to the new database"), "{said}");
    let moved = Process::serve_on(folder.path(), Some(&url)).await;
    expect_chat(&moved, &chat).await;
    moved.kill().await;

    let back = tempfile::tempdir().expect("a folder");
    let data = back.path().join("data");
    let to = ["copy-database", "--database-url", &url, "--to-sqlite", data.to_str().expect("a path")];
    run(folder.path(), &to).await;
    fs::copy(folder.path().join("data/secret.key"), data.join("secret.key")).expect("copied");
    let hub = Process::serve(back.path()).await;
    let ada = Client::new(&hub.origin);
    ada.sign_in("ada", PASSWORD).await.expect(StatusCode::SEE_OTHER);
    let shown: Value = ada.api(&format!("/chats/{chat}")).await;
    assert_eq!(shown["messages"].as_array().expect("messages").len(), 4);
    hub.kill().await;
    database.drop().await;
}
