//! Tests of exports of chats: one chat as JSON and Markdown, all chats as JSON lines, and the print view.

use std::collections::HashSet;

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::{
    chat::seq,
    clerk,
    client::{Client, new_id, text_of},
    events::{answer_after, text_in},
    hub::{Hub, on_both},
    tokens::make,
};

on_both! {
    async fn the_json_holds_every_message_of_every_branch(hub: &Hub) {
        let ada = hub.person("ada").await;
        let (chat, ids) = branches(&ada).await;
        let answer = ada.get(&format!("/api/v1/chats/{chat}/export")).await.expect(StatusCode::OK);
        assert_eq!(answer.header("content-type"), "application/json");
        assert!(answer.header("content-disposition").starts_with("attachment; filename*=UTF-8''1%20%2B%201.json"));
        let export = answer.json();
        assert_eq!((&export["format"], &export["title"]), (&json!("plexus-chat/1"), &json!("1 + 1")));
        assert_eq!(export["id"], json!(chat));
        let messages = export["messages"].as_array().expect("messages");
        let exported: HashSet<String> = messages.iter().map(|message| text_of(&message["id"])).collect();
        assert_eq!(exported, ids, "every branch");
        for message in messages {
            assert_eq!(*message, ada.api(&format!("/messages/{}", text_of(&message["id"]))).await, "as the API has it");
        }
        let page = ada.get(&format!("/chat/{chat}/export?format=json")).await.expect(StatusCode::OK);
        assert_eq!(page.json()["messages"], export["messages"]);

        let deleted = text_of(&messages[0]["id"]);
        ada.call(Method::DELETE, &format!("/messages/{deleted}"), &json!({})).await.expect(StatusCode::NO_CONTENT);
        let export = ada.api(&format!("/chats/{chat}/export")).await;
        assert_eq!(export["messages"][0]["state"], "deleted");
        assert_eq!(export["messages"][0]["parts"], json!([]));
    }

    async fn the_markdown_of_answers_stays_and_what_people_typed_is_escaped(hub: &Hub) {
        let boss = hub.administrator("grace").await;
        let url = clerk::serve(vec![clerk::words("**Bold** and\n\n```rust\nfn open() {}")]).await;
        clerk::register(&boss, &url, "clerk").await;
        let said = boss.begin("@grace/clerk", "# not *this* <script>alert(1)</script>\n1. or https://a.example/b_c").await;
        answer_after(&boss, &said.chat, 0).await;
        let at = seq(&boss, &said.chat).await;
        boss.say(&said.chat, "second").await;
        answer_after(&boss, &said.chat, at).await;
        let path = format!("/api/v1/chats/{}/export?format=markdown", said.chat);
        let markdown = boss.get(&path).await.expect(StatusCode::OK);
        assert_eq!(markdown.header("content-type"), "text/markdown; charset=utf-8");
        markdown.says("\\# not \\*this\\* \\<script\\>alert(1)\\</script\\>\\\n1\\. or <https://a.example/b_c>");
        markdown.says("**Bold** and\n\n```rust\nfn open() {}\n```\n");
        let second = markdown.body.find("\n## 3 · grace · ").expect("the next message is outside of the code");
        assert!(second > markdown.body.find("fn open").expect("the code"));
    }

    async fn other_branches_follow_in_markdown(hub: &Hub) {
        let ada = hub.person("ada").await;
        let (chat, ids) = branches(&ada).await;
        let markdown = ada.get(&format!("/chat/{chat}/export?format=markdown")).await.expect(StatusCode::OK).body;
        let (shown, others) = markdown.split_once("\n# Other branches\n").expect("other branches");
        assert_eq!(shown.matches("\n## ").count() + others.matches("\n## ").count(), ids.len());
        assert!(shown.contains("2 + 2") && !shown.contains("instead of"), "{markdown}");
        assert!(others.contains("1 + 1") && others.contains(" · instead of 1\n"), "{markdown}");
    }

    async fn all_chats_are_one_file(hub: &Hub) {
        let (ada, eve) = (hub.person("ada").await, hub.person("eve").await);
        let (first, _) = branches(&ada).await;
        let second = ada.begin("@plexus/calc", "3 + 3").await;
        answer_after(&ada, &second.chat, 0).await;
        ada.call(Method::PATCH, &format!("/chats/{first}"), &json!({ "archived": true })).await.expect(StatusCode::NO_CONTENT);
        let other = eve.begin("@plexus/calc", "4 + 4").await;
        answer_after(&eve, &other.chat, 0).await;
        let token = ada.with_token(&make(&ada, &["read"]).await);
        let lines = token.get("/api/v1/chats/export").await.expect(StatusCode::OK);
        assert_eq!(lines.header("content-type"), "application/x-ndjson");
        let chats: Vec<Value> = lines.body.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect();
        let ids: HashSet<String> = chats.iter().map(|chat| text_of(&chat["id"])).collect();
        assert_eq!(ids, HashSet::from([first, second.chat.clone()]));
        assert_eq!(chats[0]["messages"].as_array().map(Vec::len), Some(2));
        let page = ada.get("/settings/chats/export").await.expect(StatusCode::OK);
        assert_eq!(page.body.lines().count(), 2);

        for path in [format!("/chats/{}/export", other.chat), format!("/chats/{}/export", new_id())] {
            ada.get(&format!("/api/v1{path}")).await.expect(StatusCode::NOT_FOUND);
        }
        ada.get(&format!("/chat/{}/export", other.chat)).await.expect(StatusCode::NOT_FOUND);
        ada.get(&format!("/chat/{}/print", other.chat)).await.expect(StatusCode::NOT_FOUND);
        hub.visitor().get("/api/v1/chats/export").await.expect(StatusCode::UNAUTHORIZED);
    }

    async fn a_chat_longer_than_a_page_is_exported_and_printed_whole(hub: &Hub) {
        let ada = hub.person("ada").await;
        let said = ada.begin("@plexus/calc", "0 + 1").await;
        answer_after(&ada, &said.chat, 0).await;
        for number in 2..=52 {
            let at = seq(&ada, &said.chat).await;
            ada.say(&said.chat, &format!("0 + {number}")).await;
            answer_after(&ada, &said.chat, at).await;
        }
        let export = ada.api(&format!("/chats/{}/export", said.chat)).await;
        let texts: Vec<&str> = export["messages"].as_array().expect("messages").iter().map(text_in).collect();
        assert_eq!(texts.len(), 104);
        assert_eq!((texts[0], texts[102]), ("0 + 1", "0 + 52"));
        let print = ada.get(&format!("/chat/{}/print", said.chat)).await.expect(StatusCode::OK);
        assert_eq!(print.body.matches("<article ").count(), 104);
        assert!(!print.body.contains("id=\"composer-text\"") && !print.body.contains("id=\"chats\""));
        ada.get(&format!("/chat/{}", said.chat)).await.expect(StatusCode::OK).says("Older messages");
    }

    async fn exports_are_made_so_often(hub: &Hub, [("PLEXUS_RATE_LIMIT_SCALE", "1"), ("PLEXUS_LIMIT_EXPORTS", "1/1h")]) {
        let ada = hub.person("ada").await;
        ada.get("/api/v1/chats/export").await.expect(StatusCode::OK);
        let (code, words) = ada.get("/api/v1/chats/export").await.refusal(StatusCode::TOO_MANY_REQUESTS);
        assert_eq!(code, "rate_limited");
        assert!(words.contains("Too many exports"), "{words}");
    }
}

/// Starts a chat with two branches. Returns it with the ids of its messages.
async fn branches(client: &Client) -> (String, HashSet<String>) {
    let said = client.begin("@plexus/calc", "1 + 1").await;
    let first = answer_after(client, &said.chat, 0).await;
    let at = seq(client, &said.chat).await;
    let edited = new_id();
    let edit = json!({ "id": edited, "edits": said.message, "text": "2 + 2" });
    client.try_say(&said.chat, &edit).await.expect(StatusCode::ACCEPTED);
    let second = answer_after(client, &said.chat, at).await;
    let ids = [said.message.clone(), text_of(&first["id"]), edited.to_string(), text_of(&second["id"])];
    (said.chat, HashSet::from(ids))
}
