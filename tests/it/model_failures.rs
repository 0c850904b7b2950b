//! Tests of what people see of a model server that fails: neither its address nor a key, whatever it says.

use std::fs;

use axum::{
    Router,
    http::{HeaderMap, StatusCode as Status, header},
    response::{IntoResponse as _, Response},
    routing::{get, post},
};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::{
    client::Client,
    events::{answer_after, text_in},
    http_endpoints::serve,
    hub::{Hub, on_both},
    model_settings::{connect, create_agent},
    rooms,
};

const HUB_KEY: &str = "sk-hub-4fJ+9xQz/7aLmN0p";
const OWN_KEY: &str = "sk-ada-8sVt2wY5uKd3hB6c";

/// Ways in which the model server quotes the key, as names of its models.
const WAYS: [&str; 8] = ["401", "403", "500", "400", "type", "event", "cut", "text"];

/// Starts a model server that quotes the key of each request in a way that the model's name selects.
async fn quoting_server() -> String {
    let listed: Vec<Value> = WAYS.iter().map(|way| json!({ "id": way })).collect();
    let models = json!({ "object": "list", "data": listed });
    let complete = async |headers: HeaderMap, axum::Json(body): axum::Json<Value>| {
        let shown =
            headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let way = body["model"].as_str().unwrap_or_default().to_owned();
        quote(&way, shown, shown.trim_start_matches("Bearer "))
    };
    let router = Router::new()
        .route("/v1/models", get(move || async move { axum::Json(models) }))
        .route("/v1/chat/completions", post(complete));
    format!("{}/v1", serve(router).await)
}

fn quote(way: &str, authorization: &str, key: &str) -> Response {
    let error = |status: Status, words: String| {
        (status, axum::Json(json!({ "error": { "message": words } }))).into_response()
    };
    let events = |events: String| ([(header::CONTENT_TYPE, "text/event-stream")], events).into_response();
    let says = |text: &str| {
        let piece = |delta: &str| json!({ "choices": [{ "delta": { "content": delta } }] });
        let (first, second) = text.split_at(text.len() / 2);
        format!("data: {}\n\ndata: {}\n\n", piece(first), piece(second))
    };
    let end = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
    match way {
        "401" => error(Status::UNAUTHORIZED, format!("Incorrect key: {key}, sent as {authorization}")),
        "403" => error(Status::FORBIDDEN, BASE64_STANDARD.encode(authorization)),
        "500" => error(Status::INTERNAL_SERVER_ERROR, format!("{authorization} failed at 127.0.0.1:4000")),
        "400" => (Status::BAD_REQUEST, format!("bad request with {}…", &key[..14])).into_response(),
        "type" => (Status::OK, [(header::CONTENT_TYPE, key)], "nothing").into_response(),
        "event" => events(format!("event: error\ndata: {authorization}\n\n")),
        "cut" => events(format!("{}data: {{\"error\":{}}}\n\n", says("Once "), json!(authorization))),
        _ => events(format!("{}{end}", says(&format!("My key is {key}.")))),
    }
}

/// Returns the answer to a message, as JSON.
async fn answer(client: &Client, agent: &str) -> Value {
    let said = client.begin(agent, "Hello?").await;
    answer_after(client, &said.chat, 0).await
}

fn assert_hidden(text: &str, what: &str) {
    for secret in [HUB_KEY, OWN_KEY, &HUB_KEY[..12], &OWN_KEY[..12], &HUB_KEY[12..], &OWN_KEY[12..]] {
        assert!(!text.contains(secret), "{what}: {secret} in {text}");
    }
}

on_both! {
    async fn failures_show_neither_a_key_nor_the_address_of_a_model_server(hub: &Hub) {
        let (grace, ada, bob) = (hub.administrator("grace").await, hub.person("ada").await, hub.person("bob").await);
        let url = quoting_server().await;
        let fields = [("api_key", HUB_KEY), ("own_keys", "allowed"), ("test", "skip")];
        connect(&grace, "cellar", &url, &fields).await;
        let own = ada.call(Method::PUT, "/model-keys/cellar", &json!({ "api_key": OWN_KEY })).await;
        own.expect(StatusCode::NO_CONTENT);
        for way in WAYS {
            let name = format!("q-{way}");
            create_agent(&grace, &name, &format!("cellar/{way}")).await.expect(StatusCode::CREATED);
            for (client, is_own) in [(&bob, false), (&ada, true)] {
                let answer = answer(client, &format!("@grace/{name}")).await;
                assert_hidden(&answer.to_string(), way);
                let failure = answer["run"]["failure"]["message"].as_str().unwrap_or_default();
                assert!(!failure.contains("127.0.0.1"), "{failure}");
                match way {
                    "text" => assert_eq!(text_in(&answer), "My key is [redacted]."),
                    "cut" => assert!(text_in(&answer).trim() == "Once" && failure.contains("reported an error"), "{answer}"),
                    "401" | "403" => assert_eq!(failure.contains("the hub's key"), !is_own, "{failure}"),
                    _ => assert!(failure.contains("he model server cellar"), "{failure}"),
                }
                let page = client.get(&format!("/chat/{}", answer["chat"].as_str().unwrap_or_default())).await;
                assert_hidden(&page.body, way);
            }
        }
        let found = format!("select count(*) from runs where error like '%{}%'", &HUB_KEY[..12]);
        assert_eq!(hub.number(&found).await, 0);
        for file in fs::read_dir(hub.folder()).expect("the data folder").filter_map(Result::ok) {
            let bytes = fs::read(file.path()).unwrap_or_default();
            for key in [HUB_KEY, OWN_KEY] {
                let is_in = bytes.windows(12).any(|window| window == &key.as_bytes()[..12]);
                assert!(!is_in, "{} holds a key", file.path().display());
            }
        }
    }

    async fn a_model_learns_who_speaks_in_a_room(hub: &Hub) {
        let grace = hub.administrator("grace").await;
        let echo = async |axum::Json(body): axum::Json<Value>| {
            let asked = body["messages"].as_array().and_then(|all| all.last()).map(|last| last["content"].clone());
            let message = json!({ "content": asked });
            axum::Json(json!({ "choices": [{ "message": message, "finish_reason": "stop" }] }))
        };
        let models = async || axum::Json(json!({ "object": "list", "data": [{ "id": "small" }] }));
        let router =
            Router::new().route("/v1/models", get(models)).route("/v1/chat/completions", post(echo));
        connect(&grace, "cellar", &format!("{}/v1", serve(router).await), &[]).await;
        create_agent(&grace, "echo", "cellar/small").await.expect(StatusCode::CREATED);
        let (ada, bob, chat) = rooms::pair(hub).await;
        ada.say(&chat, "@bob over to you").await;
        let at = crate::chat::seq(&bob, &chat).await;
        bob.say(&chat, "@grace/echo what did we say?").await;
        let text = text_in(&answer_after(&bob, &chat, at).await).to_owned();
        assert!(text.contains("ada: ") && text.contains("bob: ") && text.ends_with("what did we say?"), "{text}");
    }
}
