//! Tests of agents whose card offers only the HTTP+JSON binding of A2A 1.0.

use std::{convert::Infallible, time::Duration};

use axum::{
    Json, Router,
    body::{Body, Bytes},
    extract::State,
    http::{HeaderMap, StatusCode, Uri, header},
    response::{IntoResponse as _, Response},
    routing::get,
};
use futures::{StreamExt as _, stream};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::{
    net::TcpListener,
    sync::mpsc::{Receiver, Sender, channel},
    time::timeout,
};

use crate::{
    bad_agents::{administrator, register},
    client::{Client, text_of},
    events::{answer_after, text_in},
    federation::until,
    hub::{self, Hub, on_both},
    tokens::make,
};

const TIMEOUT: Duration = Duration::from_secs(60);

/// Returns a card that offers these interfaces, in this order.
fn card(interfaces: &Value, streaming: bool) -> Value {
    json!({
        "name": "Standin", "description": "Follows the specification.", "version": "1.0.0",
        "supportedInterfaces": interfaces, "capabilities": { "streaming": streaming },
        "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
        "skills": [{ "id": "talk", "name": "Talk", "description": "Talks.", "tags": ["talk"] }]
    })
}

fn http_json(url: &str) -> Value {
    json!({ "url": url, "protocolBinding": "HTTP+JSON", "protocolVersion": "1.0" })
}

/// A request that the agent received.
#[derive(Debug)]
struct Received {
    verb: Method,
    /// Path and query.
    place: String,
    media_type: String,
    version: String,
    body: Value,
}

/// An agent with the HTTP+JSON binding below `/v1`.
struct StandIn {
    url: String,
    calls: Receiver<Received>,
}

/// More calls than one test makes.
const MAX_CALLS: usize = 64;

#[derive(Clone)]
struct Shared {
    calls: Sender<Received>,
    /// Media type of requests that it takes.
    media_type: &'static str,
}

impl StandIn {
    async fn start(streaming: bool, media_type: &'static str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = format!("http://{}/", listener.local_addr().expect("an address"));
        let card = card(&json!([http_json(&format!("{url}v1"))]), streaming);
        let (sender, calls) = channel(MAX_CALLS);
        let router = Router::new()
            .route("/.well-known/agent-card.json", get(async move || Json(card)))
            .fallback(answer)
            .with_state(Shared { calls: sender, media_type });
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { url, calls }
    }

    async fn called(&mut self) -> Received {
        timeout(TIMEOUT, self.calls.recv()).await.expect("the hub calls").expect("it serves")
    }
}

async fn answer(
    State(shared): State<Shared>,
    verb: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let header = |name: &str| headers.get(name).map_or("", |value| value.to_str().expect("text")).to_owned();
    let media_type = header("content-type");
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    let place = uri.path_and_query().expect("a path").to_string();
    let received = Received {
        verb: verb.clone(),
        place,
        media_type: media_type.clone(),
        version: header("a2a-version"),
        body: body.clone(),
    };
    // The hub also looks for a card at the address itself.
    if uri.path() != "/" {
        shared.calls.try_send(received).expect("the test reads the calls");
    }
    if verb == Method::POST && media_type != shared.media_type {
        return StatusCode::UNSUPPORTED_MEDIA_TYPE.into_response();
    }
    let text = body["message"]["parts"][0]["text"].as_str().unwrap_or_default();
    match (verb.as_str(), uri.path()) {
        ("POST", "/v1/message:stream") => streamed(text),
        ("POST", "/v1/message:send") if text == "Refuse." => refused(),
        ("POST", "/v1/message:send") => reply(&json!({ "task": task("TASK_STATE_WORKING") })),
        ("GET", "/v1/tasks/task-1") => reply(&task("TASK_STATE_COMPLETED")),
        ("GET", "/v1/tasks/asks-1") => {
            let mut asked = task("TASK_STATE_INPUT_REQUIRED");
            asked["id"] = json!("asks-1");
            reply(&asked)
        }
        ("POST", "/v1/tasks/task-1:cancel") => reply(&task("TASK_STATE_CANCELED")),
        _ => StatusCode::NOT_FOUND.into_response(),
    }
}

fn reply(body: &Value) -> Response {
    ([(header::CONTENT_TYPE, "application/a2a+json")], body.to_string()).into_response()
}

fn task(state: &str) -> Value {
    let mut task = json!({ "id": "task-1", "contextId": "context-1", "status": { "state": state, "timestamp": "2026-11-26T10:00:00Z" } });
    if state == "TASK_STATE_COMPLETED" {
        task["artifacts"] = json!([{ "artifactId": "artifact-1", "name": "Story", "parts": [{ "text": "Once upon a time." }] }]);
    }
    task
}

fn refused() -> Response {
    let info = json!({ "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "CONTENT_TYPE_NOT_SUPPORTED", "domain": "a2a-protocol.org" });
    let error = json!({ "code": 400, "status": "INVALID_ARGUMENT", "message": "No stories today.", "details": [info] });
    (StatusCode::BAD_REQUEST, reply(&json!({ "error": error }))).into_response()
}

/// Streams a story, a question, or a task that does not end.
fn streamed(text: &str) -> Response {
    let id = if text == "Ask." { "asks-1" } else { "task-1" };
    let ids = |mut event: Value| {
        event["taskId"] = json!(id);
        event["contextId"] = json!("context-1");
        event
    };
    let mut first = task("TASK_STATE_WORKING");
    first["id"] = json!(id);
    let chunk = |text: &str, append: bool| {
        let artifact = json!({ "artifactId": "artifact-1", "name": "Story", "parts": [{ "text": text }] });
        json!({ "artifactUpdate": ids(json!({ "artifact": artifact, "append": append, "lastChunk": append })) })
    };
    let said =
        json!({ "role": "ROLE_AGENT", "messageId": "question-1", "parts": [{ "text": "About whom?" }] });
    let status = |state: &str, message: &Value| {
        let status = json!({ "state": state, "message": message });
        json!({ "statusUpdate": ids(json!({ "status": status })) })
    };
    let rest = match text {
        "Ask." => vec![status("TASK_STATE_INPUT_REQUIRED", &said)],
        "Wait." => vec![chunk("Once upon ", false)],
        _ => vec![
            chunk("Once upon ", false),
            chunk("a time.", true),
            status("TASK_STATE_COMPLETED", &Value::Null),
        ],
    };
    let events = [vec![json!({ "task": first })], rest].concat();
    let line = |event: Value| Ok::<_, Infallible>(Bytes::from(format!("data: {event}\n\n")));
    let events = stream::iter(events.into_iter().map(line));
    let body = match text {
        "Wait." => Body::from_stream(events.chain(stream::pending())),
        _ => Body::from_stream(events),
    };
    ([(header::CONTENT_TYPE, "text/event-stream")], body).into_response()
}

async fn call(client: &Client, agent: &str, method: &str, params: Value) -> Value {
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    let request = client.request(Method::POST, &format!("/a2a/grace/{agent}/")).header("A2A-Version", "1.0");
    let answer = client.send(request.json(&body)).await.json();
    assert_eq!(answer["error"], Value::Null, "{answer}");
    answer["result"].clone()
}

fn message(id: &str, text: &str) -> Value {
    json!({ "message": { "messageId": id, "role": "ROLE_USER", "parts": [{ "text": text }] } })
}

/// Registers the agent at a URL and returns a program that may call it.
async fn registered(hub: &Hub, url: &str, name: &str) -> Client {
    let admin = administrator(hub).await;
    register(&admin, url, name).await;
    admin.with_token(&make(&admin, &["chat", "read"]).await)
}

on_both! {
    async fn an_agent_is_called_as_the_specification_says(hub: &Hub) {
        let mut agent = StandIn::start(true, "application/a2a+json").await;
        let grace = registered(hub, &agent.url, "teller").await;
        let told = call(&grace, "teller", "SendMessage", message("m-1", "Tell a story.")).await["task"].clone();
        assert_eq!(told["status"]["state"], json!("TASK_STATE_COMPLETED"));
        assert_eq!(told["artifacts"][0]["parts"], json!([{ "text": "Once upon a time." }]), "{told}");
        let sent = agent.called().await;
        assert_eq!((sent.verb, sent.place.as_str()), (Method::POST, "/v1/message:stream"));
        assert_eq!((sent.media_type.as_str(), sent.version.as_str()), ("application/a2a+json", "1.0"));
        assert_eq!(sent.body["message"]["parts"], json!([{ "text": "Tell a story." }]));
        assert_eq!(sent.body.get("jsonrpc"), None);

        let asked = call(&grace, "teller", "SendMessage", message("m-2", "Ask.")).await["task"].clone();
        assert_eq!(text_of(&asked["status"]["message"]["parts"][0]["text"]), "About whom?");
        agent.called().await;
        let mut answer = message("m-3", "A fox.");
        answer["message"]["taskId"] = asked["id"].clone();
        let told = call(&grace, "teller", "SendMessage", answer).await["task"].clone();
        assert_eq!((&told["id"], &told["status"]["state"]), (&asked["id"], &json!("TASK_STATE_COMPLETED")));
        let recalled = agent.called().await;
        assert_eq!((recalled.verb, recalled.place.as_str()), (Method::GET, "/v1/tasks/asks-1?historyLength=10"));
        let sent = agent.called().await;
        assert_eq!((&sent.body["message"]["taskId"], &sent.body["message"]["contextId"]), (&json!("asks-1"), &json!("context-1")));

        let mut quick = message("m-4", "Wait.");
        quick["configuration"] = json!({ "returnImmediately": true });
        let begun = call(&grace, "teller", "SendMessage", quick).await["task"].clone();
        assert_eq!(agent.called().await.place, "/v1/message:stream");
        until("the agent began", async || {
            let task = call(&grace, "teller", "GetTask", json!({ "id": begun["id"] })).await;
            task["artifacts"].is_array()
        }).await;
        let cancelled = call(&grace, "teller", "CancelTask", json!({ "id": begun["id"] })).await;
        assert_eq!(cancelled["status"]["state"], json!("TASK_STATE_CANCELED"));
        let sent = agent.called().await;
        assert_eq!((sent.verb, sent.place.as_str(), &sent.body), (Method::POST, "/v1/tasks/task-1:cancel", &json!({})));
    }

    async fn an_agent_that_cannot_stream_is_polled(hub: &Hub) {
        let mut agent = StandIn::start(false, "application/json").await;
        let grace = registered(hub, &agent.url, "poller").await;
        let told = call(&grace, "poller", "SendMessage", message("m-1", "Tell a story.")).await["task"].clone();
        assert_eq!(told["artifacts"][0]["parts"], json!([{ "text": "Once upon a time." }]), "{told}");
        let places = [
            ("POST", "/v1/message:send", "application/a2a+json"), ("POST", "/v1/message:send", "application/json"),
            ("GET", "/v1/tasks/task-1?historyLength=10", ""),
        ];
        for (verb, place, media_type) in places {
            let received = agent.called().await;
            assert_eq!((received.verb.as_str(), received.place.as_str()), (verb, place));
            if verb == "POST" {
                assert_eq!(received.media_type, media_type, "a server without the type of A2A gets JSON");
                assert_eq!(received.body["configuration"]["returnImmediately"], json!(true));
            }
        }
        let failed = call(&grace, "poller", "SendMessage", message("m-2", "Refuse.")).await["task"].clone();
        assert_eq!(failed["status"]["state"], json!("TASK_STATE_FAILED"));
        assert!(text_of(&failed["status"]["message"]["parts"][0]["text"]).contains("No stories today."), "{failed}");
    }

    async fn the_first_interface_that_the_hub_knows_is_called(hub: &Hub) {
        let mut rest = StandIn::start(true, "application/a2a+json").await;
        let grpc = json!({ "url": "grpc.example:443", "protocolBinding": "GRPC", "protocolVersion": "1.0" });
        let rpc = json!({ "url": "http://127.0.0.1:9/", "protocolBinding": "JSONRPC", "protocolVersion": "1.0" });
        let interfaces = json!([grpc, http_json(&format!("{}v1", rest.url)), rpc]);
        let url = card_server(&card(&interfaces, true)).await;
        let grace = registered(hub, &url, "both").await;
        let told = call(&grace, "both", "SendMessage", message("m-1", "Tell a story.")).await["task"].clone();
        assert_eq!(told["status"]["state"], json!("TASK_STATE_COMPLETED"), "{told}");
        assert_eq!(rest.called().await.place, "/v1/message:stream");
    }

    async fn the_edge_of_another_hub_is_called(hub: &Hub) {
        hub::run(None, &[], async |other: &Hub| {
            let far = format!("{}/a2a/plexus/calc/rest", other.origin());
            let url = card_server(&card(&json!([http_json(&far)]), true)).await;
            let grace = registered(hub, &url, "calc").await;
            let told = call(&grace, "calc", "SendMessage", message("m-1", "2 + 3 * 4")).await["task"].clone();
            assert_eq!(told["status"]["state"], json!("TASK_STATE_COMPLETED"), "{told}");
            assert!(text_of(&told["artifacts"][0]["parts"][0]["text"]).contains("14"), "{told}");
            let said = grace.begin("@grace/calc", "1 + 1").await;
            assert_eq!(text_in(&answer_after(&grace, &said.chat, 0).await), "`1 + 1` = **2**");
        })
        .await;
    }
}

/// Serves a card at the root of a server.
async fn card_server(card: &Value) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let url = format!("http://{}/", listener.local_addr().expect("an address"));
    let card = card.to_string();
    let router = Router::new().route("/.well-known/agent-card.json", get(async move || card));
    tokio::spawn(async move { axum::serve(listener, router).await });
    url
}
