//! Tests of secure defaults: file permissions, secrets, private content, and durability of acknowledged
//! writes.

use std::{
    fs::{self, File, Permissions},
    os::unix::fs::PermissionsExt as _,
    path::Path,
};

use reqwest::{Method, StatusCode, header};
use serde_json::json;

use crate::{
    client::Client,
    events::answer_after,
    process::{Process, command, plexus, stderr, stdout, traced},
};

const MARKER: &str = "zebrafinch";

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap_or_else(|error| panic!("{}: {error}", path.display())).permissions().mode()
        & 0o777
}

#[tokio::test]
async fn files_are_closed_to_other_users_in_a_folder_of_another_maker() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    fs::create_dir(&data).expect("a data folder");
    fs::set_permissions(&data, Permissions::from_mode(0o755)).expect("a mode");
    let closed = [
        "plexus.sqlite3",
        "plexus.sqlite3-wal",
        "plexus.sqlite3-shm",
        "plexus.lock",
        "secret.key",
        "plexus.sock",
        "index",
        "blobs",
    ];
    let hub = Process::serve(folder.path()).await;
    for name in closed {
        assert_eq!(mode(&data.join(name)) & 0o077, 0, "{name} is open");
    }
    assert_eq!(mode(&data), 0o755, "the folder is its maker's");
    hub.kill().await;

    // Simulate a folder of an older version.
    for name in closed {
        fs::set_permissions(data.join(name), Permissions::from_mode(0o755)).expect("a mode");
    }
    let doctor = plexus(folder.path(), &["doctor"]).await;
    assert!(stdout(&doctor).contains("FAIL  permissions"), "{}", stdout(&doctor));
    let hub = Process::serve(folder.path()).await;
    for name in closed {
        assert_eq!(mode(&data.join(name)) & 0o077, 0, "{name} is open");
    }
    hub.kill().await;
}

#[tokio::test]
async fn a_secret_key_that_is_missing_or_wrong_is_refused_by_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let key = folder.path().join("data/secret.key");
    Process::serve(folder.path()).await.kill().await;
    let right = fs::read(&key).expect("a key");
    fs::remove_file(&key).expect("removed");
    for (wrong, words) in [(None, "is missing, and"), (Some([7; 32]), "does not belong to")] {
        if let Some(wrong) = wrong {
            fs::write(&key, wrong).expect("a key");
        }
        let refused = plexus(folder.path(), &["serve", "--listen", "127.0.0.1:0"]).await;
        assert_eq!(refused.status.code(), Some(1));
        let said = stderr(&refused);
        assert!(said.contains("secret.key") && said.contains(words), "{said}");
        assert_eq!(key.exists(), wrong.is_some(), "no other key is made");
    }
    fs::write(&key, right).expect("the right key");
    Process::serve(folder.path()).await.kill().await;
}

#[tokio::test]
async fn no_log_level_shows_what_was_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    let mut serve = command(folder.path());
    serve.args(["serve", "--listen", "127.0.0.1:0", "--log", "trace,html5ever=trace,rmcp=trace"]);
    serve.stderr(File::create(&log).expect("a file"));
    let hub = Process::serve_by(serve).await;
    let ada = Client::new(&hub.origin);
    ada.sign_up("ada").await;
    let said = ada.begin("@plexus/calc", &format!("**{MARKER}** <b>{MARKER}</b> 2+2")).await;
    answer_after(&ada, &said.chat, 0).await;
    ada.get(&format!("/chat/{}", said.chat)).await.expect(StatusCode::OK).says(MARKER);
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call",
                       "params": { "name": "search_agents", "arguments": { "query": MARKER } } });
    let request = ada.request(Method::POST, "/mcp").header(header::ACCEPT, crate::mcp::BOTH);
    ada.send(request.json(&call)).await.expect(StatusCode::OK);
    hub.kill().await;
    let log = fs::read_to_string(&log).expect("text");
    assert!(log.contains("DEBUG") || log.contains("TRACE"), "the hub's own lines are there");
    assert!(!log.contains(MARKER), "{}", log.lines().find(|line| line.contains(MARKER)).unwrap_or_default());
    let spelled = log.lines().filter(|line| line.contains("processing")).count();
    assert_eq!(spelled, 0, "texts are not spelled out either");
}

/// System calls of a hub, as logged by `strace`.
struct Trace(String);

impl Trace {
    /// Returns the number of acknowledgements sent while SQLite's WAL had unsynced writes, and the number of
    /// all acknowledgements.
    fn acknowledged(&self) -> (usize, usize) {
        let (mut is_dirty, mut syncing, mut early, mut all) = (false, None, 0, 0);
        for line in self.0.lines() {
            let thread = line.split(' ').next();
            if line.contains("pwrite64(") && line.contains("-wal>") {
                is_dirty = true;
            } else if line.contains("sync(") && line.contains("-wal>") {
                if line.ends_with("= 0") { is_dirty = false } else { syncing = thread }
            } else if line.contains("sync resumed>") && thread == syncing {
                is_dirty = false;
            } else if line.contains("HTTP/1.1 204") {
                all += 1;
                early += usize::from(is_dirty);
            }
        }
        (early, all)
    }
}

async fn trace(durability: &str) -> Option<Trace> {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("trace");
    let mut serve = traced(folder.path(), &file)?;
    serve.args(["serve", "--listen", "127.0.0.1:0", "--sqlite-durability", durability]);
    let hub = Process::serve_by(serve).await;
    let ada = Client::new(&hub.origin);
    ada.sign_up("ada").await;
    let said = ada.begin("@plexus/calc", "2+2").await;
    answer_after(&ada, &said.chat, 0).await;
    for number in 0..12 {
        let title = json!({ "title": format!("Title {number}") });
        ada.call(Method::PATCH, &format!("/chats/{}", said.chat), &title)
            .await
            .expect(StatusCode::NO_CONTENT);
    }
    let trace = fs::read_to_string(&file).expect("a trace");
    hub.terminate_child();
    hub.ended().await;
    Some(Trace(trace))
}

#[tokio::test]
async fn an_acknowledged_write_was_synced_to_the_disk_before() {
    let Some(found) = trace("power-cut").await else { return };
    assert_eq!(found.acknowledged(), (0, 12));
    // Counter-check: the test detects missing syncs.
    let found = trace("crash").await.expect("it was traced before");
    assert_eq!(found.acknowledged(), (12, 12));
}

#[tokio::test]
async fn a_public_url_that_cannot_work_is_refused_at_the_start() {
    let folder = tempfile::tempdir().expect("a folder");
    for url in [
        "https://hub.example/plexus",
        "https://ada:secret@hub.example",
        "https://hub.example/?a=b",
        "https://hub.example/#top",
        "ftp://hub.example",
        "https://hub.example:0",
        "https://hub.example:70000",
        "http://0.0.0.0:3000",
    ] {
        let refused = plexus(folder.path(), &["serve", "--listen", "127.0.0.1:0", "--public-url", url]).await;
        assert!(!refused.status.success(), "{url}");
        let said = stderr(&refused);
        assert!(said.contains("PLEXUS_PUBLIC_URL") && !said.contains("secret"), "{url}: {said}");
    }
}

#[tokio::test]
async fn a_hub_in_a_container_has_the_names_of_its_published_port() {
    let folder = tempfile::tempdir().expect("a folder");
    let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = free.local_addr().expect("an address").port();
    drop(free);
    let (listen, url) = (format!("0.0.0.0:{port}"), format!("http://localhost:{port}"));
    let mut serve = command(folder.path());
    serve.args(["serve", "--listen", &listen, "--public-url", &url, "--allow-insecure-http", "true"]);
    let hub = Process::serve_by(serve).await;
    let client = Client::new(&format!("http://127.0.0.1:{port}"));
    for (host, expected) in [
        (format!("127.0.0.1:{port}"), StatusCode::OK),
        (format!("localhost:{port}"), StatusCode::OK),
        (format!("[::1]:{port}"), StatusCode::OK),
        (format!("0.0.0.0:{port}"), StatusCode::MISDIRECTED_REQUEST),
        (format!("evil.example:{port}"), StatusCode::MISDIRECTED_REQUEST),
        (format!("localhost.evil.example:{port}"), StatusCode::MISDIRECTED_REQUEST),
    ] {
        let request = client.request(Method::GET, "/login").header(header::HOST, &host);
        assert_eq!(client.send(request).await.status, expected, "{host}");
    }
    hub.kill().await;
}
