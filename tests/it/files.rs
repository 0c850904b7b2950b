//! Tests of files from agents: stored once (deduplicated), readable by chat members only, and purged with the
//! last message that shows them.

use std::{
    fs,
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant, SystemTime},
};

use plexus_domain::Digest;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::{
    attachments::upload,
    clerk,
    client::{Client, text_of},
    events::answer_after,
    hub::{Hub, on_both},
};

/// `high,low\n4,9\n` in two chunks, and the start of a PNG.
const CHUNKS: [&str; 2] = ["aGlnaCxsb3cK", "NCw5Cg=="];
const PICTURE: &str = "iVBORw0KGgo=";

on_both! {
    async fn a_file_comes_in_chunks_and_is_given_to_members_only(hub: &Hub) {
        let ada = with_clerk(hub).await;
        let (chat, answer) = ask(&ada).await;
        let (table, picture, page) = (&answer["parts"][0], &answer["parts"][1], &answer["parts"][2]);
        assert_eq!((&table["kind"], &table["size"], &table["name"]), (&json!("file"), &json!(13), &json!("tide.csv")));
        let href = format!("/blobs/{}", text_of(&table["blob"]));
        ada.get(&format!("/chat/{chat}")).await.expect(StatusCode::OK).says(&format!("href=\"{href}\""));

        let file = ada.get(&href).await.expect(StatusCode::OK);
        assert_eq!(file.body, "high,low\n4,9\n");
        assert_eq!(file.header("content-type"), text_of(&table["media_type"]), "as the part says");
        assert_eq!(file.header("content-disposition"), "attachment; filename*=UTF-8''tide.csv");
        assert_eq!(file.header("content-security-policy"), "default-src 'none'; sandbox");
        assert_eq!(file.header("x-content-type-options"), "nosniff");
        let shown = ada.get(&format!("/blobs/{}", text_of(&picture["blob"]))).await.expect(StatusCode::OK);
        assert_eq!((shown.header("content-type"), shown.header("content-disposition")), ("image/png", "inline"));
        let saved = ada.get(&format!("/blobs/{}", text_of(&page["blob"]))).await.expect(StatusCode::OK);
        assert_eq!(saved.header("content-type"), "application/octet-stream", "a page of somebody else's is never shown");
        assert!(saved.header("content-disposition").starts_with("attachment"));
        assert_eq!(ada.get(&format!("/api/v1{href}")).await.expect(StatusCode::OK).body, file.body);

        let eve = hub.person("eve").await;
        eve.get(&href).await.expect(StatusCode::NOT_FOUND);
        eve.get(&format!("/api/v1{href}")).await.refusal(StatusCode::NOT_FOUND);
        hub.visitor().get(&href).await.expect(StatusCode::SEE_OTHER);
        for wrong in ["x", &"0".repeat(64), "..%2f..%2fsecret.key"] {
            ada.get(&format!("/blobs/{wrong}")).await.expect(StatusCode::NOT_FOUND);
        }
    }

    async fn a_file_goes_with_the_last_message_that_shows_it(hub: &Hub) {
        let ada = with_clerk(hub).await;
        let ((one, answer), (other, _)) = (ask(&ada).await, ask(&ada).await);
        let sha256 = text_of(&answer["parts"][0]["blob"]);
        let href = format!("/blobs/{sha256}");
        let on_disk = hub.folder().join("blobs").join(&sha256[..2]).join(&sha256);
        for (chat, left) in [(one, true), (other, false)] {
            ada.call(Method::DELETE, &format!("/chats/{chat}"), &json!({})).await.expect(StatusCode::NO_CONTENT);
            hub.tidy().await;
            assert_eq!(on_disk.exists(), left);
            let status = if left { StatusCode::OK } else { StatusCode::NOT_FOUND };
            ada.get(&href).await.expect(status);
        }
    }

    async fn a_sweep_of_many_files_stops_no_writer(hub: &Hub) {
        const ORPHANS: usize = 5_000;
        let ada = with_clerk(hub).await;
        let (_, kept) = ask(&ada).await;
        let orphans: Vec<_> = (0..ORPHANS).map(|number| {
            let name = Digest::of(number.to_string()).to_string();
            hub.folder().join("blobs").join(&name[..2]).join(&name)
        }).collect();
        for orphan in &orphans {
            fs::create_dir_all(orphan.parent().expect("a folder")).expect("made");
            fs::write(orphan, "x").expect("written");
        }
        let swept = AtomicBool::new(false);
        let sweep = async {
            hub.tidy().await;
            swept.store(true, Ordering::Relaxed);
        };
        let writes = async {
            let mut slowest = Duration::ZERO;
            for number in 0.. {
                let begun = Instant::now();
                let stored = upload(&ada, "a.txt", "text/plain", format!("upload {number}")).await;
                slowest = slowest.max(begun.elapsed());
                let id = text_of(&stored.expect(StatusCode::CREATED).json()["id"]);
                ada.call(Method::DELETE, &format!("/uploads/{id}"), &json!({})).await.expect(StatusCode::NO_CONTENT);
                if swept.load(Ordering::Relaxed) {
                    break;
                }
            }
            slowest
        };
        let ((), slowest) = tokio::join!(sweep, writes);
        println!("slowest write while {ORPHANS} files were swept: {slowest:?}");
        assert!(slowest < Duration::from_secs(1), "{slowest:?}");
        assert!(orphans.iter().all(|orphan| !orphan.exists()), "all are gone");
        ada.get(&format!("/blobs/{}", text_of(&kept["parts"][0]["blob"]))).await.expect(StatusCode::OK);
    }

    async fn a_file_that_was_being_written_when_the_hub_crashed_is_deleted(hub: &Hub) {
        let folder = hub.folder().join("blobs/ab");
        fs::create_dir_all(&folder).expect("made");
        let (old, new) = (folder.join("abcd#1"), folder.join("abcd#2"));
        for file in [&old, &new] {
            fs::write(file, "x").expect("written");
        }
        let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
        fs::File::options().write(true).open(&old).expect("opened").set_modified(long_ago).expect("set");
        hub.tidy().await;
        assert!(!old.exists() && new.exists(), "another instance may still write the new one");
    }

    async fn files_beyond_the_limit_end_the_answer(hub: &Hub, [("PLEXUS_MAX_FILE_BYTES", "10")]) {
        let ada = with_clerk(hub).await;
        let (_, answer) = ask(&ada).await;
        assert_eq!(answer["state"], "failed");
        assert!(text_of(&answer["run"]["failure"]["message"]).contains("the limit of 10 bytes"), "{answer}");
        assert_eq!(answer["parts"][0]["size"], 9, "what fitted is kept");
    }
}

/// Returns a user on a hub where `@boss/clerk` sends files.
async fn with_clerk(hub: &Hub) -> Client {
    let raw =
        |bytes: &str, name: &str, kind: &str| json!({ "raw": bytes, "filename": name, "mediaType": kind });
    let artifact = |id: &str, part: Value| json!({ "artifact": { "artifactId": id, "parts": [part] } });
    let mut second = artifact("a1", raw(CHUNKS[1], "tide.csv", "text/csv"));
    second["append"] = json!(true);
    let url = clerk::serve(vec![
        artifact("a1", raw(CHUNKS[0], "tide.csv", "text/csv")),
        second,
        artifact("a2", raw(PICTURE, "", "image/png")),
        artifact("a3", raw("PHNjcmlwdD4=", "a.html", "text/html")),
    ])
    .await;
    clerk::register(&hub.administrator("boss").await, &url, "clerk").await;
    hub.person("ada").await
}

/// Returns the chat and the stored answer.
async fn ask(client: &Client) -> (String, Value) {
    let said = client.begin("@boss/clerk", "Send me the tides").await;
    let answer = answer_after(client, &said.chat, 0).await;
    (said.chat, answer)
}
