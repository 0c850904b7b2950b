//! Tests of the hub's methods over JSON-RPC 2.0 and HTTP.

use reqwest::{Method, StatusCode, header};
use serde_json::{Value, json};

use crate::{
    acp_programs::{list, register},
    chat::seq,
    client::{Answer, Client, new_id, text_of},
    events::{answer_after, question},
    hub::{Hub, on_both},
    tokens::make,
};

const JSON: &str = "application/json";
/// Operations without a method, as `docs/api.md` says.
const NO_METHODS: [&str; 23] = [
    "agents.attach",
    "agents.export",
    "agents.feedback",
    "agents.files",
    "agents.import",
    "agents.put_file",
    "agents.remove_file",
    "chats.export",
    "chats.export_all",
    "chats.import",
    "chats.share",
    "chats.usage",
    "events.subscribe",
    "files.get",
    "messages.feedback",
    "messages.give_feedback",
    "messages.take_back_feedback",
    "openapi",
    "shares.continue",
    "shares.list",
    "shares.revoke",
    "uploads.create",
    "uploads.delete",
];

on_both! {
    async fn a_program_asks_and_reads_through_methods(hub: &Hub) {
        let ada = program(hub, "ada").await;
        let (first, second) = (new_id(), new_id());
        let started = call(&ada, "chats.start", json!({ "id": first, "to": "@plexus/calc", "text": "6 * 7" })).await;
        let chat = text_of(&started["chat"]);
        let again = call(&ada, "chats.start", json!([first, "6 * 7"])).await;
        assert_eq!((&again["chat"], &again["message"]), (&started["chat"], &json!(first)), "sending twice is harmless");
        answer_after(&ada, &chat, 0).await;
        let at = seq(&ada, &chat).await;
        let more = call(&ada, "chats.send", json!([chat, second, "1 + 1"])).await;
        assert_eq!((&more["message"], &more["chat"]), (&json!(second), &json!(chat)), "parameters may be a list");
        answer_after(&ada, &chat, at).await;
        let list = call(&ada, "chats.list", json!({})).await;
        assert_eq!((&list["items"][0]["id"], &list["next"]), (&started["chat"], &Value::Null));
        let shown = call(&ada, "chats.get", json!({ "chat": chat })).await;
        assert_eq!(shown, ada.api(&format!("/chats/{chat}")).await, "the same as over /api/v1");
        assert_eq!(call(&ada, "messages.get", json!([first])).await["parts"][0]["text"], json!("6 * 7"));
        call(&ada, "chats.rename", json!({ "chat": chat, "title": "Sums" })).await;
        assert_eq!(call(&ada, "chats.get", json!({ "chat": chat })).await["title"], json!("Sums"));
        call(&ada, "runs.stop", json!([started["runs"][0]])).await;
        assert_eq!(call(&ada, "chats.delete", json!({ "chat": chat })).await, json!(true));
        assert_eq!(code(&ada, "chats.get", json!({ "chat": chat })).await, -32_004);
    }

    async fn agents_are_found_registered_and_changed(hub: &Hub) {
        let person = hub.person("ada").await;
        let ada = person.with_token(&make(&person, &["read", "agents"]).await);
        let search = json!({ "q": "calculator", "tag": [], "facets": true, "limit": 5 });
        let found = call(&ada, "agents.search", search).await;
        assert_eq!(found["items"][0]["address"], json!("@plexus/calc"));
        assert!(found["facets"]["owner"][0]["count"].is_u64(), "{found}");
        assert_eq!(call(&ada, "agents.search", json!({ "tag": ["nothing has this"] })).await["total"], json!(0));
        assert_eq!(call(&ada, "agents.search", json!({ "scope": "remote" })).await["total"], json!(0));
        assert_eq!(code(&ada, "agents.search", json!({ "scope": "nowhere" })).await, -32_602);
        assert_eq!(call(&ada, "agents.get", json!(["@plexus/calc"])).await["title"], found["items"][0]["title"]);
        assert_eq!(call(&ada, "agents.list", json!({ "limit": 1 })).await, json!({ "items": [], "next": null }));
        assert_eq!(code(&ada, "agents.register", json!({})).await, -32_602);
        assert_eq!(code(&ada, "agents.register", json!({ "url": "http://127.0.0.1:1/none" })).await, -32_602);
        assert_eq!(code(&ada, "agents.delete", json!(["@plexus/calc"])).await, -32_003, "it is not theirs");
        assert_eq!(code(&ada, "agents.update", json!({ "agent": "@ada/none", "state": "paused" })).await, -32_004);
        assert_eq!(code(&ada, "agents.update", json!({ "agent": "@ada/none", "state": "dozing" })).await, -32_602);
        assert_eq!(code(&ada, "agents.trust_origin", json!(["@ada/none", "https://a.example"])).await, -32_003);
    }

    async fn every_request_is_a_method(hub: &Hub) {
        let visitor = hub.visitor();
        let document = visitor.api("/openapi.json").await;
        let paths = document["paths"].as_object().expect("paths").values();
        let operations = paths.flat_map(|path| path.as_object().expect("operations").values());
        let names: Vec<String> = operations.map(|operation| text_of(&operation["operationId"])).collect();
        assert!(NO_METHODS.iter().all(|name| names.iter().any(|known| known == name)), "{names:?}");
        for name in &names {
            let expected = if NO_METHODS.contains(&name.as_str()) { -32_601 } else { -32_602 };
            assert_eq!(code(&visitor, name, json!({ "made": "up" })).await, expected, "{name}");
        }
    }

    async fn a_method_takes_the_scopes_of_its_request(hub: &Hub) {
        let ada = hub.person("ada").await;
        let (reader, writer) = (ada.with_token(&make(&ada, &["read"]).await), ada.with_token(&make(&ada, &["chat"]).await));
        let id = new_id();
        for (client, method, params) in [
            (&writer, "account.get", json!({})),
            (&writer, "approvals.list", json!({})),
            (&writer, "agents.get_credentials", json!(["@plexus/calc"])),
            (&reader, "approvals.decide", json!([id, true])),
        ] {
            assert_eq!(code(client, method, params.clone()).await, -32_003, "{method}");
            assert_eq!(code(&hub.visitor(), method, params).await, -32_001, "{method}");
        }
        let mine = call(&reader, "account.get", json!({})).await;
        assert_eq!((&mine, &mine["name"]), (&ada.api("/account").await, &json!("ada")));
    }

    async fn a_call_of_a_tool_is_allowed_or_refused(hub: &Hub, [("PLEXUS_PROGRAMS", list())]) {
        register(&hub.administrator("grace").await, "parrot").await;
        let (ada, eve) = (program(hub, "ada").await, program(hub, "eve").await);
        for (allow, chosen) in [(true, "selected yes"), (false, "selected no")] {
            let started = call(&ada, "chats.start", json!([new_id(), "ask", "@grace/parrot"])).await;
            let chat = text_of(&started["chat"]);
            let id = question(&ada, &chat).await;
            let waiting = call(&ada, "approvals.list", json!({})).await;
            assert_eq!(waiting, ada.api("/approvals").await);
            let asked = &waiting["items"][0];
            assert_eq!((&asked["id"], &asked["arguments"]), (&json!(id), &json!({ "path": "/" })), "{waiting}");
            assert_eq!(call(&eve, "approvals.list", json!({})).await, json!({ "items": [], "next": null, "approvals": [] }));
            let decision = json!({ "approval": id, "allow": allow });
            assert_eq!(code(&eve, "approvals.decide", decision.clone()).await, -32_004, "it was not put to her");
            assert_eq!(call(&ada, "approvals.decide", decision.clone()).await, json!(true));
            let answer = answer_after(&ada, &chat, 0).await;
            assert!(answer["parts"].to_string().contains(chosen), "{answer}");
            assert_eq!(call(&ada, "approvals.decide", decision).await, json!(true), "saying it twice is harmless");
            assert_eq!(code(&ada, "approvals.decide", json!([id, !allow])).await, -32_009);
        }
        assert_eq!(code(&ada, "approvals.decide", json!([new_id(), true])).await, -32_004);
    }

    async fn credentials_are_asked_for_given_and_forgotten(hub: &Hub) {
        let grace = hub.administrator("grace").await;
        let request = json!({ "url": "http://127.0.0.1:9/ask", "body": { "q": "{{message}}" }, "response_path": "/said",
                              "auth": { "kind": "bearer" } });
        let new = json!({ "request": request, "name": "echo", "visibility": "public", "trust_origins": true,
                          "credentials": { "secret": "hers" } });
        grace.call(Method::POST, "/agents", &new).await.expect(StatusCode::CREATED);
        let person = hub.person("ada").await;
        let ada = person.with_token(&make(&person, &["read", "agents"]).await);
        let agent = json!({ "agent": "@grace/echo" });
        let asked = call(&ada, "agents.get_credentials", agent.clone()).await;
        assert_eq!(asked, ada.api("/agents/grace/echo/credentials").await);
        assert_eq!((&asked["scheme"]["kind"], &asked["stored"]), (&json!("bearer"), &json!(false)), "{asked}");
        assert_eq!(code(&ada, "agents.set_credentials", agent.clone()).await, -32_602, "it asks for a secret");
        call(&ada, "agents.set_credentials", json!({ "agent": "@grace/echo", "secret": "mine" })).await;
        assert_eq!(call(&ada, "agents.get_credentials", agent.clone()).await["stored"], json!(true));
        call(&ada, "agents.delete_credentials", agent.clone()).await;
        assert_eq!(call(&ada, "agents.get_credentials", agent).await["stored"], json!(false));
        for missing in ["@plexus/calc", "@grace/none"] {
            assert_eq!(code(&ada, "agents.get_credentials", json!([missing])).await, -32_004, "{missing}");
        }
    }

    async fn refusals_have_codes_and_words(hub: &Hub) {
        let (ada, eve) = (program(hub, "ada").await, program(hub, "eve").await);
        let start = json!({ "id": new_id(), "to": "@plexus/calc", "text": "1" });
        let chat = call(&ada, "chats.start", start).await["chat"].clone();
        assert_eq!(code(&eve, "chats.get", json!({ "chat": chat })).await, -32_004);
        assert_eq!(code(&hub.visitor(), "chats.list", json!({})).await, -32_001);
        for wrong in [json!({}), json!({ "chat": "x" }), json!({ "chat": chat, "made": "up" }), json!([chat, 1]), json!([])] {
            assert_eq!(code(&ada, "chats.get", wrong.clone()).await, -32_602, "{wrong}");
        }
        assert_eq!(code(&ada, "nothing", json!({})).await, -32_601);
        assert_eq!(code(&ada, "chats.subscribe", json!([chat])).await, -32_600, "that takes a connection");
        let refused = ask(&ada, &request("chats.start", json!({ "id": new_id(), "text": "" }))).await;
        assert_eq!(refused["error"]["data"], json!({ "code": "invalid", "field": "text" }), "{refused}");
        let hostile = ask(&ada, &request("chats.get", json!({ "x\u{202e}\n".repeat(9_000): 1 }))).await;
        assert!(text_of(&hostile["error"]["message"]).len() < 2_000, "what is said of it is short");
    }

    async fn tokens_alone_say_who_calls(hub: &Hub) {
        let list = request("chats.list", json!({})).to_string();
        let refused = send(&hub.visitor().with_token("plx_made-up"), &list).await;
        let challenge = refused.header("www-authenticate").to_owned();
        assert!(challenge.contains(&format!("{}/.well-known/oauth-protected-resource/rpc", hub.origin())), "{challenge}");
        assert_eq!(refused.expect(StatusCode::UNAUTHORIZED).json()["error"]["code"], json!(-32_001));
        let person = hub.person("bob").await;
        assert_eq!(code(&person, "chats.list", json!({})).await, -32_001, "a cookie counts for nothing");
        let reader = person.with_token(&make(&person, &["read"]).await);
        call(&reader, "chats.list", json!({})).await;
        assert_eq!(code(&reader, "chats.start", json!([new_id(), "1 + 1"])).await, -32_003);
        assert_eq!(code(&reader, "agents.delete", json!(["@bob/x"])).await, -32_003);
        hub.sql("update api_tokens set expires_at = 1").await;
        send(&reader, &list).await.expect(StatusCode::UNAUTHORIZED);
    }

    async fn notifications_are_carried_out_and_not_answered(hub: &Hub) {
        let ada = program(hub, "ada").await;
        let say = |id, text: &str| json!({ "jsonrpc": "2.0", "method": "chats.start", "params": [id, text, "@plexus/calc"] });
        let ids = [new_id(), new_id(), new_id()];
        let batch = json!([say(ids[1], "2"), say(ids[2], "3"), { "jsonrpc": "2.0", "method": "nothing" }]);
        for quiet in [say(ids[0], "1"), batch] {
            let answer = send(&ada, &quiet.to_string()).await.expect(StatusCode::NO_CONTENT);
            assert_eq!(answer.body, "");
        }
        assert_eq!(call(&ada, "chats.list", json!({})).await["items"].as_array().map(Vec::len), Some(3));
        for id in ids {
            call(&ada, "messages.get", json!([id])).await;
        }
    }

    async fn batches_are_answered_one_by_one(hub: &Hub) {
        let ada = program(hub, "ada").await;
        let batch = json!([request("agents.list", json!({})), 1, { "jsonrpc": "2.0", "id": true, "method": "agents.list" },
                           { "jsonrpc": "2.0", "method": "agents.list" }, { "jsonrpc": "2.0", "id": "x", "method": "nothing" }]);
        let answers = ask(&ada, &batch).await;
        let codes: Vec<(Value, Value)> = answers.as_array().expect("a list").iter()
            .map(|answer| (answer["id"].clone(), answer["error"]["code"].clone())).collect();
        let none = (Value::Null, json!(-32_600));
        assert_eq!(codes, [(json!(7), Value::Null), none.clone(), none, (json!("x"), json!(-32_601))], "{answers}");
        let many = |count| Value::Array(vec![request("agents.list", json!({})); count]);
        assert_eq!(ask(&ada, &many(50)).await.as_array().map(Vec::len), Some(50));
        assert_eq!(ask(&ada, &many(51)).await["error"]["code"], json!(-32_600), "too many at once");
    }

    async fn what_is_no_request_is_answered_as_such(hub: &Hub) {
        let ada = program(hub, "ada").await;
        for (body, code) in [("[]", -32_600), ("{", -32_700), ("", -32_700), ("7", -32_600), ("{}", -32_600), ("[{", -32_700),
                             ("<html>", -32_700), ("{} {}", -32_700), (r#"{"jsonrpc":"2.0","method":7,"id":1}"#, -32_600),
                             (r#"{"jsonrpc":"1.0","method":"agents.list","id":1}"#, -32_600),
                             (r#"{"jsonrpc":"2.0","method":"agents.list","id":[]}"#, -32_600),
                             (r#"{"jsonrpc":"2.0","method":"agents.list","params":7,"id":1}"#, -32_600)] {
            let answer = send(&ada, body).await.expect(StatusCode::OK).json();
            assert_eq!((&answer["error"]["code"], answer["jsonrpc"].as_str()), (&json!(code), Some("2.0")), "{body}: {answer}");
        }
        let nested = format!("{}{}", "[".repeat(100), "]".repeat(100));
        assert_eq!(send(&ada, &nested).await.json()["error"]["code"], json!(-32_600));
        let answer = send(&ada, r#"{"jsonrpc":"2.0","method":"agents.list","params":null,"id":3}"#).await.json();
        assert_eq!(answer["result"]["items"], json!([]), "{answer}");
    }

    async fn every_id_is_answered_with_itself(hub: &Hub) {
        let ada = program(hub, "ada").await;
        for id in ["0", "\"a\"", "\"\"", "null", "-3", "1.5", "1e2", "123456789012345678901234567890"] {
            let asked = format!(r#"{{"jsonrpc":"2.0","method":"agents.list","id":{id}}}"#);
            for (sent, starts) in [(asked.clone(), "{"), (format!("[{asked}]"), "[{")] {
                let answer = send(&ada, &sent).await.expect(StatusCode::OK).body;
                let expected = format!(r#"{starts}"jsonrpc":"2.0","id":{id},"result":{{"#);
                assert!(answer.starts_with(&expected), "{answer}");
            }
        }
    }

    async fn only_json_is_read_whatever_its_parameters(hub: &Hub) {
        let ada = program(hub, "ada").await;
        let body = request("agents.list", json!({})).to_string();
        let with = |kind: &'static str| ada.request(Method::POST, "/rpc").header(header::CONTENT_TYPE, kind).body(body.clone());
        for kind in ["application/json; charset=UTF-8; v=1", "Application/JSON"] {
            assert!(ada.send(with(kind)).await.expect(StatusCode::OK).json()["result"].is_object());
        }
        for kind in ["text/plain", "", "application/jsonp"] {
            let refused = ada.send(with(kind)).await.expect(StatusCode::UNSUPPORTED_MEDIA_TYPE).json();
            assert_eq!((&refused["error"]["code"], &refused["id"]), (&json!(-32_600), &Value::Null));
        }
        let get = ada.get("/rpc").await;
        assert_eq!(get.header("upgrade"), "websocket");
        assert_eq!(get.expect(StatusCode::UPGRADE_REQUIRED).json()["error"]["code"], json!(-32_600));
        let put = ada.send(ada.request(Method::PUT, "/rpc").body("{}")).await;
        assert!(put.header("allow").contains("POST"), "{:?}", put.headers);
        assert_eq!(put.expect(StatusCode::METHOD_NOT_ALLOWED).json()["error"]["code"], json!(-32_600));
    }

    async fn what_is_too_large_is_not_read(hub: &Hub, [("PLEXUS_MAX_MESSAGE_BYTES", "65536")]) {
        let ada = program(hub, "ada").await;
        let huge = request("agents.list", json!({ "after": "x".repeat(200_000) })).to_string();
        let refused = send(&ada, &huge).await.expect(StatusCode::PAYLOAD_TOO_LARGE).json();
        assert_eq!(refused["error"]["code"], json!(-32_600), "{refused}");
        let large = json!({ "id": new_id(), "to": "@plexus/calc", "text": "1".repeat(70_000) });
        assert_eq!(code(&ada, "chats.start", large).await, -32_013);
        call(&ada, "agents.list", json!({})).await;
    }
}

async fn send(client: &Client, body: &str) -> Answer {
    let request = client.request(Method::POST, "/rpc").header(header::CONTENT_TYPE, JSON);
    client.send(request.body(body.to_owned())).await
}

/// Sends a request and returns the response, which may be an error.
pub async fn ask(client: &Client, body: &Value) -> Value {
    send(client, &body.to_string()).await.expect(StatusCode::OK).json()
}

pub fn request(method: &str, params: Value) -> Value {
    let mut request = json!({ "jsonrpc": "2.0", "id": 7, "method": method });
    request["params"] = params;
    request
}

pub async fn call(client: &Client, method: &str, params: Value) -> Value {
    let answer = ask(client, &request(method, params)).await;
    assert_eq!(
        (&answer["jsonrpc"], &answer["id"], answer.get("error")),
        (&json!("2.0"), &json!(7), None),
        "{answer}"
    );
    answer["result"].clone()
}

pub async fn code(client: &Client, method: &str, params: Value) -> i64 {
    ask(client, &request(method, params)).await["error"]["code"].as_i64().unwrap_or_default()
}

async fn program(hub: &Hub, name: &str) -> Client {
    let person = hub.person(name).await;
    person.with_token(&make(&person, &["chat", "read"]).await)
}
