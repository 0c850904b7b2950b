//! Controller of the chat page: connects event stream, thread and composer.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

use leptos::prelude::{GetUntracked as _, Set as _, document, request_animation_frame, set_interval, window};
use serde_json::json;
use web_sys::{Element, Event as DomEvent, HtmlElement, HtmlFormElement};

use super::{
    ChatUiState, ConnectionNotice, RoomTexts, announcements,
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
    pub(super) ui: ChatUiState,
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
    static CONTROLLER: RefCell<Option<Rc<ChatController>>> = const { RefCell::new(None) };
}

/// Interval of the screen-reader announcement that an answer is still being written.
const STILL_ANSWERING: std::time::Duration = std::time::Duration::from_secs(15);

/// Milliseconds between reports that the viewer types.
const TYPING_INTERVAL: f64 = 3_000.0;

pub fn start(chat: Option<String>, seq: i64, worker: &str, of_page: RoomTexts, ui: ChatUiState) {
    texts::set(of_page);
    let controller = Rc::new(ChatController {
        thread: Thread::find(),
        composer: ComposerView::find(),
        queue: MessageQueue::find(),
        sidebar: Rc::new(SidebarView::new(chat.clone())),
        chat,
        stream: RefCell::default(),
        scroll: Scroll::new(),
        ui,
        drawing: Cell::new(false),
        trimming: Cell::new(false),
        marking: Cell::new(false),
        typing: RefCell::default(),
        typing_reported: Cell::new(0.0),
        sending: Cell::new(false),
        awaiting: RefCell::default(),
        unsent: RefCell::default(),
    });
    CONTROLLER.set(Some(controller.clone()));
    if controller.chat.is_none() {
        controller.sidebar.refresh_regularly();
    }
    if let Some(chat) = &controller.chat {
        controller.stream.replace(Some(Stream::start(chat.clone(), seq, worker, controller.clone())));
        controller.follow_reader();
        match target() {
            Some(message) => controller.scroll.show(&message),
            None => controller.hold_end(),
        }
        controller.show_answering();
    }
    controller.intercept_forms();
}

/// Returns the message that the fragment of the URL names.
fn target() -> Option<Element> {
    let fragment = window().location().hash().ok()?;
    dom::by_id(fragment.strip_prefix('#')?)
}

pub fn to_latest() {
    with_controller(|controller| {
        controller.hold_end();
        controller.trim_soon();
        controller.ui.below.set(false);
    });
}

/// Stops the most recent open answer that the viewer may stop.
pub fn stop() {
    with_controller(|controller| {
        let form = controller.thread.as_ref().and_then(|thread| {
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

fn with_controller(then: impl FnOnce(&Rc<ChatController>)) {
    CONTROLLER.with_borrow(|controller| controller.as_ref().map(then));
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
                with_controller(ChatController::send_queued);
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

    fn opened(&self) {
        // Changes of other chats are not repeated after a gap, and a hub that restarted ended its runs.
        self.sidebar.refresh_soon();
    }

    fn connection(&self, notice: ConnectionNotice) {
        self.ui.connection.set(notice);
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
                self.ui.status.set(announcements::asks(texts(), &tool));
            } else if let Some(question) = thread.tool_question(&message, part) {
                self.ui.status.set(question);
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
            with_controller(|controller| {
                if controller.thread.as_ref().is_some_and(Thread::ends_in_failure) {
                    return;
                }
                controller.awaiting.take();
                if let Some(composer) = &controller.composer {
                    composer.show_error(&failure.message);
                }
                controller.hold_queue();
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
            with_controller(|controller| {
                controller.drawing.set(false);
                if let Some(thread) = &controller.thread {
                    thread.flush();
                }
                controller.ui.below.set(controller.scroll.grown());
            });
        });
    }

    fn show_answering(&self) {
        let open = self.thread.as_ref().is_some_and(|thread| !thread.open().is_empty());
        let stoppable = self.thread.as_ref().is_some_and(|thread| !thread.stoppable().is_empty());
        self.ui.answering.set(stoppable);
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
            with_controller(|controller| {
                controller.marking.set(false);
                let (Some(chat), Some(stream)) = (&controller.chat, controller.stream.borrow().clone())
                else {
                    return;
                };
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
            with_controller(|controller| {
                controller.trimming.set(false);
                let (Some(thread), Some(chat), true) =
                    (&controller.thread, &controller.chat, controller.scroll.holds_end())
                else {
                    return;
                };
                if thread.trim(chat) {
                    controller.scroll.shrunk();
                    controller.draw_soon();
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
            with_controller(|controller| {
                controller.typing.borrow_mut().expire(dom::now());
                controller.show_typing();
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
            self.ui.status.set(announcements::status(texts(), &name, state, count));
        }
    }

    fn follow_reader(self: &Rc<Self>) {
        let controller = self.clone();
        dom::listen(&document(), "visibilitychange", move |_: DomEvent| controller.mark_read());
        for kind in ["scroll", "resize"] {
            let controller = self.clone();
            dom::listen(&window(), kind, move |_: DomEvent| {
                let below = controller.scroll.moved();
                if controller.ui.below.get_untracked() != below {
                    controller.ui.below.set(below);
                }
            });
        }
        set_interval(
            || {
                with_controller(|controller| {
                    if let Some(article) = controller.thread.as_ref().and_then(|thread| thread.open().pop()) {
                        controller.say(&article, "open");
                    }
                });
            },
            STILL_ANSWERING,
        );
    }
}
