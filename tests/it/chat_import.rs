//! Tests of imports of chats that other services exported.

use reqwest::{Method, StatusCode, header};
use serde_json::{Value, json};

use crate::{
    chat::seq,
    client::{Answer, Client, text_of},
    events::{answer_after, text_in},
    hub::{Hub, on_both},
    tokens::make,
};

/// An archive with a conversation of Claude, and a file that is not imported.
const ARCHIVE: &[u8] = include_bytes!("../../fuzz/corpus/chats/chatgpt.zip");

on_both! {
    async fn a_chat_of_chatgpt_has_its_branches_and_authors_and_is_found(hub: &Hub) {
        let (ada, eve) = (hub.person("ada").await, hub.person("eve").await);
        let result = imported(&ada, &chatgpt()).await;
        assert_eq!((&result["format"], &result["imported"]), (&json!("chatgpt"), &json!(1)));
        assert_eq!(result["left_out"], json!([{ "kind": "images", "count": 1, "description": "1 image" }]));

        let listed = ada.api("/chats").await;
        let item = &listed["items"][0];
        assert_eq!(item["title"], "Sourdough");
        assert_eq!(item["last_activity"], json!(1_700_000_003_000_i64), "the time of its last message");
        let chat = text_of(&item["id"]);
        let export = ada.api(&format!("/chats/{chat}/export")).await;
        let messages = export["messages"].as_array().expect("messages");
        assert_eq!(messages.len(), 3, "every branch");
        assert_eq!(messages[0]["author"], json!({ "kind": "person", "name": "ada" }));
        let answers: Vec<&Value> = messages.iter().filter(|message| message["parent"] == messages[0]["id"]).collect();
        assert_eq!(answers.len(), 2);
        for answer in answers {
            assert_eq!(answer["author"], json!({ "kind": "imported", "label": "ChatGPT · gpt-4o" }));
        }
        let page = ada.get(&format!("/chat/{chat}")).await.expect(StatusCode::OK);
        for words in ["<strong>Knead</strong> the levain", "ChatGPT · gpt-4o", ">Imported<", "Answer 2 of 2"] {
            page.says(words);
        }
        assert!(!page.body.contains("Good answer:") && !page.body.contains("Buy bread"), "{}", page.body);
        let markdown = ada.get(&format!("/chat/{chat}/export?format=markdown")).await;
        markdown.says("ChatGPT · gpt-4o (imported)");

        for words in ["levain", "croissant"] {
            let found = ada.api(&format!("/chats/search?q={words}")).await;
            assert_eq!(found["items"].as_array().map(Vec::len), Some(1), "{words}: {found}");
            assert_eq!(found["items"][0]["author"]["label"], "ChatGPT · gpt-4o");
            assert_eq!(eve.api(&format!("/chats/search?q={words}")).await["items"], json!([]));
        }
        ada.get("/chat/search?q=levain").await.expect(StatusCode::OK).says("ChatGPT · gpt-4o");
        eve.get(&format!("/api/v1/chats/{chat}/export")).await.expect(StatusCode::NOT_FOUND);
        assert_eq!(eve.api("/chats").await["items"], json!([]));
    }

    async fn each_format_is_recognized_and_imported_once(hub: &Hub) {
        let ada = hub.person("ada").await;
        let files: [(&str, &str, Vec<u8>); 5] = [
            ("chatgpt", "Sourdough", chatgpt().to_string().into_bytes()),
            ("claude", "Tea", ARCHIVE.to_vec()),
            ("open_webui", "Sums", open_webui().to_string().into_bytes()),
            ("librechat", "Why", librechat().to_string().into_bytes()),
            ("plexus", "Ode", plexus().to_string().into_bytes()),
        ];
        for (format, title, file) in &files {
            let first = send(&ada, file.clone()).await.expect(StatusCode::OK).json();
            assert_eq!((&first["format"], &first["imported"], &first["already_there"]), (&json!(format), &json!(1), &json!(0)));
            let again = send(&ada, file.clone()).await.expect(StatusCode::OK).json();
            assert_eq!((&again["imported"], &again["already_there"]), (&json!(0), &json!(1)), "{format}");
            let titles = titles(&ada).await;
            assert_eq!(titles.iter().filter(|known| known == title).count(), 1, "{titles:?}");
        }
        let chats = ada.api("/chats").await;
        let tea = chats["items"].as_array().expect("items").iter().find(|item| item["title"] == "Tea").expect("the chat");
        ada.call(Method::DELETE, &format!("/chats/{}", text_of(&tea["id"])), &json!({})).await.expect(StatusCode::NO_CONTENT);
        let after = send(&ada, ARCHIVE.to_vec()).await.expect(StatusCode::OK).json();
        assert_eq!(after["imported"], 1, "a deleted chat is imported again");
        let eve = hub.person("eve").await;
        assert_eq!(send(&eve, ARCHIVE.to_vec()).await.json()["imported"], 1, "another account imports for itself");
    }

    async fn an_own_export_is_there_and_moves_to_another_account(hub: &Hub) {
        let (ada, eve) = (hub.person("ada").await, hub.person("eve").await);
        let said = ada.begin("@plexus/calc", "6 * 7").await;
        answer_after(&ada, &said.chat, 0).await;
        imported(&ada, &chatgpt()).await;
        let lines = ada.get("/api/v1/chats/export").await.expect(StatusCode::OK).body;
        let again = send(&ada, lines.clone().into_bytes()).await.expect(StatusCode::OK).json();
        assert_eq!((&again["imported"], &again["already_there"]), (&json!(0), &json!(2)));

        let moved = send(&eve, lines.into_bytes()).await.expect(StatusCode::OK).json();
        assert_eq!((&moved["format"], &moved["imported"]), (&json!("plexus"), &json!(2)));
        let found = eve.api("/chats/search?q=levain").await;
        assert_eq!(found["items"][0]["author"]["label"], "ChatGPT · gpt-4o", "the first service stays named");
        let found = eve.api("/chats/search?q=42").await;
        let label = text_of(&found["items"][0]["author"]["label"]);
        assert!(label.starts_with("@plexus/calc@"), "{label}");
    }

    async fn an_imported_chat_continues_with_an_agent(hub: &Hub) {
        let ada = hub.person("ada").await;
        imported(&ada, &chatgpt()).await;
        let chat = text_of(&ada.api("/chats").await["items"][0]["id"]);
        ada.get(&format!("/chat/{chat}")).await.says("Start with @ to choose an agent.");
        let at = seq(&ada, &chat).await;
        ada.say(&chat, "Which agent bakes?").await;
        let guide = answer_after(&ada, &chat, at).await;
        assert_eq!(guide["author"]["address"], "@plexus/guide", "without a choice the guide answers");
        let at = seq(&ada, &chat).await;
        ada.say(&chat, "@plexus/calc 6 * 7").await;
        let answer = answer_after(&ada, &chat, at).await;
        assert_eq!(answer["author"]["address"], "@plexus/calc");
        assert!(text_in(&answer).contains("42"), "{answer}");

        let export = ada.api(&format!("/chats/{chat}/export")).await;
        let messages = export["messages"].as_array().expect("messages").iter();
        let old = messages.clone().find(|message| message["author"]["kind"] == "imported").expect("an imported answer");
        let old = text_of(&old["id"]);
        let (_, words) = ada.call(Method::POST, &format!("/messages/{old}/retry"), &json!({})).await.refusal(StatusCode::CONFLICT);
        assert!(words.contains("imported") && words.contains("Choose an agent"), "{words}");
        let path = format!("/messages/{old}/retry?to=@plexus/calc");
        ada.call(Method::POST, &path, &json!({})).await.expect(StatusCode::ACCEPTED);
        let fork = ada.call(Method::POST, &format!("/messages/{old}/fork"), &json!({})).await.expect(StatusCode::CREATED);
        let copy = ada.api(&format!("/chats/{}/export", text_of(&fork.json()["chat"]))).await;
        assert_eq!(copy["messages"][1]["author"]["kind"], "imported");
    }

    async fn the_page_imports_a_file_and_shows_counts(hub: &Hub) {
        let ada = hub.person("ada").await;
        ada.get("/settings/shares").await.expect(StatusCode::OK).says("Import chats");
        let page = upload(&ada, "conversations.json", chatgpt().to_string().as_bytes()).await.expect(StatusCode::OK);
        for words in ["1 chat imported from ChatGPT.", "<li>1 image</li>", "href=\"/chat\""] {
            page.says(words);
        }
        upload(&ada, "x", chatgpt().to_string().as_bytes()).await.says("1 chat was imported before and skipped.");
        let refused = upload(&ada, "notes.txt", b"Dear diary").await.expect(StatusCode::UNPROCESSABLE_ENTITY);
        refused.says("The file is not complete JSON");
        upload(&ada, "", b"").await.expect(StatusCode::UNPROCESSABLE_ENTITY).says("Choose a file first.");
        upload(&hub.visitor(), "x", b"[]").await.expect(StatusCode::UNAUTHORIZED);
    }

    async fn bad_files_and_callers_are_refused_with_what_to_do(hub: &Hub) {
        let ada = hub.person("ada").await;
        let cases: [(&[u8], &str); 6] = [
            (b"", "The file is empty. Choose"),
            (b"[{\"mapping\": {}}", "not complete JSON"),
            (b"{\"a\": 1}", "no export of ChatGPT"),
            (b"\xff\xfe[\0]\0", "Save it as UTF-8"),
            (&ARCHIVE[..200], "The ZIP archive cannot be read"),
            (b"[]", "has no conversations"),
        ];
        for (file, expected) in cases {
            let (code, words) = send(&ada, file.to_vec()).await.refusal(StatusCode::UNPROCESSABLE_ENTITY);
            assert!(code == "invalid" && words.contains(expected), "{code}: {words}");
        }
        let large = vec![b' '; plexus_hub::chats::MAX_IMPORT_BYTES + 1];
        send(&ada, large).await.refusal(StatusCode::PAYLOAD_TOO_LARGE);
        let reader = ada.with_token(&make(&ada, &["read"]).await);
        send(&reader, ARCHIVE.to_vec()).await.refusal(StatusCode::FORBIDDEN);
        send(&hub.visitor(), ARCHIVE.to_vec()).await.refusal(StatusCode::UNAUTHORIZED);
        assert_eq!(ada.api("/chats").await["items"], json!([]));
    }

    async fn a_full_quota_ends_an_import_and_keeps_what_fits(hub: &Hub, [("PLEXUS_QUOTA_CHATS", "2")]) {
        let ada = hub.person("ada").await;
        let chats: Vec<Value> = (0..4).map(|number| conversation(&number.to_string(), "Sourdough")).collect();
        let result = imported(&ada, &json!(chats)).await;
        assert_eq!(result["imported"], 2);
        assert!(text_of(&result["problem"]).contains("2"), "{result}");
        assert_eq!(titles(&ada).await.len(), 2);
        let again = imported(&ada, &json!(chats)).await;
        assert_eq!((&again["imported"], &again["already_there"]), (&json!(0), &json!(2)));
    }

    async fn imports_are_made_so_often(hub: &Hub, [("PLEXUS_RATE_LIMIT_SCALE", "1"), ("PLEXUS_LIMIT_IMPORTS", "1/1h")]) {
        let ada = hub.person("ada").await;
        imported(&ada, &chatgpt()).await;
        let (code, words) = send(&ada, ARCHIVE.to_vec()).await.refusal(StatusCode::TOO_MANY_REQUESTS);
        assert_eq!(code, "rate_limited");
        assert!(words.contains("Too many imports"), "{words}");
    }

    async fn many_conversations_are_imported_at_once(hub: &Hub) {
        let ada = hub.person("ada").await;
        let chats: Vec<Value> = (0..300).map(|number| conversation(&number.to_string(), &format!("Loaf {number}"))).collect();
        assert_eq!(imported(&ada, &json!(chats)).await["imported"], 300);
        let found = ada.api("/chats/search?q=levain").await;
        assert!(!found["next"].is_null(), "{found}");
    }
}

async fn imported(client: &Client, export: &Value) -> Value {
    send(client, export.to_string().into_bytes()).await.expect(StatusCode::OK).json()
}

async fn send(client: &Client, file: Vec<u8>) -> Answer {
    client.send(client.request(Method::POST, "/api/v1/chats/import").body(file)).await
}

/// Posts the form of the page with a file.
async fn upload(client: &Client, name: &str, file: &[u8]) -> Answer {
    let head =
        format!("--edge\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\r\n");
    let body = [head.as_bytes(), file, b"\r\n--edge--\r\n"].concat();
    let request = client.request(Method::POST, "/settings/chats/import");
    client.send(request.header(header::CONTENT_TYPE, "multipart/form-data; boundary=edge").body(body)).await
}

async fn titles(client: &Client) -> Vec<String> {
    let chats = client.api("/chats").await;
    chats["items"].as_array().expect("items").iter().map(|item| text_of(&item["title"])).collect()
}

fn chatgpt() -> Value {
    json!([conversation("c-1", "Sourdough")])
}

/// A conversation of ChatGPT with two answers, of which the first was shown last.
fn conversation(id: &str, title: &str) -> Value {
    let message = |role: &str, at: u32, parts: Value| {
        json!({ "author": { "role": role }, "create_time": at, "metadata": { "model_slug": "gpt-4o" },
            "content": { "content_type": "multimodal_text", "parts": parts } })
    };
    let image = json!({ "content_type": "image_asset_pointer", "asset_pointer": "file-service://file" });
    json!({ "conversation_id": id, "title": title, "create_time": 1_700_000_000, "current_node": "b", "mapping": {
        "root": { "id": "root", "parent": null, "message": null },
        "a": { "id": "a", "parent": "root", "message": message("user", 1_700_000_001, json!([image, "How?"])) },
        "b": { "id": "b", "parent": "a", "message": message("assistant", 1_700_000_003, json!(["**Knead** the levain"])) },
        "c": { "id": "c", "parent": "a", "message": message("assistant", 1_700_000_002, json!(["Buy bread and a croissant"])) },
    } })
}

fn open_webui() -> Value {
    json!([{ "id": "w", "title": "Sums", "created_at": 1_700_000_000, "chat": { "models": ["llama3"], "history": {
        "currentId": "b", "messages": {
            "a": { "id": "a", "parentId": null, "role": "user", "content": "1 + 1?" },
            "b": { "id": "b", "parentId": "a", "role": "assistant", "content": "2", "model": "llama3" } } } } }])
}

fn librechat() -> Value {
    json!({ "conversationId": "l", "title": "Why", "recursive": true, "messages": [{ "messageId": "1", "text": "Why?",
        "isCreatedByUser": true, "children": [{ "messageId": "2", "text": "Because", "sender": "GPT-4", "isCreatedByUser": false }] }] })
}

fn plexus() -> Value {
    json!({ "format": "plexus-chat/1", "hub": "https://hub.example/", "id": "p", "title": "Ode", "current_message": "2", "messages": [
        { "id": "1", "parent": null, "branch": 0, "author": { "kind": "person", "name": "bob" }, "parts": [{ "kind": "text", "text": "Rhyme" }] },
        { "id": "2", "parent": "1", "branch": 1, "author": { "kind": "agent", "address": "@bob/poet" }, "parts": [{ "kind": "text", "text": "Time" }] } ] })
}
