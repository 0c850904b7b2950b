//! Island of the chat page: shows answers as they stream, and sends messages without a page load.
//!
//! The server renders every article; the island inserts articles and appends streamed text. Without
//! JavaScript the same forms post to the hub, so every function must also work without the island.

use leptos::prelude::*;

// These modules need no browser, so native tests cover them. The modules below need one.
#[cfg(any(feature = "hydrate", test))]
mod announcements;
#[cfg(any(feature = "hydrate", test))]
mod article_position;
#[cfg(any(feature = "hydrate", test))]
mod backoff;
#[cfg(any(feature = "hydrate", test))]
mod chat_list;
#[cfg(any(feature = "hydrate", test))]
mod events;
#[cfg(any(feature = "hydrate", test))]
mod open_block;
#[cfg(any(feature = "hydrate", test))]
mod streaming_text;
mod texts;
#[cfg(any(feature = "hydrate", test))]
mod thread_limit;
#[cfg(any(feature = "hydrate", test))]
mod typing;

#[cfg(feature = "hydrate")]
mod composer;
#[cfg(feature = "hydrate")]
mod controller;
#[cfg(feature = "hydrate")]
mod dom;
#[cfg(feature = "hydrate")]
mod event_source;
#[cfg(feature = "hydrate")]
mod forms;
#[cfg(feature = "hydrate")]
mod http;
#[cfg(feature = "hydrate")]
mod morph;
#[cfg(feature = "hydrate")]
mod queue;
#[cfg(feature = "hydrate")]
mod scroll;
#[cfg(feature = "hydrate")]
mod sidebar;
#[cfg(feature = "hydrate")]
mod stream;
#[cfg(feature = "hydrate")]
mod tail;
#[cfg(feature = "hydrate")]
mod thread;

pub use texts::RoomTexts;

/// Whether the event stream of the page works, for the reader.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ConnectionNotice {
    /// It works, or was interrupted too briefly for a notice.
    #[default]
    None,
    /// It is interrupted, for a reason in words.
    Interrupted(String),
    /// The session has ended, for example by signing out in another tab.
    SignedOut,
    /// It works again.
    Back,
}

/// Reactive state of the island: status line, connection notice and visible buttons.
#[derive(Clone, Copy)]
pub struct ChatUiState {
    /// Announcement for screen readers: which agent is answering or has finished.
    pub status: RwSignal<String>,
    pub connection: RwSignal<ConnectionNotice>,
    /// True if the newest message is below the window.
    pub below: RwSignal<bool>,
    /// True while an agent is answering, and the viewer may stop it.
    pub answering: RwSignal<bool>,
}

/// Root component of the island. `chat` is `None` before the first message.
///
/// `seq` is the chat's sequence number that the page shows. `worker` is the URL of the script that shares one
/// event stream between the tabs of a browser.
#[island]
pub fn ChatRoom(chat: Option<String>, seq: i64, worker: String, texts: RoomTexts) -> impl IntoView {
    let (latest, stop_label) = (texts.latest.clone(), texts.stop.clone());
    let (signed_out, back, sign_in) = (texts.signed_out.clone(), texts.back.clone(), texts.sign_in.clone());
    // In another tab, so that the text and the files of the composer stay.
    let sign_in_href = format!("/login?next=/chat/{}", chat.as_deref().unwrap_or_default());
    let ui = ChatUiState {
        status: RwSignal::new(String::new()),
        connection: RwSignal::new(ConnectionNotice::None),
        below: RwSignal::new(false),
        answering: RwSignal::new(false),
    };
    #[cfg(feature = "hydrate")]
    Effect::new(move || controller::start(chat.clone(), seq, &worker, texts.clone(), ui));
    #[cfg(not(feature = "hydrate"))]
    let _ = (chat, seq, worker, texts);
    view! {
        <p class="hidden" role="status">{ui.status}</p>
        <p class="offline" role="status" hidden=move || ui.connection.with(|notice| *notice == ConnectionNotice::None)>
            {move || ui.connection.with(|notice| words_of(notice, &signed_out, &back))}
            " "
            <a href=sign_in_href target="_blank" hidden=move || ui.connection.with(|notice| *notice != ConnectionNotice::SignedOut)>{sign_in}</a>
        </p>
        <div class="bubble">
            <button type="button" class="button" hidden=move || !ui.below.get() on:click=move |_| to_latest()>
                {latest}
            </button>
            <button type="button" class="button" hidden=move || !ui.answering.get() on:click=move |_| stop()>
                {stop_label}
            </button>
        </div>
    }
}

fn words_of(notice: &ConnectionNotice, signed_out: &str, back: &str) -> String {
    match notice {
        ConnectionNotice::None => String::new(),
        ConnectionNotice::Interrupted(words) => words.clone(),
        ConnectionNotice::SignedOut => signed_out.to_owned(),
        ConnectionNotice::Back => back.to_owned(),
    }
}

fn to_latest() {
    #[cfg(feature = "hydrate")]
    controller::to_latest();
}

fn stop() {
    #[cfg(feature = "hydrate")]
    controller::stop();
}
