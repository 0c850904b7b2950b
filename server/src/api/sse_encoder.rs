//! Encodes frames as server-sent events. Each frame is encoded once for each language and shared by its subscribers.

use std::sync::Arc;

use bytes::Bytes;
use plexus_app::{
    locales, render,
    view_models::{Assets, Locale},
};
use plexus_domain::{ChatId, MessageId, chat_event::Event};
use plexus_hub::{
    Error,
    streaming::{FrameKind, MAX_FORMS, StreamFrame},
    views::{MessageView, Snapshot},
};
use serde::Serialize;
use serde_json::{Value, json};

use crate::{
    app_state::AppState,
    pages::chat::message_view::{article, closed, so_far, unfinished},
    rendering::{Renderer, TextRenderer},
};

/// Encoder for the frames of one chat.
#[derive(Clone)]
pub struct Encoder {
    chat: ChatId,
    locale: Locale,
    assets: Arc<Assets>,
    renderer: Renderer,
}

// A frame has a form for each language.
const _: () = assert!(Locale::ALL.len() <= MAX_FORMS);

/// Encodes a frame about the account; it is the same for all subscribers.
pub fn of_account(kind: &FrameKind) -> Bytes {
    match kind {
        FrameKind::ChatListChanged => sse("chat_list_changed", &json!({})),
        _ => Bytes::new(),
    }
}

impl Encoder {
    /// Creates an encoder for subscribers that read HTML in this language.
    pub fn new(site: &AppState, chat: ChatId, locale: Locale) -> Self {
        Self { chat, locale, assets: site.assets.places(), renderer: site.renderer.clone() }
    }

    /// Returns the encoded frame. Markdown in it is rendered on blocking threads.
    pub async fn encode(&self, frame: &Arc<StreamFrame>) -> Result<Bytes, Error> {
        let form = self.form(&frame.kind);
        if let Some(encoded) = frame.encoded(form) {
            return Ok(encoded);
        }
        let (encoder, frame) = (self.clone(), Arc::clone(frame));
        match &frame.kind {
            FrameKind::Event { view: Some(_), .. } | FrameKind::Snapshot(_) | FrameKind::Block { .. } => {
                let renderer = &self.renderer;
                renderer
                    .run(self.caller(), move |renderer| {
                        frame.wire(form, |kind| encoder.rendered(kind, renderer))
                    })
                    .await
            }
            kind => Ok(frame.wire(form, |_| encoder.plain(kind))),
        }
    }

    /// Returns the key under which rendering is counted: subscribers share what is rendered for their chat.
    fn caller(&self) -> String {
        format!("chat {}", self.chat)
    }

    /// Returns the number of the form of a frame: the language, if its encoding has texts of the hub.
    fn form(&self, kind: &FrameKind) -> usize {
        let has_texts = match kind {
            FrameKind::Event { view, event, .. } => {
                view.is_some() || matches!(event, Event::RunUpdated { failure: Some(_), .. })
            }
            FrameKind::Snapshot(snapshot) => snapshot.whole.is_some(),
            FrameKind::Status { .. } => true,
            FrameKind::Text { .. }
            | FrameKind::Block { .. }
            | FrameKind::Presence(_)
            | FrameKind::Typing(_)
            | FrameKind::ChatListChanged
            | FrameKind::ChatUnavailable { .. } => false,
        };
        (if has_texts { self.locale } else { Locale::En }) as usize
    }

    /// Returns a text of the hub in the language of the subscribers. What is not translated stays as it is.
    fn translated(&self, english: &str) -> String {
        locales::translated_in(self.locale, english.to_owned())
    }

    fn rendered(&self, kind: &FrameKind, renderer: &mut TextRenderer) -> Bytes {
        let (name, data) = match kind {
            FrameKind::Event { seq, event, view, .. } => {
                (event.kind(), self.event(*seq, event, view.as_deref(), renderer))
            }
            FrameKind::Snapshot(snapshot) => ("part_snapshot", self.snapshot(snapshot, renderer)),
            FrameKind::Block { message, part, start, end, text } => {
                let html = renderer.html(&message.to_string(), text).into_string();
                ("block_html", json!({ "m": message, "p": part, "s": start, "e": end, "h": html }))
            }
            kind => return self.plain(kind),
        };
        self.write(name, data)
    }

    /// Encodes a frame without Markdown.
    fn plain(&self, kind: &FrameKind) -> Bytes {
        let (name, data) = match kind {
            FrameKind::Event { seq, event, .. } => {
                let mut data = json!(event);
                if let Event::RunUpdated { failure: Some(failure), .. } = event {
                    data["failure"]["message"] = json!(self.translated(&failure.message));
                }
                data["seq"] = json!(seq);
                (event.kind(), data)
            }
            FrameKind::Text { message, part, start, body } => {
                return sse(
                    "text_delta",
                    &TextDelta { chat: self.chat, m: *message, p: *part, s: *start, t: body },
                );
            }
            FrameKind::Status { message, line } => {
                ("agent_status", json!({ "m": message, "t": self.translated(line) }))
            }
            FrameKind::Presence(people) => ("presence", json!({ "people": people })),
            FrameKind::Typing(name) => ("typing", json!({ "name": name })),
            FrameKind::ChatListChanged => ("chat_list_changed", json!({})),
            FrameKind::ChatUnavailable { is_removed } => {
                let reason = if *is_removed { "removed" } else { "gone" };
                ("chat_unavailable", json!({ "reason": reason }))
            }
            FrameKind::Snapshot(_) | FrameKind::Block { .. } => return Bytes::new(),
        };
        self.write(name, data)
    }

    fn write(&self, name: &str, mut data: Value) -> Bytes {
        data["chat"] = json!(self.chat);
        sse(name, &data)
    }

    fn event(
        &self,
        seq: i64,
        event: &Event,
        view: Option<&MessageView>,
        renderer: &mut TextRenderer,
    ) -> Value {
        let mut data = match (event, view) {
            (Event::MessageCreated { .. }, Some(view)) => {
                let message = &view.message;
                json!({ "id": message.id, "parent": message.parent, "branch": message.lane, "state": message.state,
                        "author": message.author, "html": self.html(view, renderer) })
            }
            (Event::MessageCompleted { message, state }, Some(view)) => {
                json!({ "id": message, "state": state, "html": self.html(view, renderer) })
            }
            (event, _) => json!(event),
        };
        data["seq"] = json!(seq);
        data
    }

    fn html(&self, view: &MessageView, renderer: &mut TextRenderer) -> String {
        render::article(&self.assets, self.locale, article(self.chat, view.clone(), renderer))
    }

    /// Encodes a snapshot. A complete part is its HTML with its frame; for text, further text follows after
    /// its closed Markdown blocks.
    fn snapshot(&self, snapshot: &Snapshot, renderer: &mut TextRenderer) -> Value {
        let (m, p) = (snapshot.message, snapshot.part);
        if snapshot.whole.is_none() {
            let html = closed(m, snapshot, renderer).into_string();
            return json!({ "m": m, "p": p, "h": html, "s": snapshot.start(), "t": snapshot.tail });
        }
        let html = render::part(
            &self.assets,
            self.locale,
            unfinished(self.chat, m),
            p,
            so_far(m, snapshot.clone(), renderer),
        );
        json!({ "m": m, "p": p, "h": html, "s": 0, "t": "", "w": true })
    }
}

/// Additional text of part `p` of message `m`, starting at byte `s`. Serialized without an intermediate
/// value: this is the hot path of every token.
#[derive(Serialize)]
struct TextDelta<'a> {
    chat: ChatId,
    m: MessageId,
    p: usize,
    s: usize,
    t: &'a str,
}

/// Encodes one server-sent event (WHATWG HTML, 9.2.5). Compact JSON has no line breaks, so `data` is one
/// line.
pub fn sse(name: &str, data: &impl Serialize) -> Bytes {
    let mut bytes = format!("event: {name}\ndata: ").into_bytes();
    // Cannot fail: all maps have string keys, and writing to memory always succeeds.
    if let Err(error) = serde_json::to_writer(&mut bytes, data) {
        tracing::error!(%error, name, "event encoding failed");
    }
    bytes.extend_from_slice(b"\n\n");
    Bytes::from(bytes)
}
