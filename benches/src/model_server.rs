//! Model server that answers with the number and pace of tokens that the last message requests.

use std::{convert::Infallible, net::SocketAddr, time::Duration};

use axum::{
    Json, Router,
    body::{Body, Bytes},
    http::header,
    response::{IntoResponse, Response},
    routing::{get, post},
};
use futures::{Stream, StreamExt as _, stream};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep_until};

use crate::{
    subprocess::{self, Part},
    tokens,
};

/// Model name of this server.
pub const MODEL: &str = "bench";

/// Request script: the message text `TOKENS every MICROSECONDS`.
#[derive(Clone, Copy)]
pub struct Script {
    pub tokens: usize,
    pub every: Duration,
}

impl Script {
    pub fn text(self) -> String {
        format!("{} every {}", self.tokens, self.every.as_micros())
    }

    /// Returns the minimum duration of an answer.
    pub fn takes(self) -> Duration {
        self.every * u32::try_from(self.tokens).unwrap_or(u32::MAX)
    }

    fn of(request: &Value) -> Option<Self> {
        let text = request["messages"].as_array()?.last()?["content"].as_str()?;
        let (tokens, every) = text.rsplit('\n').next()?.split_once(" every ")?;
        Some(Self { tokens: tokens.parse().ok()?, every: Duration::from_micros(every.parse().ok()?) })
    }
}

/// The server as a child process.
pub struct Upstream(Part);

impl Upstream {
    pub fn start() -> anyhow::Result<Self> {
        Part::start(&["upstream"]).map(Self)
    }

    pub fn address(&self) -> SocketAddr {
        self.0.address
    }

    pub fn id(&self) -> u32 {
        self.0.id()
    }

    /// Returns the base URL for clients of the API.
    pub fn base(&self) -> String {
        format!("http://{}/v1", self.address())
    }
}

/// Serves until the process is killed.
pub async fn serve() -> anyhow::Result<()> {
    let models = json!({ "object": "list", "data": [{ "id": MODEL, "object": "model" }] });
    let router = Router::new()
        .route("/v1/models", get(|| async move { Json(models) }))
        .route("/v1/chat/completions", post(complete));
    subprocess::serve(router).await
}

async fn complete(Json(request): Json<Value>) -> Response {
    let Some(script) = Script::of(&request) else {
        return (axum::http::StatusCode::BAD_REQUEST, "say `TOKENS every MICROSECONDS`").into_response();
    };
    let body = Body::from_stream(events(script).map(Ok::<_, Infallible>));
    ([(header::CONTENT_TYPE, "text/event-stream")], body).into_response()
}

fn events(script: Script) -> impl Stream<Item = Bytes> {
    let begun = Instant::now();
    let tokens = stream::iter(0..script.tokens).then(move |n| async move {
        // Send the first token without a timer, which would delay it by up to a millisecond.
        if n > 0 && !script.every.is_zero() {
            sleep_until(begun + script.every * u32::try_from(n).unwrap_or(u32::MAX)).await;
        }
        chunk(&json!([{ "index": 0, "delta": { "content": tokens::write(n) }, "finish_reason": null }]), None)
    });
    let stop = chunk(&json!([{ "index": 0, "delta": {}, "finish_reason": "stop" }]), None);
    let usage = chunk(&json!([]), Some(script.tokens));
    tokens.chain(stream::iter([stop, usage, Bytes::from_static(b"data: [DONE]\n\n")]))
}

/// Formats one event of the stream (OpenAI API reference, "chat.completion.chunk").
fn chunk(choices: &Value, usage: Option<usize>) -> Bytes {
    let usage = usage.map_or_else(String::new, |tokens| {
        format!(
            r#","usage":{{"prompt_tokens":8,"completion_tokens":{tokens},"total_tokens":{}}}"#,
            tokens + 8
        )
    });
    Bytes::from(format!(
        "data: {{\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"{MODEL}\",\
         \"choices\":{choices}{usage}}}\n\n"
    ))
}
