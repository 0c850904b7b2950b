//! Where events come from: a stream of the tab's own, or the one that the tabs of a browser share.

use std::cell::Cell;

use js_sys::{Array, JSON};
use serde_json::json;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{EventSource, MessageEvent, MessagePort, SharedWorker};

use super::{dom, wire::KINDS};

/// What a source tells its tab.
pub enum News {
    /// It works.
    Opened,
    /// It has ended, and is to be opened again.
    Failed,
    Event {
        kind: String,
        data: String,
        seq: Option<i64>,
    },
    /// It is there, no more.
    Alive,
    /// It can do nothing for this tab.
    Useless,
}

/// A stream of this tab alone.
pub fn open_own(chat: &str, after: i64, tell: impl Fn(News) + Clone + 'static) -> Option<EventSource> {
    let source = EventSource::new(&format!("/api/v1/events?chat={chat}&after={after}")).ok()?;
    for kind in KINDS {
        let tell = tell.clone();
        dom::listen(&source, kind, move |event: web_sys::Event| {
            // The browser's own `open` has the name of one of ours and carries nothing.
            let data = event.dyn_ref::<MessageEvent>().and_then(|message| message.data().as_string());
            if let (Some(data), Some(message)) = (data, event.dyn_ref::<MessageEvent>()) {
                let seq = message.last_event_id().parse().ok();
                tell(News::Event { kind: kind.to_owned(), data, seq });
            }
        });
    }
    let opened = tell.clone();
    dom::listen(&source, "open", move |event: web_sys::Event| {
        if !event.has_type::<MessageEvent>() {
            opened(News::Opened);
        }
    });
    dom::listen(&source, "error", move |_: web_sys::Event| tell(News::Failed));
    Some(source)
}

/// The stream that a worker holds for all tabs (`public/events.js`).
pub struct Shared {
    port: MessagePort,
    /// Words to the worker since it was heard last.
    unanswered: Cell<u32>,
}

/// What a tab wants of the shared stream.
#[derive(Clone, Copy)]
pub enum Wish {
    /// Nothing; it says that it is there.
    Here,
    /// That it is open.
    Open,
    /// That it begins at the place where this tab is, even if it is open.
    Anew,
}

impl Shared {
    /// A worker that is silent for as many words is not there.
    const PATIENCE: u32 = 3;

    /// None where the browser has no such workers.
    pub fn join(script: &str, tell: impl Fn(News) + Clone + 'static) -> Option<Self> {
        let worker = SharedWorker::new(script).ok()?;
        let port = worker.port();
        let useless = tell.clone();
        dom::listen(&worker, "error", move |_: web_sys::Event| useless(News::Useless));
        dom::listen(&port, "message", move |message: MessageEvent| {
            tell(News::of_worker(&message.data().unchecked_into()));
        });
        port.start();
        Some(Self { port, unanswered: Cell::new(0) })
    }

    /// False when nobody seems to listen.
    pub fn say(&self, chat: &str, after: i64, wish: Wish) -> bool {
        let wish = match wish {
            Wish::Here => "here",
            Wish::Open => "open",
            Wish::Anew => "anew",
        };
        let words = json!({ "chat": chat, "after": after, "wish": wish }).to_string();
        let said = JSON::parse(&words).and_then(|words| self.port.post_message(&words));
        self.unanswered.set(self.unanswered.get() + 1);
        said.is_ok() && self.unanswered.get() <= Self::PATIENCE
    }

    pub fn answered(&self) {
        self.unanswered.set(0);
    }

    pub fn leave(&self) {
        let _ = self.port.post_message(&JsValue::NULL);
    }
}

impl News {
    fn of_worker(words: &Array) -> Self {
        let kind = words.get(0).as_string().unwrap_or_default();
        match (kind.as_str(), words.get(1).as_string()) {
            ("opened", _) => Self::Opened,
            ("failed", _) => Self::Failed,
            ("full", _) => Self::Useless,
            // Sequence numbers are far below 2^53.
            (_, Some(data)) => Self::Event { kind, data, seq: words.get(2).as_f64().map(|seq| seq as i64) },
            _ => Self::Alive,
        }
    }
}
