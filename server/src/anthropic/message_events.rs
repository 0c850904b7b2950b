//! Streams a message as events. Each event's name is in `event` and in its `type`.

use axum::body::Bytes;
use futures::{Stream, StreamExt as _, stream};
use plexus_domain::part::ToolUse;
use serde_json::{Value, json};

use super::{
    error::AnthropicError,
    message::{call_block, call_input, opening, stop_reason, text_block, usage},
};
use crate::openai::answer_stream::{AnswerEvent, AnswerStream};

struct MessageEvents {
    answering: AnswerStream,
    over: bool,
    /// Whether the last block is text that may grow.
    is_text_open: bool,
    /// Number of blocks that are done.
    done: usize,
}

/// Returns the event stream. When the client disconnects, the stream and its `AnswerStream` are dropped, which
/// cancels the run.
pub fn events(answering: AnswerStream) -> impl Stream<Item = Bytes> + Send {
    let begun = event("message_start", json!({ "message": opening(&answering) }));
    let opening = Bytes::from([begun, ping()].concat());
    let events = MessageEvents { answering, over: false, is_text_open: false, done: 0 };
    let rest = stream::unfold(events, |mut events| async move {
        let told = events.next().await?;
        Some((told, events))
    });
    stream::iter([opening]).chain(rest)
}

impl MessageEvents {
    async fn next(&mut self) -> Option<Bytes> {
        if self.over {
            return None;
        }
        Some(
            match self.answering.next().await {
                Ok(AnswerEvent::Text(text)) => {
                    [self.open_text(), self.delta("text_delta", "text", &text)].concat()
                }
                Ok(AnswerEvent::Call(call)) => [self.close_text(), self.call(&call)].concat(),
                Ok(AnswerEvent::Silence) => ping(),
                Ok(AnswerEvent::End(Ok(()))) => self.ending(),
                Ok(AnswerEvent::End(Err(failure))) | Err(failure) => {
                    self.over = true;
                    event("error", AnthropicError::from(failure).body())
                }
            }
            .into(),
        )
    }

    fn open_text(&mut self) -> String {
        if std::mem::replace(&mut self.is_text_open, true) {
            return String::new();
        }
        self.start(text_block(""))
    }

    fn close_text(&mut self) -> String {
        if std::mem::take(&mut self.is_text_open) { self.stop() } else { String::new() }
    }

    /// Formats a call. Its arguments are one piece, since the hub has them whole.
    fn call(&mut self, call: &ToolUse) -> String {
        let input = call_input(call).to_string();
        [self.start(call_block(call)), self.delta("input_json_delta", "partial_json", &input), self.stop()]
            .concat()
    }

    fn ending(&mut self) -> String {
        self.over = true;
        let delta = json!({ "stop_reason": stop_reason(&self.answering), "stop_sequence": null });
        let ended = json!({ "delta": delta, "usage": usage(self.answering.task.usage) });
        [self.close_text(), event("message_delta", ended), event("message_stop", json!({}))].concat()
    }

    #[expect(clippy::needless_pass_by_value, reason = "it is always made for this call")]
    fn start(&self, block: Value) -> String {
        event("content_block_start", json!({ "index": self.done, "content_block": block }))
    }

    fn delta(&self, kind: &str, member: &str, piece: &str) -> String {
        event("content_block_delta", json!({ "index": self.done, "delta": { "type": kind, member: piece } }))
    }

    fn stop(&mut self) -> String {
        self.done += 1;
        event("content_block_stop", json!({ "index": self.done - 1 }))
    }
}

fn ping() -> String {
    event("ping", json!({}))
}

/// Compact JSON has no line breaks, so `data` is one line.
fn event(kind: &str, mut data: Value) -> String {
    data["type"] = json!(kind);
    format!("event: {kind}\ndata: {data}\n\n")
}
