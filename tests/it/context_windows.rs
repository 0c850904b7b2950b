//! Tests of requests that do not fit into the context window of a model.

use std::path::Path;

use plexus_store::testing::Database;
use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::{
    client::{Client, text_of},
    hub::{self, Hub, play_on_both},
    mcp_tools::start,
    openai_models::large_tools,
    openai_tools::{CHAT, RESPONSES, nested, post, register, says},
    tokens::make,
};

play_on_both!(what_does_not_fit_is_said_in_the_codes_of_clients);

async fn what_does_not_fit_is_said_in_the_codes_of_clients(database: Option<Database>) {
    let flags = ["--rate", "0", "--tokens", "2", "--window", "20000"];
    let model = start(Path::new("node"), "model/scripted.mjs", &flags).await;
    let url: &'static str = model.url.clone().leak();
    let unknown = [("PLEXUS_LLM_BASE_URL", url), ("PLEXUS_LLM_MODEL", "scripted")];
    hub::run(database, &unknown, async |hub: &Hub| {
        let grace = hub.administrator("grace").await;
        register(&grace, "own", &json!([])).await;
        let program = grace.with_token(&make(&grace, &["chat", "read"]).await);
        // The server of a model with an unknown window refuses it.
        let body =
            json!({ "model": "grace/own", "messages": [says("user", "tokens=1")], "tools": large_tools() });
        is_too_long(&program, &body).await;
        let long = [says("user", &"long ".repeat(5_000)), says("assistant", "So?"), says("user", "tokens=1")];
        let body = json!({ "model": "grace/own", "messages": long, "tools": nested() });
        is_too_long(&program, &body).await;
    })
    .await;
    let known = [unknown[0], unknown[1], ("PLEXUS_LLM_CONTEXT_TOKENS", "8192")];
    hub::run(None, &known, async |hub: &Hub| {
        let grace = hub.administrator("grace").await;
        register(&grace, "own", &json!([])).await;
        let program = grace.with_token(&make(&grace, &["chat", "read"]).await);
        let body =
            json!({ "model": "grace/own", "messages": [says("user", "tokens=1")], "tools": large_tools() });
        is_too_long(&program, &body).await;
    })
    .await;
}

/// Expects that a request is refused as too long, in the codes of each API, streamed or not.
async fn is_too_long(program: &Client, body: &Value) {
    for stream in [false, true] {
        let mut body = body.clone();
        body["stream"] = json!(stream);
        let said = post(program, CHAT, &body).await.expect(StatusCode::BAD_REQUEST).json();
        assert_eq!(
            (&said["error"]["code"], &said["error"]["type"]),
            (&json!("context_length_exceeded"), &json!("invalid_request_error")),
            "{said}"
        );
        let tools: Vec<_> =
            body["tools"].as_array().expect("tools").iter().map(|tool| &tool["function"]).collect();
        let messages = &body["messages"];
        let flat: Vec<_> = tools
            .iter()
            .map(|tool| {
                let mut tool = (*tool).clone();
                tool["type"] = json!("function");
                tool
            })
            .collect();
        let response = json!({ "model": "grace/own", "input": messages, "tools": flat, "stream": stream });
        let said = post(program, RESPONSES, &response).await.expect(StatusCode::BAD_REQUEST).json();
        assert_eq!(said["error"]["code"], json!("context_length_exceeded"), "{said}");
        let tools: Vec<_> = tools.iter().map(|tool| json!({ "name": tool["name"], "description": tool["description"], "input_schema": {} })).collect();
        let message = json!({ "model": "grace/own", "max_tokens": 9, "messages": messages, "tools": tools, "stream": stream });
        let said = post(program, "/v1/messages", &message).await.expect(StatusCode::BAD_REQUEST).json();
        let words = text_of(&said["error"]["message"]);
        assert!(
            said["error"]["type"] == "invalid_request_error" && words.starts_with("prompt is too long"),
            "{said}"
        );
    }
}
