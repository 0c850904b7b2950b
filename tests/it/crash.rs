//! Tests that a hub that is killed or stopped during an answer loses nothing that it accepted.

use std::{fs, path::Path, time::Instant};

use reqwest::{Method, StatusCode};
use serde_json::json;

use crate::{
    chat::{seq, sheet},
    clerk,
    client::{Client, text_of},
    events::{Events, Screen, answer_after, read_text, text_in},
    process::{Process, command, stderr},
};

/// Wait after the first text for the stream journal, which is written every 100 ms.
const LOGGED_AFTER_MS: u128 = 500;

// Slow: the answer is a calculation sheet of 20,000 lines.
#[tokio::test]
async fn a_hub_that_is_killed_keeps_what_it_had_logged() {
    let folder = tempfile::tempdir().expect("a folder");
    let hub = Process::serve(folder.path()).await;
    let ada = Client::new(&hub.origin);
    ada.sign_up("ada").await;
    let text = sheet();
    let said = ada.begin("@plexus/calc", &text).await;
    let mut events = Events::open(&ada, &said.chat, 0).await;
    let mut screen = Screen::default();
    let mut first_text: Option<Instant> = None;
    while first_text.is_none_or(|since| since.elapsed().as_millis() < LOGGED_AFTER_MS) {
        let event = events.next().await.expect("the answer goes on");
        screen.take(&event);
        if !screen.text().is_empty() {
            first_text.get_or_insert_with(Instant::now);
        }
        assert_ne!(event.name, "message_completed", "the sheet is too short for this machine");
    }
    hub.kill().await;

    let hub = Process::serve(folder.path()).await;
    let ada = ada.at(&hub.origin);
    let path = ada.api(&format!("/chats/{}", said.chat)).await;
    let (question, answer) = (&path["messages"][0], &path["messages"][1]);
    assert!(text_in(question).trim_end() == text.trim_end(), "a message that was accepted is kept");
    assert_eq!(answer["state"], "failed");
    assert_eq!(
        (&answer["run"]["state"], &answer["run"]["failure"]["class"]),
        (&json!("failed"), &json!("interrupted"))
    );
    let kept = text_in(answer);
    assert!(!kept.is_empty() && !kept.ends_with("19999"), "{} bytes are kept", kept.len());

    // A page that was open resumes from its last event number.
    let mut events = Events::resume(&ada, &said.chat, screen.last).await;
    let ended = events.next().await.expect("what happened since");
    assert_eq!(ended.name, "run_updated");
    let ended = events.next().await.expect("the end of the answer");
    assert_eq!((ended.name.as_str(), &ended.data["state"]), ("message_completed", &json!("failed")));

    let at = seq(&ada, &said.chat).await;
    let retry = format!("/messages/{}/retry", text_of(&answer["id"]));
    ada.call(Method::POST, &retry, &json!({})).await.expect(StatusCode::ACCEPTED);
    let whole = answer_after(&ada, &said.chat, at).await;
    assert_eq!(whole["state"], "done");
    assert!(text_in(&whole).starts_with(kept), "what was kept is the beginning of the answer");
}

#[tokio::test]
async fn a_hub_that_is_told_to_stop_says_goodbye() {
    let folder = tempfile::tempdir().expect("a folder");
    let hub = Process::serve(folder.path()).await;
    let ada = Client::new(&hub.origin);
    ada.sign_up("ada").await;
    let said = ada.begin("@plexus/calc", &sheet()).await;
    let mut events = Events::open(&ada, &said.chat, 0).await;
    let mut screen = Screen::default();
    read_text(&mut events, &mut screen, 10_000).await;
    hub.terminate();
    while let Some(event) = events.next().await {
        screen.take(&event);
    }
    assert!(screen.stream_ended, "a stream ends with a word");
    assert_eq!(hub.ended().await, 0);

    let hub = Process::serve(folder.path()).await;
    let ada = ada.at(&hub.origin);
    let answer = &ada.api(&format!("/chats/{}", said.chat)).await["messages"][1];
    assert_eq!(
        (&answer["state"], &answer["run"]["failure"]["class"]),
        (&json!("failed"), &json!("interrupted"))
    );
    assert!(text_in(answer).len() >= 10_000, "all that was shown is kept");
}

#[tokio::test]
async fn a_folder_has_one_process() {
    let folder = tempfile::tempdir().expect("a folder");
    let hub = Process::serve(folder.path()).await;
    let second =
        command(folder.path()).args(["serve", "--listen", "127.0.0.1:0"]).output().await.expect("it starts");
    assert_eq!(second.status.code(), Some(1));
    let words = stderr(&second);
    assert!(words.contains("another Plexus process uses the data folder"), "{words}");
    Client::new(&hub.origin).get("/readyz").await.expect(StatusCode::OK);
    hub.kill().await;
    let again = Process::serve(folder.path()).await;
    Client::new(&again.origin).get("/readyz").await.expect(StatusCode::OK);
}

#[tokio::test]
async fn the_index_is_repaired_at_the_start() {
    let folder = tempfile::tempdir().expect("a folder");
    let index = folder.path().join("data/index");
    let mut hub = Process::serve(folder.path()).await;
    let boss = hub.administrator("grace").await;
    assert!(finds_calc(&hub, "calculator").await);
    hub.terminate();
    assert_eq!(hub.ended().await, 0);

    // Restores an older index, as if the hub was killed before it indexed its writes.
    let older = folder.path().join("older");
    copy(&index, &older);
    let hub = Process::serve(folder.path()).await;
    clerk::register(&boss.at(&hub.origin), &clerk::serve(Vec::new()).await, "clerk").await;
    hub.terminate();
    assert_eq!(hub.ended().await, 0);
    fs::remove_dir_all(&index).expect("it is there");
    copy(&older, &index);
    let hub = Process::serve(folder.path()).await;
    assert!(finds(&hub, "clerk", "/@grace/clerk").await, "what was written later is found");
    hub.kill().await;

    fs::remove_dir_all(&index).expect("it is there");
    let hub = Process::serve(folder.path()).await;
    assert!(finds_calc(&hub, "calculator").await, "a lost index is made anew");
    hub.kill().await;

    spoil(&index);
    let hub = Process::serve(folder.path()).await;
    assert!(finds_calc(&hub, "calculator").await, "so is a broken one");
}

async fn finds_calc(hub: &Process, query: &str) -> bool {
    finds(hub, query, "/@plexus/calc").await
}

async fn finds(hub: &Process, query: &str, page: &str) -> bool {
    let found = Client::new(&hub.origin).get(&format!("/agents?q={query}")).await;
    found.expect(StatusCode::OK).body.contains(&format!("href=\"{page}\""))
}

pub fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("files").flatten() {
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &to);
        } else if entry.path().is_file() {
            fs::copy(entry.path(), to).expect("a copy");
        }
    }
}

fn spoil(folder: &Path) {
    for entry in fs::read_dir(folder).expect("files").flatten() {
        if entry.path().is_dir() {
            spoil(&entry.path());
        } else {
            fs::write(entry.path(), b"not an index").expect("written");
        }
    }
}
