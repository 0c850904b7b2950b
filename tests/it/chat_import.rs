//! Tests of imports of chats that other services exported.

use reqwest::{Method, StatusCode, header};
use serde_json::{Value, json};

use crate::{
    attachments::{crc32, picture},
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

    async fn pictures_of_the_archive_are_files_of_the_chat(hub: &Hub) {
        let (ada, eve) = (hub.person("ada").await, hub.person("eve").await);
        let image = |id: &str| json!({ "content_type": "image_asset_pointer", "asset_pointer": format!("file-service://file-{id}") });
        let chat = chat_of(&[
            ("user", json!([image("Photo1"), image("Broken1"), image("Lost1"), "Compare"])),
            ("assistant", json!([image("Photo1"), "The same"])),
            ("user", json!([image("Lost2")])),
        ]);
        let archive = zip(&[
            ("export/conversations.json", json!([chat]).to_string().as_bytes()),
            ("export/user-1/file-Photo1-sea.png", &picture()),
            ("export/file-Broken1-bad.png", b"\x89PNG\r\n\x1a\n and no image"),
        ]);
        let result = send(&ada, archive.clone()).await.expect(StatusCode::OK).json();
        assert_eq!(result["left_out"][0], json!({ "kind": "images", "count": 3, "description": "3 images" }));
        let messages = messages_of(&ada, "T").await;
        let parts = messages[0]["parts"].as_array().expect("parts");
        assert_eq!((&parts[0]["kind"], &parts[0]["name"], &parts[0]["media_type"]), (&json!("file"), &json!("sea.png"), &json!("image/png")));
        assert_eq!(parts[0]["image"], json!({ "width": 2, "height": 2 }));
        assert_eq!(parts[1]["text"], "[Image: bad.png, left out]");
        assert_eq!(parts[2]["text"], "Compare");
        assert_eq!(messages[1]["parts"][0]["blob"], parts[0]["blob"], "one file in two messages");
        assert_eq!(messages[2]["parts"], json!([{ "kind": "text", "text": "[Image, not in the export]" }]));
        let path = format!("/blobs/{}", text_of(&parts[0]["blob"]));
        ada.get(&path).await.expect(StatusCode::OK);
        eve.get(&path).await.expect(StatusCode::NOT_FOUND);
        let again = send(&ada, archive).await.expect(StatusCode::OK).json();
        assert_eq!((&again["imported"], &again["already_there"]), (&json!(0), &json!(1)));
    }

    async fn files_that_do_not_fit_are_left_out_and_the_text_stays(hub: &Hub, [("PLEXUS_QUOTA_BYTES", "200000")]) {
        let ada = hub.person("ada").await;
        let large = vec![b'x'; 300_000];
        let mut chat = chat_of(&[("user", json!(["Read"])), ("assistant", json!(["Done"]))]);
        chat["mapping"]["0"]["message"]["metadata"]["attachments"] =
            json!([{ "id": "file-Large1", "name": "large.txt" }, { "id": "file-Small1", "name": "small.txt" }]);
        let archive = zip(&[
            ("conversations.json", json!([chat]).to_string().as_bytes()),
            ("file-Large1-large.txt", &large),
            ("file-Small1-small.txt", b"small"),
        ]);
        let result = send(&ada, archive).await.expect(StatusCode::OK).json();
        assert_eq!(result["left_out"], json!([{ "kind": "files", "count": 1, "description": "1 file" }]));
        assert!(result["problem"].is_null(), "{result}");
        let messages = messages_of(&ada, "T").await;
        assert_eq!(messages[0]["parts"][1]["text"], "[File: large.txt, left out]");
        assert_eq!((&messages[0]["parts"][2]["kind"], &messages[0]["parts"][2]["size"]), (&json!("file"), &json!(5)));
        assert_eq!(messages[1]["parts"][0]["text"], "Done");
    }

    async fn a_newer_export_adds_the_later_messages(hub: &Hub) {
        let ada = hub.person("ada").await;
        let said = [("user", json!(["One"])), ("assistant", json!(["Two"])), ("user", json!(["Three"])), ("assistant", json!(["Four"])),
            ("user", json!(["Five"])), ("assistant", json!(["Six"]))];
        imported(&ada, &json!([chat_of(&said[..2])])).await;
        let result = imported(&ada, &json!([chat_of(&said[..4])])).await;
        assert_eq!((&result["imported"], &result["updated"], &result["new_messages"]), (&json!(0), &json!(1), &json!(2)));
        let chat = chat_titled(&ada, "T").await;
        ada.get(&format!("/chat/{chat}")).await.says("Four");
        let found = ada.api("/chats/search?q=Three").await;
        assert_eq!(found["items"].as_array().map(Vec::len), Some(1), "{found}");
        let again = imported(&ada, &json!([chat_of(&said[..4])])).await;
        assert_eq!((&again["updated"], &again["new_messages"], &again["already_there"]), (&json!(0), &json!(0), &json!(1)));
        assert_eq!(titles(&ada).await, ["T"]);

        // Continued here, the later messages are another branch, and what is shown stays.
        let at = seq(&ada, &chat).await;
        ada.say(&chat, "@plexus/calc 6 * 7").await;
        answer_after(&ada, &chat, at).await;
        let page = upload(&ada, "conversations.json", json!([chat_of(&said)]).to_string().as_bytes()).await;
        page.expect(StatusCode::OK).says("2 later messages added to chats that you imported before.");
        let messages = messages_of(&ada, "T").await;
        let at = |text: &str| messages.iter().find(|message| message["parts"][0]["text"] == text).expect("the message");
        assert_eq!(at("Five")["parent"], at("Four")["id"]);
        assert_eq!(messages.len(), 8);
        let page = ada.get(&format!("/chat/{chat}")).await;
        page.says("6 * 7");
        assert!(!page.body.contains(">Six<"), "{}", page.body);
    }

    async fn an_own_export_comes_back_whole(hub: &Hub) {
        let (ada, eve) = (hub.person("ada").await, hub.person("eve").await);
        let message = |id: &str, parent: Value, branch: u32, state: &str, parts: Value| {
            let author = if branch == 0 { json!({ "kind": "person", "name": "bob" }) } else { json!({ "kind": "imported", "label": "Bot" }) };
            json!({ "id": id, "parent": parent, "branch": branch, "author": author, "state": state, "created": 1_700_000_000_000_i64, "parts": parts })
        };
        let text = |text: &str| json!([{ "kind": "text", "text": text }]);
        let answer = json!([{ "kind": "reasoning", "text": "Hm" }, { "kind": "tool", "tool": "t", "arguments": { "a": [1] }, "result": "r", "took_ms": 5 },
            { "kind": "data", "data": { "b": 1 }, "name": "d" }, { "kind": "link", "url": "https://a.example/" },
            { "kind": "text", "text": "Done", "artifact": "r", "name": "R" }]);
        let first = json!({ "format": "plexus-chat/1", "hub": "https://other.example/", "exported_by": "bob", "id": "p", "title": "Ode",
            "created": 1_600_000_000_000_i64, "pinned": true, "archived": false, "folder": "Work", "current_message": "2", "messages": [
                message("1", Value::Null, 0, "done", text("Rhyme")),
                message("2", json!("1"), 1, "stopped", answer),
                message("3", json!("1"), 2, "done", text("Beside")),
                message("4", json!("1"), 1, "failed", json!([])),
                message("5", json!("2"), 0, "deleted", json!([])),
                message("6", json!("5"), 1, "done", text("After")),
                message("7", json!("6"), 1, "done", text("And on")) ] });
        imported(&ada, &first).await;
        let mine = export_of(&ada, "Ode").await;
        imported(&eve, &mine).await;
        let moved = export_of(&eve, "Ode").await;
        for export in [&mine, &moved] {
            for (name, value) in [("title", "Ode"), ("folder", "Work")] {
                assert_eq!(export[name], value);
            }
            assert_eq!((&export["pinned"], &export["archived"], &export["created"]), (&json!(true), &json!(false), &json!(1_600_000_000_000_i64)));
            assert_eq!(outline(export), outline(&first));
        }
    }

    async fn archived_and_pinned_chats_and_folders_stay_so(hub: &Hub) {
        let ada = hub.person("ada").await;
        let chat = |id: &str, more: Value| {
            let mut chat = json!({ "uuid": id, "name": id, "chat_messages": [{ "uuid": "1", "sender": "human", "text": "Hi" }] });
            for (name, value) in more.as_object().expect("members") {
                chat[name] = value.clone();
            }
            chat
        };
        imported(&ada, &json!([chat("plain", json!({})), chat("star", json!({ "is_starred": true })),
            chat("old", json!({ "is_archived": true })), chat("project", json!({ "project": { "name": "Sea\nside" } }))])).await;
        let listed = ada.api("/chats").await;
        let item = |title: &str| listed["items"].as_array().expect("items").iter().find(|item| item["title"] == title).cloned();
        assert_eq!(item("star").expect("it is listed")["pinned"], true);
        assert_eq!(item("project").expect("it is listed")["folder"], "Sea side");
        assert!(item("old").is_none(), "{listed}");
        assert_eq!(export_of_all(&ada).await.iter().filter(|chat| chat["archived"] == true).count(), 1);
    }

    async fn exports_of_other_services_are_refused_by_name(hub: &Hub) {
        let ada = hub.person("ada").await;
        let takeout = json!([{ "header": "Gemini Apps", "title": "Prompted x", "products": ["Gemini Apps"] }]).to_string();
        for (file, name) in [(takeout.into_bytes(), "Gemini"), (b"%PDF-1.7".to_vec(), "a PDF file"), (b"<!DOCTYPE html>".to_vec(), "web page")] {
            let page = upload(&ada, "x", &file).await.expect(StatusCode::UNPROCESSABLE_ENTITY);
            page.says(name);
            page.says("It reads exports of ChatGPT, Claude, DeepSeek, Open WebUI, LibreChat or Plexus.");
        }
    }

    async fn many_conversations_are_imported_at_once(hub: &Hub) {
        let ada = hub.person("ada").await;
        let chats: Vec<Value> = (0..300).map(|number| conversation(&number.to_string(), &format!("Loaf {number}"))).collect();
        assert_eq!(imported(&ada, &json!(chats)).await["imported"], 300);
        let found = ada.api("/chats/search?q=levain").await;
        assert!(!found["next"].is_null(), "{found}");
    }
}

/// A conversation of ChatGPT with the title `T`, whose messages follow one another.
fn chat_of(messages: &[(&str, Value)]) -> Value {
    let mut mapping = serde_json::Map::new();
    for (number, (role, parts)) in messages.iter().enumerate() {
        let parent = number.checked_sub(1).map(|before| before.to_string());
        let message = json!({ "author": { "role": role }, "create_time": 1_700_000_000 + number, "metadata": {},
            "content": { "content_type": "multimodal_text", "parts": parts } });
        mapping.insert(number.to_string(), json!({ "parent": parent, "message": message }));
    }
    let current = messages.len().saturating_sub(1).to_string();
    json!({ "conversation_id": "grown", "title": "T", "current_node": current, "mapping": mapping })
}

async fn chat_titled(client: &Client, title: &str) -> String {
    let chats = client.api("/chats").await;
    let found = chats["items"].as_array().expect("items").iter().find(|item| item["title"] == title).cloned();
    text_of(&found.expect("the chat")["id"])
}

async fn export_of(client: &Client, title: &str) -> Value {
    let chat = chat_titled(client, title).await;
    client.api(&format!("/chats/{chat}/export")).await
}

async fn messages_of(client: &Client, title: &str) -> Vec<Value> {
    export_of(client, title).await["messages"].as_array().expect("messages").clone()
}

async fn export_of_all(client: &Client) -> Vec<Value> {
    let lines = client.get("/api/v1/chats/export").await.expect(StatusCode::OK).body;
    lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// Returns what the messages of an export are, with positions instead of ids and without authors.
fn outline(export: &Value) -> Vec<String> {
    let messages = export["messages"].as_array().expect("messages");
    let path = |message: &Value| messages.iter().find(|other| other["id"] == message["parent"]);
    let line = |message: &Value| {
        let above = path(message).map(|parent| parent["parts"].to_string());
        let label = &message["author"]["label"];
        format!(
            "{above:?} {} {label} {} {} {}",
            message["branch"], message["state"], message["created"], message["parts"]
        )
    };
    let mut lines: Vec<String> = messages.iter().map(line).collect();
    lines.sort();
    lines
}

/// Returns a ZIP archive of files that are not compressed (APPNOTE 4.3).
fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = Vec::new();
    let mut directory = Vec::new();
    let length = |bytes: usize| u32::try_from(bytes).expect("a small file").to_le_bytes();
    for (name, content) in files {
        let offset = length(archive.len());
        // Version 2.0, no flags, stored, at no time.
        let head = [
            [20, 0, 0, 0, 0, 0, 0, 0, 0, 0].as_slice(),
            &crc32(content).to_le_bytes(),
            &length(content.len()),
            &length(content.len()),
            &length(name.len())[..2],
            &[0, 0],
        ]
        .concat();
        archive.extend([b"PK\x03\x04".as_slice(), &head, name.as_bytes(), content].concat());
        directory
            .extend([b"PK\x01\x02\x14\0".as_slice(), &head, &[0; 10], &offset, name.as_bytes()].concat());
    }
    let count = &length(files.len())[..2];
    let end = [
        b"PK\x05\x06\0\0\0\0".as_slice(),
        count,
        count,
        &length(directory.len()),
        &length(archive.len()),
        &[0, 0],
    ]
    .concat();
    [archive, directory, end].concat()
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
