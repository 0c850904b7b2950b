//! Settings pages.

use leptos::prelude::*;

use crate::{
    components::{side_nav::WithSide, tabs::Tab},
    text,
};

mod account;
mod appearance;
mod chat_import;
mod model_keys;
mod sessions;
mod shares;
mod tokens;
mod usage;

/// Renders a settings page with its side navigation. `here` is the path of the page.
fn with_side(here: &str, content: AnyView) -> AnyView {
    let pages = [
        ("/settings/account", text!("settings-account")),
        ("/settings/sessions", text!("settings-sessions")),
        ("/settings/tokens", text!("settings-tokens")),
        ("/settings/shares", text!("settings-chats")),
        ("/settings/usage", text!("settings-usage")),
        ("/settings/appearance", text!("appearance")),
    ];
    let links: Vec<Tab> = pages
        .into_iter()
        .map(|(href, label)| Tab { label, href: href.to_owned(), current: href == here })
        .collect();
    view! { <WithSide label=text!("nav-settings") links>{content}</WithSide> }.into_any()
}
