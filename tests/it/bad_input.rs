//! Tests that oversized, malformed, unknown or empty input is rejected at the right layer, and the hub stays
//! available.

use futures::future::join_all;
use reqwest::{Method, StatusCode, header};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

use crate::{
    chat::sheet,
    client::{Client, new_id},
    events::{Events, Screen, TIMEOUT, answer_after, text_in},
    hub::{Hub, on_both},
    tokens::make,
};

on_both! {
    async fn an_oversized_message_is_refused_in_words(hub: &Hub, [("PLEXUS_MAX_MESSAGE_BYTES", "65536")]) {
        let ada = hub.person("ada").await;
        for size in [65_537, 2_000_000] {
            let body = json!({ "id": new_id(), "to": "@plexus/calc", "text": "1".repeat(size) });
            let (code, words) = ada.call(Method::POST, "/chats", &body).await.refusal(StatusCode::PAYLOAD_TOO_LARGE);
            assert_eq!(code, "too_large");
            assert!(!words.is_empty());
            let form = ada.post("/chat", &[("to", "@plexus/calc"), ("text", &"1".repeat(size))]).await;
            form.expect(StatusCode::PAYLOAD_TOO_LARGE);
        }
        // The largest allowed size.
        let said = ada.begin("@plexus/calc", &format!("1{}", " ".repeat(65_535))).await;
        assert_eq!(answer_after(&ada, &said.chat, 0).await["state"], "done");
    }

    async fn who_closes_half_of_a_connection_has_hung_up(hub: &Hub) {
        let ada = hub.person("ada").await;
        let token = make(&ada, &["chat", "read"]).await;
        let message = json!({ "message": { "messageId": "m", "role": "ROLE_USER", "parts": [{ "text": sheet() }] } });
        let rpc = |method: &str| json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": message });
        let tool = json!({ "name": "send_message", "arguments": { "agent": "@plexus/calc", "message": sheet() } });
        let said = json!([{ "role": "user", "content": sheet() }]);
        for (path, body) in [
            ("/a2a/plexus/calc/", rpc("SendMessage")),
            ("/a2a/plexus/calc/", rpc("SendStreamingMessage")),
            ("/mcp", json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": tool })),
            ("/v1/chat/completions", json!({ "model": "@plexus/calc", "stream": true, "messages": said })),
            ("/rpc", json!({ "jsonrpc": "2.0", "id": 1, "method": "chats.start", "params": { "to": "@plexus/calc", "text": sheet() } })),
        ] {
            let mut connection = TcpStream::connect(hub.origin().trim_start_matches("http://")).await.expect("a connection");
            let (host, body) = (hub.origin().trim_start_matches("http://"), body.to_string());
            let head = format!(
                "POST {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\nA2A-Version: 1.0\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: {}\r\n\r\n",
                body.len()
            );
            connection.write_all(head.as_bytes()).await.expect("the head");
            connection.write_all(body.as_bytes()).await.expect("the body");
            connection.shutdown().await.expect("one half is closed");
            let mut came = Vec::new();
            let read = tokio::time::timeout(TIMEOUT, connection.read_to_end(&mut came)).await;
            assert!(read.is_ok(), "{path}: the other half stays open");
            hub.visitor().get("/healthz").await.expect(StatusCode::OK);
        }
        let said = ada.begin("@plexus/calc", "6 * 7").await;
        assert_eq!(answer_after(&ada, &said.chat, 0).await["state"], "done");
    }

    async fn every_edge_answers_in_its_own_words(hub: &Hub) {
        let visitor = hub.visitor();
        let ada = hub.person("ada").await;
        let program = ada.with_token(&make(&ada, &["chat", "read"]).await);
        let rpc = |said: &Value| said["jsonrpc"] == "2.0" && said["id"].is_null() && said["error"]["code"].is_i64() && said["error"]["message"].is_string();
        let a2a = |said: &Value| said["error"]["code"].is_u64() && said["error"]["status"].is_string() && said["error"]["details"].is_array();
        let registry = |said: &Value| said["error"].is_string() && said.get("error_description").is_none();
        let openai = |said: &Value| said["error"]["type"].is_string() && said["error"].get("param").is_some() && said.get("type").is_none();
        let ard = |said: &Value| said["errorCode"].is_string() && said["message"].is_string();
        let oauth = |said: &Value| said["error"].is_string() && said["error_description"].is_string();
        let api = |said: &Value| said["error"]["code"].is_string() && said["error"]["message"].is_string();
        type Shape = fn(&Value) -> bool;
        let edges: [(&str, Shape, &[&str]); 9] = [
            ("/a2a", rpc, &["/a2a/plexus/calc", "/a2a/plexus/calc/"]),
            ("/a2a/plexus/calc/rest", a2a, &["/a2a/plexus/calc/rest/message:send"]),
            ("/mcp", rpc, &["/mcp", "/mcp/plexus/calc"]),
            ("/v0.1", registry, &["/v0.1/servers"]),
            ("/v1", openai, &["/v1/models", "/v1/chat/completions", "/v1/responses"]),
            ("/ard", ard, &["/ard/v1/search", "/ard/v1/explore", "/ard/v1/agents"]),
            ("/rpc", rpc, &["/rpc"]),
            ("/api", api, &["/api/v1/chats", "/api/v1/teams"]),
            ("/oauth", oauth, &["/oauth/token", "/oauth/register"]),
        ];
        for (base, shape, known) in edges {
            let mut unknown = vec![base.to_owned(), format!("{base}/"), format!("{base}//"), format!("{base}/no/such/path/at/all"), format!("/{base}/x")];
            unknown.extend(known.iter().filter(|path| !path.starts_with("/a2a")).map(|path| format!("{path}/")));
            unknown.extend(known.iter().map(|path| path[1..].replacen('/', "//", 1)).map(|path| format!("/{path}/x")));
            unknown.retain(|path| !known.contains(&path.as_str()) && path != "/ard/v1/");
            for path in unknown {
                for method in [Method::GET, Method::POST, Method::PUT, Method::DELETE] {
                    let request = visitor.request(method.clone(), &path).header(header::ORIGIN, "https://app.example.org");
                    let answer = visitor.send(request).await;
                    let status = answer.status;
                    assert!(answer.status.is_client_error() && answer.header("content-type").contains("json"), "{method} {path}: {status} {}", answer.body);
                    assert!(shape(&answer.json()), "{method} {path}: {status} {}", answer.body);
                }
            }
            for path in known {
                let answer = program.send(program.request(Method::PATCH, path)).await;
                let is_a2a_rest = path.contains("/rest/");
                assert!(answer.status == StatusCode::METHOD_NOT_ALLOWED || is_a2a_rest, "{path}: {}", answer.status);
                assert!(is_a2a_rest || !answer.header("allow").is_empty(), "{path}: Allow");
                assert!(shape(&answer.json()), "PATCH {path}: {}", answer.body);
                for (kind, body) in [("text/plain", "{}"), ("", "{}"), ("application/json", ""), ("application/json", "{"), ("application/json", "[]"), ("application/json", "\u{0}")] {
                    let mut request = program.request(Method::POST, path).body(body);
                    if !kind.is_empty() {
                        request = request.header(header::CONTENT_TYPE, kind);
                    }
                    let answer = program.send(request).await;
                    let (status, said) = (answer.status, answer.body.clone());
                    let is_error = serde_json::from_str::<Value>(&said).is_ok_and(|said| shape(&said) || rpc(&said));
                    assert!(is_error, "POST {path} {kind:?} {body:?}: {status} {said}");
                }
            }
        }
        for (path, shape) in [("/.well-known/none", api as Shape), ("/.well-known/oauth-authorization-server/none", oauth), ("/.well-known/openid-configuration", oauth), ("/.well-known/", api)] {
            let answer = visitor.get(path).await.expect(StatusCode::NOT_FOUND);
            assert!(shape(&answer.json()), "{path}: {}", answer.body);
            assert_eq!(answer.header("access-control-allow-origin"), "*", "{path}");
        }
        visitor.get("/no/such/page").await.expect(StatusCode::NOT_FOUND).says("<html");
    }

    async fn a_body_is_read_only_for_an_account(hub: &Hub) {
        let visitor = hub.visitor();
        let openapi = visitor.get("/api/v1/openapi.json").await.expect(StatusCode::OK).json();
        let mut tried = 0;
        for (path, methods) in openapi["paths"].as_object().expect("paths") {
            let path = path.split('/').map(|step| if step.starts_with('{') { new_id().to_string() } else { step.to_owned() });
            let path = format!("/api/v1{}", path.collect::<Vec<_>>().join("/"));
            for (method, operation) in methods.as_object().expect("methods") {
                if operation["requestBody"]["content"].get("application/json").is_none() {
                    continue;
                }
                tried += 1;
                let method: Method = method.to_uppercase().parse().expect("a method");
                for body in ["", "{", "[]", "{\"a\": 1}"] {
                    let request = visitor.request(method.clone(), &path).header(header::CONTENT_TYPE, "application/json");
                    let answer = visitor.send(request.body(body)).await;
                    assert_eq!(answer.status, StatusCode::UNAUTHORIZED, "{method} {path} {body}: {}", answer.body);
                }
            }
        }
        assert!(tried >= 20, "{tried} operations take JSON");
    }

    async fn malformed_json_names_the_place(hub: &Hub) {
        let ada = hub.person("ada").await;
        for (body, words) in [
            ("{\"id\": ", "line 1 column"),
            ("[]", "line 1 column"),
            ("{}", "missing field"),
            ("{\"id\": 3, \"text\": \"x\"}", "line 1 column"),
            ("{\"id\": \"x\", \"text\": \"x\"}", "line 1 column"),
            ("{\"id\": \"01a1f7fe-8f58-789b-93e8-e4574687b706\"}", "`text`"),
            (&"[".repeat(100_000), "line 1 column"),
        ] {
            let answer = ada.send(posted(&ada, "application/json", body.as_bytes().to_vec())).await;
            let (code, said) = answer.refusal(StatusCode::UNPROCESSABLE_ENTITY);
            assert_eq!(code, "invalid");
            assert!(said.contains(words), "{said}");
        }
        let broken = b"{\"id\": \"\xff\"}".to_vec();
        ada.send(posted(&ada, "application/json", broken)).await.expect(StatusCode::UNPROCESSABLE_ENTITY);
        for media_type in ["text/plain", "application/x-www-form-urlencoded", ""] {
            let answer = ada.send(posted(&ada, media_type, b"{}".to_vec())).await;
            let (_, words) = answer.refusal(StatusCode::UNSUPPORTED_MEDIA_TYPE);
            assert!(words.contains("Content-Type: application/json"), "{words}");
        }
    }

    async fn a_form_that_is_no_text_is_refused(hub: &Hub) {
        let ada = hub.person("ada").await;
        let request = ada.request(Method::POST, "/chat").header(header::ORIGIN, hub.origin());
        let request = request.header(header::CONTENT_TYPE, "application/x-www-form-urlencoded");
        ada.send(request.body(b"text=\xff\xfe".to_vec())).await.expect(StatusCode::BAD_REQUEST);
        // Percent escapes that are not UTF-8 are replaced on display.
        let request = ada.request(Method::POST, "/chat").header(header::ORIGIN, hub.origin());
        let request = request.header(header::CONTENT_TYPE, "application/x-www-form-urlencoded");
        let answer = ada.send(request.body("to=%40plexus%2Fcalc&text=%FF%00")).await;
        assert!(matches!(answer.status.as_u16(), 303 | 422), "{}", answer.status);
    }

    async fn an_empty_message_is_refused_and_the_form_kept(hub: &Hub) {
        let ada = hub.person("ada").await;
        for text in ["", " \n\t ", "\u{200b}\u{0}"] {
            let fields = [("to", "@plexus/calc"), ("text", text)];
            let answer = ada.post("/chat", &fields).await.expect(StatusCode::UNPROCESSABLE_ENTITY);
            answer.says("Write something first.");
            answer.says("@plexus/calc");
        }
        let said = ada.begin("@plexus/calc", "1").await;
        answer_after(&ada, &said.chat, 0).await;
        let path = format!("/chat/{}", said.chat);
        let text = "@nobody/nothing is text, since no agent has this address";
        ada.post(&path, &[("text", text)]).await.expect(StatusCode::SEE_OTHER);
        let body = json!({ "id": new_id(), "text": " " });
        let answer = ada.try_say(&said.chat, &body).await.expect(StatusCode::UNPROCESSABLE_ENTITY);
        assert_eq!(answer.json()["error"]["field"], "text");
    }

    async fn what_does_not_exist_is_not_found(hub: &Hub) {
        let ada = hub.person("ada").await;
        let id = new_id();
        for path in [
            "/nothing", "/@nobody", "/@plexus/nothing", "/@a b/c", "/@plexus/calc/nothing", "/chat/nonsense",
            "/chat/%ff", "/static/x/nothing", "/static/x/../../Cargo.toml", "/static/x/%2e%2e/%2e%2e/Cargo.toml",
            &format!("/chat/{id}"), &format!("/chat/{id}/rename"), &format!("/chat/{id}?follow"),
            "/api/v1/nothing", "/api/v1/chats/nonsense", &format!("/api/v1/chats/{id}"), &format!("/api/v1/messages/{id}"),
        ] {
            let status = ada.get(path).await.status;
            assert!(matches!(status.as_u16(), 400 | 404), "{path}: {status}");
        }
        let (code, _) = ada.get("/api/v1/nothing").await.refusal(StatusCode::NOT_FOUND);
        assert_eq!(code, "not_found");
        for path in ["stop", "retry", "rename", "delete"] {
            let fields = [("run", "x"), ("message", "x"), ("title", "x")];
            ada.post(&format!("/chat/{id}/{path}"), &fields).await.expect(StatusCode::NOT_FOUND);
        }
    }

    async fn a_path_that_is_no_text_leads_nowhere_in_the_words_of_each_edge(hub: &Hub) {
        let ada = hub.person("ada").await;
        for (path, words) in [
            ("/v1/models/%ff", "/error/message"), ("/v1/responses/%ff", "/error/message"),
            ("/a2a/plexus/%ff/rest/tasks", "/error/message"), ("/api/v1/chats/%ff", "/error/message"),
        ] {
            let answer = ada.get(path).await;
            assert!(matches!(answer.status.as_u16(), 400 | 404), "{path}: {}", answer.status);
            assert!(answer.json().pointer(words).is_some_and(Value::is_string), "{path}: {}", answer.body);
        }
        let visitor = hub.visitor();
        let called = visitor.send(visitor.request(Method::POST, "/a2a/plexus/%ff").json(&json!({}))).await;
        assert!(called.json()["error"]["message"].is_string(), "{}", called.body);
    }

    async fn a_form_that_is_sent_twice_is_one_message(hub: &Hub) {
        let ada = hub.person("ada").await;
        let id = new_id().to_string();
        let fields = [("to", "@plexus/calc"), ("text", "1 + 1"), ("id", id.as_str())];
        let (one, two) = tokio::join!(ada.post("/chat", &fields), ada.post("/chat", &fields));
        let (one, two) = (one.expect(StatusCode::SEE_OTHER), two.expect(StatusCode::SEE_OTHER));
        assert_eq!(one.location(), two.location());
        assert_eq!(ada.api("/chats").await["items"].as_array().map(Vec::len), Some(1));
    }

    async fn enormous_requests_are_turned_away(hub: &Hub) {
        let visitor = hub.visitor();
        let long = "x".repeat(1 << 20);
        let refused = [
            visitor.request(Method::GET, &format!("/{long}")).send().await,
            visitor.request(Method::GET, "/").header(header::COOKIE, format!("plexus_session={long}")).send().await,
            visitor.request(Method::GET, "/").header("x-many", long.as_str()).send().await,
        ];
        for answer in refused {
            // The server may close the connection before the request is sent completely.
            assert!(answer.is_err() || answer.is_ok_and(|answer| answer.status().is_client_error()));
        }
        let cookie = format!("plexus_session={}", "x".repeat(4_000));
        visitor.send(visitor.request(Method::GET, "/").header(header::COOKIE, cookie)).await.expect(StatusCode::OK);
        for query in ["x".repeat(8_000), "%ff%00".repeat(500), "q&".repeat(2_000), "tag=x&".repeat(1_000)] {
            let status = visitor.get(&format!("/agents?q={query}")).await.status;
            assert!(!status.is_server_error(), "{status}");
        }
    }

    async fn wrong_methods_and_queries_are_refused(hub: &Hub) {
        let ada = hub.person("ada").await;
        ada.send(ada.request(Method::DELETE, "/login").header(header::ORIGIN, hub.origin())).await.expect(StatusCode::METHOD_NOT_ALLOWED);
        for path in ["/api/v1/chats?after=x", "/api/v1/chats?after=1-x", "/agents?page=x", "/agents?page=99999999999", "/@plexus?page=x", "/@plexus?page=4000000000", "/chat?to=x", "/chat?to=@a/b"] {
            let status = ada.get(path).await.status;
            assert!(!status.is_server_error(), "{path}: {status}");
        }
    }

    async fn the_api_refuses_in_one_shape(hub: &Hub, [("PLEXUS_MAX_MESSAGE_BYTES", "1024")]) {
        let ada = hub.person("ada").await;
        let same_site = |method: Method, path: &str| ada.request(method, path).header(header::ORIGIN, hub.origin());
        let cases = [
            (same_site(Method::GET, "/api/v1/events?after=x"), 422, "invalid"),
            (same_site(Method::GET, "/api/v1/chats/%ff"), 400, "invalid"),
            (same_site(Method::GET, "/api/v1/messages/%ff%fe/retry"), 405, "method_not_allowed"),
            (same_site(Method::GET, "/api/v1"), 404, "not_found"),
            (same_site(Method::GET, "/api/v1/"), 404, "not_found"),
            (same_site(Method::POST, "/api/v1/nothing/at/all"), 404, "not_found"),
            (same_site(Method::PUT, "/api/v1/chats"), 405, "method_not_allowed"),
            (posted(&ada, "text/plain", b"{}".to_vec()).header(header::ORIGIN, hub.origin()), 415, "unsupported_media_type"),
            (posted(&ada, "application/json", vec![b' '; 1 << 20]).header(header::ORIGIN, hub.origin()), 413, "too_large"),
            (posted(&ada, "application/json", b"{}".to_vec()).header("sec-fetch-site", "cross-site"), 403, "forbidden"),
            (same_site(Method::GET, "/api/v1/chats").header(header::HOST, "elsewhere.example"), 421, "misdirected"),
        ];
        for (request, status, code) in cases {
            let shown = format!("{request:?}");
            let answer = ada.send(request).await;
            assert_eq!(answer.status.as_u16(), status, "{shown}: {}", answer.body);
            assert_eq!(answer.header("content-type"), "application/json", "{shown}");
            let error = &answer.json()["error"];
            assert_eq!(error["code"], code, "{shown}");
            assert!(error["message"].as_str().is_some_and(|message| !message.is_empty()), "{shown}");
        }
        let answer = ada.send(same_site(Method::PUT, "/api/v1/chats")).await;
        assert!(answer.header("allow").contains("POST"), "{:?}", answer.headers);
        let page = ada.get("/chat/%ff").await;
        assert_ne!(page.header("content-type"), "application/json", "pages keep their own way");
    }

    async fn markup_in_names_and_messages_stays_text(hub: &Hub) {
        let ada = hub.person("ada").await;
        let hostile = "</textarea><script>alert(1)</script> [x](javascript:alert(1)) <img src=x onerror=alert(1)>";
        let said = ada.begin("@plexus/calc", hostile).await;
        answer_after(&ada, &said.chat, 0).await;
        for path in [format!("/chat/{}", said.chat), "/chat".to_owned(), format!("/chat/{}/rename", said.chat), format!("/chat?text={hostile}"), format!("/agents?q={hostile}")] {
            let page = ada.get(&path).await.expect(StatusCode::OK).body;
            for live in ["<script>alert", "<img src=x", "href=\"javascript:"] {
                assert!(!page.contains(live), "{path} has {live}");
            }
        }
    }
}

const END_CONNECTIONS: &str = "select pg_terminate_backend(pid, 5000) from pg_stat_activity \
     where datname = current_database() and pid <> pg_backend_pid()";

/// Terminates a hub's Postgres connections, as an administrator or a Postgres restart does.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lost_connections_to_postgres_are_replaced() {
    let Some(database) = plexus_store::testing::Database::new().await else { return };
    crate::hub::run(Some(database), &[], async |hub: &Hub| {
        let ada = hub.person("ada").await;
        for _ in 0..3 {
            hub.sql(END_CONNECTIONS).await;
            let mut refused = 0;
            while !ada.is_signed_in().await {
                refused += 1;
                assert!(refused < 20, "it does not come back");
            }
            let said = ada.begin("@plexus/calc", "1 + 1").await;
            assert_eq!(answer_after(&ada, &said.chat, 0).await["state"], "done");
        }
    })
    .await;
}

/// The same while an agent answers.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_outlives_the_connections_to_postgres() {
    let Some(database) = plexus_store::testing::Database::new().await else { return };
    crate::hub::run(Some(database), &[], async |hub: &Hub| {
        let ada = hub.person("ada").await;
        let said = ada.begin("@plexus/calc", &sheet()).await;
        let mut events = Events::open(&ada, &said.chat, 0).await;
        let mut screen = Screen::default();
        for bytes in [1_000, 20_000, 40_000] {
            while screen.text().len() < bytes {
                screen.take(&events.next_or_back(&ada, &said.chat, screen.last).await);
            }
            hub.sql(END_CONNECTIONS).await;
        }
        while screen.messages.values().all(|shown| !shown.ended) {
            screen.take(&events.next_or_back(&ada, &said.chat, screen.last).await);
        }
        let (id, shown) = screen.answer();
        let kept = ada.api(&format!("/messages/{id}")).await;
        assert_eq!(shown.state, "done");
        let part = &shown.parts[&0];
        assert!(text_in(&kept)[part.from..] == part.text, "what is kept is not what was shown");
    })
    .await;
}

/// Expected response of each endpoint to an incomplete body: pointer to its error text, and other fields.
fn said_of_slow_bodies() -> [(&'static str, &'static str, Value); 11] {
    let rpc = || json!({ "/jsonrpc": "2.0", "/id": null, "/error/code": -32_600 });
    let openai = || json!({ "/error/type": "invalid_request_error", "/error/code": "request_timeout" });
    let (own, ard) = (json!({ "/error/code": "timeout" }), json!({ "/errorCode": "INVALID_ARGUMENT" }));
    let rest = json!({ "/error/code": 408, "/error/status": "DEADLINE_EXCEEDED" });
    [
        ("/api/v1/chats", "/error/message", own.clone()),
        ("/launch_goal", "/error/message", own),
        ("/a2a/plexus/calc/", "/error/message", rpc()),
        ("/a2a/plexus/calc/rest/message:send", "/error/message", rest),
        ("/mcp", "/error/message", rpc()),
        ("/mcp/plexus/calc", "/error/message", rpc()),
        ("/v1/chat/completions", "/error/message", openai()),
        ("/v1/responses", "/error/message", openai()),
        ("/rpc", "/error/message", rpc()),
        ("/ard/v1/search", "/message", ard.clone()),
        ("/ard/v1/explore", "/message", ard),
    ]
}

/// All requests wait concurrently for the 30 s body timeout.
// Slow: the timeout of a request body is 30 s.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_body_that_does_not_come_is_refused_in_the_words_of_each_edge() {
    crate::hub::run(None, &[], async |hub: &Hub| {
        let ada = hub.person("ada").await;
        let token = make(&ada, &["chat", "read", "team"]).await;
        let edges = said_of_slow_bodies();
        let answers = join_all(edges.iter().map(|(path, ..)| begun(hub, &token, path, "application/json")));
        let form = begun(hub, &token, "/login", "application/x-www-form-urlencoded");
        let (answers, form) = tokio::join!(answers, form);
        for ((path, words, beside), body) in edges.iter().zip(answers) {
            let told: Value =
                serde_json::from_str(&body).unwrap_or_else(|error| panic!("{path}: {error}: {body}"));
            let at =
                |pointer: &str| told.pointer(pointer).unwrap_or_else(|| panic!("{path}: {pointer}: {told}"));
            let words = at(words).as_str().unwrap_or_default();
            assert!(words.contains("request body timed out"), "{path}: {told}");
            for (pointer, value) in beside.as_object().expect("an object") {
                assert_eq!(at(pointer), value, "{path}: {told}");
            }
        }
        assert!(form.contains("request body timed out"), "{form}");
    })
    .await;
}

/// Sends an incomplete request and returns the body of the 408 that precedes the close.
async fn begun(hub: &Hub, token: &str, path: &str, media_type: &str) -> String {
    let host = hub.origin().trim_start_matches("http://");
    let mut connection = TcpStream::connect(host).await.expect("a connection");
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\nA2A-Version: 1.0\r\n\
         Content-Type: {media_type}\r\nAccept: application/json, text/event-stream\r\nContent-Length: 100\r\n\r\n{{"
    );
    connection.write_all(head.as_bytes()).await.expect("the beginning");
    let mut came = String::new();
    let read = tokio::time::timeout(TIMEOUT, connection.read_to_string(&mut came)).await;
    read.unwrap_or_else(|_| panic!("{path}: the connection stays open")).expect("text");
    let (head, body) = came.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{path}: {came}"));
    assert!(head.starts_with("HTTP/1.1 408 "), "{path}: {came}");
    assert!(head.to_ascii_lowercase().contains("\r\nconnection: close"), "{path}: {head}");
    body.to_owned()
}

fn posted(client: &Client, media_type: &str, body: Vec<u8>) -> reqwest::RequestBuilder {
    client.request(Method::POST, "/api/v1/chats").header(header::CONTENT_TYPE, media_type).body(body)
}
