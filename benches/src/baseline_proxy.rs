//! Baseline proxy: the minimum work between a chat and a model. It parses each event of the model's stream,
//! collects the text in memory and serializes the event again. There is no authentication, accounting or
//! storage.

use std::{convert::Infallible, net::SocketAddr};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::State,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
    routing::post,
};
use futures::StreamExt as _;
use reqwest::Client;
use serde_json::Value;

use crate::{
    client::Target,
    concurrent_load::{self, Load, Round},
    model_relay,
    model_server::{MODEL, Upstream},
    subprocess::{self, Part},
};

const PATH: &str = "/v1/chat/completions";

/// The proxy as a child process.
pub struct Floor(Part);

impl Floor {
    pub fn start(upstream: &Upstream) -> anyhow::Result<Self> {
        Part::start(&["floor", &upstream.address().to_string()]).map(Self)
    }

    pub async fn ask(&self, load: Load) -> anyhow::Result<Round> {
        let to = Target { address: self.0.address, credential: None };
        concurrent_load::ask(model_relay::completions(&to, MODEL, load.streams).await?, load, self.0.id())
            .await
    }
}

/// Serves until the process is killed.
pub async fn serve(upstream: SocketAddr) -> anyhow::Result<()> {
    #[expect(clippy::disallowed_methods, reason = "it calls the model server of the bench and nobody else")]
    let client = Client::builder().no_proxy().build()?;
    let to = To { client, url: format!("http://{upstream}{PATH}") };
    subprocess::serve(Router::new().route(PATH, post(complete)).with_state(to)).await
}

#[derive(Clone)]
struct To {
    client: Client,
    url: String,
}

async fn complete(State(to): State<To>, body: Bytes) -> Response {
    let request = to.client.post(&to.url).header(header::CONTENT_TYPE, "application/json").body(body);
    let Ok(answer) = request.send().await else { return StatusCode::BAD_GATEWAY.into_response() };
    let mut events = Events::default();
    let written =
        answer.bytes_stream().map(move |piece| Ok::<_, Infallible>(events.write(&piece.unwrap_or_default())));
    ([(header::CONTENT_TYPE, "text/event-stream")], Body::from_stream(written)).into_response()
}

/// State of one answer.
#[derive(Default)]
struct Events {
    /// Beginning of an incomplete event.
    rest: Vec<u8>,
    text: String,
}

impl Events {
    /// Returns the events that `piece` completes, serialized again.
    fn write(&mut self, piece: &[u8]) -> Bytes {
        self.rest.extend_from_slice(piece);
        let mut out = Vec::with_capacity(piece.len());
        while let Some(end) = self.rest.windows(2).position(|two| two == b"\n\n") {
            let event: Vec<u8> = self.rest.drain(..end + 2).collect();
            self.write_event(&event[..end], &mut out);
        }
        out.into()
    }

    fn write_event(&mut self, event: &[u8], out: &mut Vec<u8>) {
        out.extend_from_slice(b"data: ");
        let data = event.strip_prefix(b"data: ").unwrap_or(event);
        match serde_json::from_slice::<Value>(data) {
            Ok(value) => {
                self.text.push_str(value["choices"][0]["delta"]["content"].as_str().unwrap_or_default());
                out.extend_from_slice(value.to_string().as_bytes());
            }
            Err(_) => out.extend_from_slice(data),
        }
        out.extend_from_slice(b"\n\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_written_once_each_and_their_words_are_kept() {
        let mut events = Events::default();
        let half = br#"data: {"choices":[{"delta":{"content":"ab"#;
        assert!(events.write(half).is_empty());
        let out = events.write(b"c\"}}]}\n\ndata: [DONE]\n\n");
        assert_eq!(out, &b"data: {\"choices\":[{\"delta\":{\"content\":\"abc\"}}]}\n\ndata: [DONE]\n\n"[..]);
        assert_eq!(events.text, "abc");
    }
}
