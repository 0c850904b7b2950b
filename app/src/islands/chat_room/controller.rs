//! Controller of the chat page: connects event stream, thread and composer.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

use leptos::prelude::{GetUntracked as _, Set as _, document, request_animation_frame, set_interval, window};
use serde_json::json;
use web_sys::{Element, Event as DomEvent, HtmlElement, HtmlFormElement};

use super::{
    ChatUiState, RoomTexts, announcements,
    composer::ComposerView,
    dom,
    events::{Event, MessageCreated, PartSnapshot, RunUpdated},
    http,
    queue::MessageQueue,
    scroll::Scroll,
    sidebar::SidebarView,
    stream::{Listener, Stream},
    streaming_text::TextChange,
    texts::{self, texts},
    thread::Thread,
    typing::{TTL, TypingPeople},
};

pub struct ChatController {
    pub(super) chat: Option<String>,
    pub(super) thread: Option<Thread>,
    pub(super) composer: Option<ComposerView>,
    /// `None` before the first message of a chat.
    pub(super) queue: Option<MessageQueue>,
    pub(super) stream: RefCell<Option<Rc<Stream>>>,
    pub(super) scroll: Scroll,
    pub(super) sidebar: Rc<SidebarView>,
    pub(super) signs: ChatUiState,
    /// True while an animation frame is requested.
    pub(super) drawing: Cell<bool>,
    /// True while the oldest messages are about to be removed.
    trimming: Cell<bool>,
    /// True while the read position of a room is about to be sent.
    pub(super) marking: Cell<bool>,
    /// The other people of a room that type.
    typing: RefCell<TypingPeople>,
    /// When the viewer's last report of typing was sent.
    typing_reported: Cell<f64>,
    /// True while a message is being sent.
    pub(super) sending: Cell<bool>,
    /// Id of the last sent message until the article of its first answer has arrived.
    pub(super) awaiting: RefCell<Option<String>>,
    /// Id and content of the last message that failed. Sending the same content again reuses the id (idempotency).
    pub(super) unsent: RefCell<Option<(String, String)>>,
}

thread_local! {
    /// Controller of this page.
    static ROOM: RefCell<Option<Rc<ChatController>>> = const { RefCell::new(None) };
}

/// Interval of the screen-reader announcement that an answer is still being written.
const STILL_ANSWERING: std::time::Duration = std::time::Duration::from_secs(15);

/// Milliseconds between reports that the viewer types.
const TYPING_INTERVAL: f64 = 3_000.0;

pub fn start(chat: Option<String>, seq: i64, worker: &str, of_page: RoomTexts, signs: ChatUiState) {
    texts::set(of_page);
    let room = Rc::new(ChatController {
        thread: Thread::find(),
        composer: ComposerView::find(),
        queue: MessageQueue::find(),
        sidebar: Rc::new(SidebarView::new(chat.clone())),
        chat,
        stream: RefCell::default(),
        scroll: Scroll::new(),
        signs,
        drawing: Cell::new(false),
        trimming: Cell::new(false),
        marking: Cell::new(false),
        typing: RefCell::default(),
        typing_reported: Cell::new(0.0),
        sending: Cell::new(false),
        awaiting: RefCell::default(),
        unsent: RefCell::default(),
    });
    ROOM.set(Some(room.clone()));
    if room.chat.is_none() {
        room.sidebar.refresh_regularly();
    }
    if let Some(chat) = &room.chat {
        room.stream.replace(Some(Stream::start(chat.clone(), seq, worker, room.clone())));
        room.follow_reader();
        match target() {
            Some(message) => room.scroll.show(&message),
            None => room.hold_end(),
        }
        room.show_answering();
    }
    room.intercept_forms();
}

/// Returns the message that the fragment of the URL names.
fn target() -> Option<Element> {
    let fragment = window().location().hash().ok()?;
    dom::by_id(fragment.strip_prefix('#')?)
}

pub fn to_latest() {
    with_room(|room| {
        room.hold_end();
        room.trim_soon();
        room.signs.below.set(false);
    });
}

/// Stops the most recent open answer that the viewer may stop.
pub fn stop() {
    with_room(|room| {
        let form = room.thread.as_ref().and_then(|thread| {
            thread
                .stoppable()
                .iter()
                .rev()
                .find_map(|article| dom::find::<HtmlFormElement>(article, "form[action$=\"/stop\"]"))
        });
        if let Some(form) = form {
            let _ = form.request_submit();
        }
    });
}

/// Shows which other people have the room open.
fn show_presence(people: &[String]) {
    let viewer = dom::by_id::<Element>("thread").and_then(|thread| thread.get_attribute("data-viewer"));
    let Some(line) = dom::by_id::<HtmlElement>("room-here") else { return };
    line.set_text_content(Some(&announcements::here(texts(), people, viewer.as_deref())));
    line.set_hidden(line.text_content().unwrap_or_default().is_empty());
}

fn with_room(then: impl FnOnce(&Rc<ChatController>)) {
    ROOM.with_borrow(|room| room.as_ref().map(then));
}

impl Listener for ChatController {
    fn event(&self, event: Event) {
        match event {
            Event::MessageCreated(placed) => {
                self.message(&placed);
                self.mark_read();
                self.trim_soon();
            }
            Event::MessageCompleted(ended) => {
                let article = self.thread.as_ref().and_then(|thread| thread.replace(&ended.id, &ended.html));
                if let Some(article) = article {
                    self.say(&article, &ended.state);
                }
                self.show_answering();
                self.mark_read();
                self.trim_soon();
                with_room(ChatController::send_queued);
            }
            Event::RunUpdated(run) => self.run(&run),
            Event::TitleChanged(title) => self.retitle(&title.title),
            Event::PartSnapshot(open) => self.open(open),
            Event::TextDelta(text) => self.text(|thread| thread.push(text)),
            Event::BlockHtml(block) => self.text(|thread| thread.close(block)),
            Event::AgentStatus(status) => {
                if let Some(thread) = &self.thread {
                    thread.show_doing(&status);
                }
            }
            Event::Presence(presence) => show_presence(&presence.people),
            Event::Typing(typing) => self.on_typing(&typing.name),
            Event::ChatListChanged => self.sidebar.refresh_soon(),
            Event::ChatUnavailable(_) | Event::StreamEnd => {}
        }
        self.draw_soon();
    }

    fn trouble(&self, words: &str) {
        self.signs.trouble.set(words.to_owned());
        if words.is_empty() {
            // Changes of other chats are not repeated after a gap, and a hub that restarted ended its runs.
            self.sidebar.refresh_soon();
        }
    }
}

impl ChatController {
    fn message(&self, placed: &MessageCreated) {
        if placed.parent.is_some() && placed.parent == *self.awaiting.borrow() {
            self.awaiting.take();
        }
        // The composer follows the branch also where a page of older messages does not show it.
        if let Some(composer) = self.composer.as_ref().filter(|it| it.parent() == placed.parent) {
            composer.set_parent(&placed.id);
        }
        let Some(article) = self.thread.as_ref().and_then(|thread| thread.put(placed)) else { return };
        if let Some(author) = article.get_attribute("data-author") {
            self.typing.borrow_mut().remove(&author);
            self.show_typing();
        }
        if article.class_list().contains("agent") {
            if let Some(composer) = &self.composer {
                composer.follow(&article);
            }
            let state = if article.has_attribute("aria-busy") { "open" } else { "done" };
            self.say(&article, state);
        }
        self.show_answering();
    }

    fn open(&self, open: PartSnapshot) {
        let (message, part) = (open.m.clone(), open.p);
        if let Some(thread) = &self.thread {
            thread.reset(open);
            if let Some(tool) = thread.asks(&message, part) {
                self.signs.status.set(announcements::asks(texts(), &tool));
            } else if let Some(question) = thread.tool_question(&message, part) {
                self.signs.status.set(question);
            }
        }
        self.show_answering();
    }

    /// Shows the failure of a run that has no article.
    ///
    /// A failed article shows its own failure. Both events arrive together in either order, so the check
    /// waits 500 ms.
    fn run(&self, run: &RunUpdated) {
        const TOGETHER: u32 = 500;
        let Some(failure) = run.failure.clone() else { return };
        dom::after(TOGETHER, move || {
            with_room(|room| {
                if room.thread.as_ref().is_some_and(Thread::ends_in_failure) {
                    return;
                }
                room.awaiting.take();
                if let Some(composer) = &room.composer {
                    composer.show_error(&failure.message);
                }
                room.hold_queue();
            });
        });
    }

    fn retitle(&self, title: &str) {
        let document = document();
        let suffix =
            document.title().rsplit_once(" · ").map(|(_, hub)| format!(" · {hub}")).unwrap_or_default();
        let mark = texts().waiting_title.as_str();
        let waiting = if document.title().starts_with(mark) { mark } else { "" };
        document.set_title(&format!("{waiting}{title}{suffix}"));
        if let Some(heading) = dom::by_id::<Element>("chat-title") {
            heading.set_text_content(Some(title));
        }
        self.sidebar.set_title(title);
    }

    fn text(&self, change: impl FnOnce(&Thread) -> TextChange) {
        let change = self.thread.as_ref().map_or(TextChange::Nothing, change);
        if change == TextChange::Gap
            && let Some(stream) = self.stream.borrow().as_ref()
        {
            stream.gap();
        }
    }

    /// Scrolls to the end of the page in the next frame, and stays there.
    pub(super) fn hold_end(&self) {
        self.scroll.hold();
        self.draw_soon();
    }

    /// Schedules one DOM update for all events that arrive before the next animation frame.
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
        let stoppable = self.thread.as_ref().is_some_and(|thread| !thread.stoppable().is_empty());
        self.signs.answering.set(stoppable);
        let Some(thread) = self.thread.as_ref().filter(|thread| !thread.is_older_page()) else { return };
        let waits = thread.waits_for_reader();
        self.sidebar.set_state(open, waits);
        let title = document().title();
        let mark = &texts().waiting_title;
        let plain = title.strip_prefix(mark.as_str()).unwrap_or(&title);
        let new = if waits { format!("{mark}{plain}") } else { plain.to_owned() };
        if new != title {
            document().set_title(&new);
        }
    }

    /// Tells the hub soon how far a visible room is read. Events within a second share one request.
    fn mark_read(&self) {
        let is_read = self.thread.as_ref().is_some_and(|thread| thread.is_room() && !thread.is_older_page());
        if !is_read || document().hidden() || self.marking.replace(true) {
            return;
        }
        dom::after(1_000, || {
            with_room(|room| {
                room.marking.set(false);
                let (Some(chat), Some(stream)) = (&room.chat, room.stream.borrow().clone()) else { return };
                let (path, body) = (format!("/api/v1/chats/{chat}/read"), json!({ "seq": stream.seq() }));
                leptos::task::spawn_local(async move {
                    // Errors are ignored: the next message marks the room again.
                    let _ = http::post(&path, &body).await;
                });
            });
        });
    }

    /// Removes the oldest messages of a long thread, unless the reader has scrolled up to them. Waits 500 ms: a removal
    /// lays out the page again, and the frame that shows a new message does so already.
    fn trim_soon(&self) {
        const DELAY_MS: u32 = 500;
        if self.trimming.replace(true) {
            return;
        }
        dom::after(DELAY_MS, || {
            with_room(|room| {
                room.trimming.set(false);
                let (Some(thread), Some(chat), true) = (&room.thread, &room.chat, room.scroll.holds_end())
                else {
                    return;
                };
                if thread.trim(chat) {
                    room.scroll.shrunk();
                    room.draw_soon();
                }
            });
        });
    }

    /// Shows for a few seconds that another person types.
    fn on_typing(&self, name: &str) {
        let viewer = self.thread.as_ref().and_then(|thread| thread.element().get_attribute("data-viewer"));
        if viewer.as_deref() == Some(name) {
            return;
        }
        self.typing.borrow_mut().report(name, dom::now());
        self.show_typing();
        dom::after(TTL, || {
            with_room(|room| {
                room.typing.borrow_mut().expire(dom::now());
                room.show_typing();
            });
        });
    }

    /// Shows who types. The line is no live region: a screen reader reads it only where its user goes.
    fn show_typing(&self) {
        let Some(line) = dom::by_id::<Element>("room-typing") else { return };
        line.set_text_content(Some(&self.typing.borrow().line(texts())));
    }

    /// Reports to the people of a room that the viewer types, at most once per interval.
    pub(super) fn report_typing(&self) {
        let is_room = self.thread.as_ref().is_some_and(Thread::is_room);
        let has_text = self.composer.as_ref().is_some_and(|composer| composer.message().is_some());
        let is_due = dom::now() - self.typing_reported.get() >= TYPING_INTERVAL;
        let (Some(chat), true) = (&self.chat, is_room && has_text && is_due) else { return };
        self.typing_reported.set(dom::now());
        let path = format!("/api/v1/chats/{chat}/typing");
        leptos::task::spawn_local(async move {
            // Errors are ignored: the next report follows soon.
            let _ = http::post(&path, &json!({})).await;
        });
    }

    fn say(&self, article: &Element, state: &str) {
        let name = dom::find::<Element>(article, "h2 a").and_then(|name| name.text_content());
        let count = dom::find::<Element>(article, ".body").map_or(0, |body| dom::words(&body));
        if let Some(name) = name {
            self.signs.status.set(announcements::status(texts(), &name, state, count));
        }
    }

    fn follow_reader(self: &Rc<Self>) {
        let room = self.clone();
        dom::listen(&document(), "visibilitychange", move |_: DomEvent| room.mark_read());
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
}
