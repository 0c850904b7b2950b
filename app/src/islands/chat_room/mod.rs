//! The chat page, alive: answers appear as they are written, messages go without leaving the page.
//!
//! The server draws every article; this island puts them in their places and adds the text in between. Without
//! it the same forms post to the same hub, so nothing here may be the only way.

use leptos::prelude::*;

// The rules, which need no browser; the modules below them do.
#[cfg(any(feature = "hydrate", test))]
mod pace;
#[cfg(any(feature = "hydrate", test))]
mod place;
#[cfg(any(feature = "hydrate", test))]
mod tail;
#[cfg(any(feature = "hydrate", test))]
mod wire;
#[cfg(any(feature = "hydrate", test))]
mod words;

#[cfg(feature = "hydrate")]
mod composer;
#[cfg(feature = "hydrate")]
mod dom;
#[cfg(feature = "hydrate")]
mod forms;
#[cfg(feature = "hydrate")]
mod http;
#[cfg(feature = "hydrate")]
mod room;
#[cfg(feature = "hydrate")]
mod scroll;
#[cfg(feature = "hydrate")]
mod sidebar;
#[cfg(feature = "hydrate")]
mod source;
#[cfg(feature = "hydrate")]
mod stream;
#[cfg(feature = "hydrate")]
mod thread;

/// What the room says and offers beside the thread.
#[derive(Clone, Copy)]
pub struct Signs {
    /// For screen readers: who is answering, who finished.
    pub status: RwSignal<String>,
    /// Why nothing new comes in; empty while it does.
    pub trouble: RwSignal<String>,
    /// The newest message is below the window.
    pub below: RwSignal<bool>,
    /// Somebody is answering.
    pub answering: RwSignal<bool>,
}

/// `chat` is none before the first message. `seq` is the chat's sequence number that the page shows, `worker` the script
/// of the stream that the tabs of a browser share.
#[island]
pub fn ChatRoom(chat: Option<String>, seq: i64, worker: String) -> impl IntoView {
    let signs = Signs {
        status: RwSignal::new(String::new()),
        trouble: RwSignal::new(String::new()),
        below: RwSignal::new(false),
        answering: RwSignal::new(false),
    };
    #[cfg(feature = "hydrate")]
    Effect::new(move || room::start(chat.clone(), seq, &worker, signs));
    #[cfg(not(feature = "hydrate"))]
    let _ = (chat, seq, worker);
    view! {
        <p class="hidden" role="status">{signs.status}</p>
        <p class="offline" role="status" hidden=move || signs.trouble.with(String::is_empty)>{signs.trouble}</p>
        <div class="bubble">
            <button type="button" class="button" hidden=move || !signs.below.get() on:click=move |_| to_latest()>
                "Jump to latest"
            </button>
            <button type="button" class="button" hidden=move || !signs.answering.get() on:click=move |_| stop()>
                "Stop"
            </button>
        </div>
    }
}

fn to_latest() {
    #[cfg(feature = "hydrate")]
    room::to_latest();
}

fn stop() {
    #[cfg(feature = "hydrate")]
    room::stop();
}
