//! Sidebar with the list of chats, reloaded from the API after changes.

use std::{cell::Cell, rc::Rc, time::Duration};

use leptos::prelude::{document, set_interval};
use wasm_bindgen::JsValue;
use web_sys::Element;

use super::{
    chat_list::{ChatList, ListedChat},
    dom, http,
    texts::texts,
};

pub struct SidebarView {
    /// Id of the open chat.
    chat: Option<String>,
    /// True while a refresh is scheduled, which will include all changes until it starts.
    due: Cell<bool>,
}

/// Changes within this interval share one refresh (debounce), in milliseconds.
const TOGETHER: u32 = 1_000;
/// Interval of refreshes without an event stream.
const REFRESH_INTERVAL: Duration = Duration::from_secs(5);

impl SidebarView {
    pub const fn new(chat: Option<String>) -> Self {
        Self { chat, due: Cell::new(false) }
    }

    pub fn refresh_soon(self: &Rc<Self>) {
        if self.due.replace(true) {
            return;
        }
        let sidebar = self.clone();
        dom::after(TOGETHER, move || {
            leptos::task::spawn_local(async move {
                sidebar.due.set(false);
                // Errors are ignored: a slightly stale list is harmless.
                if let Ok(Ok(chats)) =
                    http::get("/api/v1/chats").await.map(serde_json::from_value::<ChatList>)
                {
                    let _ = sidebar.show(&chats.items);
                }
            });
        });
    }

    /// Refreshes the list while the page is visible, for a page without an event stream.
    pub fn refresh_regularly(self: &Rc<Self>) {
        self.refresh_soon();
        let sidebar = self.clone();
        set_interval(
            move || {
                if !document().hidden() {
                    sidebar.refresh_soon();
                }
            },
            REFRESH_INTERVAL,
        );
    }

    /// Updates the state of the open chat immediately, without a refresh.
    pub fn set_state(&self, running: bool, waiting: bool) {
        if let Some(item) = self.item() {
            let _ = item.class_list().toggle_with_force("running", running);
            let _ = item.class_list().toggle_with_force("waiting", waiting);
        }
    }

    pub fn set_title(&self, title: &str) {
        if let Some(name) = self.item().and_then(|item| dom::find::<Element>(&item, ".name")) {
            name.set_text_content(Some(title));
        }
    }

    fn item(&self) -> Option<Element> {
        let chat = self.chat.as_ref()?;
        document().query_selector(&format!("#chats [data-chat=\"{chat}\"]")).ok()?
    }

    fn show(&self, chats: &[ListedChat]) -> Option<()> {
        let list = document().query_selector("#chats .recent").ok()??;
        list.set_text_content(None);
        for chat in chats {
            list.append_child(self.row(chat)?.as_ref()).ok()?;
        }
        dom::announce_added(&list);
        Some(())
    }

    fn row(&self, chat: &ListedChat) -> Option<Element> {
        let item = dom::element("li", &chat.class(), "")?;
        item.set_attribute("data-chat", &chat.id).ok()?;
        let link = dom::element("a", "", "")?;
        link.set_attribute("href", &format!("/chat/{}", chat.id)).ok()?;
        if self.chat.as_ref() == Some(&chat.id) {
            link.set_attribute("aria-current", "page").ok()?;
        }
        let when = dom::element("span", "when", "")?;
        let states = [
            ("news", &texts().state_unread),
            ("several", &texts().state_room),
            ("pinned", &texts().state_pinned),
            ("answering", &texts().state_answering),
            ("awaiting", &texts().state_waiting),
        ];
        for (class, words) in states {
            when.append_child(dom::element("span", class, words)?.as_ref()).ok()?;
        }
        let time = dom::element("time", "", "")?;
        let stamp = js_sys::Date::new(&JsValue::from_f64(chat.last_activity)).to_iso_string();
        time.set_attribute("datetime", &String::from(stamp)).ok()?;
        time.set_attribute("data-ago", "").ok()?;
        when.append_child(&time).ok()?;
        let name = dom::element("span", "name", &chat.title)?;
        name.set_attribute("dir", "auto").ok()?;
        link.append_child(&name).ok()?;
        link.append_child(&when).ok()?;
        item.append_child(&link).ok()?;
        Some(item)
    }
}
