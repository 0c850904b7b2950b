//! The tab's one stream of events: opened, followed, opened again.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

use leptos::prelude::{document, window};
use wasm_bindgen::{JsCast, closure::Closure};
use web_sys::{EventSource, MessageEvent, PageTransitionEvent};

use super::{
    dom,
    pace::delay,
    wire::{Event, KINDS},
};

/// What the stream tells its owner.
pub trait Listener {
    fn event(&self, event: Event);
    /// Empty when news comes in, else why it does not.
    fn trouble(&self, words: &str);
}

pub struct Stream {
    chat: String,
    /// The last sequence number that was heard of.
    seq: Cell<i64>,
    /// Attempts that failed since the last event.
    failures: Cell<u32>,
    /// Each opening has a number, so that late news of an older one is told apart.
    opening: Cell<u32>,
    source: RefCell<Option<EventSource>>,
    listener: Rc<dyn Listener>,
}

/// After as many failures people are told; a single one is healed unseen.
const TOLD_AFTER: u32 = 2;

impl Stream {
    pub fn start(chat: String, seq: i64, listener: Rc<dyn Listener>) -> Rc<Self> {
        let stream = Rc::new(Self {
            chat,
            seq: Cell::new(seq),
            failures: Cell::new(0),
            opening: Cell::new(0),
            source: RefCell::new(None),
            listener,
        });
        stream.open();
        stream.follow_the_page();
        stream
    }

    /// Begins anew from the last sequence number: what is open comes again from its start.
    pub fn reopen(self: &Rc<Self>) {
        self.close();
        let wait = if self.failures.get() == 0 {
            delay(0, dom::chance()) / 5
        } else {
            delay(self.failures.get(), dom::chance())
        };
        let (stream, opening) = (self.clone(), self.opening.get());
        dom::after(wait, move || {
            if stream.opening.get() == opening {
                stream.open();
            }
        });
    }

    /// A gap in the text: heals by itself once, and slower if it goes on.
    pub fn gap(self: &Rc<Self>) {
        self.failures.set(self.failures.get() + 1);
        self.reopen();
    }

    fn close(&self) {
        self.opening.set(self.opening.get().wrapping_add(1));
        if let Some(source) = self.source.take() {
            source.close();
        }
    }

    fn open(self: &Rc<Self>) {
        self.close();
        let url = format!("/api/v1/events?chat={}&after={}", self.chat, self.seq.get());
        let Ok(source) = EventSource::new(&url) else { return self.failed() };
        for kind in KINDS {
            let (stream, opening) = (self.clone(), self.opening.get());
            // The browser's own `open` has the name of one of ours and carries nothing.
            dom::listen(&source, kind, move |event: web_sys::Event| {
                if let Some(message) = event.dyn_ref::<MessageEvent>()
                    && stream.opening.get() == opening
                {
                    stream.heard(kind, message);
                }
            });
        }
        self.watch(&source);
        self.source.replace(Some(source));
    }

    fn watch(self: &Rc<Self>, source: &EventSource) {
        let (stream, opening) = (self.clone(), self.opening.get());
        let failed = Closure::<dyn FnMut()>::new(move || {
            if stream.opening.get() == opening {
                stream.failed();
            }
        });
        source.set_onerror(Some(failed.as_ref().unchecked_ref()));
        failed.forget();
        let (stream, opening) = (self.clone(), self.opening.get());
        let opened = Closure::<dyn FnMut()>::new(move || {
            if stream.opening.get() == opening {
                stream.listener.trouble("");
            }
        });
        source.set_onopen(Some(opened.as_ref().unchecked_ref()));
        opened.forget();
    }

    fn heard(self: &Rc<Self>, kind: &str, message: &MessageEvent) {
        if let Ok(seq) = message.last_event_id().parse() {
            self.seq.set(seq);
        }
        let Some(event) = message.data().as_string().and_then(|data| Event::parse(kind, &data)) else {
            return;
        };
        if event == Event::Bye {
            self.failures.set(0);
            return self.reopen();
        }
        // A gap is only healed by news that fits.
        if !matches!(event, Event::Text(_) | Event::Block(_)) {
            self.failures.set(0);
        }
        self.listener.event(event);
    }

    /// The browser's own way of trying again has no spread and gives up on a status; so it is done here.
    fn failed(self: &Rc<Self>) {
        self.failures.set(self.failures.get() + 1);
        if !window().navigator().on_line() {
            self.listener
                .trouble("You are offline. What you read here may be old; it goes on when you are back.");
        } else if self.failures.get() > TOLD_AFTER {
            self.listener.trouble("The connection to the hub is lost. Trying again…");
        }
        self.reopen();
    }

    /// A page that is put away holds no connection, so that the browser can bring it back as it was.
    fn follow_the_page(self: &Rc<Self>) {
        let window = window();
        let stream = self.clone();
        dom::listen(&window, "pagehide", move |_: web_sys::Event| stream.close());
        let stream = self.clone();
        dom::listen(&window, "pageshow", move |event: PageTransitionEvent| {
            if event.persisted() {
                stream.open();
            }
        });
        let stream = self.clone();
        dom::listen(&window, "online", move |_: web_sys::Event| stream.open());
        let listener = self.listener.clone();
        dom::listen(&window, "offline", move |_: web_sys::Event| {
            listener.trouble("You are offline. What you read here may be old; it goes on when you are back.");
        });
        let stream = self.clone();
        dom::listen(&document(), "visibilitychange", move |_: web_sys::Event| {
            if !document().hidden() && stream.source.borrow().is_none() {
                stream.open();
            }
        });
    }
}
