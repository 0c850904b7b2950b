//! Tests of what upstream agents say besides their answer: progress reaches callers, and text that is sent twice
//! is shown once.

use axum::Router;
use axum::{
    Json,
    http::header,
    response::{IntoResponse as _, Response},
    routing::post,
};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::{
    bad_agents::{administrator, register, serve},
    client::{Client, text_of},
    events::answer_after,
    hub::{Hub, on_both},
    tokens::make,
};

on_both! {
    async fn progress_reaches_callers(hub: &Hub) {
        let admin = administrator(hub).await;
        register(&admin, &agent(progress).await, "tides").await;
        let grace = admin.with_token(&make(&admin, &["chat", "read", "admin"]).await);
        let events = streamed(&grace, json!({ "message": message("1") })).await;
        let statuses: Vec<&Value> = events.iter().filter_map(|event| event.get("statusUpdate")).collect();
        let told = |update: &&&Value| update["status"]["message"]["parts"][0]["text"] == "Reading the tide table";
        let working = statuses.iter().find(told).unwrap_or_else(|| panic!("{events:?}"));
        assert_eq!(working["status"]["state"], "TASK_STATE_WORKING");
        assert_eq!(working["status"]["message"]["role"], "ROLE_AGENT");
        assert_eq!(working["taskId"], events[0]["task"]["id"]);
        assert_eq!(statuses.last().expect("an end")["status"]["state"], "TASK_STATE_COMPLETED");
        assert_eq!(completion(&grace).await, "High water at 6:12.");
    }

    async fn an_answer_that_is_repeated_at_the_end_is_shown_once(hub: &Hub) {
        let admin = administrator(hub).await;
        for (name, respond) in [("streams", streams as fn(&Value) -> Response), ("blocks", blocks), ("several", several)] {
            register(&admin, &agent(respond).await, name).await;
            let said = admin.begin(&format!("@grace/{name}"), "When?").await;
            let answer = answer_after(&admin, &said.chat, 0).await;
            assert_eq!(answer["parts"].to_string().matches("6:12").count(), 1, "{name}: {answer}");
            admin.call(Method::DELETE, &format!("/agents/grace/{name}"), &json!({})).await.expect(StatusCode::NO_CONTENT);
        }
    }

    async fn a_question_that_was_streamed_is_asked_once(hub: &Hub) {
        let admin = administrator(hub).await;
        register(&admin, &agent(asks).await, "asks").await;
        let said = admin.begin("@grace/asks", "Paint it").await;
        let answer = answer_after(&admin, &said.chat, 0).await;
        assert_eq!(answer["run"]["state"], "input_required", "{answer}");
        assert_eq!(answer["parts"].to_string().matches("Which colour").count(), 1, "{answer}");
        let grace = admin.with_token(&make(&admin, &["chat", "read"]).await);
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": { "message": message("2") } });
        let path = "/a2a/grace/asks/";
        let task = grace.send(grace.request(Method::POST, path).header("A2A-Version", "1.0").json(&body)).await.json();
        let status = &task["result"]["task"]["status"];
        assert_eq!(status["message"]["parts"][0]["text"], "Which colour do you want?", "{task}");
    }
}

/// Starts an agent that answers each message with `respond`.
async fn agent(respond: impl Fn(&Value) -> Response + Clone + Send + Sync + 'static) -> String {
    serve(Router::new().route("/", post(async move |Json(call): Json<Value>| respond(&call)))).await
}

fn message(id: &str) -> Value {
    json!({ "messageId": id, "role": "ROLE_USER", "parts": [{ "text": "When?" }] })
}

fn events(call: &Value, results: &[Value]) -> Response {
    let line = |result: &Value| {
        format!("data: {}\n\n", json!({ "jsonrpc": "2.0", "id": call["id"], "result": result }))
    };
    ([(header::CONTENT_TYPE, "text/event-stream")], results.iter().map(line).collect::<String>())
        .into_response()
}

fn says(id: &str, text: &str) -> Value {
    json!({ "messageId": id, "role": "ROLE_AGENT", "parts": [{ "text": text }] })
}

fn status(state: &str, message: Option<Value>) -> Value {
    let mut status = json!({ "state": format!("TASK_STATE_{state}") });
    if let Some(message) = message {
        status["message"] = message;
    }
    json!({ "statusUpdate": { "taskId": "t1", "contextId": "c1", "status": status } })
}

fn artifact(id: &str, text: &str) -> Value {
    let artifact = json!({ "artifactId": id, "parts": [{ "text": text }] });
    json!({ "artifactUpdate": { "taskId": "t1", "contextId": "c1", "artifact": artifact, "lastChunk": true } })
}

fn progress(call: &Value) -> Response {
    let reading = Some(says("m1", "Reading the tide table"));
    events(
        call,
        &[status("WORKING", reading), artifact("a", "High water at 6:12."), status("COMPLETED", None)],
    )
}

fn streams(call: &Value) -> Response {
    let end = Some(says("m1", "High water\nat 6:12."));
    events(call, &[artifact("a", "High water at 6:12.\n"), status("COMPLETED", end)])
}

fn several(call: &Value) -> Response {
    let end = Some(says("m1", "High water at 6:12.\n\nLow water at 12:30."));
    let parts = [artifact("b", "High water at 6:12."), artifact("a", "Low water at 12:30.")];
    events(call, &[parts[0].clone(), parts[1].clone(), status("COMPLETED", end)])
}

fn blocks(call: &Value) -> Response {
    let artifact = json!({ "artifactId": "a", "parts": [{ "text": "High water at 6:12." }] });
    let status = json!({ "state": "TASK_STATE_COMPLETED", "message": says("m1", "High water at 6:12.") });
    let task = json!({ "id": "t1", "contextId": "c1", "status": status, "artifacts": [artifact] });
    events(call, &[json!({ "task": task })])
}

fn asks(call: &Value) -> Response {
    let question = "Which colour do you want?";
    events(call, &[artifact("t1", question), status("INPUT_REQUIRED", Some(says("m1", question)))])
}

async fn streamed(client: &Client, params: Value) -> Vec<Value> {
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "SendStreamingMessage", "params": params });
    let request = client.request(Method::POST, "/a2a/grace/tides/").header("A2A-Version", "1.0").json(&body);
    let answer = client.send(request).await.expect(StatusCode::OK);
    assert!(answer.header("content-type").starts_with("text/event-stream"), "{}", answer.body);
    let data = answer.body.lines().filter_map(|line| line.strip_prefix("data: "));
    data.map(|data| serde_json::from_str::<Value>(data).expect("JSON")["result"].clone()).collect()
}

/// Returns the text of a chat completion.
async fn completion(client: &Client) -> String {
    let body = json!({ "model": "grace/tides", "messages": [{ "role": "user", "content": "When?" }] });
    let request = client.request(Method::POST, "/v1/chat/completions").json(&body);
    let answer = client.send(request).await.expect(StatusCode::OK).json();
    text_of(&answer["choices"][0]["message"]["content"])
}
