//! Event source of a tab: its own `EventSource`, or one that all tabs of a browser share.

use std::{cell::Cell, rc::Rc, time::Duration};

use js_sys::{Array, Date, JSON};
use leptos::prelude::{IntervalHandle, set_interval_with_handle};
use serde_json::json;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{EventSource, MessageEvent, MessagePort, SharedWorker};

use super::{dom, events::KINDS};

/// Event of a source.
pub enum SourceEvent {
    /// The stream is open.
    Opened,
    /// The stream has ended and must be reopened.
    Failed,
    Event {
        kind: String,
        data: String,
        seq: Option<i64>,
    },
    /// The worker replied; there is no other news.
    Alive,
    /// The source cannot serve this tab.
    Useless,
}

/// Event stream of this tab alone, which fails when it is silent.
pub struct OwnSource {
    source: EventSource,
    watchdog: Option<IntervalHandle>,
}

/// Seconds between the heartbeats that the hub is asked for.
const HEARTBEAT: u32 = 1;
/// Milliseconds without an event after which an open stream is lost. A network that drops everything reports no error.
const SILENT_STREAM: f64 = 2_300.0;
/// Milliseconds until an attempt to open the stream is given up.
const SLOW_OPENING: f64 = 10_000.0;
/// Interval in which the silence is measured.
const WATCHDOG_INTERVAL: Duration = Duration::from_millis(100);

impl OwnSource {
    pub fn open(chat: &str, after: i64, tell: impl Fn(SourceEvent) + Clone + 'static) -> Option<Self> {
        let path = format!("/api/v1/events?chat={chat}&after={after}&heartbeat={HEARTBEAT}");
        let source = EventSource::new(&path).ok()?;
        let deadline = Rc::new(Cell::new(Date::now() + SLOW_OPENING));
        let alive = {
            let deadline = deadline.clone();
            move || deadline.set(Date::now() + SILENT_STREAM)
        };
        for kind in KINDS {
            let (tell, alive) = (tell.clone(), alive.clone());
            dom::listen(&source, kind, move |event: web_sys::Event| {
                alive();
                let data = event.dyn_ref::<MessageEvent>().and_then(|message| message.data().as_string());
                if let (Some(data), Some(message)) = (data, event.dyn_ref::<MessageEvent>()) {
                    let seq = message.last_event_id().parse().ok();
                    tell(SourceEvent::Event { kind: kind.to_owned(), data, seq });
                }
            });
        }
        let beat = alive.clone();
        dom::listen(&source, "heartbeat", move |_: web_sys::Event| beat());
        let opened = tell.clone();
        dom::listen(&source, "open", move |_: web_sys::Event| {
            alive();
            opened(SourceEvent::Opened);
        });
        let failed = tell.clone();
        dom::listen(&source, "error", move |_: web_sys::Event| failed(SourceEvent::Failed));
        let watch = move || {
            if Date::now() > deadline.get() {
                deadline.set(f64::INFINITY);
                tell(SourceEvent::Failed);
            }
        };
        let watchdog = set_interval_with_handle(watch, WATCHDOG_INTERVAL).ok();
        Some(Self { source, watchdog })
    }

    pub fn close(self) {
        self.source.close();
        if let Some(watchdog) = self.watchdog {
            watchdog.clear();
        }
    }
}

/// Connection to the worker that holds one stream for all tabs (`public/events.js`).
pub struct SharedWorkerSource {
    port: MessagePort,
    /// Messages sent since the worker's last reply.
    unanswered: Cell<u32>,
}

/// Request of a tab to the worker.
#[derive(Clone, Copy)]
pub enum SourceCommand {
    /// Heartbeat only.
    Heartbeat,
    /// Open the stream if it is closed.
    Connect,
    /// Reopen the stream at this tab's sequence number, even if it is open.
    Reconnect,
}

impl SharedWorkerSource {
    /// More unanswered messages than this mean that the worker is dead.
    const TIMEOUT: u32 = 3;

    /// Connects to the worker. `None` if the browser has no shared workers.
    pub fn join(script: &str, tell: impl Fn(SourceEvent) + Clone + 'static) -> Option<Self> {
        let worker = SharedWorker::new(script).ok()?;
        let port = worker.port();
        let useless = tell.clone();
        dom::listen(&worker, "error", move |_: web_sys::Event| useless(SourceEvent::Useless));
        dom::listen(&port, "message", move |message: MessageEvent| {
            tell(SourceEvent::of_worker(&message.data().unchecked_into()));
        });
        port.start();
        Some(Self { port, unanswered: Cell::new(0) })
    }

    /// Sends a request. Returns false if the worker seems to be dead.
    pub fn say(&self, chat: &str, after: i64, command: SourceCommand) -> bool {
        let command = match command {
            SourceCommand::Heartbeat => "heartbeat",
            SourceCommand::Connect => "connect",
            SourceCommand::Reconnect => "reconnect",
        };
        let words = json!({ "chat": chat, "after": after, "command": command }).to_string();
        let said = JSON::parse(&words).and_then(|words| self.port.post_message(&words));
        self.unanswered.set(self.unanswered.get() + 1);
        said.is_ok() && self.unanswered.get() <= Self::TIMEOUT
    }

    pub fn answered(&self) {
        self.unanswered.set(0);
    }

    pub fn leave(&self) {
        let _ = self.port.post_message(&JsValue::NULL);
    }
}

impl SourceEvent {
    fn of_worker(words: &Array) -> Self {
        let kind = words.get(0).as_string().unwrap_or_default();
        match (kind.as_str(), words.get(1).as_string()) {
            ("opened", _) => Self::Opened,
            ("failed", _) => Self::Failed,
            ("full", _) => Self::Useless,
            // Sequence numbers are far below 2^53: the cast is exact.
            (_, Some(data)) => Self::Event { kind, data, seq: words.get(2).as_f64().map(|seq| seq as i64) },
            _ => Self::Alive,
        }
    }
}
