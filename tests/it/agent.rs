//! Fixture: A2A agent in this process whose output and timing are scripted by the test.

use std::{convert::Infallible, time::Duration};

use axum::{
    Json, Router,
    body::{Body, Bytes},
    extract::State,
    http::{HeaderMap, header},
    response::{IntoResponse as _, Response},
    routing::{get, post},
};
use futures::StreamExt as _;
use serde_json::{Value, json};
use tokio::{
    net::TcpListener,
    sync::mpsc::{Receiver, Sender, channel},
    time::timeout,
};
use tokio_stream::wrappers::ReceiverStream;

/// Timeout for a call of the hub.
const TIMEOUT: Duration = Duration::from_secs(60);
/// Capacity of the queues for calls and events.
const QUEUE_CAPACITY: usize = 64;

pub struct Agent {
    pub url: String,
    calls: Receiver<Call>,
}

/// Call that awaits its answer. Dropping it closes the connection.
pub struct Call {
    pub headers: HeaderMap,
    pub message: Value,
    events: Sender<Bytes>,
}

impl Agent {
    pub async fn start() -> Self {
        Self::with(card).await
    }

    /// Starts an agent with another card, built from its URL.
    pub async fn with(card: impl FnOnce(&str) -> Value) -> Self {
        let (sender, calls) = channel(QUEUE_CAPACITY);
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = format!("http://{}/", listener.local_addr().expect("an address"));
        let card = card(&url);
        let router = Router::new()
            .route("/.well-known/agent-card.json", get(async move || Json(card)))
            .route("/", post(answer))
            .with_state(sender);
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { url, calls }
    }

    /// Returns the hub's next call, before anything was answered.
    pub async fn called(&mut self) -> Call {
        timeout(TIMEOUT, self.calls.recv()).await.expect("the hub calls").expect("it serves")
    }
}

impl Call {
    /// Sends the response head, without an event.
    pub async fn open(&self) {
        self.write(Bytes::from_static(b": open\n\n")).await;
    }

    pub async fn begin_task(&self) {
        let status = json!({ "state": "TASK_STATE_WORKING" });
        self.event(json!({ "task": { "id": "t1", "contextId": "c1", "status": status } })).await;
    }

    /// Appends text to the agent's only artifact.
    pub async fn artifact(&self, text: &str) {
        let artifact = json!({ "artifactId": "a", "name": "answer", "parts": [{ "text": text }] });
        let update = json!({ "taskId": "t1", "contextId": "c1", "artifact": artifact, "append": true });
        self.event(json!({ "artifactUpdate": update })).await;
    }

    /// Emits a data part.
    pub async fn data(&self, data: &Value) {
        let artifact = json!({ "artifactId": "d", "parts": [{ "data": data }] });
        self.event(json!({ "artifactUpdate": { "taskId": "t1", "contextId": "c1", "artifact": artifact } }))
            .await;
    }

    pub async fn ask(&self, question: &str) {
        self.status(json!({ "state": "TASK_STATE_INPUT_REQUIRED", "message": says(question) })).await;
    }

    pub async fn fail(&self, words: &str) {
        self.status(json!({ "state": "TASK_STATE_FAILED", "message": says(words) })).await;
    }

    pub async fn reject(&self, words: &str) {
        self.status(json!({ "state": "TASK_STATE_REJECTED", "message": says(words) })).await;
    }

    pub async fn complete(&self) {
        self.status(json!({ "state": "TASK_STATE_COMPLETED" })).await;
    }

    async fn status(&self, status: Value) {
        self.event(json!({ "statusUpdate": { "taskId": "t1", "contextId": "c1", "status": status } })).await;
    }

    async fn event(&self, result: Value) {
        let data = json!({ "jsonrpc": "2.0", "id": 1, "result": result });
        self.write(format!("data: {data}\n\n").into()).await;
    }

    async fn write(&self, bytes: Bytes) {
        self.events.send(bytes).await.expect("the hub listens");
    }
}

fn says(text: &str) -> Value {
    json!({ "messageId": "q1", "role": "ROLE_AGENT", "parts": [{ "text": text }] })
}

pub fn card(url: &str) -> Value {
    json!({
        "name": "Puppet", "description": "Says what a test tells it.", "version": "1.0.0",
        "supportedInterfaces": [{ "url": url, "protocolBinding": "JSONRPC", "protocolVersion": "1.0" }],
        "capabilities": { "streaming": true },
        "defaultInputModes": ["text/plain", "image/*", "application/octet-stream"], "defaultOutputModes": ["text/plain"],
        "skills": [{ "id": "talk", "name": "Talk", "description": "Talks.", "tags": ["puppetry"] }]
    })
}

async fn answer(
    State(calls): State<Sender<Call>>,
    headers: HeaderMap,
    Json(request): Json<Value>,
) -> Response {
    let asked = json!({ "state": "TASK_STATE_INPUT_REQUIRED", "message": says("Which one?") });
    let task = json!({ "id": "t1", "contextId": "c1", "status": asked });
    match request["method"].as_str() {
        Some("GetTask") => return Json(json!({ "jsonrpc": "2.0", "id": 1, "result": task })).into_response(),
        Some("SendStreamingMessage") => {}
        _ => {
            let error = json!({ "code": -32002, "message": "Too late." });
            return Json(json!({ "jsonrpc": "2.0", "id": 1, "error": error })).into_response();
        }
    }
    let (events, mut written) = channel(QUEUE_CAPACITY);
    let message = request["params"]["message"].clone();
    calls.send(Call { headers, message, events }).await.expect("the test goes on");
    // Delay even the response head until the test sends something.
    let Some(first) = written.recv().await else { return Body::empty().into_response() };
    let rest = ReceiverStream::new(written);
    let body = futures::stream::iter([first]).chain(rest).map(Ok::<_, Infallible>);
    ([(header::CONTENT_TYPE, "text/event-stream")], Body::from_stream(body)).into_response()
}
