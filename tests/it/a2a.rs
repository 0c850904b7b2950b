//! Tests of the hub's agents over A2A, as API clients use them.

use std::fmt::Write as _;

use reqwest::{Method, StatusCode, header};
use serde_json::{Value, json};

use crate::{
    client::{Answer, Client, text_of},
    csrf_and_rate_limits::until_refused,
    hub::{Hub, on_both},
    tokens::make,
};

const CALC: &str = "/a2a/plexus/calc/";

/// Creates an account and returns an API client with a token of it.
async fn program(hub: &Hub, name: &str) -> Client {
    let person = hub.person(name).await;
    person.with_token(&make(&person, &["chat", "read"]).await)
}

async fn post(client: &Client, path: &str, version: &str, body: String) -> Answer {
    let request = client.request(Method::POST, path).header(header::CONTENT_TYPE, "application/json");
    let request = if version.is_empty() { request } else { request.header("A2A-Version", version) };
    client.send(request.body(body)).await
}

async fn rpc(client: &Client, version: &str, method: &str, params: Value) -> Value {
    let body = json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params });
    let answer = post(client, CALC, version, body.to_string()).await.expect(StatusCode::OK).json();
    assert_eq!((&answer["jsonrpc"], &answer["id"]), (&json!("2.0"), &json!(7)));
    answer
}

async fn call(client: &Client, method: &str, params: Value) -> Value {
    let answer = rpc(client, "1.0", method, params).await;
    assert_eq!(answer["error"], Value::Null);
    answer["result"].clone()
}

async fn code(client: &Client, method: &str, params: Value) -> i64 {
    rpc(client, "1.0", method, params).await["error"]["code"].as_i64().unwrap_or_default()
}

fn message(text: &str) -> Value {
    json!({ "message": { "messageId": "m-1", "role": "ROLE_USER", "parts": [{ "text": text }] } })
}

/// Returns a sheet that takes a while to evaluate.
fn long_sheet() -> String {
    (0..20_000).fold(String::new(), |mut sheet, line| {
        let _ = writeln!(sheet, "{line} * 3 km in m");
        sheet
    })
}

/// Returns the data of each server-sent event.
fn events(answer: &Answer) -> Vec<Value> {
    assert!(answer.header("content-type").starts_with("text/event-stream"), "{}", answer.body);
    let data = answer.body.lines().filter_map(|line| line.strip_prefix("data: "));
    data.map(|data| serde_json::from_str(data).expect("JSON")).collect()
}

async fn stream(client: &Client, version: &str, method: &str, params: &Value) -> Vec<Value> {
    let body = json!({ "jsonrpc": "2.0", "id": "s", "method": method, "params": params });
    let answer = post(client, CALC, version, body.to_string()).await.expect(StatusCode::OK);
    events(&answer).into_iter().map(|event| event["result"].clone()).collect()
}

/// Returns the text of the agent's artifact, assembled from its chunks.
fn assembled(events: &[Value]) -> String {
    let mut text =
        events[0]["task"]["artifacts"][0]["parts"][0]["text"].as_str().unwrap_or_default().to_owned();
    for update in events.iter().filter_map(|event| event.get("artifactUpdate")) {
        if update["append"] != json!(true) {
            text.clear();
        }
        for part in update["artifact"]["parts"].as_array().into_iter().flatten() {
            text.push_str(part["text"].as_str().unwrap_or_default());
        }
    }
    text
}

on_both! {
    async fn the_card_is_signed_cacheable_and_names_every_way_in(hub: &Hub) {
        let visitor = hub.visitor();
        let path = format!("{CALC}.well-known/agent-card.json");
        let answer = visitor.get(&path).await.expect(StatusCode::OK);
        assert!(answer.header("cache-control").contains("max-age"));
        assert_eq!(answer.header("access-control-allow-origin"), "*");
        let (card, tag) = (answer.json(), answer.header("etag").to_owned());
        let ways: Vec<String> = card["supportedInterfaces"].as_array().expect("a list").iter()
            .map(|way| format!("{} {}", text_of(&way["protocolBinding"]), text_of(&way["protocolVersion"])))
            .collect();
        assert_eq!(ways, ["JSONRPC 1.0", "HTTP+JSON 1.0", "JSONRPC 0.3"]);
        assert_eq!(card["protocolVersion"], json!("0.3.0"), "older clients find theirs");
        assert_eq!((&card["preferredTransport"], card.get("additionalInterfaces")), (&json!("JSONRPC"), None), "and no other");
        let protected = text_of(&card["signatures"][0]["protected"]);
        assert!(!protected.is_empty() && card["capabilities"]["streaming"] == json!(true));

        let again = visitor.request(Method::GET, &path).header(header::IF_NONE_MATCH, tag);
        visitor.send(again).await.expect(StatusCode::NOT_MODIFIED);
        visitor.get("/a2a/plexus/nobody/.well-known/agent-card.json").await.expect(StatusCode::NOT_FOUND);
        visitor.get("/a2a/%2e%2e/%00/.well-known/agent-card.json").await.expect(StatusCode::NOT_FOUND);
    }

    async fn the_hub_is_an_agent_that_finds_agents(hub: &Hub) {
        let visitor = hub.visitor();
        let card = visitor.get("/.well-known/agent-card.json").await.expect(StatusCode::OK).json();
        assert_eq!((&card["name"], &card["skills"][0]["name"]), (&json!("Plexus"), &json!("Find an agent")));
        let path = text_of(&card["supportedInterfaces"][0]["url"]).strip_prefix(hub.origin()).expect("here").to_owned();
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": message("convert units") });
        let told = post(&visitor, &path, "1.0", body.to_string()).await.expect(StatusCode::OK).json();
        assert!(told["result"]["task"].to_string().contains("@plexus/calc"), "{told}");

        let keys = visitor.get("/.well-known/jwks.json").await.expect(StatusCode::OK);
        assert_eq!(keys.header("content-type"), "application/jwk-set+json");
        let keys = keys.json();
        let key = |name: &str| keys["keys"][0][name].clone();
        assert_eq!((key("kty"), key("crv"), key("alg")), (json!("OKP"), json!("Ed25519"), json!("EdDSA")));
        assert!(keys["keys"][0].get("d").is_none(), "the secret half stays here");
    }

    async fn files_come_in_and_go_out_again_to_their_caller_alone(hub: &Hub) {
        let (ada, eve) = (program(hub, "ada").await, program(hub, "eve").await);
        let file = json!({ "raw": "aGlnaCxsb3cK", "filename": "tide.csv", "mediaType": "text/csv" });
        let mut asked = message("1 + 1");
        asked["message"]["parts"].as_array_mut().expect("a list").push(file);
        let task = call(&ada, "SendMessage", asked.clone()).await["task"].clone();
        let told = &task["history"][0]["parts"][1];
        assert_eq!((&told["filename"], &told["mediaType"]), (&json!("tide.csv"), &json!("text/csv")));
        let path = text_of(&told["url"]).strip_prefix(hub.origin()).expect("here").to_owned();
        assert_eq!(ada.get(&path).await.expect(StatusCode::OK).body, "high,low\n");
        eve.get(&path).await.expect(StatusCode::NOT_FOUND);
        hub.visitor().get(&path).await.expect(StatusCode::NOT_FOUND);

        asked["message"]["parts"][1]["mediaType"] = json!("application/x-unheard-of");
        let refused = rpc(&ada, "1.0", "SendMessage", asked).await;
        assert_eq!(refused["error"]["data"][0]["reason"], json!("CONTENT_TYPE_NOT_SUPPORTED"), "{refused}");
    }

    async fn a_message_is_answered_with_a_task_that_stays(hub: &Hub) {
        let ada = program(hub, "ada").await;
        let task = call(&ada, "SendMessage", message("2 + 3 * 4")).await["task"].clone();
        assert_eq!(task["status"]["state"], json!("TASK_STATE_COMPLETED"));
        assert!(text_of(&task["artifacts"][0]["parts"][0]["text"]).contains("14"), "{task}");

        let mut next = message("1 + 1");
        next["message"]["contextId"] = task["contextId"].clone();
        let second = call(&ada, "SendMessage", next).await["task"].clone();
        assert_eq!(second["contextId"], task["contextId"]);
        assert_ne!(second["id"], task["id"]);

        let got = call(&ada, "GetTask", json!({ "id": task["id"], "historyLength": 1 })).await;
        assert_eq!(got["history"].as_array().map(Vec::len), Some(1));
        assert_eq!(text_of(&got["history"][0]["parts"][0]["text"]), "2 + 3 * 4");

        let first = call(&ada, "ListTasks", json!({ "contextId": task["contextId"], "pageSize": 1 })).await;
        assert_eq!((&first["totalSize"], &first["pageSize"]), (&json!(2), &json!(1)));
        assert_eq!(first["tasks"][0]["id"], second["id"], "the last one first");
        assert_eq!(first["tasks"][0].get("artifacts"), None);
        let rest = json!({ "pageToken": first["nextPageToken"], "pageSize": 1, "includeArtifacts": true });
        let rest = call(&ada, "ListTasks", rest).await;
        assert_eq!(rest["tasks"][0]["id"], task["id"]);
        assert!(rest["tasks"][0]["artifacts"][0].is_object());
        assert_eq!(rest["nextPageToken"], json!(""), "nothing follows");

        assert_eq!(code(&ada, "CancelTask", json!({ "id": task["id"] })).await, -32002);
        let mut late = message("more");
        late["message"]["taskId"] = task["id"].clone();
        assert_eq!(code(&ada, "SendMessage", late).await, -32004);
        assert_eq!(code(&ada, "SubscribeToTask", json!({ "id": task["id"] })).await, -32004);
    }

    async fn a_stream_begins_with_the_task_and_ends_with_its_state(hub: &Hub) {
        let ada = program(hub, "ada").await;
        let events = stream(&ada, "1.0", "SendStreamingMessage", &message(&long_sheet())).await;
        assert!(events[0]["task"]["id"].is_string());
        let last = &events[events.len() - 1]["statusUpdate"];
        assert_eq!(last["status"]["state"], json!("TASK_STATE_COMPLETED"), "{last}");
        let task = call(&ada, "GetTask", json!({ "id": events[0]["task"]["id"] })).await;
        assert_eq!(assembled(&events), text_of(&task["artifacts"][0]["parts"][0]["text"]));
        assert!(events.len() > 3, "it came in pieces");
    }

    async fn two_readers_of_one_task_read_the_same(hub: &Hub) {
        let ada = program(hub, "ada").await;
        let mut quick = message(&long_sheet());
        quick["configuration"] = json!({ "returnImmediately": true });
        let task = call(&ada, "SendMessage", quick).await["task"].clone();
        let params = json!({ "id": task["id"] });
        let (one, two) = tokio::join!(
            stream(&ada, "1.0", "SubscribeToTask", &params),
            stream(&ada, "1.0", "SubscribeToTask", &params),
        );
        assert_eq!(assembled(&one), assembled(&two));
        let whole = call(&ada, "GetTask", params).await;
        assert_eq!(assembled(&one), text_of(&whole["artifacts"][0]["parts"][0]["text"]));
    }

    async fn a_task_is_cancelled_and_nobody_else_sees_it(hub: &Hub) {
        let (ada, eve) = (program(hub, "ada").await, program(hub, "eve").await);
        let mut quick = message(&long_sheet());
        quick["configuration"] = json!({ "returnImmediately": true });
        let task = call(&ada, "SendMessage", quick).await["task"].clone();
        let params = json!({ "id": task["id"] });
        for method in ["GetTask", "CancelTask", "SubscribeToTask"] {
            assert_eq!(code(&eve, method, params.clone()).await, -32001, "{method}");
            assert_eq!(code(&hub.visitor(), method, params.clone()).await, -32001, "{method}");
        }
        assert_eq!(call(&eve, "ListTasks", json!({})).await["totalSize"], json!(0));
        let ended = call(&ada, "CancelTask", params).await;
        assert_eq!(ended["status"]["state"], json!("TASK_STATE_CANCELED"));
    }

    async fn older_clients_are_answered_in_their_own_words(hub: &Hub) {
        let ada = program(hub, "ada").await;
        let params = json!({ "message": { "kind": "message", "messageId": "m", "role": "user",
                                          "parts": [{ "kind": "text", "text": "6 * 7" }] } });
        let task = rpc(&ada, "", "message/send", params.clone()).await["result"].clone();
        assert_eq!((&task["kind"], &task["status"]["state"]), (&json!("task"), &json!("completed")));
        assert!(text_of(&task["artifacts"][0]["parts"][0]["text"]).contains("42"), "{task}");
        let events = stream(&ada, "0.3", "message/stream", &params).await;
        assert_eq!(events[0]["kind"], json!("task"));
        assert_eq!(events[events.len() - 1]["final"], json!(true));
        let got = rpc(&ada, "", "tasks/get", json!({ "id": task["id"] })).await;
        assert_eq!(got["result"]["id"], task["id"]);
    }

    async fn who_may_not_is_told_by_the_status_of_the_answer(hub: &Hub) {
        let person = hub.person("ada").await;
        let (visitor, reader) = (hub.visitor(), person.with_token(&make(&person, &["read"]).await));
        let program = person.with_token(&make(&person, &["chat", "read"]).await);
        for (version, method) in [("1.0", "GetExtendedAgentCard"), ("0.3", "agent/getAuthenticatedExtendedCard")] {
            let body = json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": {} }).to_string();
            let refused = post(&visitor, CALC, version, body.clone()).await.expect(StatusCode::UNAUTHORIZED);
            assert!(refused.header("www-authenticate").starts_with("Bearer "), "{method}");
            assert_eq!(refused.json()["id"], json!(7), "{}", refused.body);
            let shown = post(&program, CALC, version, body).await.expect(StatusCode::OK).json();
            assert_eq!(shown["result"]["name"], json!("calc"), "{shown}");
        }
        let rest = |client: &Client| client.request(Method::GET, &format!("{CALC}rest/extendedAgentCard")).header("A2A-Version", "1.0");
        let refused = visitor.send(rest(&visitor)).await.expect(StatusCode::UNAUTHORIZED);
        assert_eq!(refused.json()["error"]["status"], json!("UNAUTHENTICATED"));
        assert!(refused.header("www-authenticate").starts_with("Bearer "));
        program.send(rest(&program)).await.expect(StatusCode::OK);
        let body = json!({ "jsonrpc": "2.0", "id": 7, "method": "SendMessage", "params": message("1 + 1") });
        let refused = post(&reader, CALC, "1.0", body.to_string()).await.expect(StatusCode::FORBIDDEN);
        assert!(text_of(&refused.json()["error"]["message"]).contains("\"chat\""), "{}", refused.body);
        let send = reader.request(Method::POST, &format!("{CALC}rest/message:send")).header("A2A-Version", "1.0");
        let refused = reader.send(send.json(&message("1 + 1"))).await.expect(StatusCode::FORBIDDEN).json();
        assert_eq!(refused["error"]["status"], json!("PERMISSION_DENIED"));
    }

    async fn who_asks_too_often_is_told_when_to_come_again(hub: &Hub, [("PLEXUS_RATE_LIMIT_SCALE", "1"), ("PLEXUS_MAX_RUNS_PER_ACCOUNT", "1000")]) {
        let ada = program(hub, "ada").await;
        let body = json!({ "jsonrpc": "2.0", "id": 7, "method": "SendMessage", "params": message("1 + 1") }).to_string();
        let refused = until_refused(async || post(&ada, CALC, "1.0", body.clone()).await).await;
        assert!(!refused.header("retry-after").is_empty());
        assert_eq!(refused.json()["id"], json!(7));
        let send = || ada.request(Method::POST, &format!("{CALC}rest/message:send")).header("A2A-Version", "1.0");
        let refused = until_refused(async || ada.send(send().json(&message("1 + 1"))).await).await;
        assert!(!refused.header("retry-after").is_empty());
        assert_eq!(refused.json()["error"]["status"], json!("RESOURCE_EXHAUSTED"));
        let huge = "x".repeat(4 << 20);
        ada.send(send().json(&message(&huge))).await.expect(StatusCode::PAYLOAD_TOO_LARGE);
        let body = json!({ "jsonrpc": "2.0", "id": 7, "method": "SendMessage", "params": message(&huge) });
        post(&ada, CALC, "1.0", body.to_string()).await.expect(StatusCode::PAYLOAD_TOO_LARGE);
    }

    async fn what_cannot_be_read_is_answered_with_the_error_of_the_protocol(hub: &Hub) {
        let ada = program(hub, "ada").await;
        for (body, code) in [
            ("{", -32700),
            ("<html>", -32700),
            ("[]", -32600),
            (r#"[{"jsonrpc":"2.0","id":1,"method":"GetTask"}]"#, -32600),
            (r#"{"jsonrpc":"1.0","id":1,"method":"GetTask"}"#, -32600),
            (r#"{"jsonrpc":"2.0","id":1.5,"method":"GetTask"}"#, -32600),
            (r#"{"jsonrpc":"2.0","id":1}"#, -32600),
            (r#"{"jsonrpc":"2.0","id":1,"method":"Dance"}"#, -32601),
            (r#"{"jsonrpc":"2.0","id":1,"method":"message/send","params":{}}"#, -32601),
            (r#"{"jsonrpc":"2.0","id":1,"method":"GetTask","params":[]}"#, -32602),
            (r#"{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{}}"#, -32602),
            (r#"{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":""}}"#, -32602),
            (r#"{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"none"}}"#, -32001),
            (r#"{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"a","role":"ROLE_USER","parts":[]}}}"#, -32602),
            (r#"{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{"pageSize":0}}"#, -32602),
            (r#"{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{"pageToken":"x"}}"#, -32602),
        ] {
            let answer = post(&ada, CALC, "1.0", body.to_owned()).await.expect(StatusCode::OK).json();
            assert_eq!(answer["error"]["code"], json!(code), "{body}: {answer}");
        }
        let deep = format!("{}{}", "[".repeat(5_000), "]".repeat(5_000));
        let answer = post(&ada, CALC, "1.0", deep).await.expect(StatusCode::OK).json();
        assert_eq!(answer["error"]["code"], json!(-32600));
        for (version, method) in [("", "GetTask"), ("2.0", "GetTask"), ("0.3", "SendMessage")] {
            let answer = rpc(&ada, version, method, json!({ "id": "x" })).await;
            assert_eq!(answer["error"]["code"], json!(-32009), "{version} {method}");
            assert_eq!(answer["error"]["data"][0]["reason"], json!("VERSION_NOT_SUPPORTED"));
        }
        let request = ada.request(Method::POST, CALC).header(header::CONTENT_TYPE, "text/plain").body("{}");
        let answer = ada.send(request).await.expect(StatusCode::UNSUPPORTED_MEDIA_TYPE).json();
        assert_eq!(answer["error"]["code"], json!(-32005));
        let huge = format!("\"{}\"", "a".repeat(2 << 20));
        post(&ada, CALC, "1.0", huge).await.expect(StatusCode::PAYLOAD_TOO_LARGE);
        assert!(call(&ada, "SendMessage", message("1 + 1")).await["task"].is_object(), "the hub goes on");
    }

    async fn a_bearer_token_counts_and_a_cookie_does_not(hub: &Hub) {
        let wrong = hub.visitor().with_token("plx_made-up");
        let answer = post(&wrong, CALC, "1.0", "{}".to_owned()).await.expect(StatusCode::UNAUTHORIZED);
        assert!(answer.header("www-authenticate").starts_with("Bearer"));
        let person = hub.person("ada").await;
        let task = call(&person, "SendMessage", message("1 + 1")).await["task"].clone();
        let own = person.with_token(&make(&person, &["chat"]).await);
        assert_eq!(code(&own, "GetTask", json!({ "id": task["id"] })).await, -32001, "the cookie was nobody's");
        let reader = person.with_token(&make(&person, &["read"]).await);
        let answer = post(&reader, CALC, "1.0", "{}".to_owned()).await;
        answer.expect(StatusCode::FORBIDDEN);
        let missing = post(&own, "/a2a/ada/none/", "1.0", "{}".to_owned()).await;
        missing.expect(StatusCode::NOT_FOUND);
    }

    async fn the_other_binding_answers_the_same(hub: &Hub) {
        let ada = program(hub, "ada").await;
        let rest = async |method: Method, path: &str, body: Option<Value>| {
            let request = ada.request(method, &format!("{CALC}rest/{path}")).header("A2A-Version", "1.0");
            let request = match body {
                Some(body) => request.header(header::CONTENT_TYPE, "application/a2a+json").body(body.to_string()),
                None => request,
            };
            ada.send(request).await
        };
        let sent = rest(Method::POST, "message:send", Some(message("2 + 2"))).await.expect(StatusCode::OK);
        assert_eq!(sent.header("content-type"), "application/a2a+json");
        let id = text_of(&sent.json()["task"]["id"]);
        let got = rest(Method::GET, &format!("tasks/{id}?historyLength=0"), None).await.expect(StatusCode::OK);
        assert_eq!(text_of(&got.json()["id"]), id);
        assert_eq!(got.header("content-type"), "application/json");
        let listed = rest(Method::GET, "tasks?pageSize=5&status=TASK_STATE_COMPLETED", None).await;
        assert_eq!(listed.expect(StatusCode::OK).json()["totalSize"], json!(1));
        let events = events(&rest(Method::POST, "message:stream", Some(message("3 + 3"))).await);
        assert!(events[0]["task"].is_object() && events.len() > 1);

        for (method, path, status, name) in [
            (Method::POST, format!("tasks/{id}:cancel"), 400, "FAILED_PRECONDITION"),
            (Method::GET, "tasks/none".to_owned(), 404, "NOT_FOUND"),
            (Method::GET, "tasks?pageSize=many".to_owned(), 400, "INVALID_ARGUMENT"),
            (Method::GET, "dances".to_owned(), 404, "NOT_FOUND"),
            (Method::POST, "v1/message:send".to_owned(), 404, "NOT_FOUND"),
        ] {
            let answer = rest(method, &path, None).await;
            assert_eq!(answer.status.as_u16(), status, "{path}: {}", answer.body);
            assert_eq!(answer.json()["error"]["status"], json!(name), "{path}");
        }
        // A2A 0.3 has a different HTTP+JSON binding, which the hub does not support.
        let tasks = ada.request(Method::GET, &format!("{CALC}rest/tasks"));
        let former = ada.request(Method::POST, &format!("{CALC}rest/v1/message:send")).header("A2A-Version", "0.3");
        for request in [tasks, former.json(&json!({ "message": { "content": [{ "text": "1 + 1" }] } }))] {
            let answer = ada.send(request).await.expect(StatusCode::BAD_REQUEST).json();
            assert_eq!(answer["error"]["details"][0]["reason"], json!("VERSION_NOT_SUPPORTED"));
        }
    }
}
