//! Tests of a model server in many chats concurrently: every token arrives once and in order, and the counts
//! match.

use std::convert::Infallible;

use axum::{
    Json, Router,
    body::Body,
    http::header,
    response::IntoResponse,
    routing::{get, post},
};
use futures::{StreamExt as _, future::join_all, stream};
use plexus_store::testing::Database;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::{
    client::{Client, text_of},
    events::{read_answer, text_in},
    hub::{self, Given, Hub, play_on_both},
};

const PEOPLE: [&str; 2] = ["ada", "grace"];
const CHATS_EACH: usize = 8;
const TOKENS: usize = 60;

play_on_both!(relay);

async fn relay(database: Option<Database>) {
    hub::run(database, &model_settings().await, every_token_arrives_once).await;
}

async fn every_token_arrives_once(hub: &Hub) {
    let mut people = Vec::new();
    for name in PEOPLE {
        people.push(hub.person(name).await);
    }
    let agent =
        json!({ "name": "relay", "summary": "Counts.", "instructions": "Count.", "visibility": "public" });
    people[0].call(Method::POST, "/agents", &agent).await.expect(StatusCode::CREATED);
    let chats = people.iter().flat_map(|person| (0..CHATS_EACH).map(move |chat| (person, chat)));
    join_all(chats.map(|(person, chat)| one_answer(person, chat))).await;
}

async fn one_answer(person: &Client, chat: usize) {
    let said = person.begin("@ada/relay", &format!("chat {chat}")).await;
    let screen = read_answer(person, &said.chat, 0).await;
    let (id, shown) = screen.answer();
    assert_eq!(shown.state, "done");
    let kept = person.api(&format!("/messages/{id}")).await;
    assert_eq!(text_in(&kept), expected(&format!("chat {chat}")));
    // A late subscriber receives the first tokens, or all of them, as HTML.
    if let Some(part) = shown.parts.get(&0) {
        assert_eq!(part.text, text_in(&kept)[part.from..]);
    }
    assert_eq!(kept["run"]["usage"]["tokens_out"], TOKENS);
    assert_eq!(text_of(&kept["run"]["state"]), "completed");
}

/// Returns the expected text: numbered words in paragraphs.
fn expected(asked: &str) -> String {
    (0..TOKENS).map(|n| token(asked, n)).collect()
}

fn token(asked: &str, n: usize) -> String {
    format!("{asked}-{n}{}", if n % 20 == 19 { "\n\n" } else { " " })
}

/// Starts a model server and returns the hub's settings for it.
async fn model_settings() -> [Given; 2] {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let base = format!("http://{}/v1", listener.local_addr().expect("bound")).leak();
    let models = json!({ "data": [{ "id": "counter" }] });
    let router = Router::new()
        .route("/v1/models", get(move || async move { Json(models) }))
        .route("/v1/chat/completions", post(complete));
    tokio::spawn(async move { axum::serve(listener, router).await });
    [("PLEXUS_LLM_BASE_URL", base), ("PLEXUS_LLM_MODEL", "counter")]
}

async fn complete(Json(request): Json<Value>) -> impl IntoResponse {
    let asked = text_of(&request["messages"][1]["content"]);
    let event = |event: Value| format!("data: {event}\n\n");
    let delta = move |n| event(json!({ "choices": [{ "delta": { "content": token(&asked, n) } }] }));
    let tokens: Vec<String> = (0..TOKENS).map(delta).collect();
    let ends = [
        event(json!({ "choices": [{ "delta": {}, "finish_reason": "stop" }] })),
        event(json!({ "choices": [], "usage": { "prompt_tokens": 2, "completion_tokens": TOKENS } })),
        "data: [DONE]\n\n".to_owned(),
    ];
    let body = stream::iter(tokens.into_iter().chain(ends)).map(Ok::<_, Infallible>);
    ([(header::CONTENT_TYPE, "text/event-stream")], Body::from_stream(body))
}
