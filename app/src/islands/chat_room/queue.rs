//! Queue of messages that are sent when the answer that is being written has ended.

use std::{cell::RefCell, collections::VecDeque};

use web_sys::{Element, HtmlElement};

use super::{composer::Draft, dom, texts::texts};

/// Queued messages in the order in which they are sent. The list above the composer shows one item for each.
pub struct MessageQueue {
    list: Element,
    status: HtmlElement,
    waiting: RefCell<VecDeque<QueuedMessage>>,
}

struct QueuedMessage {
    draft: Draft,
    item: Element,
}

impl MessageQueue {
    pub fn find() -> Option<Self> {
        Some(Self {
            list: dom::by_id("composer-queue")?,
            status: dom::by_id("composer-queue-status")?,
            waiting: RefCell::default(),
        })
    }

    pub const fn element(&self) -> &Element {
        &self.list
    }

    pub fn is_empty(&self) -> bool {
        self.waiting.borrow().is_empty()
    }

    pub fn push(&self, draft: Draft) {
        let Some(item) = item(&draft.shown()) else { return };
        if self.list.append_child(&item).is_ok() {
            self.waiting.borrow_mut().push_back(QueuedMessage { draft, item });
            self.show(&texts().queue_next);
        }
    }

    pub fn take_first(&self) -> Option<Draft> {
        let first = self.waiting.borrow_mut().pop_front();
        self.removed(first)
    }

    pub fn take_last(&self) -> Option<Draft> {
        let last = self.waiting.borrow_mut().pop_back();
        self.removed(last)
    }

    /// Takes the message of an item of the list.
    pub fn take(&self, item: &Element) -> Option<Draft> {
        let position = self.position(item)?;
        let taken = self.waiting.borrow_mut().remove(position);
        self.removed(taken)
    }

    pub fn move_to_front(&self, item: &Element) {
        let Some(position) = self.position(item) else { return };
        let mut waiting = self.waiting.borrow_mut();
        if let Some(moved) = waiting.remove(position) {
            let _ = self.list.prepend_with_node_1(&moved.item);
            waiting.push_front(moved);
        }
    }

    fn position(&self, item: &Element) -> Option<usize> {
        self.waiting.borrow().iter().position(|queued| queued.item == *item)
    }

    fn removed(&self, queued: Option<QueuedMessage>) -> Option<Draft> {
        let QueuedMessage { draft, item } = queued?;
        item.remove();
        self.show(if self.is_empty() { "" } else { &texts().queue_next });
        Some(draft)
    }

    /// Shows when the queue is sent, or why it is not. An empty text hides the line.
    pub fn show(&self, words: &str) {
        self.status.set_text_content(Some(words));
        self.status.set_hidden(words.is_empty());
    }
}

fn item(text: &str) -> Option<Element> {
    let item = dom::element("li", "", "")?;
    let words = dom::element("span", "text", text)?;
    words.set_attribute("dir", "auto").ok()?;
    item.append_child(&words).ok()?;
    for (class, label) in [("send-now", &texts().send_now), ("edit", &texts().edit_queued)] {
        let button = dom::element("button", &format!("button quiet {class}"), label)?;
        button.set_attribute("type", "button").ok()?;
        item.append_child(&button).ok()?;
    }
    Some(item)
}
