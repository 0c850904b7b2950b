//! Page `/shortcuts`: the list of keyboard shortcuts. `public/shortcuts.js` shows its sections as a dialog.

use leptos::prelude::*;

use crate::{
    pages::{Layout, Page, PageMeta},
    view_models::shortcuts::ShortcutsPage,
};

/// Keys that are pressed one after the other or together, and what they do.
type Shortcut = (&'static [&'static str], &'static str);

const ANYWHERE: [Shortcut; 1] = [(&["Ctrl", "K"], "Search chats and agents (⌘ K on a Mac)")];

const CHAT: [Shortcut; 6] = [
    (&["Enter"], "Send the message (Ctrl Enter on touch screens)"),
    (&["Shift", "Enter"], "Start a new line"),
    (&["Esc"], "Stop the answer, or cancel an edit"),
    (&["@"], "Choose an agent, at the beginning of a message"),
    (&["F6"], "Go to the messages, the message field or the list of chats; with Shift, backwards"),
    (&["Ctrl", "Shift", ";"], "Copy the last code block"),
];

const SINGLE_KEYS: [Shortcut; 5] = [
    (&["?"], "Show this list"),
    (&["n"], "Start a new chat"),
    (&["/"], "Go to the message field, or to the search"),
    (&["j"], "Go to the next message"),
    (&["k"], "Go to the previous message"),
];

impl Page for ShortcutsPage {
    fn head(&self) -> PageMeta {
        PageMeta { layout: Layout::Narrow, ..PageMeta::private("Keyboard shortcuts") }
    }

    fn body(self) -> AnyView {
        let switch = if self.single_keys {
            view! { <p class="quiet">"They work outside text fields. You can turn them off under "<a href="/settings/appearance">"Appearance"</a>"."</p> }
        } else {
            view! { <p class="quiet">"They are turned off. You can turn them on under "<a href="/settings/appearance">"Appearance"</a>"."</p> }
        };
        view! {
            <h1>"Keyboard shortcuts"</h1>
            <section><h2>"On every page"</h2>{list(&ANYWHERE)}</section>
            <section><h2>"In a chat"</h2>{list(&CHAT)}</section>
            <section><h2>"Single keys"</h2>{switch.into_any()}{list(&SINGLE_KEYS)}</section>
        }
        .into_any()
    }
}

fn list(shortcuts: &[Shortcut]) -> AnyView {
    let rows = shortcuts
        .iter()
        .map(|(keys, action)| {
            let keys = keys.iter().map(|key| view! { <kbd>{*key}</kbd>" " }).collect_view();
            view! { <div><dt>{keys}</dt><dd>{*action}</dd></div> }
        })
        .collect_view();
    view! { <dl class="keys">{rows}</dl> }.into_any()
}
