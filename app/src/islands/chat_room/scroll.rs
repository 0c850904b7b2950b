//! Auto-scroll: holds the view at the end of the page until the reader scrolls up.

use std::cell::Cell;

use leptos::prelude::{document, window};
use web_sys::Element;

use super::backoff::ScrollPin;

pub struct Scroll {
    pin: Cell<ScrollPin>,
    /// True until the next frame has scrolled to the end, whatever the reader does meanwhile.
    must_reach_end: Cell<bool>,
}

impl Scroll {
    pub const fn new() -> Self {
        Self { pin: Cell::new(ScrollPin::new()), must_reach_end: Cell::new(false) }
    }

    /// Handles a scroll or a resize. Returns true if the newest message is out of view.
    pub fn moved(&self) -> bool {
        let (at, rest) = position();
        self.update(|pin| pin.scrolled(at, rest));
        self.pin.get().offers_way_back(rest)
    }

    /// Handles added content. Returns true if the newest message is out of view.
    pub fn grown(&self) -> bool {
        if self.must_reach_end.take() {
            self.update(ScrollPin::hold);
        }
        if self.pin.get().holds() {
            to_end();
        }
        self.pin.get().offers_way_back(position().1)
    }

    /// True if the view is held at the end of the page.
    pub const fn holds_end(&self) -> bool {
        self.pin.get().holds()
    }

    /// Scrolls to a message and stays there.
    pub fn show(&self, message: &Element) {
        self.update(ScrollPin::release);
        message.scroll_into_view();
    }

    /// Holds the view at the end from the next frame on: scrolling now would make the browser lay out the page twice.
    pub fn hold(&self) {
        self.update(ScrollPin::hold);
        self.must_reach_end.set(true);
    }

    /// Handles content that was removed above the view.
    pub fn shrunk(&self) {
        self.update(ScrollPin::shrunk);
    }

    fn update(&self, change: impl FnOnce(&mut ScrollPin)) {
        let mut pin = self.pin.get();
        change(&mut pin);
        self.pin.set(pin);
    }
}

fn to_end() {
    if let Some(root) = document().document_element() {
        root.set_scroll_top(root.scroll_height());
    }
}

/// Returns the scroll offset, and the pixels below the window.
fn position() -> (i32, i32) {
    let Some(root) = document().document_element() else { return (0, 0) };
    let height = window().inner_height().ok().and_then(|height| height.as_f64()).unwrap_or_default();
    (root.scroll_top(), root.scroll_height() - root.scroll_top() - height as i32)
}
