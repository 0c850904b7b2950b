//! Streams a message as events. Each event's name is in `event` and in its `type`.

use axum::body::Bytes;
use futures::{Stream, StreamExt as _, stream};
use plexus_domain::part::ToolUse;
use serde_json::{Value, json};

use super::{
    error::AnthropicError,
    message::{call_block, call_input, opening, stop_reason, text_block, thinking_block, usage},
};
use crate::openai::answer_stream::{AnswerEvent, AnswerStream};

/// A block whose text may grow.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OpenBlock {
    Text,
    Thinking,
}

struct MessageEvents {
    answering: AnswerStream,
    shows_thinking: bool,
    over: bool,
    /// The last block, if its text may grow.
    open: Option<OpenBlock>,
    /// Number of blocks that are done.
    done: usize,
}

/// Returns the event stream, with thinking blocks if `shows_thinking`. When the client disconnects, the stream and its
/// `AnswerStream` are dropped, which cancels the run.
pub fn events(answering: AnswerStream, shows_thinking: bool) -> impl Stream<Item = Bytes> + Send {
    let begun = event("message_start", json!({ "message": opening(&answering) }));
    let opening = Bytes::from([begun, ping()].concat());
    let events = MessageEvents { answering, shows_thinking, over: false, open: None, done: 0 };
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
                Ok(AnswerEvent::Reasoning(text)) if self.shows_thinking => {
                    let opening = self.open_block(OpenBlock::Thinking);
                    [opening, self.delta("thinking_delta", "thinking", &text)].concat()
                }
                Ok(AnswerEvent::Reasoning(_) | AnswerEvent::Silence) => ping(),
                Ok(AnswerEvent::Text(text)) => {
                    let opening = self.open_block(OpenBlock::Text);
                    [opening, self.delta("text_delta", "text", &text)].concat()
                }
                Ok(AnswerEvent::Call(call)) => [self.close_block(), self.call(&call)].concat(),
                Ok(AnswerEvent::End(Ok(()))) => self.ending(),
                Ok(AnswerEvent::End(Err(failure))) | Err(failure) => {
                    self.over = true;
                    event("error", AnthropicError::from(failure).body())
                }
            }
            .into(),
        )
    }

    /// Begins a block, unless the last one is of this kind and still open.
    fn open_block(&mut self, kind: OpenBlock) -> String {
        if self.open == Some(kind) {
            return String::new();
        }
        let closing = self.close_block();
        self.open = Some(kind);
        let block = match kind {
            OpenBlock::Text => text_block(""),
            OpenBlock::Thinking => thinking_block(""),
        };
        [closing, self.start(block)].concat()
    }

    fn close_block(&mut self) -> String {
        match self.open.take() {
            None => String::new(),
            Some(OpenBlock::Text) => self.stop(),
            // Clients expect a signature at the end of the thinking.
            Some(OpenBlock::Thinking) => {
                [self.delta("signature_delta", "signature", ""), self.stop()].concat()
            }
        }
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
        [self.close_block(), event("message_delta", ended), event("message_stop", json!({}))].concat()
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
