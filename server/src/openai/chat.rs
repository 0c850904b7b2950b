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
    answer_stream::{AnswerEvent, AnswerStream, authorize},
    call_options,
    caller_call::CallerCall,
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
    let model = model(&asked)?;
    let authorized = authorize(&site, &caller, model).await?;
    let options = call_options::of_completion(&asked, authorized.is_model())?;
    let mut input = Input::new(authorized.is_model());
    input.messages(messages, "messages")?;
    let call = input.call(options, "messages")?;
    let streams = flag(&asked, "stream")?;
    let with_usage =
        asked.get("stream_options").is_some_and(|options| options["include_usage"] == json!(true));
    let mut answering = AnswerStream::begin(site, &authorized, model, call).await?;
    if !streams {
        answering.whole().await?;
        return Ok(Json(completion(&answering)).into_response());
    }
    answering.wait_first().await?;
    Ok(event_stream(Body::from_stream(chunks(answering, with_usage).map(Ok::<_, Infallible>))))
}

fn completion(answering: &AnswerStream) -> Value {
    let calls: Vec<_> = answering.calls().iter().map(tool_call).collect();
    // Clients take a message with a content for an answer, even beside calls.
    let content = Some(answering.text()).filter(|text| calls.is_empty() || !text.is_empty());
    let mut message = json!({ "role": "assistant", "content": content, "refusal": null, "annotations": [] });
    if !calls.is_empty() {
        message["tool_calls"] = json!(calls);
    }
    if !answering.reasoning().is_empty() {
        message["reasoning_content"] = json!(answering.reasoning());
    }
    json!({
        "id": id(answering), "object": "chat.completion", "created": answering.created, "model": answering.model,
        "choices": [{ "index": 0, "message": message, "logprobs": null,
                       "finish_reason": answering.finish_reason() }],
        "usage": usage(answering.task.usage), "service_tier": "default", "system_fingerprint": null,
    })
}

fn tool_call(call: &CallerCall) -> Value {
    let mut told = json!({ "id": call.call_id, "type": "function",
                           "function": { "name": call.tool, "arguments": call.arguments_text() } });
    call.add_to_call(&mut told);
    told
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
    over: bool,
    /// Number of tool calls so far.
    calls: usize,
}

fn chunks(answering: AnswerStream, with_usage: bool) -> impl Stream<Item = Bytes> + Send {
    let chunks = Chunks { answering, with_usage, over: false, calls: 0 };
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
        Some(match self.answering.next().await {
            Ok(AnswerEvent::Reasoning(text)) => self.delta(json!({ "reasoning_content": text }), None),
            Ok(AnswerEvent::Text(text)) => self.delta(json!({ "content": text }), None),
            Ok(AnswerEvent::Call(call)) => {
                let mut told = tool_call(&call);
                told["index"] = json!(self.calls);
                self.calls += 1;
                self.delta(json!({ "tool_calls": [told] }), None)
            }
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
        let mut told = self.delta(json!({}), Some(self.answering.finish_reason())).to_vec();
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
