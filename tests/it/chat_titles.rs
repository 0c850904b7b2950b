//! Tests of titles that a model gives to chats.

use std::{path::Path, time::Duration};

use reqwest::{Method, StatusCode};
use serde_json::json;
use tokio::time::{sleep, timeout};

use crate::{
    chat::seq,
    client::{Client, new_id, text_of},
    events::answer_after,
    hub::{self, Given, Hub, play_on_both},
    mcp_tools::start,
};

async fn title_of(client: &Client, chat: &str) -> String {
    text_of(&client.api(&format!("/chats/{chat}")).await["title"])
}

/// Polls until a chat has a title that is not `old`, for at most 20 s, and returns it.
async fn title_after(client: &Client, chat: &str, old: &str) -> String {
    let polled = async {
        loop {
            let title = title_of(client, chat).await;
            if title != old {
                return title;
            }
            sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(Duration::from_secs(20), polled).await.expect("a title in time")
}

async fn a_model_names_a_chat_once(database: Option<plexus_store::testing::Database>) {
    let folder = tempfile::tempdir().expect("a folder");
    let (answers, asked) = (folder.path().join("answers.json"), folder.path().join("asked"));
    let texts = json!(["Title: \"Two ones.\"", "Three twos"]);
    std::fs::write(&answers, texts.to_string()).expect("a file");
    let path = |path: &Path| path.display().to_string();
    let flags = ["--answers", &path(&answers), "--asked", &path(&asked)].map(str::to_owned);
    let server = start(Path::new("node"), "model/scripted.mjs", &flags.each_ref().map(String::as_str)).await;
    let settings: [Given; 3] = [
        ("PLEXUS_LLM_BASE_URL", server.url.clone().leak()),
        ("PLEXUS_LLM_MODEL", "scripted"),
        ("PLEXUS_TITLE_MODEL", "scripted"),
    ];
    hub::run(database, &settings, async |hub: &Hub| {
        let ada = hub.person("ada").await;
        let said = ada.begin("@plexus/calc", "1 + 1").await;
        answer_after(&ada, &said.chat, 0).await;
        assert_eq!(title_after(&ada, &said.chat, "1 + 1").await, "Two ones");
        let seen = std::fs::read_to_string(&asked).expect("the requests");
        assert!(seen.contains("Message:\\n1 + 1\\n\\nAnswer:\\n`1 + 1` = **2**"), "{seen}");
        assert!(ada.get("/chat").await.expect(StatusCode::OK).body.contains("Two ones"));

        // A temporary chat gets no title.
        let new = json!({ "id": new_id(), "text": "5 + 5", "to": "@plexus/calc", "temporary": true });
        let begun = ada.call(Method::POST, "/chats", &new).await.expect(StatusCode::CREATED).json();
        answer_after(&ada, &text_of(&begun["chat"]), 0).await;

        // The next answer of the same chat is no reason for a request, so the second one is for another chat.
        let so_far = seq(&ada, &said.chat).await;
        ada.say(&said.chat, "2 + 2").await;
        answer_after(&ada, &said.chat, so_far).await;
        let other = ada.begin("@plexus/calc", "2 + 2 + 2").await;
        assert_eq!(title_after(&ada, &other.chat, "2 + 2 + 2").await, "Three twos");
        assert_eq!(title_of(&ada, &said.chat).await, "Two ones");
    })
    .await;
}

play_on_both!(a_model_names_a_chat_once);
