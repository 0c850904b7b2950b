//! Brings stream, thread and composer together.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

use leptos::prelude::{GetUntracked as _, Set as _, document, request_animation_frame, set_interval, window};
use serde_json::{Value, json};
use wasm_bindgen::JsCast;
use web_sys::{Element, Event as DomEvent, HtmlElement, HtmlFormElement};

use super::{
    Signs,
    composer::{Composer, hidden, new_id},
    dom, http,
    scroll::Scroll,
    stream::{Listener, Stream},
    tail::Change,
    thread::Thread,
    wire::{Event, Placed, Run},
    words,
};

struct Room {
    chat: Option<String>,
    thread: Option<Thread>,
    composer: Option<Composer>,
    stream: RefCell<Option<Rc<Stream>>>,
    scroll: Scroll,
    signs: Signs,
    /// A frame is asked for already.
    drawing: Cell<bool>,
    /// A message is on its way to the hub.
    sending: Cell<bool>,
    /// The last message that did not get through: sent again as it is, it keeps its id.
    unsent: RefCell<Option<(String, String)>>,
}

thread_local! {
    /// A page has one room.
    static ROOM: RefCell<Option<Rc<Room>>> = const { RefCell::new(None) };
}

/// How often the ear is told that an answer goes on.
const STILL_ANSWERING: std::time::Duration = std::time::Duration::from_secs(15);

pub fn start(chat: Option<String>, seq: i64, signs: Signs) {
    let room = Rc::new(Room {
        thread: Thread::find(),
        composer: Composer::find(chat.as_deref()),
        chat,
        stream: RefCell::default(),
        scroll: Scroll::new(),
        signs,
        drawing: Cell::new(false),
        sending: Cell::new(false),
        unsent: RefCell::default(),
    });
    ROOM.set(Some(room.clone()));
    if let Some(chat) = &room.chat {
        room.stream.replace(Some(Stream::start(chat.clone(), seq, room.clone())));
        room.follow_reader();
        room.scroll.hold();
        room.show_answering();
    }
    room.take_forms();
}

pub fn to_latest() {
    with_room(|room| {
        room.scroll.hold();
        room.signs.below.set(false);
    });
}

/// Stops what was begun last.
pub fn stop() {
    with_room(|room| {
        let form = room.thread.as_ref().and_then(|thread| {
            thread
                .open()
                .iter()
                .rev()
                .find_map(|article| dom::find::<HtmlFormElement>(article, "form[action$=\"/stop\"]"))
        });
        if let Some(form) = form {
            let _ = form.request_submit();
        }
    });
}

fn with_room(then: impl FnOnce(&Rc<Room>)) {
    ROOM.with_borrow(|room| room.as_ref().map(then));
}

impl Listener for Room {
    fn event(&self, event: Event) {
        match event {
            Event::Message(placed) => self.message(&placed),
            Event::Ended(ended) => {
                let article = self.thread.as_ref().and_then(|thread| thread.replace(&ended.id, &ended.html));
                if let Some(article) = article {
                    self.say(&article, &ended.state);
                }
                self.show_answering();
            }
            Event::Run(run) => self.run(&run),
            Event::Title(title) => self.retitle(&title.title),
            Event::Open(open) => {
                if let Some(thread) = &self.thread {
                    thread.reset(open);
                }
                self.show_answering();
            }
            Event::Text(text) => self.text(|thread| thread.push(text)),
            Event::Block(block) => self.text(|thread| thread.close(block)),
            Event::Bye => {}
        }
        self.draw_soon();
    }

    fn trouble(&self, words: &str) {
        self.signs.trouble.set(words.to_owned());
    }
}

impl Room {
    fn message(&self, placed: &Placed) {
        let Some(article) = self.thread.as_ref().and_then(|thread| thread.put(placed)) else { return };
        if article.class_list().contains("agent") {
            if let Some(composer) = &self.composer {
                composer.follow(&article);
            }
            let state = if article.has_attribute("aria-busy") { "open" } else { "done" };
            self.say(&article, state);
        }
        self.show_answering();
        self.touch_sidebar();
    }

    /// A run that failed before it wrote anything has no article to say so.
    fn run(&self, run: &Run) {
        let shown =
            run.message.as_ref().zip(self.thread.as_ref()).and_then(|(id, thread)| thread.article(id));
        let told = shown.is_some_and(|article| article.class_list().contains("agent"));
        if let (Some(failure), Some(composer), false) = (&run.failure, &self.composer, told) {
            composer.complain(&failure.message);
        }
    }

    fn retitle(&self, title: &str) {
        let Some(chat) = &self.chat else { return };
        let document = document();
        let suffix =
            document.title().rsplit_once(" · ").map(|(_, hub)| format!(" · {hub}")).unwrap_or_default();
        document.set_title(&format!("{title}{suffix}"));
        if let Some(heading) = dom::by_id::<Element>("chat-title") {
            heading.set_text_content(Some(title));
        }
        let name = document.query_selector(&format!("[data-chat=\"{chat}\"] .name")).ok().flatten();
        if let Some(name) = name {
            name.set_text_content(Some(title));
        }
    }

    /// The chat that just moved is the first in the list.
    fn touch_sidebar(&self) {
        let Some(chat) = &self.chat else { return };
        let Ok(Some(item)) = document().query_selector(&format!("[data-chat=\"{chat}\"]")) else { return };
        if let Some(time) = dom::find::<Element>(&item, "time") {
            let _ = time.set_attribute("datetime", &String::from(js_sys::Date::new_0().to_iso_string()));
            dom::announce_added(&item);
        }
        if let Some(list) = item.parent_element() {
            let _ = list.prepend_with_node_1(&item);
        }
    }

    fn text(&self, change: impl FnOnce(&Thread) -> Change) {
        let change = self.thread.as_ref().map_or(Change::Nothing, change);
        if change == Change::Gap
            && let Some(stream) = self.stream.borrow().as_ref()
        {
            stream.gap();
        }
    }

    /// One drawing for all that comes in before the next frame.
    fn draw_soon(&self) {
        if self.drawing.replace(true) {
            return;
        }
        request_animation_frame(|| {
            with_room(|room| {
                room.drawing.set(false);
                if let Some(thread) = &room.thread {
                    thread.flush();
                }
                room.signs.below.set(room.scroll.grown());
            });
        });
    }

    fn show_answering(&self) {
        let open = self.thread.as_ref().is_some_and(|thread| !thread.open().is_empty());
        self.signs.answering.set(open);
        let Some(chat) = &self.chat else { return };
        if let Ok(Some(item)) = document().query_selector(&format!("[data-chat=\"{chat}\"]")) {
            let _ = item.class_list().toggle_with_force("running", open);
        }
    }

    fn say(&self, article: &Element, state: &str) {
        let name = dom::find::<Element>(article, "h2 a").and_then(|name| name.text_content());
        let count = dom::find::<Element>(article, ".body").map_or(0, |body| dom::words(&body));
        if let Some(name) = name {
            self.signs.status.set(words::status(&name, state, count));
        }
    }

    fn follow_reader(self: &Rc<Self>) {
        for kind in ["scroll", "resize"] {
            let room = self.clone();
            dom::listen(&window(), kind, move |_: DomEvent| {
                let below = room.scroll.moved();
                if room.signs.below.get_untracked() != below {
                    room.signs.below.set(below);
                }
            });
        }
        set_interval(
            || {
                with_room(|room| {
                    if let Some(article) = room.thread.as_ref().and_then(|thread| thread.open().pop()) {
                        room.say(&article, "open");
                    }
                });
            },
            STILL_ANSWERING,
        );
    }

    /// Takes over the forms of the page; what it does not know goes its own way.
    fn take_forms(self: &Rc<Self>) {
        if let Some(composer) = &self.composer {
            composer.enliven(stop);
            let room = self.clone();
            dom::listen(&composer.form, "submit", move |event: DomEvent| {
                event.prevent_default();
                room.submit();
            });
            let room = self.clone();
            dom::listen(&document(), "click", move |event: DomEvent| room.starter(&event));
        }
        if let Some(thread) = &self.thread {
            let room = self.clone();
            dom::listen(thread.element(), "submit", move |event: DomEvent| room.act(&event));
        }
    }

    /// A first message to try is put into the composer instead of being a new page.
    fn starter(&self, event: &DomEvent) {
        let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        let Some(link) = target.and_then(|target| target.closest("[data-starter]").ok()?) else { return };
        if let (Some(composer), Some(text)) = (&self.composer, link.text_content()) {
            event.prevent_default();
            composer.set_text(&text);
        }
    }

    fn submit(self: &Rc<Self>) {
        let Some(composer) = &self.composer else { return };
        if let Some(text) = composer.message()
            && !self.sending.replace(true)
        {
            composer.clear();
            self.send(text, None);
        }
    }

    fn send(self: &Rc<Self>, text: String, parent: Option<String>) {
        let id = match self.unsent.take() {
            Some((id, unsent)) if unsent == text => id,
            _ => new_id(),
        };
        let (path, body) = match &self.chat {
            Some(chat) => {
                let parent = parent.or_else(|| self.thread.as_ref()?.last());
                (format!("/api/v1/chats/{chat}/messages"), json!({"id": id, "parent": parent, "text": text}))
            }
            None => {
                let to = self.composer.as_ref().and_then(Composer::addressee);
                ("/api/v1/chats".to_owned(), json!({"id": id, "to": to, "text": text}))
            }
        };
        if let Some(thread) = &self.thread {
            thread.put_unsent(&id, &text);
        }
        self.scroll.hold();
        let room = self.clone();
        leptos::task::spawn_local(async move {
            let answer = http::post(&path, &body).await;
            room.sending.set(false);
            match answer {
                Ok(answer) => room.sent(&answer),
                Err(words) => room.refused(&words, id, text),
            }
        });
    }

    /// The stream brings the article; a new chat has a page of its own.
    fn sent(&self, answer: &Value) {
        if let (None, Some(chat)) = (&self.chat, answer["chat"].as_str()) {
            let _ = window().location().assign(&format!("/chat/{chat}"));
        }
    }

    fn refused(&self, words: &str, id: String, text: String) {
        if let Some(thread) = &self.thread {
            thread.remove(&id);
        }
        if let Some(composer) = &self.composer {
            composer.give_back(&text);
            composer.complain(words);
        }
        self.unsent.replace(Some((id, text)));
    }

    /// Stop, retry, and the button that asks another agent.
    fn act(self: &Rc<Self>, event: &DomEvent) {
        let Some(form) = event.target().and_then(|target| target.dyn_into::<HtmlFormElement>().ok()) else {
            return;
        };
        let action = form.get_attribute("action").unwrap_or_default();
        let path = if action.ends_with("/stop") {
            hidden(&form, "run").map(|run| format!("/api/v1/runs/{run}/stop"))
        } else if action.ends_with("/retry") {
            hidden(&form, "message").map(|message| format!("/api/v1/messages/{message}/retry"))
        } else if let Some(text) = hidden(&form, "text") {
            event.prevent_default();
            if !self.sending.replace(true) {
                self.send(text, hidden(&form, "parent"));
            }
            return;
        } else {
            None
        };
        let Some(path) = path else { return };
        event.prevent_default();
        self.ask(path, &form);
    }

    /// The button rests while the hub answers; what changes comes over the stream.
    fn ask(self: &Rc<Self>, path: String, form: &HtmlFormElement) {
        let button: Option<HtmlElement> = dom::find(form, "button");
        let rest = move |resting: bool| {
            if let Some(button) = &button {
                let _ = button.toggle_attribute_with_force("disabled", resting);
            }
        };
        rest(true);
        let room = self.clone();
        leptos::task::spawn_local(async move {
            let answer = http::post(&path, &json!({})).await;
            rest(false);
            if let (Err(words), Some(composer)) = (answer, &room.composer) {
                composer.complain(&words);
            }
        });
    }
}
