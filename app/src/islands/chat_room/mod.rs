//! The chat page, alive.

use leptos::prelude::*;

#[island]
pub fn ChatRoom(chat: Option<String>, seq: i64, leaf: Option<String>) -> impl IntoView {
    let status = RwSignal::new(String::new());
    let _ = (chat, seq, leaf);
    view! { <p class="hidden" role="status">{status}</p> }
}
