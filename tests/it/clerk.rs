//! Fixture: A2A agent that streams fixed artifacts in answer to any message.

use axum::{
    Json, Router,
    http::header,
    response::IntoResponse as _,
    routing::{get, post},
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::client::Client;

/// Serves an agent that answers with these artifact updates and completes. Returns its URL.
pub async fn serve(artifacts: Vec<Value>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let url = format!("http://{}/", listener.local_addr().expect("an address"));
    let card = json!({
        "name": "Clerk", "description": "Sends files.", "version": "1.0.0",
        "supportedInterfaces": [{ "url": url, "protocolBinding": "JSONRPC", "protocolVersion": "1.0" }],
        "capabilities": { "streaming": true }, "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
        "skills": [{ "id": "files", "name": "Files", "description": "Sends files.", "tags": ["files"] }]
    });
    let answer = stream(artifacts);
    let router = Router::new()
        .route("/.well-known/agent-card.json", get(move || async move { Json(card) }))
        .route(
            "/",
            post(move || async move { ([(header::CONTENT_TYPE, "text/event-stream")], answer).into_response() }),
        );
    tokio::spawn(async move { axum::serve(listener, router).await });
    url
}

/// Returns an artifact update with a file.
pub fn file(name: &str, media_type: &str, words: &str) -> Value {
    let part = json!({ "raw": base64_of(words), "filename": name, "mediaType": media_type });
    json!({ "artifact": { "artifactId": name, "parts": [part] } })
}

/// Returns an artifact update with text.
pub fn words(words: &str) -> Value {
    json!({ "artifact": { "artifactId": "words", "parts": [{ "text": words }] } })
}

pub fn base64_of(words: &str) -> String {
    STANDARD.encode(words)
}

fn stream(artifacts: Vec<Value>) -> String {
    let of_task = |mut update: Value| {
        update["taskId"] = json!("t");
        update["contextId"] = json!("c");
        update
    };
    let status = |state: &str| json!({ "statusUpdate": of_task(json!({ "status": { "state": state } })) });
    let artifacts = artifacts.into_iter().map(|artifact| json!({ "artifactUpdate": of_task(artifact) }));
    let events =
        [json!({ "task": { "id": "t", "contextId": "c", "status": { "state": "TASK_STATE_WORKING" } } })]
            .into_iter()
            .chain(artifacts)
            .chain([status("TASK_STATE_COMPLETED")]);
    let event =
        |result: Value| format!("data: {}\n\n", json!({ "jsonrpc": "2.0", "id": 1, "result": result }));
    events.map(event).collect()
}

/// Registers an agent for all accounts, with its origin trusted by the administrator.
pub async fn register(admin: &Client, url: &str, name: &str) {
    let new = json!({ "url": url, "name": name, "visibility": "public", "access": "accounts", "trust_origins": true });
    admin.call(Method::POST, "/agents", &new).await.expect(StatusCode::CREATED);
}
