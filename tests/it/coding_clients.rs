//! Requests that coding agents send, to a model agent. `recorded_requests` has them as recorded, with their texts replaced
//! and their tools cut down to a few; `make interop` runs the agents themselves.

use std::{fs, path::Path};

use plexus_store::testing::Database;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::{
    client::{Client, text_of},
    hub::{self, Hub, play_on_both},
    mcp_tools::start,
    tokens::make,
};

/// A recorded request: its file, its path, and the last event of its stream.
const RECORDED: [(&str, &str, &str); 4] = [
    ("claude-code", "/v1/messages?beta=true", "message_stop"),
    ("codex", "/v1/responses", "response.completed"),
    ("qwen-code", "/v1/chat/completions", "[DONE]"),
    ("opencode", "/v1/chat/completions", "[DONE]"),
];

play_on_both!(requests_of_coding_agents_reach_the_model);

async fn requests_of_coding_agents_reach_the_model(database: Option<Database>) {
    let folder = tempfile::tempdir().expect("a folder");
    let asked = folder.path().join("asked");
    let flags = ["--rate", "0", "--tokens", "5", "--asked", asked.to_str().expect("UTF-8")];
    let model = start(Path::new("node"), "model/scripted.mjs", &flags).await;
    let url: &'static str = model.url.clone().leak();
    hub::run(database, &[("PLEXUS_LLM_BASE_URL", url), ("PLEXUS_LLM_MODEL", "scripted")], async |hub: &Hub| {
        let grace = hub.administrator("grace").await;
        let new = json!({ "name": "own", "summary": "Answers.", "instructions": "Answer.", "visibility": "public",
                          "access": "open" });
        grace.call(Method::POST, "/agents", &new).await.expect(StatusCode::CREATED);
        let program = grace.with_token(&make(&grace, &["chat", "read"]).await);
        for (client, path, last) in RECORDED {
            let body = recorded(client);
            let answer = send(&program, path, &body).await;
            assert!(answer.contains("t1 ") && answer.trim_end().ends_with(&ending(last)), "{client}: {answer}");
            let log = fs::read_to_string(&asked).expect("the model was asked");
            let sent: Value = serde_json::from_str(log.lines().last().expect("a request")).expect("JSON");
            says_what_the_client_said(client, &body, &sent);
        }
    })
    .await;
}

fn says_what_the_client_said(client: &str, body: &Value, sent: &Value) {
    let messages = sent["messages"].as_array().expect("messages");
    assert_eq!(messages[0]["role"], json!("system"), "{client}");
    let system = text_of(&messages[0]["content"]);
    assert!(
        system.starts_with("Answer.\n\n") && system.contains("Words of the client."),
        "{client}: {system}"
    );
    let roles: Vec<_> = messages[1..].iter().map(|message| text_of(&message["role"])).collect();
    assert!(roles.iter().all(|role| role == "user" || role == "assistant"), "{client}: {roles:?}");
    let question = text_of(&messages.last().expect("messages")["content"]);
    assert!(question.ends_with("tokens=2"), "{client}: {question}");
    let tools = sent["tools"].as_array().expect("tools");
    assert!(tools.iter().all(|tool| tool["type"] == "function"), "{client}");
    // Only tools that the client runs: none of a service such as a web search.
    let of_client = body["tools"].as_array().expect("tools").iter().map(|tool| match tool["type"].as_str() {
        Some("namespace") => tool["tools"].as_array().map_or(0, Vec::len),
        Some("web_search") => 0,
        _ => 1,
    });
    assert_eq!(tools.len(), of_client.sum::<usize>(), "{client}");
}

fn ending(last: &str) -> String {
    match last {
        "[DONE]" | "response.completed" => "data: [DONE]".to_owned(),
        last => format!("data: {{\"type\":\"{last}\"}}"),
    }
}

/// Returns a recorded request for the agent of the test.
fn recorded(client: &str) -> Value {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("it/recorded_requests/{client}.json"));
    let text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let text = text.replace("\"MODEL\"", "\"grace/own\"").replace("Say hello", "tokens=2");
    serde_json::from_str(&text).expect("JSON")
}

async fn send(program: &Client, path: &str, body: &Value) -> String {
    let request =
        program.request(Method::POST, path).header("anthropic-beta", "context-management-2025-06-27");
    program.send(request.json(body)).await.expect(StatusCode::OK).body
}
