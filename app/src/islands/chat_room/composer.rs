//! Message composer of the chat page: key handling, text and error message.

use std::{cell::RefCell, rc::Rc};

use leptos::prelude::window;
use plexus_domain::{MessageId, Timestamp};
use web_sys::{
    Element, EventInit, HtmlElement, HtmlFormElement, HtmlInputElement, HtmlTextAreaElement, KeyboardEvent,
};

use super::{
    dom,
    texts::{fill, texts},
};

#[derive(Clone)]
pub struct ComposerView {
    pub form: HtmlFormElement,
    text: HtmlTextAreaElement,
    error: HtmlElement,
    /// Text that was being written when the edit of a message began.
    kept: Rc<RefCell<String>>,
}

/// A message that is sent: its text, and its files as the composer shows them.
pub struct Draft {
    pub text: String,
    pub chips: Vec<Element>,
}

impl Draft {
    pub fn uploads(&self) -> Vec<String> {
        self.chips.iter().filter_map(upload_of).collect()
    }

    /// Returns the text and the names of the files.
    pub fn shown(&self) -> String {
        let names = self.chips.iter().map(name_of);
        let all: Vec<_> =
            std::iter::once(self.text.clone()).chain(names).filter(|it| !it.is_empty()).collect();
        all.join("\n\n")
    }
}

impl ComposerView {
    pub fn find() -> Option<Self> {
        Some(Self {
            form: dom::by_id("composer")?,
            text: dom::by_id("composer-text")?,
            error: dom::by_id("composer-error")?,
            kept: Rc::default(),
        })
    }

    /// Attaches the key handlers. Esc calls `escape`.
    pub fn attach_handlers(&self, escape: impl Fn() + 'static) {
        self.go_to_end();
        let composer = self.clone();
        dom::listen(&self.text, "keydown", move |event: KeyboardEvent| match event.key().as_str() {
            "Enter" if sends(&event) => {
                event.prevent_default();
                let _ = composer.form.request_submit();
            }
            "Escape" if event.is_composing() => {}
            "Escape" if composer.edits().is_some() => composer.end_edit(),
            "Escape" => escape(),
            _ => {}
        });
        let composer = self.clone();
        if let Some(cancel) = dom::find::<Element>(&self.form, ".editing a") {
            dom::listen(&cancel, "click", move |event: web_sys::Event| {
                event.prevent_default();
                composer.end_edit();
                let _ = composer.text.focus();
            });
        }
    }

    /// Calls `then` when the user changes the text. Changes by scripts do not count.
    pub fn on_typed(&self, then: impl Fn() + 'static) {
        dom::listen(&self.text, "input", move |event: web_sys::Event| {
            if event.is_trusted() {
                then();
            }
        });
    }

    /// Returns the message that is being edited.
    pub fn edits(&self) -> Option<String> {
        hidden(&self.form, "edits")
    }

    /// Begins to edit a message with this text.
    pub fn edit(&self, message: &str, text: &str) {
        if self.edits().is_none() {
            self.kept.replace(self.text.value());
        }
        self.set_edits(message);
        self.set_text(text);
    }

    /// Ends the edit of a message, and restores what was being written before.
    pub fn end_edit(&self) {
        self.set_edits("");
        self.replace_text(&self.kept.take());
    }

    fn set_edits(&self, message: &str) {
        if let Some(field) = dom::find::<HtmlInputElement>(&self.form, "input[name=\"edits\"]") {
            field.set_value(message);
        }
        if let Some(line) = dom::by_id::<HtmlElement>("composer-editing") {
            line.set_hidden(message.is_empty());
        }
    }

    /// Moves the cursor to the end of a prefilled text; browsers put it at the start.
    ///
    /// Does nothing if the cursor is not at the start any more, because the user is typing already.
    fn go_to_end(&self) {
        if self.text.selection_end() == Ok(Some(0)) {
            let end = u32::try_from(self.text.value().encode_utf16().count()).unwrap_or(u32::MAX);
            let _ = self.text.set_selection_range(end, end);
        }
    }

    /// Returns the files that are added to the message.
    fn chips(&self) -> Vec<Element> {
        dom::by_id::<Element>("composer-files").map(|list| dom::all(&list, "li")).unwrap_or_default()
    }

    /// True while files are being uploaded (`public/attachments.js`).
    pub fn is_uploading(&self) -> bool {
        self.form.has_attribute("data-uploading")
    }

    /// Takes the message out of the composer.
    pub fn take_draft(&self) -> Draft {
        let draft = Draft { text: self.message().unwrap_or_default(), chips: self.take_attachments() };
        self.clear();
        draft
    }

    /// Puts a message back, before what is written meanwhile.
    pub fn put_back(&self, draft: &Draft) {
        let texts = [draft.text.clone(), self.message().unwrap_or_default()];
        self.set_text(&texts.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n"));
        self.restore_attachments(&draft.chips);
    }

    /// Takes the files of the message out of the composer.
    fn take_attachments(&self) -> Vec<Element> {
        let chips = self.chips();
        for chip in &chips {
            chip.remove();
        }
        chips
    }

    /// Puts the files of a refused message back.
    pub fn restore_attachments(&self, chips: &[Element]) {
        let Some(list) = dom::by_id::<Element>("composer-files") else { return };
        for chip in chips.iter().rev() {
            let _ = list.prepend_with_node_1(chip);
        }
    }

    /// True if there is text or a file to send.
    pub fn has_content(&self) -> bool {
        self.message().is_some() || !self.chips().is_empty()
    }

    /// Returns the text, or `None` if it is only white space.
    pub fn message(&self) -> Option<String> {
        let text = self.text.value();
        (!text.trim().is_empty()).then_some(text)
    }

    fn set_text(&self, text: &str) {
        self.replace_text(text);
        let _ = self.text.focus();
    }

    /// Restores the text of a rejected message, unless the user has typed a new one.
    pub fn restore_text(&self, text: &str) {
        if self.message().is_none() {
            self.set_text(text);
        }
    }

    pub fn clear(&self) {
        self.replace_text("");
        self.show_error("");
    }

    /// Shows an error message. An empty one clears it.
    pub fn show_error(&self, words: &str) {
        self.error.set_text_content(Some(words));
        self.error.set_hidden(words.is_empty());
    }

    /// Returns the address of the agent that a new chat starts with.
    pub fn addressee(&self) -> Option<String> {
        hidden(&self.form, "to")
    }

    /// True if the first message begins a temporary chat.
    pub fn is_temporary(&self) -> bool {
        hidden(&self.form, "temporary").is_some()
    }

    /// Returns the message that the next message replies to, as the server rendered it.
    pub fn parent(&self) -> Option<String> {
        hidden(&self.form, "parent")
    }

    /// Sets the message that the next message replies to.
    pub fn set_parent(&self, id: &str) {
        if let Some(field) = dom::find::<HtmlInputElement>(&self.form, "input[name=\"parent\"]") {
            field.set_value(id);
        }
    }

    /// Shows the author of this article as the agent that answers the next message.
    pub fn follow(&self, article: &Element) {
        let (Some(to), Some(mark)) =
            (dom::find::<Element>(&self.form, ".to"), dom::find::<Element>(article, ".gutter .mark"))
        else {
            return;
        };
        let name =
            dom::find::<Element>(article, "h2 a").and_then(|name| name.text_content()).unwrap_or_default();
        let address =
            dom::find::<Element>(article, "h2 .address").and_then(|it| it.text_content()).unwrap_or_default();
        to.set_text_content(None);
        to.set_class_name("to");
        let _ = mark.clone_node_with_deep(true).map(|mark| to.append_child(&mark));
        for (class, text) in [("", &name), ("address", &address)] {
            let _ = dom::element("span", class, text).map(|span| to.append_child(&span));
        }
        self.text.set_placeholder(&fill(&texts().message_to, &[&name]));
    }

    /// Replaces the text and dispatches an `input` event, so that `script/drafts.js` saves the draft.
    fn replace_text(&self, text: &str) {
        self.text.set_value(text);
        let init = EventInit::new();
        init.set_bubbles(true);
        if let Ok(event) = web_sys::Event::new_with_event_init_dict("input", &init) {
            let _ = self.text.dispatch_event(&event);
        }
    }
}

/// True if this press of Enter sends the message.
///
/// Touch devices need Ctrl or Meta. During input method composition (`isComposing`, or key code 229) Enter
/// selects a candidate and must not send.
fn sends(event: &KeyboardEvent) -> bool {
    let composing = event.is_composing() || event.key_code() == 229;
    let held = event.shift_key() || event.alt_key();
    let touch = window().match_media("(pointer: coarse)").ok().flatten().is_some_and(|media| media.matches());
    !composing && !held && (!touch || event.ctrl_key() || event.meta_key())
}

/// Returns the value of a hidden field, or `None` if it is missing or empty.
pub fn hidden(form: &HtmlFormElement, name: &str) -> Option<String> {
    let field: HtmlInputElement = dom::find(form, &format!("input[name=\"{name}\"]"))?;
    Some(field.value()).filter(|value| !value.is_empty())
}

/// Returns the upload id of a file in the composer.
fn upload_of(chip: &Element) -> Option<String> {
    dom::find::<HtmlInputElement>(chip, "input[name=\"upload\"]").map(|field| field.value())
}

/// Returns the name of a file in the composer.
fn name_of(chip: &Element) -> String {
    let name = dom::find::<Element>(chip, ".name").and_then(|name| name.text_content());
    name.unwrap_or_default()
}

/// Creates the id of a new message in the browser, so that sending it again is idempotent.
pub fn new_id() -> String {
    // Whole milliseconds far below 2^53: the cast is exact.
    MessageId::new(Timestamp::from_millis(dom::now() as i64), &dom::random_bytes()).to_string()
}
