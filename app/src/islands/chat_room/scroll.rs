//! Auto-scroll: holds the view at the end of the page until the reader scrolls up.

use std::cell::Cell;

use leptos::prelude::{document, window};
use web_sys::Element;

use super::backoff::ScrollPin;

pub struct Scroll {
    pin: Cell<ScrollPin>,
}

impl Scroll {
    pub const fn new() -> Self {
        Self { pin: Cell::new(ScrollPin::new()) }
    }

    /// Handles a scroll or a resize. Returns true if the newest message is out of view.
    pub fn moved(&self) -> bool {
        let (at, rest) = position();
        let mut pin = self.pin.get();
        pin.scrolled(at, rest);
        self.pin.set(pin);
        pin.offers_way_back(rest)
    }

    /// Handles added content. Returns true if the newest message is out of view.
    pub fn grown(&self) -> bool {
        if self.pin.get().holds() {
            to_end();
        }
        self.pin.get().offers_way_back(position().1)
    }

    /// True if the view is held at the end of the page.
    pub const fn is_at_end(&self) -> bool {
        self.pin.get().holds()
    }

    /// Scrolls to a message and stays there.
    pub fn show(&self, message: &Element) {
        let mut pin = self.pin.get();
        pin.release();
        self.pin.set(pin);
        message.scroll_into_view();
    }

    /// Holds the view at the end from the next frame on: scrolling now would make the browser lay out the page twice.
    pub fn hold(&self) {
        let mut pin = self.pin.get();
        pin.hold();
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
