//! Page `/shortcuts`: the list of keyboard shortcuts. `public/shortcuts.js` shows its sections as a dialog.

use leptos::prelude::*;

use crate::{
    pages::{Layout, Page, PageMeta},
    rich, text,
    view_models::shortcuts::ShortcutsPage,
};

/// Keys that are pressed one after the other or together, and what they do.
type Shortcut = (&'static [&'static str], String);

fn anywhere() -> [Shortcut; 1] {
    [(&["Ctrl", "K"], text!("shortcut-search"))]
}

fn chat() -> [Shortcut; 7] {
    [
        (&["Enter"], text!("shortcut-send")),
        (&["Shift", "Enter"], text!("shortcut-line")),
        (&["Esc"], text!("shortcut-stop")),
        (&["@"], text!("shortcut-agent")),
        (&["/"], text!("shortcut-commands")),
        (&["F6"], text!("shortcut-region")),
        (&["Ctrl", "Shift", ";"], text!("shortcut-copy-code")),
    ]
}

fn single_keys() -> [Shortcut; 5] {
    [
        (&["?"], text!("shortcut-list")),
        (&["n"], text!("shortcut-new")),
        (&["/"], text!("shortcut-write")),
        (&["j"], text!("shortcut-next")),
        (&["k"], text!("shortcut-previous")),
    ]
}

impl Page for ShortcutsPage {
    fn head(&self) -> PageMeta {
        PageMeta { layout: Layout::Narrow, ..PageMeta::private(text!("keyboard-shortcuts")) }
    }

    fn is_translated(&self) -> bool {
        true
    }

    fn body(self) -> AnyView {
        let link = |inner: String| view! { <a href="/settings/appearance">{inner}</a> };
        let switch = if self.single_keys {
            rich!("shortcuts-single-on"; link = link)
        } else {
            rich!("shortcuts-single-off"; link = link)
        };
        view! {
            <h1>{text!("keyboard-shortcuts")}</h1>
            <section><h2>{text!("shortcuts-anywhere")}</h2>{list(anywhere())}</section>
            <section><h2>{text!("shortcuts-chat")}</h2>{list(chat())}</section>
            <section><h2>{text!("shortcuts-single")}</h2><p class="quiet">{switch}</p>{list(single_keys())}</section>
        }
        .into_any()
    }
}

fn list<const N: usize>(shortcuts: [Shortcut; N]) -> AnyView {
    let rows = shortcuts
        .into_iter()
        .map(|(keys, action)| {
            let keys = keys.iter().map(|key| view! { <kbd>{*key}</kbd>" " }).collect_view();
            view! { <div><dt>{keys}</dt><dd>{action}</dd></div> }
        })
        .collect_view();
    view! { <dl class="keys">{rows}</dl> }.into_any()
}
