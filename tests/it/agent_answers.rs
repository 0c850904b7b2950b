//! Tests of what remote A2A agents answer: parts keep order, types and names from the agent to the caller.

use axum::{
    Json, Router,
    response::{IntoResponse as _, Response},
    routing::post,
};
use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    bad_agents::{administrator, register, serve},
    hub::{Hub, on_both},
    tokens::make,
};

/// Answers each message with a stream of these events, and all other calls with an error.
async fn scripted(events: Vec<Value>) -> String {
    let line = |event: &Value| format!("data: {}\n\n", json!({ "jsonrpc": "2.0", "id": 1, "result": event }));
    let body: String = events.iter().map(line).collect();
    let answer = async move |Json(call): Json<Value>| -> Response {
        if call["method"] == "SendStreamingMessage" {
            return ([("content-type", "text/event-stream")], body.clone()).into_response();
        }
        let error = json!({ "code": -32601, "message": "Method not found" });
        Json(json!({ "jsonrpc": "2.0", "id": 1, "error": error })).into_response()
    };
    serve(Router::new().route("/", post(answer))).await
}

fn artifact(id: &str, parts: &Value, append: bool) -> Value {
    let artifact = json!({ "artifactId": id, "parts": parts });
    json!({ "artifactUpdate": { "taskId": "t", "contextId": "c", "artifact": artifact, "append": append } })
}

fn status(state: &str, id: &str, text: &str) -> Value {
    let message = json!({ "messageId": id, "role": "ROLE_AGENT", "parts": [{ "text": text }] });
    let status = json!({ "state": format!("TASK_STATE_{state}"), "message": message });
    json!({ "statusUpdate": { "taskId": "t", "contextId": "c", "status": status } })
}

fn completed() -> Value {
    json!({ "statusUpdate": { "taskId": "t", "contextId": "c", "status": { "state": "TASK_STATE_COMPLETED" } } })
}

/// Registers an agent with these events and returns its answer: the parts of each artifact, without names.
async fn answer(hub: &Hub, events: Vec<Value>) -> Value {
    let admin = administrator(hub).await;
    register(&admin, &scripted(events).await, "scripted").await;
    let message = json!({ "messageId": "m", "role": "ROLE_USER", "parts": [{ "text": "Hi" }] });
    let params = json!({ "message": message });
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": params });
    let program = admin.with_token(&make(&admin, &["chat", "read"]).await);
    let request = program.request(Method::POST, "/a2a/grace/scripted/").header("a2a-version", "1.0");
    let answer = program.send(request.json(&call)).await.json();
    let task = &answer["result"]["task"];
    assert_eq!(task["status"]["state"], "TASK_STATE_COMPLETED", "{answer}");
    task["artifacts"].as_array().into_iter().flatten().map(|artifact| artifact["parts"].clone()).collect()
}

on_both! {
    async fn parts_keep_their_order_and_media_types(hub: &Hub) {
        let parts = json!([
            { "text": "one" },
            { "data": { "x": 1 } },
            { "text": "<p>two</p>", "mediaType": "text/html" },
            { "text": "three" },
        ]);
        assert_eq!(answer(hub, vec![artifact("a", &parts, false), completed()]).await, json!([parts]));
    }

    async fn a_replaced_artifact_is_replaced(hub: &Hub) {
        let text = |text: &str, append| artifact("a", &json!([{ "text": text }]), append);
        let events = vec![text("draft ", false), text("more", true), text("final ", false), text("text", true), completed()];
        assert_eq!(answer(hub, events).await, json!([[{ "text": "final text" }]]));
    }

    async fn status_text_in_chunks_is_a_whole_answer(hub: &Hub) {
        let long = "x".repeat(10_000);
        let mut events = vec![status("WORKING", "m1", "Hel"), status("WORKING", "m1", "lo ")];
        events.extend((0..10).map(|n| status("WORKING", &format!("n{n}"), &long)));
        events.push(status("COMPLETED", "n", ""));
        assert_eq!(answer(hub, events).await, json!([[{ "text": format!("Hello {}", long.repeat(10)) }]]));
    }
}
