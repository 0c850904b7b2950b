//! A model server that answers with as many tokens as the last message asks for, at the pace that it asks for.

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
    part::{self, Part},
    tokens,
};

/// What this server calls its model.
pub const MODEL: &str = "bench";

/// What is asked of it: the words of a message, `TOKENS every MICROSECONDS`.
#[derive(Clone, Copy)]
pub struct Script {
    pub tokens: usize,
    pub every: Duration,
}

impl Script {
    pub fn text(self) -> String {
        format!("{} every {}", self.tokens, self.every.as_micros())
    }

    /// How long an answer takes at least.
    pub fn takes(self) -> Duration {
        self.every * u32::try_from(self.tokens).unwrap_or(u32::MAX)
    }

    fn of(request: &Value) -> Option<Self> {
        let text = request["messages"].as_array()?.last()?["content"].as_str()?;
        let (tokens, every) = text.rsplit('\n').next()?.split_once(" every ")?;
        Some(Self { tokens: tokens.parse().ok()?, every: Duration::from_micros(every.parse().ok()?) })
    }
}

/// The server as a process of its own.
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

    /// Its address as clients of the API are given it.
    pub fn base(&self) -> String {
        format!("http://{}/v1", self.address())
    }
}

/// Serves until the process is ended.
pub async fn serve() -> anyhow::Result<()> {
    let models = json!({ "object": "list", "data": [{ "id": MODEL, "object": "model" }] });
    let router = Router::new()
        .route("/v1/models", get(|| async move { Json(models) }))
        .route("/v1/chat/completions", post(complete));
    part::serve(router).await
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
        // A timer would keep the first token for up to a millisecond.
        if n > 0 && !script.every.is_zero() {
            sleep_until(begun + script.every * u32::try_from(n).unwrap_or(u32::MAX)).await;
        }
        chunk(&json!([{ "index": 0, "delta": { "content": tokens::write(n) }, "finish_reason": null }]), None)
    });
    let stop = chunk(&json!([{ "index": 0, "delta": {}, "finish_reason": "stop" }]), None);
    let usage = chunk(&json!([]), Some(script.tokens));
    tokens.chain(stream::iter([stop, usage, Bytes::from_static(b"data: [DONE]\n\n")]))
}

/// One event of the stream (OpenAI API reference, "chat.completion.chunk").
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
