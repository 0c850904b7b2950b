//! Streams a Response as numbered events. Each event's name is in `event` and in its `type`.

use axum::body::Bytes;
use futures::{Stream, StreamExt as _, stream};
use plexus_domain::part::ToolUse;
use serde_json::{Value, json};

use super::{
    answer_stream::{AnswerEvent, AnswerStream},
    error::OpenAiError,
    response::{ResponseTemplate, Status, call_item, call_item_id, item, item_id, text},
};

struct Events {
    frame: ResponseTemplate,
    answering: AnswerStream,
    number: u64,
    over: bool,
    /// Whether the item of the text is begun and not done.
    is_message_open: bool,
    /// Number of items that are done.
    done: usize,
    /// Number of tool calls so far.
    calls: usize,
}

/// Returns the event stream. When the client disconnects, the stream and its `AnswerStream` are dropped, which
/// cancels the run.
pub fn events(frame: ResponseTemplate, answering: AnswerStream) -> impl Stream<Item = Bytes> + Send {
    let mut events =
        Events { frame, answering, number: 0, over: false, is_message_open: false, done: 0, calls: 0 };
    let opening = events.opening();
    let rest = stream::unfold(events, |mut events| async move {
        let told = events.next().await?;
        Some((told, events))
    });
    stream::iter([opening]).chain(rest)
}

impl Events {
    async fn next(&mut self) -> Option<Bytes> {
        if self.over {
            return None;
        }
        Some(match self.answering.next().await {
            Ok(AnswerEvent::Text(delta)) => {
                let opening = self.open_message();
                let delta =
                    self.of_text("response.output_text.delta", json!({ "delta": delta, "logprobs": [] }));
                [opening, delta].concat().into()
            }
            Ok(AnswerEvent::Call(call)) => [self.close_message(), self.call(&call)].concat().into(),
            Ok(AnswerEvent::Silence) => Bytes::from_static(b": \n\n"),
            Ok(AnswerEvent::End(Ok(()))) => self.ending(),
            Ok(AnswerEvent::End(Err(failure))) | Err(failure) => self.failed(&failure),
        })
    }

    fn opening(&mut self) -> Bytes {
        let begun = json!({ "response": self.frame.tell(self.answering.said(), Status::InProgress, None) });
        [self.event("response.created", begun.clone()), self.event("response.in_progress", begun)]
            .concat()
            .into()
    }

    /// Begins the item of the text, unless it is begun.
    fn open_message(&mut self) -> Bytes {
        if std::mem::replace(&mut self.is_message_open, true) {
            return Bytes::new();
        }
        let item = item(self.answering.said(), Status::InProgress);
        let added = json!({ "output_index": self.done, "item": item });
        [
            self.event("response.output_item.added", added),
            self.of_text("response.content_part.added", json!({ "part": text("") })),
        ]
        .concat()
        .into()
    }

    /// Ends the item of the text, if it is begun.
    fn close_message(&mut self) -> Bytes {
        if !std::mem::take(&mut self.is_message_open) {
            return Bytes::new();
        }
        let whole = self.answering.text().to_owned();
        let status = if self.answering.task.is_truncated { Status::Incomplete } else { Status::Completed };
        let item = json!({ "output_index": self.done, "item": item(self.answering.said(), status) });
        let part = text(&whole);
        let closing = [
            self.of_text("response.output_text.done", json!({ "text": whole, "logprobs": [] })),
            self.of_text("response.content_part.done", json!({ "part": part })),
            self.event("response.output_item.done", item),
        ];
        self.done += 1;
        closing.concat().into()
    }

    /// Formats the events of one call. Its arguments are one piece, since the hub has them whole.
    fn call(&mut self, call: &ToolUse) -> Bytes {
        let (message, index) = (self.answering.id, self.calls);
        let (item_id, output_index) = (call_item_id(message, index), self.done);
        let added = call_item(message, index, call, "in_progress");
        let done = call_item(message, index, call, "completed");
        let arguments = call.arguments_text();
        (self.calls, self.done) = (index + 1, output_index + 1);
        let delta = json!({ "item_id": item_id, "output_index": output_index, "delta": arguments });
        let whole = json!({ "item_id": item_id, "output_index": output_index, "name": call.tool, "arguments": arguments });
        [
            self.event("response.output_item.added", json!({ "output_index": output_index, "item": added })),
            self.event("response.function_call_arguments.delta", delta),
            self.event("response.function_call_arguments.done", whole),
            self.event("response.output_item.done", json!({ "output_index": output_index, "item": done })),
        ]
        .concat()
        .into()
    }

    fn ending(&mut self) -> Bytes {
        self.over = true;
        let opening = if self.calls == 0 { self.open_message() } else { Bytes::new() };
        let closing = self.close_message();
        let status = if self.answering.task.is_truncated { Status::Incomplete } else { Status::Completed };
        let done = json!({ "response": self.frame.tell(self.answering.said(), status, None) });
        let kind = format!("response.{}", status.as_str());
        [opening, closing, self.event(&kind, done), Bytes::from_static(b"data: [DONE]\n\n")].concat().into()
    }

    fn failed(&mut self, failure: &OpenAiError) -> Bytes {
        self.over = true;
        let told =
            json!({ "response": self.frame.tell(self.answering.said(), Status::Failed, Some(failure)) });
        [self.event("response.failed", told), Bytes::from_static(b"data: [DONE]\n\n")].concat().into()
    }

    /// Formats an event about the only text part of the answer.
    fn of_text(&mut self, kind: &str, mut data: Value) -> Bytes {
        data["item_id"] = json!(item_id(self.answering.id));
        data["output_index"] = json!(self.done);
        data["content_index"] = json!(0);
        self.event(kind, data)
    }

    fn event(&mut self, kind: &str, mut data: Value) -> Bytes {
        data["type"] = json!(kind);
        data["sequence_number"] = json!(self.number);
        self.number += 1;
        format!("event: {kind}\ndata: {data}\n\n").into()
    }
}
