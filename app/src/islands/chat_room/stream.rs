//! Event stream of the tab: opens it, dispatches its events and reconnects.
//!
//! Tabs of one browser share one stream where possible.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
    time::Duration,
};

use leptos::prelude::{document, set_interval, window};
use web_sys::PageTransitionEvent;

use super::{
    ConnectionNotice,
    backoff::delay,
    dom,
    event_source::{OwnSource, SharedWorkerSource, SourceCommand, SourceEvent},
    events::Event,
    http,
    texts::texts,
};

/// Receiver of the stream's events.
pub trait Listener {
    fn event(&self, event: Event);
    /// Reports that the stream is open, at first or again.
    fn opened(&self);
    /// Sets the notice about the stream.
    fn connection(&self, notice: ConnectionNotice);
}

pub struct Stream {
    chat: String,
    /// Last sequence number that was received.
    seq: Cell<i64>,
    /// Failed attempts since the last event.
    failures: Cell<u32>,
    /// Number of the current connection, so that late events of an older one are ignored.
    opening: Cell<u32>,
    shared: RefCell<Option<SharedWorkerSource>>,
    own: RefCell<Option<OwnSource>>,
    /// True when the page is hidden by navigation, or the chat is gone.
    closed: Cell<bool>,
    is_open: Cell<bool>,
    listener: Rc<dyn Listener>,
    /// True if the reader was told that the stream is interrupted.
    is_interruption_shown: Cell<bool>,
}

/// Milliseconds after a failure in which a stream that opens again is not worth a notice. With the time until a silent
/// stream fails (`SILENT_STREAM`), they are less than three seconds.
const NOTICE_DELAY: u32 = 600;
/// Milliseconds until a stream that does not open is shown as interrupted.
const SLOW_OPENING: u32 = 2_500;
/// Milliseconds for which the page says that the connection is back.
const BACK_NOTICE: u32 = 5_000;
/// Interval of the heartbeat to the worker.
const STILL_HERE: Duration = Duration::from_secs(15);

impl Stream {
    /// Starts the stream. `worker` is the URL of the script that holds the shared stream.
    pub fn start(chat: String, seq: i64, worker: &str, listener: Rc<dyn Listener>) -> Rc<Self> {
        let stream = Rc::new(Self {
            chat,
            seq: Cell::new(seq),
            failures: Cell::new(0),
            opening: Cell::new(0),
            shared: RefCell::default(),
            own: RefCell::default(),
            closed: Cell::new(false),
            listener,
            is_open: Cell::new(false),
            is_interruption_shown: Cell::new(false),
        });
        if is_offline() {
            stream.interrupted(ConnectionNotice::Interrupted(texts().offline.clone()));
        }
        let member = stream.clone();
        stream.shared.replace(SharedWorkerSource::join(worker, move |news| member.hear_shared(news)));
        stream.open(SourceCommand::Connect);
        stream.follow_the_page();
        let member = stream.clone();
        set_interval(move || member.stay(), STILL_HERE);
        stream
    }

    /// Returns the last sequence number that was received.
    pub const fn seq(&self) -> i64 {
        self.seq.get()
    }

    /// Handles a gap in the streamed text by reopening the stream, which resends open messages from their
    /// start.
    ///
    /// Repeated gaps are retried with backoff.
    pub fn gap(self: &Rc<Self>) {
        self.failures.set(self.failures.get() + 1);
        self.open_later(SourceCommand::Reconnect);
    }

    fn open_later(self: &Rc<Self>, command: SourceCommand) {
        self.close_own();
        let wait = if self.failures.get() == 0 {
            delay(0, dom::chance()) / 5
        } else {
            delay(self.failures.get(), dom::chance())
        };
        let (stream, opening) = (self.clone(), self.opening.get());
        dom::after(wait, move || {
            if stream.opening.get() == opening {
                stream.open(command);
            }
        });
    }

    fn open(self: &Rc<Self>, command: SourceCommand) {
        self.close_own();
        if self.closed.get() {
            return;
        }
        if !self.is_open.get() {
            self.notice_unless_open(SLOW_OPENING);
        }
        if self.shared.borrow().is_some() {
            return self.say(command);
        }
        let (stream, opening) = (self.clone(), self.opening.get());
        let source = OwnSource::open(&self.chat, self.seq.get(), move |news| {
            if stream.opening.get() == opening {
                stream.hear(news);
            }
        });
        match source {
            Some(source) => {
                self.own.replace(Some(source));
            }
            None => self.failed(),
        }
    }

    fn close_own(&self) {
        self.opening.set(self.opening.get().wrapping_add(1));
        if let Some(source) = self.own.take() {
            source.close();
        }
    }

    fn say(self: &Rc<Self>, command: SourceCommand) {
        let heard =
            self.shared.borrow().as_ref().is_none_or(|it| it.say(&self.chat, self.seq.get(), command));
        if !heard {
            self.go_alone();
        }
    }

    fn stay(self: &Rc<Self>) {
        if !self.closed.get() {
            self.say(SourceCommand::Heartbeat);
        }
    }

    fn go_alone(self: &Rc<Self>) {
        if let Some(shared) = self.shared.take() {
            shared.leave();
            self.open(SourceCommand::Connect);
        }
    }

    fn hear_shared(self: &Rc<Self>, news: SourceEvent) {
        if let Some(shared) = &*self.shared.borrow() {
            shared.answered();
        } else {
            // Late event: this tab has switched to its own stream.
            return;
        }
        self.hear(news);
    }

    fn hear(self: &Rc<Self>, news: SourceEvent) {
        match news {
            SourceEvent::Opened => self.opened(),
            SourceEvent::Failed => self.failed(),
            SourceEvent::Event { kind, data, seq } => self.event(&kind, &data, seq),
            SourceEvent::Alive => {}
            SourceEvent::Useless => self.go_alone(),
        }
    }

    fn event(self: &Rc<Self>, kind: &str, data: &str, seq: Option<i64>) {
        if let Some(seq) = seq {
            // Duplicate: the shared stream was opened for another tab of this chat that was farther behind.
            if seq <= self.seq.get() {
                return;
            }
            self.seq.set(seq);
        }
        let Some(event) = Event::parse(kind, data) else { return };
        match event {
            Event::StreamEnd => {
                self.failures.set(0);
                self.is_open.set(false);
                return self.open_later(SourceCommand::Connect);
            }
            Event::ChatUnavailable(it) => return self.end(it.reason == "removed"),
            // Text does not reset the backoff: it also arrives while gaps repeat.
            Event::TextDelta(_) | Event::BlockHtml(_) => {}
            _ => self.failures.set(0),
        }
        self.listener.event(event);
    }

    /// Ends the stream of a chat that the reader cannot read any more.
    fn end(&self, is_removed: bool) {
        self.closed.set(true);
        self.close_own();
        let words = if is_removed { texts().removed.clone() } else { texts().gone.clone() };
        self.interrupted(ConnectionNotice::Interrupted(words));
    }

    /// Asks the hub for the cause of a failure, since an `EventSource` does not tell it.
    async fn find_cause(self: Rc<Self>) {
        match http::status(&format!("/api/v1/chats/{}/people", self.chat)).await {
            Some(404) => self.end(false),
            // The stream is tried again: the reader may sign in with another tab.
            Some(401) if !self.is_open.get() => self.interrupted(ConnectionNotice::SignedOut),
            _ => {}
        }
    }

    fn opened(self: &Rc<Self>) {
        self.is_open.set(true);
        self.listener.opened();
        // A stream may be opened twice in a row, which must not end the notice that it is back.
        if !self.is_interruption_shown.replace(false) {
            return;
        }
        self.listener.connection(ConnectionNotice::Back);
        let stream = self.clone();
        dom::after(BACK_NOTICE, move || {
            if !stream.is_interruption_shown.get() {
                stream.listener.connection(ConnectionNotice::None);
            }
        });
    }

    fn interrupted(&self, notice: ConnectionNotice) {
        self.is_interruption_shown.set(true);
        self.listener.connection(notice);
    }

    /// Shows after some milliseconds that the stream is interrupted, if it is, and if no notice tells more.
    fn notice_unless_open(self: &Rc<Self>, millis: u32) {
        let stream = self.clone();
        dom::after(millis, move || {
            if !stream.is_open.get() && !stream.closed.get() && !stream.is_interruption_shown.get() {
                stream.interrupted(ConnectionNotice::Interrupted(texts().lost.clone()));
            }
        });
    }

    /// Handles a failed connection.
    ///
    /// It retries here because the browser's own retry has no jitter and gives up on an HTTP error status.
    fn failed(self: &Rc<Self>) {
        self.failures.set(self.failures.get() + 1);
        self.is_open.set(false);
        if is_offline() {
            self.interrupted(ConnectionNotice::Interrupted(texts().offline.clone()));
        } else {
            self.notice_unless_open(NOTICE_DELAY);
            leptos::task::spawn_local(self.clone().find_cause());
        }
        self.open_later(SourceCommand::Connect);
    }

    /// Follows navigation, visibility and connectivity of the page.
    ///
    /// A page that is left holds no connection, so that it can enter the back/forward cache.
    fn follow_the_page(self: &Rc<Self>) {
        let window = window();
        let stream = self.clone();
        dom::listen(&window, "pagehide", move |_: web_sys::Event| stream.put_away());
        let stream = self.clone();
        dom::listen(&window, "pageshow", move |event: PageTransitionEvent| {
            if event.persisted() {
                stream.closed.set(false);
                stream.open(SourceCommand::Connect);
            }
        });
        let stream = self.clone();
        dom::listen(&window, "online", move |_: web_sys::Event| stream.open(SourceCommand::Reconnect));
        let stream = self.clone();
        dom::listen(&window, "offline", move |_: web_sys::Event| {
            stream.interrupted(ConnectionNotice::Interrupted(texts().offline.clone()));
        });
        let stream = self.clone();
        dom::listen(&document(), "visibilitychange", move |_: web_sys::Event| {
            if !document().hidden() && stream.own.borrow().is_none() {
                stream.open(SourceCommand::Connect);
            }
        });
    }

    fn put_away(&self) {
        self.closed.set(true);
        self.close_own();
        if let Some(shared) = &*self.shared.borrow() {
            shared.leave();
        }
    }
}

fn is_offline() -> bool {
    !window().navigator().on_line()
}
