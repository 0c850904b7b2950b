//! Streams a Response as numbered events. Each event's name is in `event` and in its `type`.

use axum::body::Bytes;
use futures::{Stream, StreamExt as _, stream};
use serde_json::{Value, json};

use super::{
    answer_stream::{AnswerEvent, AnswerStream},
    error::OpenAiError,
    response::{ResponseTemplate, Status, item, item_id, text},
};

struct Events {
    frame: ResponseTemplate,
    answering: AnswerStream,
    ready: Option<AnswerEvent>,
    number: u64,
    over: bool,
}

/// Returns the event stream. When the client disconnects, the stream and its `AnswerStream` are dropped, which
/// cancels the run.
pub fn events(
    frame: ResponseTemplate,
    answering: AnswerStream,
    first: Option<AnswerEvent>,
) -> impl Stream<Item = Bytes> + Send {
    let mut events = Events { frame, answering, ready: first, number: 0, over: false };
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
        let piece = match self.ready.take() {
            Some(piece) => Ok(piece),
            None => self.answering.next().await,
        };
        Some(match piece {
            Ok(AnswerEvent::Text(delta)) => {
                self.of_text("response.output_text.delta", json!({ "delta": delta, "logprobs": [] }))
            }
            Ok(AnswerEvent::Silence) => Bytes::from_static(b": \n\n"),
            Ok(AnswerEvent::End(Ok(()))) => self.ending(),
            Ok(AnswerEvent::End(Err(failure))) | Err(failure) => self.failed(&failure),
        })
    }

    fn opening(&mut self) -> Bytes {
        let begun = json!({ "response": self.frame.tell(self.answering.said(), Status::InProgress, None) });
        let added = json!({ "output_index": 0, "item": item(self.answering.said(), Status::InProgress) });
        [
            self.event("response.created", begun.clone()),
            self.event("response.in_progress", begun),
            self.event("response.output_item.added", added),
            self.of_text("response.content_part.added", json!({ "part": text("") })),
        ]
        .concat()
        .into()
    }

    fn ending(&mut self) -> Bytes {
        self.over = true;
        let whole = self.answering.text().to_owned();
        let item = json!({ "output_index": 0, "item": item(self.answering.said(), Status::Completed) });
        let done = json!({ "response": self.frame.tell(self.answering.said(), Status::Completed, None) });
        let part = text(&whole);
        [
            self.of_text("response.output_text.done", json!({ "text": whole, "logprobs": [] })),
            self.of_text("response.content_part.done", json!({ "part": part })),
            self.event("response.output_item.done", item),
            self.event("response.completed", done),
            Bytes::from_static(b"data: [DONE]\n\n"),
        ]
        .concat()
        .into()
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
        data["output_index"] = json!(0);
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
