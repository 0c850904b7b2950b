//! Scripted model server for members of teams, in this process. The goal determines how long an answer takes.
//! The server records the time from the end of one answer to the next call for the same goal.

use std::{
    collections::HashMap,
    convert::Infallible,
    net::SocketAddr,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use axum::{
    Json, Router,
    body::Body,
    extract::State,
    http::header,
    response::{IntoResponse as _, Response},
    routing::{get, post},
    serve::ListenerExt as _,
};
use futures::{StreamExt as _, stream};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::model_server::MODEL;

/// Prefix of every goal.
const MARK: &str = "Goal-";

pub struct Scripted {
    pub address: SocketAddr,
    notes: Arc<Mutex<Notes>>,
}

#[derive(Default)]
struct Notes {
    /// End of the latest answer, by goal.
    ended: HashMap<String, Instant>,
    between: Vec<Duration>,
}

/// Returns a unique goal whose members take `takes` for each answer.
pub fn goal(number: usize, takes: Duration) -> String {
    format!("{MARK}{number}-{} Count the boats.", takes.as_millis())
}

impl Scripted {
    pub async fn start() -> anyhow::Result<Self> {
        let notes = Arc::<Mutex<Notes>>::default();
        let models = json!({ "object": "list", "data": [{ "id": MODEL, "object": "model" }] });
        let router = Router::new()
            .route("/v1/models", get(|| async move { Json(models) }))
            .route("/v1/chat/completions", post(complete))
            .with_state(Arc::clone(&notes));
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let listener = listener.tap_io(|stream| {
            let _ = stream.set_nodelay(true);
        });
        tokio::spawn(async move { axum::serve(listener, router).await });
        Ok(Self { address, notes })
    }

    pub fn base(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// Returns the times from an answer to the next call for the same goal, in milliseconds, since the last
    /// call.
    pub fn between(&self) -> Vec<f64> {
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        notes.ended.clear();
        std::mem::take(&mut notes.between).into_iter().map(|time| time.as_secs_f64() * 1e3).collect()
    }
}

/// Parses the goal marker and the duration of the answer from a request.
fn asked(request: &Value) -> Option<(String, Duration)> {
    let text = request["messages"].as_array()?.last()?["content"].as_str()?;
    let mark = text[text.find(MARK)?..].split_whitespace().next()?;
    let takes = mark.rsplit('-').next()?.parse().ok()?;
    Some((mark.to_owned(), Duration::from_millis(takes)))
}

async fn complete(State(notes): State<Arc<Mutex<Notes>>>, Json(request): Json<Value>) -> Response {
    let Some((mark, takes)) = asked(&request) else {
        return (axum::http::StatusCode::BAD_REQUEST, "name a goal").into_response();
    };
    {
        let mut notes = notes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(ended) = notes.ended.remove(&mark) {
            notes.between.push(ended.elapsed());
        }
    }
    let words = format!("Answer {} of the boats.", mark.len());
    let words = json!({ "choices": [{ "delta": { "content": words }, "finish_reason": null }] });
    let end = json!({ "choices": [{ "delta": {}, "finish_reason": "stop" }] });
    let first = stream::once(async move {
        tokio::time::sleep(takes).await;
        Ok::<_, Infallible>(format!("data: {words}\n\n"))
    });
    let last = stream::once(async move {
        let mut notes = notes.lock().unwrap_or_else(PoisonError::into_inner);
        notes.ended.insert(mark, Instant::now());
        Ok(format!("data: {end}\n\ndata: [DONE]\n\n"))
    });
    ([(header::CONTENT_TYPE, "text/event-stream")], Body::from_stream(first.chain(last))).into_response()
}
