//! Administration pages.

use leptos::prelude::*;
use plexus_domain::account::Role;

use crate::{
    components::{context, icon::Icon, side_nav::WithSide, tabs::Tab},
    locales::translated,
    text,
};

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
    let warning =
        |text| view! { <li class="state caution">{Icon::Alert.view()} <div>{translated(text)}</div></li> };
    let list = warnings.into_iter().map(warning).collect_view();
    Some(
        view! { <section class="problems"><h2>{text!("admin-attention")}</h2><ul role="list">{list}</ul></section> }
            .into_any(),
    )
}

/// Renders an administration page with its side navigation. `here` is the path of the page. Links are filtered by the
/// viewer's role.
fn with_side(here: &str, content: AnyView) -> AnyView {
    let pages = [
        ("/admin", text!("admin-overview"), Role::Admin),
        ("/admin/setup", text!("admin-setup"), Role::Admin),
        ("/admin/users", text!("admin-users"), Role::Moderator),
        ("/admin/agents", text!("nav-agents"), Role::Moderator),
        ("/admin/models", text!("admin-models"), Role::Admin),
        ("/admin/usage", text!("settings-usage"), Role::Admin),
        ("/admin/origins", text!("admin-origins"), Role::Admin),
        ("/admin/network", text!("admin-hubs"), Role::Admin),
        ("/admin/invites", text!("admin-invitations"), Role::Admin),
        ("/admin/audit", text!("admin-audit"), Role::Admin),
    ];
    let links: Vec<Tab> = pages
        .into_iter()
        .filter(|(_, _, needs)| context::role().is_some_and(|role| role >= *needs))
        .map(|(href, label, _)| Tab { label, href: href.to_owned(), current: href == here })
        .collect();
    view! { <WithSide label=text!("nav-administration") links>{content}</WithSide> }.into_any()
}

/// Renders the search form of a table.
fn search(action: &'static str, label: String, words: String) -> AnyView {
    let (form_label, placeholder) = (label.clone(), label.clone());
    view! {
        <form class="search small" role="search" action=action aria-label=form_label>
            <label class="hidden" for="q">{label}</label>
            {Icon::Search.view()}
            <input id="q" type="search" name="q" maxlength="200" value=words placeholder=placeholder />
            <button class="button">{text!("admin-search")}</button>
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
