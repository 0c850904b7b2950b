//! Tests of a full disk while an agent answers.

use std::{
    fs::File,
    io::{ErrorKind, Write as _},
    path::{Path, PathBuf},
    process::Command,
};

use reqwest::{Method, StatusCode};
use serde_json::json;

use crate::{
    chat::sheet,
    client::new_id,
    events::{Events, Screen, answer_after, read_text, read_to_end, text_in},
    hub::Hub,
};

/// Small temporary file system, unmounted on drop.
struct Disk {
    folder: tempfile::TempDir,
}

impl Disk {
    /// Returns `None` if this process may not mount.
    fn mount(mebibytes: u32) -> Option<Self> {
        let folder = tempfile::tempdir().expect("a folder");
        let size = format!("size={mebibytes}m");
        let mounted =
            Command::new("mount").args(["-t", "tmpfs", "-o", &size, "tmpfs"]).arg(folder.path()).output();
        mounted.is_ok_and(|output| output.status.success()).then_some(Self { folder })
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Fills the disk to the last byte.
    fn fill(&self) -> PathBuf {
        let path = self.path().join("filler");
        let mut file = File::create(&path).expect("a file");
        for size in [1 << 20, 1 << 12, 1] {
            let piece = vec![0; size];
            loop {
                match file.write(&piece) {
                    Ok(_) => {}
                    Err(error) if error.kind() == ErrorKind::StorageFull => break,
                    Err(error) => panic!("{error}"),
                }
            }
        }
        path
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.folder.path()).status();
    }
}

// Slow: the answer is a calculation sheet of 20,000 lines.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_disk_is_said_and_nothing_accepted_is_lost() {
    let Some(disk) = Disk::mount(64) else {
        println!("NOT TESTED: a full disk, which needs the right to mount one");
        return;
    };
    let hub = Hub::within(disk.path(), &[]).await;
    let ada = hub.person("ada").await;
    let before = ada.begin("@plexus/calc", "1 + 1").await;
    answer_after(&ada, &before.chat, 0).await;

    let said = ada.begin("@plexus/calc", &sheet()).await;
    let mut events = Events::open(&ada, &said.chat, 0).await;
    let mut screen = Screen::default();
    read_text(&mut events, &mut screen, 1_000).await;
    let filler = disk.fill();

    let new = json!({ "id": new_id(), "to": "@plexus/calc", "text": "2".repeat(20_000) });
    let mut refused = ada.call(Method::POST, "/chats", &new).await;
    for _ in 0..200 {
        // The database has some preallocated space left.
        if refused.status == StatusCode::SERVICE_UNAVAILABLE {
            break;
        }
        let more = json!({ "id": new_id(), "to": "@plexus/calc", "text": "2".repeat(20_000) });
        refused = ada.call(Method::POST, "/chats", &more).await;
    }
    let (code, words) = refused.refusal(StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(code, "unavailable");
    assert!(words.contains("Accepted data is safe"), "{words}");
    let form = ada.post("/chat", &[("to", "@plexus/calc"), ("text", &"keep me ".repeat(2_000))]).await;
    form.expect(StatusCode::SERVICE_UNAVAILABLE).says("keep me keep me");
    for path in ["/", "/agents", "/healthz", &format!("/chat/{}", before.chat)] {
        ada.get(path).await.expect(StatusCode::OK);
    }

    let ready = ada.get("/readyz").await.expect(StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(ready.body, "the disk is full\n");

    std::fs::remove_file(filler).expect("removed");
    ada.get("/readyz").await.expect(StatusCode::OK);
    while screen.messages.values().all(|shown| !shown.ended) {
        read_to_end(&mut events, &mut screen).await;
    }
    let (id, shown) = screen.answer();
    let kept = ada.api(&format!("/messages/{id}")).await;
    assert_eq!((shown.state.as_str(), text_in(&kept)), ("done", screen.text()));
    let after = ada.begin("@plexus/calc", "2 + 2").await;
    assert_eq!(text_in(&answer_after(&ada, &after.chat, 0).await), "`2 + 2` = **4**");
    hub.end().await;
}
