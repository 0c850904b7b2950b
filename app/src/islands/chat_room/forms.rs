//! Handlers of the page's forms: send, stop, retry, hand over, approve. They call the API instead of loading a page.

use std::rc::Rc;

use leptos::prelude::{document, window};
use serde_json::{Value, json};
use wasm_bindgen::JsCast;
use web_sys::{Element, Event as DomEvent, HtmlButtonElement, HtmlFormElement, SubmitEvent};

use super::{
    composer::{ComposerView, Draft, hidden, new_id},
    controller::{ChatController, stop},
    dom, http,
    queue::MessageQueue,
    texts::texts,
    thread::Thread,
};

/// Position of a message that is sent.
enum Reply {
    /// After the newest message of the branch.
    Newest,
    /// After this message, even if it has a reply already.
    Fork(String),
    /// As an alternative to this message of the user.
    InsteadOf(String),
}

impl ChatController {
    /// Intercepts the forms of the page. Unknown forms are submitted by the browser.
    pub(super) fn intercept_forms(self: &Rc<Self>) {
        if let Some(composer) = &self.composer {
            composer.attach_handlers(stop);
            let controller = self.clone();
            composer.on_typed(move || controller.report_typing());
            let controller = self.clone();
            dom::listen(&composer.form, "submit", move |event: DomEvent| {
                event.prevent_default();
                controller.submit();
            });
            let controller = self.clone();
            dom::listen(&document(), "click", move |event: DomEvent| {
                controller.edit(&event);
            });
            self.attach_queue();
        }
        if let Some(thread) = &self.thread {
            let controller = self.clone();
            dom::listen(thread.element(), "submit", move |event: SubmitEvent| controller.act(&event));
        }
    }

    /// Loads the text of a message into the composer. Follows the link if the hub does not return it.
    fn edit(self: &Rc<Self>, event: &DomEvent) {
        let Some(link) = clicked(event, "[data-edit]") else { return };
        let Some(message) = link.get_attribute("data-edit") else { return };
        event.prevent_default();
        let controller = self.clone();
        leptos::task::spawn_local(async move {
            let found = http::get(&format!("/api/v1/messages/{message}")).await;
            match (found.ok().and_then(|found| text_of(&found)), &controller.composer) {
                (Some(text), Some(composer)) => {
                    composer.show_error("");
                    composer.edit(&message, &text);
                }
                _ => {
                    let _ = window().location().assign(&link.get_attribute("href").unwrap_or_default());
                }
            }
        });
    }

    fn submit(self: &Rc<Self>) {
        let Some(composer) = &self.composer else { return };
        if composer.is_uploading() {
            composer.show_error(&texts().uploading);
            return;
        }
        if !composer.has_content() {
            return;
        }
        let reply = composer.edits().map_or(Reply::Newest, Reply::InsteadOf);
        if let (Reply::Newest, Some(queue), true) = (&reply, &self.queue, self.is_answering()) {
            queue.push(composer.take_draft());
            return;
        }
        if !self.sending.replace(true) {
            let draft = composer.take_draft();
            if matches!(reply, Reply::InsteadOf(_)) {
                composer.end_edit();
            }
            self.send(draft, reply);
        }
    }

    /// True while the next message of the page's branch has to wait: a message is being sent, or its answer has not
    /// begun or is being written.
    pub(super) fn is_answering(&self) -> bool {
        let is_writing = |thread: &Thread| !thread.open().is_empty();
        self.sending.get() || self.awaiting.borrow().is_some() || self.thread.as_ref().is_some_and(is_writing)
    }

    /// Sends the first queued message after an answer has ended. An answer that failed or asks a question holds the
    /// queue: the message was written without knowing that.
    pub(super) fn send_queued(self: &Rc<Self>) {
        let (Some(queue), Some(thread)) = (&self.queue, &self.thread) else { return };
        if queue.is_empty() || self.is_answering() {
            return;
        }
        if thread.waits_for_reader() {
            queue.show(&texts().queue_reply);
        } else if thread.ends_in_failure() {
            self.hold_queue();
        } else if let Some(draft) = queue.take_first() {
            self.sending.set(true);
            self.send(draft, Reply::Newest);
        }
    }

    /// Shows that the queue waits for the user after a failed answer.
    pub(super) fn hold_queue(&self) {
        if let Some(queue) = self.queue.as_ref().filter(|queue| !queue.is_empty()) {
            queue.show(&texts().queue_failed);
        }
    }

    /// Sends a queued message at once. It stops the answer that is being written.
    fn send_now(self: &Rc<Self>, item: &Element) {
        let Some(queue) = &self.queue else { return };
        if self.is_answering() {
            queue.move_to_front(item);
            stop();
        } else if let Some(draft) = queue.take(item) {
            self.sending.set(true);
            self.send(draft, Reply::Newest);
        }
    }

    /// Handles the buttons of queued messages. Their texts become the draft of the chat when the page is left.
    fn attach_queue(self: &Rc<Self>) {
        let (Some(queue), Some(composer)) = (&self.queue, &self.composer) else { return };
        let controller = self.clone();
        dom::listen(queue.element(), "click", move |event: DomEvent| {
            let (Some(button), Some(item)) = (clicked(&event, "button"), clicked(&event, "li")) else {
                return;
            };
            if button.class_list().contains("send-now") {
                controller.send_now(&item);
            } else if let (Some(composer), Some(draft)) =
                (&controller.composer, controller.queue.as_ref().and_then(|queue| queue.take(&item)))
            {
                composer.put_back(&draft);
            }
        });
        let (controller, composer) = (self.clone(), composer.clone());
        dom::listen(&window(), "pagehide", move |_: DomEvent| {
            while let Some(draft) = controller.queue.as_ref().and_then(MessageQueue::take_last) {
                composer.put_back(&draft);
            }
        });
    }

    fn send(self: &Rc<Self>, draft: Draft, reply: Reply) {
        let text = &draft.text;
        let uploads = draft.uploads();
        let key = format!("{text}\n{}", uploads.join(" "));
        let id = match self.unsent.take() {
            Some((id, unsent)) if unsent == key => id,
            _ => new_id(),
        };
        let (path, body) = match &self.chat {
            Some(chat) => {
                let body = match &reply {
                    Reply::Newest => {
                        json!({"id": id, "parent": self.newest(), "text": text, "uploads": uploads})
                    }
                    Reply::Fork(parent) => json!({"id": id, "parent": parent, "fork": true, "text": text}),
                    Reply::InsteadOf(edited) => {
                        json!({"id": id, "edits": edited, "text": text, "uploads": uploads})
                    }
                };
                (format!("/api/v1/chats/{chat}/messages"), body)
            }
            None => {
                let to = self.composer.as_ref().and_then(ComposerView::addressee);
                let temporary = self.composer.as_ref().is_some_and(ComposerView::is_temporary);
                let body =
                    json!({"id": id, "to": to, "text": text, "uploads": uploads, "temporary": temporary});
                ("/api/v1/chats".to_owned(), body)
            }
        };
        // An edited message replaces what follows it, once the hub has accepted it.
        let is_edit = matches!(reply, Reply::InsteadOf(_));
        if let Some(thread) = self.thread.as_ref().filter(|thread| !is_edit && !thread.is_older_page()) {
            thread.put_unsent(&id, &draft.shown());
        }
        self.hold_end();
        self.awaiting.replace(Some(id.clone()));
        let controller = self.clone();
        leptos::task::spawn_local(async move {
            let answer = http::post(&path, &body).await;
            controller.sending.set(false);
            match answer {
                Ok(answer) => {
                    controller.sent(&answer);
                    // A quick answer may have ended before the hub's reply to the message.
                    controller.send_queued();
                }
                Err(words) => controller.refused(&words, id, key, &draft, &reply),
            }
        });
    }

    /// Handles an accepted message. The event stream delivers its article. A new chat opens its own page, and a
    /// page of older messages the newest one.
    fn sent(&self, answer: &Value) {
        // The hub had the message already, so its answer may have begun long ago.
        if answer["runs"].as_array().is_none_or(Vec::is_empty) {
            self.awaiting.take();
        }
        if let (None, Some(chat)) = (&self.chat, answer["chat"].as_str()) {
            let _ = window().location().assign(&format!("/chat/{chat}"));
        }
        self.leave_older_page();
    }

    fn leave_older_page(&self) {
        if let (Some(chat), Some(true)) = (&self.chat, self.thread.as_ref().map(Thread::is_older_page)) {
            let _ = window().location().assign(&format!("/chat/{chat}"));
        }
    }

    /// Returns the newest message of the branch. A page of older messages does not show it.
    fn newest(&self) -> Option<String> {
        let shown = self.thread.as_ref().filter(|thread| !thread.is_older_page()).and_then(Thread::last);
        shown.or_else(|| self.composer.as_ref()?.parent())
    }

    fn refused(&self, words: &str, id: String, key: String, draft: &Draft, reply: &Reply) {
        let text = &draft.text;
        self.awaiting.take();
        if let Some(thread) = &self.thread {
            thread.remove(&id);
        }
        if let Some(composer) = &self.composer {
            match reply {
                Reply::InsteadOf(edited) => composer.edit(edited, text),
                Reply::Newest | Reply::Fork(_) => composer.restore_text(text),
            }
            composer.restore_attachments(&draft.chips);
            composer.show_error(words);
        }
        self.unsent.replace(Some((id, key)));
    }

    /// Handles a submitted form of the thread: stop, retry, hand-over, approval of a tool call, or message to
    /// another agent.
    fn act(self: &Rc<Self>, event: &SubmitEvent) {
        let Some(form) = event.target().and_then(|target| target.dyn_into::<HtmlFormElement>().ok()) else {
            return;
        };
        let action = form.get_attribute("action").unwrap_or_default();
        let call = if action.ends_with("/stop") {
            hidden(&form, "run").map(|run| (format!("/api/v1/runs/{run}/stop"), json!({})))
        } else if action.ends_with("/retry") {
            hidden(&form, "message").map(|message| (format!("/api/v1/messages/{message}/retry"), json!({})))
        } else if action.ends_with("/hand-over") {
            let fields = hidden(&form, "message").zip(hidden(&form, "to"));
            fields.map(|(message, to)| (format!("/api/v1/messages/{message}/hand-over"), json!({ "to": to })))
        } else if action.ends_with("/approve") {
            let body = json!({ "allow": pressed(event).as_deref() == Some("yes") });
            hidden(&form, "approval").map(|question| (format!("/api/v1/approvals/{question}"), body))
        } else if let Some(text) = hidden(&form, "text") {
            event.prevent_default();
            if !self.sending.replace(true) {
                let draft = Draft { text, chips: Vec::new() };
                self.send(draft, hidden(&form, "parent").map_or(Reply::Newest, Reply::Fork));
            }
            return;
        } else {
            None
        };
        let Some((path, body)) = call else { return };
        event.prevent_default();
        self.ask(path, body, &form);
    }

    /// Posts a request; the buttons of the form are disabled meanwhile. The event stream delivers the
    /// changes.
    fn ask(self: &Rc<Self>, path: String, body: Value, form: &HtmlFormElement) {
        let buttons = dom::all(form, "button");
        let rest = move |resting: bool| {
            for button in &buttons {
                let _ = button.toggle_attribute_with_force("disabled", resting);
            }
        };
        rest(true);
        let controller = self.clone();
        leptos::task::spawn_local(async move {
            let answer = http::post(&path, &body).await;
            rest(false);
            match (answer, &controller.composer) {
                (Err(words), Some(composer)) => composer.show_error(&words),
                (Err(_), None) => {}
                (Ok(_), _) if path.ends_with("/retry") || path.ends_with("/hand-over") => {
                    controller.leave_older_page();
                }
                (Ok(_), _) => {}
            }
        });
    }
}

/// Returns the closest ancestor of a clicked element that matches the selector.
fn clicked(event: &DomEvent, selector: &str) -> Option<Element> {
    event.target()?.dyn_into::<Element>().ok()?.closest(selector).ok()?
}

/// Returns the text of a message as the API returns it.
fn text_of(message: &Value) -> Option<String> {
    let texts = message["parts"].as_array()?.iter().filter_map(|part| part["text"].as_str());
    Some(texts.collect::<Vec<_>>().join("\n\n"))
}

/// Returns the value of the button that submitted the form.
fn pressed(event: &SubmitEvent) -> Option<String> {
    Some(event.submitter()?.dyn_into::<HtmlButtonElement>().ok()?.value())
}
