//! For those who run the hub.

use leptos::prelude::*;
use plexus_domain::account::Role;

use crate::components::{context, icon::Icon, side::WithSide, tabs::Tab};

mod agents;
mod audit;
mod invites;
mod network;
mod origins;
mod overview;
mod users;

/// A page of administration beside the list of all of them.
fn with_side(here: &str, content: AnyView) -> AnyView {
    let pages = [
        ("/admin", "Overview", Role::Admin),
        ("/admin/users", "People", Role::Moderator),
        ("/admin/agents", "Agents", Role::Moderator),
        ("/admin/origins", "Vouched origins", Role::Admin),
        ("/admin/network", "Other hubs", Role::Admin),
        ("/admin/invites", "Signing up", Role::Admin),
        ("/admin/audit", "Log", Role::Admin),
    ];
    let links: Vec<Tab> = pages
        .into_iter()
        .filter(|(_, _, needs)| context::role().is_some_and(|role| role >= *needs))
        .map(|(href, label, _)| Tab {
            label: label.to_owned(),
            href: href.to_owned(),
            current: label == here,
        })
        .collect();
    view! { <WithSide label="Administration" links>{content}</WithSide> }.into_any()
}

/// The words that a table is narrowed by.
fn search(action: &'static str, label: &'static str, words: String) -> AnyView {
    view! {
        <form class="search small" role="search" action=action aria-label=label>
            <label class="hidden" for="q">{label}</label>
            {Icon::Search.view()}
            <input id="q" type="search" name="q" maxlength="200" value=words placeholder=label />
            <button class="button">"Search"</button>
        </form>
    }
    .into_any()
}

/// The address of a page of a table.
fn page_href(path: &str, words: &str, page: u32) -> String {
    narrowed_href(path, page, &[("q", words)])
}

/// The same for a table that is narrowed by several words; empty ones are left out.
fn narrowed_href(path: &str, page: u32, words: &[(&str, &str)]) -> String {
    let mut href = format!("{path}?page={page}");
    for (name, word) in words.iter().filter(|(_, word)| !word.is_empty()) {
        href.push_str(&format!("&{name}="));
        crate::model::query::percent_encode(word, &mut href);
    }
    href
}
