//! OpenAI chat completions: `POST /v1/chat/completions`.

use std::convert::Infallible;

use axum::{
    Json,
    body::{Body, Bytes},
    extract::{State, rejection::BytesRejection},
    http::HeaderMap,
    response::{IntoResponse as _, Response},
};
use futures::{Stream, StreamExt as _, stream};
use plexus_domain::run::Usage;
use serde_json::{Value, json};

use super::{
    answer_stream::{AnswerEvent, AnswerStream},
    error::OpenAiError,
    flag, model, read,
    request_messages::Input,
};
use crate::{
    app_state::AppState,
    web::{
        bearer::{Bearer, InvalidToken},
        event_stream::event_stream,
    },
};

pub async fn answer(
    State(site): State<AppState>,
    caller: Result<Bearer, InvalidToken>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, OpenAiError> {
    let Bearer(caller) = caller?;
    let asked = read(&site, &headers, body)?;
    let messages = asked.get("messages").and_then(Value::as_array);
    let messages =
        messages.ok_or_else(|| OpenAiError::invalid(Some("messages"), "Send a list of messages."))?;
    let mut input = Input::default();
    input.messages(messages, "messages")?;
    let streams = flag(&asked, "stream")?;
    let with_usage =
        asked.get("stream_options").is_some_and(|options| options["include_usage"] == json!(true));
    let mut answering = AnswerStream::begin(site, &caller, model(&asked)?, input.call("messages")?).await?;
    if !streams {
        answering.whole().await?;
        return Ok(Json(completion(&answering)).into_response());
    }
    let first = answering.first().await?;
    Ok(event_stream(Body::from_stream(chunks(answering, first, with_usage).map(Ok::<_, Infallible>))))
}

fn completion(answering: &AnswerStream) -> Value {
    let message =
        json!({ "role": "assistant", "content": answering.text(), "refusal": null, "annotations": [] });
    json!({
        "id": id(answering), "object": "chat.completion", "created": answering.created, "model": answering.model,
        "choices": [{ "index": 0, "message": message, "logprobs": null, "finish_reason": "stop" }],
        "usage": usage(answering.task.usage), "service_tier": "default", "system_fingerprint": null,
    })
}

fn id(answering: &AnswerStream) -> String {
    format!("chatcmpl-{}", answering.id.uuid().simple())
}

/// Formats token usage; all zero if the agent reports none.
fn usage(usage: Usage) -> Value {
    json!({
        "prompt_tokens": usage.tokens_in, "completion_tokens": usage.tokens_out, "total_tokens": usage.tokens(),
        "prompt_tokens_details": { "cached_tokens": 0, "audio_tokens": 0 },
        "completion_tokens_details": { "reasoning_tokens": 0, "audio_tokens": 0,
                                       "accepted_prediction_tokens": 0, "rejected_prediction_tokens": 0 },
    })
}

/// State of a chunk stream. When the client disconnects, the stream and its `AnswerStream` are dropped, which
/// cancels the run.
struct Chunks {
    answering: AnswerStream,
    with_usage: bool,
    ready: Option<AnswerEvent>,
    over: bool,
}

fn chunks(
    answering: AnswerStream,
    first: Option<AnswerEvent>,
    with_usage: bool,
) -> impl Stream<Item = Bytes> + Send {
    let chunks = Chunks { answering, with_usage, ready: first, over: false };
    let opening = chunks.delta(json!({ "role": "assistant", "content": "", "refusal": null }), None);
    let rest = stream::unfold(chunks, |mut chunks| async move {
        let told = chunks.next().await?;
        Some((told, chunks))
    });
    stream::iter([opening]).chain(rest)
}

impl Chunks {
    async fn next(&mut self) -> Option<Bytes> {
        if self.over {
            return None;
        }
        let piece = match self.ready.take() {
            Some(piece) => Ok(piece),
            None => self.answering.next().await,
        };
        Some(match piece {
            Ok(AnswerEvent::Text(text)) => self.delta(json!({ "content": text }), None),
            Ok(AnswerEvent::Silence) => Bytes::from_static(b": \n\n"),
            Ok(AnswerEvent::End(Ok(()))) => {
                self.over = true;
                self.ending()
            }
            Ok(AnswerEvent::End(Err(failure))) | Err(failure) => {
                self.over = true;
                event(&failure.body())
            }
        })
    }

    fn ending(&self) -> Bytes {
        let mut told = self.delta(json!({}), Some("stop")).to_vec();
        if self.with_usage {
            let mut last = self.chunk(json!([]));
            last["usage"] = usage(self.answering.task.usage);
            told.extend(event(&last));
        }
        told.extend_from_slice(b"data: [DONE]\n\n");
        told.into()
    }

    #[expect(clippy::needless_pass_by_value, reason = "it is always made for this call")]
    fn delta(&self, delta: Value, finish: Option<&str>) -> Bytes {
        event(&self.chunk(json!([{ "index": 0, "delta": delta, "logprobs": null, "finish_reason": finish }])))
    }

    #[expect(clippy::needless_pass_by_value, reason = "it is always made for this call")]
    fn chunk(&self, choices: Value) -> Value {
        let mut chunk = json!({
            "id": id(&self.answering), "object": "chat.completion.chunk", "created": self.answering.created,
            "model": self.answering.model, "choices": choices, "service_tier": "default",
            "system_fingerprint": null,
        });
        if self.with_usage {
            chunk["usage"] = Value::Null;
        }
        chunk
    }
}

/// Compact JSON has no line breaks, so `data` is one line.
fn event(data: &Value) -> Bytes {
    format!("data: {data}\n\n").into()
}
