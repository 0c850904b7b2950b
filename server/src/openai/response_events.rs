//! Streams a Response as numbered events. Each event's name is in `event` and in its `type`.

use axum::body::Bytes;
use futures::{Stream, StreamExt as _, future::ready, stream};
use serde_json::{Value, json};

use super::{
    answer_stream::{AnswerEvent, AnswerStream},
    caller_call::CallerCall,
    error::OpenAiError,
    response::{
        ResponseProgress, ResponseTemplate, Status, call_item_id, item, item_id, reasoning_item,
        reasoning_item_id, text,
    },
};

/// How events are numbered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbering {
    /// One after the other.
    Consecutive,
    /// A delta counts its bytes, and any other event one. So a number stands for the same place in the answer in each
    /// stream, however the text is divided there, and a client can resume after it. `after`: the number of the last event
    /// that the client has.
    ByContent { after: Option<u64> },
}

struct Events {
    frame: ResponseTemplate,
    answering: AnswerStream,
    numbering: Numbering,
    number: u64,
    over: bool,
    /// Whether the item of the text is begun and not done.
    is_message_open: bool,
    /// Whether the item of the reasoning is begun and not done.
    is_reasoning_open: bool,
    /// Reasoning before the text, which is the first item. Reasoning after it is not told.
    reasoning: String,
    /// Number of items that are done.
    done: usize,
    /// Number of tool calls so far.
    calls: usize,
}

/// Returns the event stream. When the client disconnects, the stream and its `AnswerStream` are dropped, which
/// cancels the run unless it was detached.
pub fn events(
    frame: ResponseTemplate,
    answering: AnswerStream,
    numbering: Numbering,
) -> impl Stream<Item = Bytes> + Send {
    let mut events = Events {
        frame,
        answering,
        numbering,
        number: 0,
        over: false,
        is_message_open: false,
        is_reasoning_open: false,
        reasoning: String::new(),
        done: 0,
        calls: 0,
    };
    let opening = events.opening();
    let rest = stream::unfold(events, |mut events| async move {
        let told = events.next().await?;
        Some((told, events))
    });
    stream::iter([opening]).chain(rest).filter(|told| ready(!told.is_empty()))
}

impl Events {
    async fn next(&mut self) -> Option<Bytes> {
        if self.over {
            return None;
        }
        Some(match self.answering.next().await {
            Ok(AnswerEvent::Reasoning(delta)) => self.reason(&delta),
            Ok(AnswerEvent::Text(delta)) => {
                let opening = [self.close_reasoning(), self.open_message()].concat();
                let place = json!({ "item_id": item_id(self.answering.id), "output_index": self.done,
                                    "content_index": 0, "logprobs": [] });
                let delta = self.delta("response.output_text.delta", place, &delta);
                [opening.into(), delta].concat().into()
            }
            Ok(AnswerEvent::Call(call)) => {
                [self.close_reasoning(), self.close_message(), self.call(&call)].concat().into()
            }
            Ok(AnswerEvent::Silence) => Bytes::from_static(b": \n\n"),
            Ok(AnswerEvent::End(Ok(()))) => self.ending(),
            Ok(AnswerEvent::End(Err(failure))) | Err(failure) => self.failed(&failure),
        })
    }

    /// Returns the answer so far, with the reasoning that the stream has.
    fn said(&self) -> ResponseProgress<'_> {
        ResponseProgress { reasoning: &self.reasoning, ..self.answering.said() }
    }

    /// Formats a piece of reasoning, unless the text has begun.
    fn reason(&mut self, delta: &str) -> Bytes {
        let is_begun = !self.reasoning.is_empty();
        if self.is_message_open || self.done > 0 || (is_begun && !self.is_reasoning_open) {
            return Bytes::from_static(b": \n\n");
        }
        let message = self.answering.id;
        let mut opening = Bytes::new();
        if !std::mem::replace(&mut self.is_reasoning_open, true) {
            let added = json!({ "output_index": 0, "item": reasoning_item(message, 0, "") });
            opening = [
                self.event("response.output_item.added", added),
                self.of_reasoning("response.reasoning_summary_part.added", json!({ "part": summary("") })),
            ]
            .concat()
            .into();
        }
        self.reasoning.push_str(delta);
        let place =
            json!({ "item_id": reasoning_item_id(message, 0), "output_index": 0, "summary_index": 0 });
        [opening, self.delta("response.reasoning_summary_text.delta", place, delta)].concat().into()
    }

    /// Ends the item of the reasoning, if it is begun.
    fn close_reasoning(&mut self) -> Bytes {
        if !std::mem::take(&mut self.is_reasoning_open) {
            return Bytes::new();
        }
        let text = self.reasoning.clone();
        let item = json!({ "output_index": 0, "item": reasoning_item(self.answering.id, 0, &text) });
        self.done += 1;
        [
            self.of_reasoning("response.reasoning_summary_text.done", json!({ "text": text })),
            self.of_reasoning("response.reasoning_summary_part.done", json!({ "part": summary(&text) })),
            self.event("response.output_item.done", item),
        ]
        .concat()
        .into()
    }

    fn opening(&mut self) -> Bytes {
        let begun = json!({ "response": self.frame.tell(self.said(), Status::InProgress, None) });
        [self.event("response.created", begun.clone()), self.event("response.in_progress", begun)]
            .concat()
            .into()
    }

    /// Begins the item of the text, unless it is begun.
    fn open_message(&mut self) -> Bytes {
        if std::mem::replace(&mut self.is_message_open, true) {
            return Bytes::new();
        }
        let item = item(self.said(), Status::InProgress);
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
        let item = json!({ "output_index": self.done, "item": item(self.said(), status) });
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
    fn call(&mut self, call: &CallerCall) -> Bytes {
        let (message, index) = (self.answering.id, self.calls);
        let (item_id, output_index) = (call_item_id(message, index), self.done);
        let added = self.frame.call_item(message, index, call, "in_progress");
        let done = self.frame.call_item(message, index, call, "completed");
        let arguments = call.arguments_text();
        (self.calls, self.done) = (index + 1, output_index + 1);
        let delta = json!({ "item_id": item_id, "output_index": output_index, "delta": arguments });
        let whole = json!({ "item_id": item_id, "output_index": output_index, "name": done["name"], "arguments": arguments });
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
        let reasoning = self.close_reasoning();
        let opening = if self.calls == 0 { self.open_message() } else { Bytes::new() };
        let closing = self.close_message();
        let status = if self.answering.task.is_truncated { Status::Incomplete } else { Status::Completed };
        let done = json!({ "response": self.frame.tell(self.said(), status, None) });
        let kind = format!("response.{}", status.as_str());
        let last = self.event(&kind, done);
        [reasoning, opening, closing, last, Bytes::from_static(b"data: [DONE]\n\n")].concat().into()
    }

    fn failed(&mut self, failure: &OpenAiError) -> Bytes {
        self.over = true;
        let told = json!({ "response": self.frame.tell(self.said(), Status::Failed, Some(failure)) });
        [self.event("response.failed", told), Bytes::from_static(b"data: [DONE]\n\n")].concat().into()
    }

    /// Formats an event about the only text part of the answer.
    fn of_text(&mut self, kind: &str, mut data: Value) -> Bytes {
        data["item_id"] = json!(item_id(self.answering.id));
        data["output_index"] = json!(self.done);
        data["content_index"] = json!(0);
        self.event(kind, data)
    }

    /// Formats an event about the only summary of the reasoning.
    fn of_reasoning(&mut self, kind: &str, mut data: Value) -> Bytes {
        data["item_id"] = json!(reasoning_item_id(self.answering.id, 0));
        data["output_index"] = json!(0);
        data["summary_index"] = json!(0);
        self.event(kind, data)
    }

    /// Formats a piece of text, without what the client has already.
    fn delta(&mut self, kind: &str, mut data: Value, text: &str) -> Bytes {
        let Numbering::ByContent { after } = self.numbering else {
            data["delta"] = json!(text);
            return self.event(kind, data);
        };
        let first = self.number;
        self.number += text.len() as u64;
        let known = after.map_or(0, |after| (after + 1).saturating_sub(first));
        let known = usize::try_from(known).unwrap_or(usize::MAX).min(text.len());
        let fresh = &text[text.floor_char_boundary(known)..];
        if fresh.is_empty() {
            return Bytes::new();
        }
        data["delta"] = json!(fresh);
        numbered(kind, data, self.number - 1)
    }

    fn event(&mut self, kind: &str, data: Value) -> Bytes {
        let number = self.number;
        self.number += 1;
        match self.numbering {
            Numbering::ByContent { after: Some(after) } if number <= after => Bytes::new(),
            _ => numbered(kind, data, number),
        }
    }
}

fn numbered(kind: &str, mut data: Value, number: u64) -> Bytes {
    data["type"] = json!(kind);
    data["sequence_number"] = json!(number);
    format!("event: {kind}\ndata: {data}\n\n").into()
}

fn summary(text: &str) -> Value {
    json!({ "type": "summary_text", "text": text })
}
