//! Administration pages.

use leptos::prelude::*;
use plexus_domain::account::Role;

use crate::components::{context, icon::Icon, side_nav::WithSide, tabs::Tab};

mod agents;
mod audit;
mod invites;
mod model_provider;
mod model_settings;
mod models;
mod network;
mod origins;
mod overview;
mod setup;
mod usage;
mod users;

/// Renders warnings for administrators; nothing if there are none.
fn warnings_section(warnings: Vec<String>) -> Option<AnyView> {
    if warnings.is_empty() {
        return None;
    }
    let warning = |text| view! { <li class="state caution">{Icon::Alert.view()} <div>{text}</div></li> };
    let list = warnings.into_iter().map(warning).collect_view();
    Some(
        view! { <section class="problems"><h2>"Needs attention"</h2><ul role="list">{list}</ul></section> }
            .into_any(),
    )
}

/// Renders an administration page with its side navigation. Links are filtered by the viewer's role.
fn with_side(here: &str, content: AnyView) -> AnyView {
    let pages = [
        ("/admin", "Overview", Role::Admin),
        ("/admin/setup", "Next steps", Role::Admin),
        ("/admin/users", "Users", Role::Moderator),
        ("/admin/agents", "Agents", Role::Moderator),
        ("/admin/models", "Models", Role::Admin),
        ("/admin/usage", "Usage", Role::Admin),
        ("/admin/origins", "Trusted origins", Role::Admin),
        ("/admin/network", "Other hubs", Role::Admin),
        ("/admin/invites", "Invitations", Role::Admin),
        ("/admin/audit", "Audit log", Role::Admin),
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

/// Renders the search form of a table.
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

/// Returns the URL of a page of a table that is filtered by search words.
fn page_href(path: &str, words: &str, page: u32) -> String {
    narrowed_href(path, page, &[("q", words)])
}

/// Returns the URL of a page of a table with several filters; empty ones are omitted.
fn narrowed_href(path: &str, page: u32, words: &[(&str, &str)]) -> String {
    let mut href = format!("{path}?page={page}");
    for (name, word) in words.iter().filter(|(_, word)| !word.is_empty()) {
        href.push_str(&format!("&{name}="));
        crate::view_models::agent_query::percent_encode(word, &mut href);
    }
    href
}
