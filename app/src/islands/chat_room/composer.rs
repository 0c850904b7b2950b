//! Where messages are written: keys, and what stands beside it when something went wrong.

use leptos::prelude::window;
use plexus_domain::{MessageId, Timestamp};
use web_sys::{
    Element, EventInit, HtmlElement, HtmlFormElement, HtmlInputElement, HtmlTextAreaElement, KeyboardEvent,
};

use super::dom;

#[derive(Clone)]
pub struct Composer {
    pub form: HtmlFormElement,
    text: HtmlTextAreaElement,
    error: HtmlElement,
}

impl Composer {
    pub fn find() -> Option<Self> {
        Some(Self {
            form: dom::by_id("composer")?,
            text: dom::by_id("composer-text")?,
            error: dom::by_id("composer-error")?,
        })
    }

    /// Handles keys. `escape` is called for Esc.
    pub fn enliven(&self, escape: impl Fn() + 'static) {
        self.go_to_end();
        let composer = self.clone();
        dom::listen(&self.text, "keydown", move |event: KeyboardEvent| match event.key().as_str() {
            "Enter" if sends(&event) => {
                event.prevent_default();
                let _ = composer.form.request_submit();
            }
            "Escape" if !event.is_composing() => escape(),
            _ => {}
        });
    }

    /// Browsers begin before the first letter of a text that came with the page. Where somebody writes already is left alone.
    fn go_to_end(&self) {
        if self.text.selection_end() == Ok(Some(0)) {
            let end = u32::try_from(self.text.value().encode_utf16().count()).unwrap_or(u32::MAX);
            let _ = self.text.set_selection_range(end, end);
        }
    }

    /// What is written, if it is more than white space.
    pub fn message(&self) -> Option<String> {
        let text = self.text.value();
        (!text.trim().is_empty()).then_some(text)
    }

    pub fn set_text(&self, text: &str) {
        self.replace_text(text);
        let _ = self.text.focus();
    }

    /// Puts a refused message back, unless something new was begun.
    pub fn give_back(&self, text: &str) {
        if self.message().is_none() {
            self.set_text(text);
        }
    }

    pub fn clear(&self) {
        self.replace_text("");
        self.complain("");
    }

    /// Empty words take the complaint away.
    pub fn complain(&self, words: &str) {
        self.error.set_text_content(Some(words));
        self.error.set_hidden(words.is_empty());
    }

    /// The agent that a new chat begins with.
    pub fn addressee(&self) -> Option<String> {
        hidden(&self.form, "to")
    }

    /// Shows the agent that keeps the conversation from now on: the author of this article.
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
        self.text.set_placeholder(&format!("Message to {name}"));
    }

    /// As if it were typed, so that `script/drafts.js` keeps it.
    fn replace_text(&self, text: &str) {
        self.text.set_value(text);
        let init = EventInit::new();
        init.set_bubbles(true);
        if let Ok(event) = web_sys::Event::new_with_event_init_dict("input", &init) {
            let _ = self.text.dispatch_event(&event);
        }
    }
}

/// Enter sends where there is a keyboard; while a word is being composed it chooses the word.
fn sends(event: &KeyboardEvent) -> bool {
    let composing = event.is_composing() || event.key_code() == 229;
    let held = event.shift_key() || event.alt_key();
    let touch = window().match_media("(pointer: coarse)").ok().flatten().is_some_and(|media| media.matches());
    !composing && !held && (!touch || event.ctrl_key() || event.meta_key())
}

/// The value of a field that nobody sees.
pub fn hidden(form: &HtmlFormElement, name: &str) -> Option<String> {
    let field: HtmlInputElement = dom::find(form, &format!("input[name=\"{name}\"]"))?;
    Some(field.value()).filter(|value| !value.is_empty())
}

/// An id for a message to be, made here so that sending it twice is harmless.
pub fn new_id() -> String {
    // Whole milliseconds far below 2^53.
    MessageId::new(Timestamp::from_millis(dom::now() as i64), &dom::random_bytes()).to_string()
}
