//! Tests of files in messages of users: upload, limits, images, previews, and who reads them.

use std::{
    io::Cursor,
    sync::Arc,
    time::{Duration, Instant},
};

use axum::{
    Json, Router,
    response::{IntoResponse as _, Response},
    routing::post,
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use image::{DynamicImage, ImageFormat};
use parking_lot::Mutex;
use plexus_testing::images::{PLACE, PlainImages, exif, jpeg_segment, jpeg_with, photos_with_place};
use reqwest::{Method, StatusCode, header};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::{
    bad_agents::{administrator, register, serve, streams},
    chat::seq,
    clerk,
    client::{Answer, Client, new_id, text_of},
    events::answer_after,
    hub::{self, Given, Hub, on_both},
    tokens,
};

const TAIL: &str = "<script>alert('polyglot')</script>";

on_both! {
    async fn a_file_is_sent_once_and_read_by_the_agent_and_the_members_only(hub: &Hub) {
        let admin = administrator(hub).await;
        let (agent, received) = recording_agent().await;
        register(&admin, &agent, "reader").await;
        let eve = hub.person("eve").await;
        let file = upload(&admin, "C:\\tides\\tide.csv", "text/csv", "high,low\n4,9\n").await.expect(StatusCode::CREATED).json();
        assert_eq!((&file["name"], &file["size"], &file["media_type"]), (&json!("tide.csv"), &json!(13), &json!("text/csv")));
        let message = json!({ "id": new_id(), "to": "@grace/reader", "text": "Read this", "uploads": [file["id"]] });
        let stolen = json!({ "id": new_id(), "to": "@plexus/calc", "text": "1", "uploads": [file["id"]] });
        eve.call(Method::POST, "/chats", &stolen).await.refusal(StatusCode::UNPROCESSABLE_ENTITY);
        let sent = admin.call(Method::POST, "/chats", &message).await.expect(StatusCode::CREATED).json();
        let chat = text_of(&sent["chat"]);
        answer_after(&admin, &chat, 0).await;

        let part = received.lock()[0]["message"]["parts"][1].clone();
        assert_eq!((&part["filename"], &part["mediaType"]), (&json!("tide.csv"), &json!("text/csv")), "{part}");
        assert_eq!(STANDARD.decode(text_of(&part["raw"])).expect("base64"), b"high,low\n4,9\n");
        let again = json!({ "id": new_id(), "text": "Again", "uploads": [file["id"]] });
        let (code, words) = admin.try_say(&chat, &again).await.refusal(StatusCode::UNPROCESSABLE_ENTITY);
        assert_eq!((code.as_str(), words.contains("Add it again")), ("invalid", true));
        let repeated = admin.call(Method::POST, "/chats", &message).await.expect(StatusCode::CREATED).json();
        assert_eq!(repeated["chat"], sent["chat"], "sending again is idempotent");

        let href = format!("/blobs/{}", text_of(&file["blob"]));
        assert_eq!(admin.get(&href).await.expect(StatusCode::OK).body, "high,low\n4,9\n");
        for path in [href.clone(), format!("{href}/preview"), format!("/api/v1{href}")] {
            eve.get(&path).await.expect(StatusCode::NOT_FOUND);
        }
        hub.visitor().get(&href).await.expect(StatusCode::SEE_OTHER);
        upload(&hub.visitor(), "a", "text/plain", "x").await.expect(StatusCode::UNAUTHORIZED);
    }

    async fn an_image_is_pixels_only_and_keeps_its_place(hub: &Hub) {
        let ada = hub.person("ada").await;
        let photo = |format| {
            let mut bytes = encoded(8, 5, format);
            if format == ImageFormat::Jpeg {
                // A comment after the start of the image, as EXIF is.
                bytes.splice(2..2, *b"\xff\xfe\x00\x0cGPS: here!");
            }
            bytes.extend_from_slice(TAIL.as_bytes());
            bytes
        };
        for (format, name, stored_as, media_type) in [
            (ImageFormat::Jpeg, "a.jpg", "a.jpg", "image/jpeg"),
            (ImageFormat::Png, "a.png", "a.png", "image/png"),
            (ImageFormat::Gif, "a.gif", "a.gif", "image/gif"),
            (ImageFormat::WebP, "a.webp", "a.jpg", "image/jpeg"),
        ] {
            // The declared type is wrong: the bytes decide.
            let stored = upload(&ada, name, "text/html", photo(format)).await.expect(StatusCode::CREATED).json();
            assert_eq!((&stored["name"], &stored["media_type"]), (&json!(stored_as), &json!(media_type)));
            assert_eq!(stored["image"], json!({ "width": 8, "height": 5 }), "{name}");
            let href = format!("/blobs/{}", text_of(&stored["blob"]));
            let response = ada.request(Method::GET, &href).send().await.expect("it answers");
            assert_eq!(response.headers()[header::CONTENT_TYPE], media_type);
            assert_eq!(response.headers()[header::CONTENT_SECURITY_POLICY], "default-src 'none'; sandbox");
            let bytes = response.bytes().await.expect("a whole answer");
            for secret in [TAIL, "GPS: here!"] {
                assert!(!bytes.windows(secret.len()).any(|part| part == secret.as_bytes()), "{name} has {secret}");
            }
            let body = json!({ "id": new_id(), "to": "@plexus/calc", "text": "", "uploads": [stored["id"]] });
            let sent = ada.call(Method::POST, "/chats", &body).await.expect(StatusCode::CREATED).json();
            let page = ada.get(&format!("/chat/{}", text_of(&sent["chat"]))).await.expect(StatusCode::OK);
            page.says(&format!("src=\"{href}\""));
            page.says("width=\"8\"");
            page.says("height=\"5\"");
            page.says(&format!("<h1 id=\"chat-title\" dir=\"auto\">{stored_as}</h1>"));
        }
    }

    async fn a_photo_loses_its_place_in_every_format(hub: &Hub) {
        let ada = hub.person("ada").await;
        let plain = PlainImages {
            png: encoded(8, 5, ImageFormat::Png),
            jpeg: encoded(8, 5, ImageFormat::Jpeg),
            gif: encoded(8, 5, ImageFormat::Gif),
            webp: encoded(8, 5, ImageFormat::WebP),
        };
        for (number, (format, part, photo)) in photos_with_place(&plain).into_iter().enumerate() {
            let name = format!("{number}.{format}");
            let stored = upload(&ada, &name, "application/octet-stream", photo).await.expect(StatusCode::CREATED).json();
            let href = format!("/blobs/{}", text_of(&stored["blob"]));
            let bytes = ada.request(Method::GET, &href).send().await.expect("it answers").bytes().await.expect("whole");
            assert!(!bytes.windows(PLACE.len()).any(|window| window == PLACE), "{format}, {part}");
            ada.call(Method::DELETE, &format!("/uploads/{}", text_of(&stored["id"])), &json!({})).await.expect(StatusCode::NO_CONTENT);
        }
        for (name, bytes) in [("a.tiff", &b"II*\0\x08\0\0\0\0\0"[..]), ("a.jxl", b"\xff\x0a\0\0")] {
            let (_, words) = upload(&ada, name, "image/tiff", bytes.to_vec()).await.refusal(StatusCode::UNPROCESSABLE_ENTITY);
            assert!(words.contains("cannot remove the place") && words.contains(name), "{words}");
        }
    }

    async fn a_photo_of_an_agent_or_a_program_loses_its_place(hub: &Hub) {
        let grace = hub.administrator("grace").await;
        let photo = photo_of(&encoded(8, 5, ImageFormat::Jpeg));
        let raw = json!({ "raw": STANDARD.encode(&photo), "filename": "a.jpg", "mediaType": "image/jpeg" });
        let url = clerk::serve(vec![json!({ "artifact": { "artifactId": "a", "parts": [raw.clone()] } })]).await;
        clerk::register(&grace, &url, "painter").await;
        let said = grace.begin("@grace/painter", "Draw").await;
        let answer = answer_after(&grace, &said.chat, 0).await;
        // The photo is turned, so it is shown upright.
        assert_eq!(answer["parts"][0]["image"], json!({ "width": 5, "height": 8 }), "{answer}");
        let href = format!("/blobs/{}", text_of(&answer["parts"][0]["blob"]));
        let bytes = grace.request(Method::GET, &href).send().await.expect("it answers").bytes().await.expect("whole");
        assert!(photo.windows(PLACE.len()).any(|window| window == PLACE) && bytes.starts_with(b"\xff\xd8"));
        assert!(!bytes.windows(PLACE.len()).any(|window| window == PLACE), "of an agent");
        assert_eq!(json!(bytes.len()), answer["parts"][0]["size"]);

        let (agent, received) = recording_agent().await;
        register(&grace, &agent, "reader").await;
        let message = json!({ "messageId": "m", "role": "ROLE_USER", "parts": [raw] });
        let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": { "message": message } });
        let token = tokens::make(&grace, &["chat", "read"]).await;
        let program = hub.visitor().with_token(&token);
        let request = program.request(Method::POST, "/a2a/grace/reader").header("A2A-Version", "1.0");
        let request = request.header(header::CONTENT_TYPE, "application/json").body(call.to_string());
        program.send(request).await.expect(StatusCode::OK);
        let part = received.lock()[0]["message"]["parts"][0].clone();
        let bytes = STANDARD.decode(text_of(&part["raw"])).expect("base64");
        assert!(bytes.starts_with(b"\xff\xd8") && !bytes.windows(PLACE.len()).any(|window| window == PLACE), "of a program");
    }

    async fn images_that_are_too_large_or_none_are_refused_at_once(hub: &Hub) {
        let ada = hub.person("ada").await;
        let begun = Instant::now();
        for (name, bytes) in [("bomb.png", png_of_size(30_000, 30_000)), ("bomb.gif", gif_of_size(60_000, 60_000))] {
            let (code, words) = upload(&ada, name, "image/png", bytes).await.refusal(StatusCode::UNPROCESSABLE_ENTITY);
            assert_eq!(code, "invalid", "{words}");
            assert!(words.contains(name) && words.contains("too many pixels"), "{words}");
        }
        assert!(begun.elapsed() < Duration::from_secs(5), "nothing is decoded");
        let mut cut = encoded(40, 40, ImageFormat::Png);
        cut.truncate(60);
        for (name, media_type, bytes) in [
            ("cut.png", "image/png", cut),
            ("text.png", "image/png", b"no image".to_vec()),
            ("a.avif", "image/avif", b"\0\0\0\x1cftypavif\0\0\0\0".to_vec()),
            ("empty.txt", "text/plain", Vec::new()),
        ] {
            let (code, words) = upload(&ada, name, media_type, bytes).await.refusal(StatusCode::UNPROCESSABLE_ENTITY);
            assert!(code == "invalid" && words.contains(name), "{words}");
        }
    }

    async fn limits_are_named(hub: &Hub, [("PLEXUS_MAX_FILE_BYTES", "1024")]) {
        let ada = hub.person("ada").await;
        let page = ada.get("/chat?to=@plexus/calc").await.expect(StatusCode::OK);
        page.says("Up to 10 files, 1.0 KB in all.");
        page.says("reads no files");
        let (code, words) = upload(&ada, "large.txt", "text/plain", vec![b'x'; 1_025]).await.refusal(StatusCode::PAYLOAD_TOO_LARGE);
        assert!(code == "too_large" && words.contains("1 KiB"), "{words}");
        let mut ids = Vec::new();
        for number in 0..6 {
            let stored = upload(&ada, &format!("{number}.txt"), "text/plain", vec![b'0' + number; 600]).await;
            ids.push(stored.expect(StatusCode::CREATED).json()["id"].clone());
        }
        let (code, words) = upload(&ada, "more.txt", "text/plain", vec![b'x'; 600]).await.refusal(StatusCode::TOO_MANY_REQUESTS);
        assert!(code == "over_quota" && words.contains("6 files"), "{words}");
        let begin = |uploads: Value| json!({ "id": new_id(), "to": "@plexus/calc", "text": "1 + 1", "uploads": uploads });
        let (code, _) = ada.call(Method::POST, "/chats", &begin(json!(ids[..2]))).await.refusal(StatusCode::PAYLOAD_TOO_LARGE);
        assert_eq!(code, "too_large");
        let many = vec![ids[0].clone(); 11];
        let (_, words) = ada.call(Method::POST, "/chats", &begin(json!(many))).await.refusal(StatusCode::UNPROCESSABLE_ENTITY);
        assert!(words.contains("at most 10 files"), "{words}");

        ada.call(Method::DELETE, &format!("/uploads/{}", text_of(&ids[5])), &json!({})).await.expect(StatusCode::NO_CONTENT);
        upload(&ada, "more.txt", "text/plain", vec![b'x'; 600]).await.expect(StatusCode::CREATED);
        let sent = ada.call(Method::POST, "/chats", &begin(json!(ids[..1]))).await.expect(StatusCode::CREATED).json();
        let eve = hub.person("eve").await;
        eve.call(Method::DELETE, &format!("/uploads/{}", text_of(&ids[1])), &json!({})).await.expect(StatusCode::NO_CONTENT);
        let still = json!({ "id": new_id(), "text": "2", "uploads": ids[1..2] });
        answer_after(&ada, &text_of(&sent["chat"]), 0).await;
        ada.try_say(&text_of(&sent["chat"]), &still).await.expect(StatusCode::ACCEPTED);
    }

    async fn files_are_previewed_and_never_run(hub: &Hub) {
        let ada = hub.person("ada").await;
        let svg = "<svg xmlns=\"http://www.w3.org/2000/svg\"><script>alert(1)</script></svg>";
        let stored = async |name: &str, media_type: &str, bytes: &str| {
            let file = upload(&ada, name, media_type, bytes.to_owned()).await.expect(StatusCode::CREATED).json();
            format!("/blobs/{}", text_of(&file["blob"]))
        };
        for (name, media_type) in [("a.svg", "image/svg+xml"), ("a.html", "text/html"), ("a.xml", "application/xml")] {
            let href = stored(name, media_type, &format!("{svg}<!-- {name} -->")).await;
            let file = ada.get(&href).await.expect(StatusCode::OK);
            assert_eq!(file.header("content-type"), "application/octet-stream", "{name}");
            assert!(file.header("content-disposition").starts_with("attachment"), "{name}");
            let preview = ada.get(&format!("{href}/preview")).await.expect(StatusCode::OK);
            preview.says("&lt;script&gt;alert(1)");
            assert!(!preview.body.contains("<script>alert(1)"), "{name}");
        }
        let table = stored("t.csv", "text/csv", "name,<b>n</b>\n\"a,b\",<script>x</script>\n=1+1,\n").await;
        let preview = ada.get(&format!("{table}/preview")).await.expect(StatusCode::OK);
        preview.says("<td dir=\"auto\">a,b</td>");
        preview.says("&lt;script&gt;x&lt;/script&gt;");
        assert!(!preview.body.contains("<b>n</b>") && !preview.body.contains("<script>x"));

        let pdf = ada.get(&stored("a.pdf", "application/pdf", "%PDF-1.4").await).await.expect(StatusCode::OK);
        assert_eq!((pdf.header("content-type"), pdf.header("x-content-type-options")), ("application/pdf", "nosniff"));
        assert!(pdf.header("content-security-policy").starts_with("default-src 'none'"));
        let sound = ada.get(&stored("a.mp3", "audio/mpeg", "ID3").await).await.expect(StatusCode::OK);
        assert_eq!((sound.header("content-type"), sound.header("content-disposition")), ("audio/mpeg", "inline; filename*=UTF-8''a.mp3"));
        let none = stored("a.bin", "application/octet-stream", "\u{1}").await;
        ada.get(&format!("{none}/preview")).await.expect(StatusCode::NOT_FOUND);
    }

    async fn a_form_sends_files_without_a_script(hub: &Hub, [("PLEXUS_MAX_FILE_BYTES", "2000")]) {
        let ada = hub.person("ada").await;
        let fields = [("to", "@plexus/text"), ("text", "Count <this>")];
        let small = ("a.txt", "text/plain", "one two three");
        let large = "x".repeat(2_500);
        let refused = post_form(&ada, "/chat", &fields, &[small, ("large.txt", "text/plain", &large)]).await;
        let refused = refused.expect(StatusCode::PAYLOAD_TOO_LARGE);
        refused.says("Count &lt;this></textarea>");
        refused.says("1.9 KiB");
        refused.says("Remove a.txt");
        let id = value_of(&refused, "name=\"upload\" value=\"");
        let removed = post_form(&ada, "/chat", &[("to", "@plexus/text"), ("text", "Count"), ("upload", &id), ("remove", &id)], &[]).await;
        let removed = removed.expect(StatusCode::OK);
        removed.says("Count</textarea>");
        assert!(!removed.body.contains("Remove a.txt"));

        // The file input without a chosen file is an empty file.
        let sent = post_form(&ada, "/chat", &fields, &[("", "application/octet-stream", ""), small]).await;
        let path = sent.expect(StatusCode::SEE_OTHER).location().trim_end_matches("?follow").to_owned();
        let chat = path.trim_start_matches("/chat/").to_owned();
        answer_after(&ada, &chat, 0).await;
        ada.get(&path).await.expect(StatusCode::OK).says("download=\"a.txt\"");
        let parts = ada.api(&format!("/chats/{chat}")).await["messages"][0]["parts"].clone();
        assert_eq!(parts.as_array().map(Vec::len), Some(2), "{parts}");
        let next = post_form(&ada, &path, &[("text", "")], &[("b.txt", "text/plain", "four")]).await;
        next.expect(StatusCode::SEE_OTHER);
        let empty = post_form(&ada, &path, &[("text", " ")], &[]).await.expect(StatusCode::UNPROCESSABLE_ENTITY);
        empty.says("Write something first.");
    }

    async fn an_edit_keeps_the_files(hub: &Hub) {
        let ada = hub.person("ada").await;
        let file = upload(&ada, "a.txt", "text/plain", "one two").await.expect(StatusCode::CREATED).json();
        let body = json!({ "id": new_id(), "to": "@plexus/text", "text": "Count", "uploads": [file["id"]] });
        let sent = ada.call(Method::POST, "/chats", &body).await.expect(StatusCode::CREATED).json();
        let chat = text_of(&sent["chat"]);
        answer_after(&ada, &chat, 0).await;
        let at = seq(&ada, &chat).await;
        ada.try_say(&chat, &json!({ "id": new_id(), "edits": sent["message"], "text": "Count again" })).await.expect(StatusCode::ACCEPTED);
        answer_after(&ada, &chat, at).await;
        let parts = ada.api(&format!("/chats/{chat}")).await["messages"][0]["parts"].clone();
        assert_eq!((&parts[0]["text"], &parts[1]["blob"]), (&json!("Count again"), &file["blob"]));
    }

    async fn a_file_goes_with_its_message_and_an_unsent_one_after_a_day(hub: &Hub) {
        let ada = hub.person("ada").await;
        let place = |file: &Value| {
            let sha256 = text_of(&file["blob"]);
            hub.folder().join("blobs").join(&sha256[..2]).join(sha256)
        };
        let [sent, kept, removed] = [
            upload(&ada, "a", "text/plain", "sent").await.json(),
            upload(&ada, "b", "text/plain", "kept").await.json(),
            upload(&ada, "c", "text/plain", "removed").await.json(),
        ];
        let body = json!({ "id": new_id(), "to": "@plexus/calc", "text": "1 + 1", "uploads": [sent["id"]] });
        let said = ada.call(Method::POST, "/chats", &body).await.expect(StatusCode::CREATED).json();
        answer_after(&ada, &text_of(&said["chat"]), 0).await;
        ada.call(Method::DELETE, &format!("/uploads/{}", text_of(&removed["id"])), &json!({})).await.expect(StatusCode::NO_CONTENT);
        hub.tidy().await;
        assert!(place(&sent).exists() && place(&kept).exists() && !place(&removed).exists());

        let message = format!("/messages/{}", text_of(&said["message"]));
        ada.call(Method::DELETE, &message, &json!({})).await.expect(StatusCode::NO_CONTENT);
        ada.get(&format!("/blobs/{}", text_of(&sent["blob"]))).await.expect(StatusCode::NOT_FOUND);
        hub.sql("update uploads set created_at = 0").await;
        hub.tidy().await;
        assert!(!place(&sent).exists() && !place(&kept).exists());
        let late = json!({ "id": new_id(), "to": "@plexus/calc", "text": "2", "uploads": [kept["id"]] });
        ada.call(Method::POST, "/chats", &late).await.expect(StatusCode::UNPROCESSABLE_ENTITY);
    }
}

#[tokio::test]
async fn a_model_gets_text_files_and_the_images_that_its_owner_admits() {
    let (url, received) = recording_model().await;
    let settings: [Given; 2] = [("PLEXUS_LLM_BASE_URL", url.leak()), ("PLEXUS_LLM_MODEL", "seeing")];
    hub::run(None, &settings, async |hub: &Hub| {
        let grace = hub.administrator("grace").await;
        for (name, reads_images) in [("seer", true), ("reader", false)] {
            let new = json!({ "name": name, "summary": "x", "instructions": "Look.", "reads_images": reads_images });
            grace.call(Method::POST, "/agents", &new).await.expect(StatusCode::CREATED);
            let text = upload(&grace, "t.csv", "text/csv", "a,b\n").await.expect(StatusCode::CREATED).json();
            let image = upload(&grace, "p.png", "image/png", encoded(2, 2, ImageFormat::Png)).await;
            let image = image.expect(StatusCode::CREATED).json();
            let to = format!("@grace/{name}");
            let body = json!({ "id": new_id(), "to": to, "text": "See", "uploads": [text["id"], image["id"]] });
            let sent = grace.call(Method::POST, "/chats", &body).await.expect(StatusCode::CREATED).json();
            let chat = text_of(&sent["chat"]);
            answer_after(&grace, &chat, 0).await;
            let at = seq(&grace, &chat).await;
            grace.say(&chat, "Look again").await;
            answer_after(&grace, &chat, at).await;

            let requests = std::mem::take(&mut *received.lock());
            let bytes = grace.request(Method::GET, &format!("/blobs/{}", text_of(&image["blob"]))).send().await;
            let bytes = bytes.expect("it answers").bytes().await.expect("a whole answer");
            let url = format!("data:image/png;base64,{}", STANDARD.encode(bytes));
            assert_eq!(requests.len(), 2);
            for request in requests {
                let content = &request["messages"][1]["content"];
                let said = if reads_images { &content[0]["text"] } else { content };
                assert!(text_of(said).contains("File t.csv:\n```\na,b\n```"), "{content}");
                assert!(text_of(said).contains("[file: p.png, "), "{content}");
                let shown = &content[1]["image_url"]["url"];
                assert_eq!(*shown, if reads_images { json!(url) } else { Value::Null }, "{content}");
            }
            let page = grace.get(&format!("/chat?to={to}")).await.expect(StatusCode::OK);
            assert_eq!(page.body.contains("data-reads=\"text/plain text/markdown image/*\""), reads_images);
            let edit = grace.get(&format!("/{to}/edit")).await.expect(StatusCode::OK);
            assert!(edit.body.contains("Images in messages"));
        }
    })
    .await;
}

/// Serves a model that records its requests. Returns its base URL.
async fn recording_model() -> (String, Arc<Mutex<Vec<Value>>>) {
    let received: Arc<Mutex<Vec<Value>>> = Arc::default();
    let seen = Arc::clone(&received);
    let answer = async move |Json(request): Json<Value>| {
        seen.lock().push(request);
        let message = json!({ "role": "assistant", "content": "Seen" });
        Json(json!({ "choices": [{ "index": 0, "message": message, "finish_reason": "stop" }] }))
    };
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let url = format!("http://{}/v1", listener.local_addr().expect("an address"));
    let router = Router::new().route("/v1/chat/completions", post(answer));
    tokio::spawn(async move { axum::serve(listener, router).await });
    (url, received)
}

/// Uploads a file as a program does.
pub async fn upload(
    client: &Client,
    name: &str,
    media_type: &str,
    bytes: impl Into<reqwest::Body>,
) -> Answer {
    let name: String = url::form_urlencoded::byte_serialize(name.as_bytes()).collect();
    let request = client.request(Method::POST, &format!("/api/v1/uploads?name={name}"));
    let request = request.header(header::ORIGIN, client.origin()).header(header::CONTENT_TYPE, media_type);
    client.send(request.body(bytes)).await
}

/// Posts a form with files, as a browser does.
async fn post_form(
    client: &Client,
    path: &str,
    fields: &[(&str, &str)],
    files: &[(&str, &str, &str)],
) -> Answer {
    const BOUNDARY: &str = "----boundary";
    let mut body = String::new();
    for (name, value) in fields {
        body +=
            &format!("--{BOUNDARY}\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n");
    }
    for (name, media_type, content) in files {
        body += &format!(
            "--{BOUNDARY}\r\ncontent-disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\
             content-type: {media_type}\r\n\r\n{content}\r\n"
        );
    }
    body += &format!("--{BOUNDARY}--\r\n");
    let request = client
        .request(Method::POST, path)
        .header(header::ORIGIN, client.origin())
        .header("sec-fetch-site", "same-origin")
        .header(header::CONTENT_TYPE, format!("multipart/form-data; boundary={BOUNDARY}"));
    client.send(request.body(body)).await
}

/// Returns a JPEG with EXIF data.
fn photo_of(jpeg: &[u8]) -> Vec<u8> {
    jpeg_with(jpeg, &jpeg_segment(0xe1, &[b"Exif\0\0", &exif()[..]].concat()))
}

/// Returns the value that follows `before` in a page.
fn value_of(page: &Answer, before: &str) -> String {
    let (_, rest) = page.body.split_once(before).unwrap_or_else(|| panic!("no {before}"));
    rest.split('"').next().unwrap_or_default().to_owned()
}

/// Returns a small PNG image.
pub fn picture() -> Vec<u8> {
    encoded(2, 2, ImageFormat::Png)
}

fn encoded(width: u32, height: u32, format: ImageFormat) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    DynamicImage::new_rgb8(width, height).write_to(&mut bytes, format).expect("it is encoded");
    bytes.into_inner()
}

/// Returns a PNG whose header promises this size.
fn png_of_size(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = encoded(1, 1, ImageFormat::Png);
    bytes[16..20].copy_from_slice(&width.to_be_bytes());
    bytes[20..24].copy_from_slice(&height.to_be_bytes());
    let checksum = crc32(&bytes[12..29]);
    bytes[29..33].copy_from_slice(&checksum.to_be_bytes());
    bytes
}

fn gif_of_size(width: u16, height: u16) -> Vec<u8> {
    let mut bytes = encoded(1, 1, ImageFormat::Gif);
    bytes[6..8].copy_from_slice(&width.to_le_bytes());
    bytes[8..10].copy_from_slice(&height.to_le_bytes());
    bytes
}

/// Returns the checksum of a PNG chunk (ISO 3309).
pub fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32, _| if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 };
    !bytes.iter().fold(u32::MAX, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), step))
}

/// Starts an agent that records the parameters of each call, and completes its task.
async fn recording_agent() -> (String, Arc<Mutex<Vec<Value>>>) {
    let received: Arc<Mutex<Vec<Value>>> = Arc::default();
    let seen = Arc::clone(&received);
    let answer = async move |Json(call): Json<Value>| -> Response {
        if call["method"] != "SendStreamingMessage" {
            let error = json!({ "code": -32601, "message": "Method not found" });
            return Json(json!({ "jsonrpc": "2.0", "id": 1, "error": error })).into_response();
        }
        seen.lock().push(call["params"].clone());
        let task =
            json!({ "task": { "id": "t", "contextId": "c", "status": { "state": "TASK_STATE_WORKING" } } });
        let parts = json!([{ "text": "Done" }]);
        let update = json!({ "artifactUpdate": { "taskId": "t", "contextId": "c", "artifact": { "artifactId": "a", "parts": parts } } });
        let ended = json!({ "statusUpdate": { "taskId": "t", "contextId": "c", "status": { "state": "TASK_STATE_COMPLETED" } } });
        let events = [task, update, ended].map(|result| {
            Ok(format!("data: {}\n\n", json!({ "jsonrpc": "2.0", "id": 1, "result": result })))
        });
        streams(futures::stream::iter(events))
    };
    (serve(Router::new().route("/", post(answer))).await, received)
}
