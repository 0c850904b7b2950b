//! Thin wrappers of the DOM and browser APIs.

use leptos::prelude::{document, window};
use wasm_bindgen::{JsCast, closure::Closure, convert::FromWasmAbi};
use web_sys::{AddEventListenerOptions, CustomEvent, CustomEventInit, Element, EventTarget};

/// Adds an event listener for the lifetime of the page; its closure is leaked.
pub fn listen<E: FromWasmAbi + 'static>(target: &EventTarget, kind: &str, then: impl FnMut(E) + 'static) {
    let closure = Closure::<dyn FnMut(E)>::new(then);
    let options = AddEventListenerOptions::new();
    options.set_passive(false);
    let function = closure.as_ref().unchecked_ref();
    let added =
        target.add_event_listener_with_callback_and_add_event_listener_options(kind, function, &options);
    debug_assert!(added.is_ok(), "a listener for {kind} can be added");
    closure.forget();
}

pub fn by_id<T: JsCast>(id: &str) -> Option<T> {
    document().get_element_by_id(id)?.dyn_into().ok()
}

pub fn find<T: JsCast>(root: &Element, selector: &str) -> Option<T> {
    root.query_selector(selector).ok()??.dyn_into().ok()
}

pub fn all(root: &Element, selector: &str) -> Vec<Element> {
    let Ok(list) = root.query_selector_all(selector) else { return Vec::new() };
    (0..list.length()).filter_map(|index| list.item(index)?.dyn_into().ok()).collect()
}

/// Creates an element with a class and a text. The text is never parsed as HTML.
pub fn element(tag: &str, class: &str, text: &str) -> Option<Element> {
    let element = document().create_element(tag).ok()?;
    element.set_class_name(class);
    element.set_text_content(Some(text));
    Some(element)
}

/// Dispatches `plexus:added`, so that `site.js` processes the new content of `element`.
pub fn announce_added(element: &Element) {
    let init = CustomEventInit::new();
    init.set_bubbles(true);
    if let Ok(event) = CustomEvent::new_with_event_init_dict("plexus:added", &init) {
        let _ = element.dispatch_event(&event);
    }
}

pub fn words(element: &Element) -> usize {
    element.text_content().map_or(0, |text| text.split_whitespace().count())
}

/// Returns the milliseconds since 1970.
pub fn now() -> f64 {
    js_sys::Date::now()
}

pub fn chance() -> f64 {
    js_sys::Math::random()
}

pub fn random_bytes() -> [u8; 10] {
    let mut bytes = [0; 10];
    if let Ok(crypto) = window().crypto() {
        let _ = crypto.get_random_values_with_u8_array(&mut bytes);
    }
    bytes
}

pub fn after(millis: u32, then: impl FnOnce() + 'static) {
    leptos::prelude::set_timeout(then, std::time::Duration::from_millis(u64::from(millis)));
}
