//! Settings pages.

use leptos::prelude::*;

use crate::components::{side_nav::WithSide, tabs::Tab};

mod account;
mod appearance;
mod chat_import;
mod model_keys;
mod sessions;
mod shares;
mod tokens;
mod usage;

/// Renders a settings page with its side navigation.
fn with_side(here: &str, content: AnyView) -> AnyView {
    let pages = [
        ("/settings/account", "Account"),
        ("/settings/sessions", "Sessions"),
        ("/settings/tokens", "Tokens"),
        ("/settings/shares", "Chats"),
        ("/settings/usage", "Usage"),
        ("/settings/appearance", "Appearance"),
    ];
    let links: Vec<Tab> = pages
        .into_iter()
        .map(|(href, label)| Tab { label: label.to_owned(), href: href.to_owned(), current: label == here })
        .collect();
    view! { <WithSide label="Settings" links>{content}</WithSide> }.into_any()
}
