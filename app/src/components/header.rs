//! Site header: navigation, search box and account menu.

use leptos::prelude::*;
use plexus_domain::account::{Registration, Role};

use super::{
    button::Kind,
    icon::Icon,
    identicon::{Initials, PlexusMark},
    menu::Menu,
};
use crate::{
    text,
    view_models::{Frame, Viewer, account::entrance_href},
};

pub fn header(frame: &Frame) -> AnyView {
    let hub = frame.hub.clone();
    view! {
        <header class="site-header">
            <a class="brand" href="/"><PlexusMark /><span>{hub}</span></a>
            <nav aria-label=text!("nav-site")>
                <ul role="list">
                    {nav_link(frame, "/agents", text!("nav-agents"))}
                    {nav_link(frame, "/chat", text!("nav-chat"))}
                    {nav_link(frame, "/teams", text!("nav-teams"))}
                    {nav_link(frame, "/register", text!("register-agent"))}
                </ul>
            </nav>
            {(!has_search(&frame.path)).then(|| search(frame.viewer.is_some()))}
            {account(frame)}
        </header>
    }
    .into_any()
}

/// True for pages that have their own search box.
fn has_search(path: &str) -> bool {
    path == "/" || path.starts_with("/agents")
}

fn nav_link(frame: &Frame, href: &'static str, label: String) -> AnyView {
    let rest = frame.path.strip_prefix(href);
    let here = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '?']));
    view! { <li><a href=href aria-current=here.then_some("page")>{label}</a></li> }.into_any()
}

/// Renders the search box for agents, on narrow windows a link. Signed in, the link opens the search dialog.
fn search(is_signed_in: bool) -> AnyView {
    let link = if is_signed_in {
        view! { <a class="button quiet search-link" href="/chat/search" data-search="" aria-label=text!("search-chats-and-agents")>{Icon::Search.view()}</a> }.into_any()
    } else {
        view! { <a class="button quiet search-link" href="/agents" aria-label=text!("search-agents")>{Icon::Search.view()}</a> }.into_any()
    };
    view! {
        <form class="header-search" role="search" action="/agents">
            <label class="hidden" for="header-q">{text!("search-agents")}</label>
            <input id="header-q" type="search" name="q" placeholder=text!("search-agents") maxlength="200" />
            <button aria-label=text!("search-button")>{Icon::Search.view()}</button>
        </form>
        {link}
    }
    .into_any()
}

fn account(frame: &Frame) -> AnyView {
    match &frame.viewer {
        Some(viewer) => signed_in(viewer).into_any(),
        None => signed_out(frame).into_any(),
    }
}

fn signed_in(viewer: &Viewer) -> AnyView {
    let name = viewer.name.clone();
    let own = format!("/@{name}");
    let admin = viewer.role >= Role::Moderator;
    let summary = view! { <Initials name=name.clone() /> }.into_any();
    view! {
        <Menu summary label=text!("account-menu", name = name.clone())>
            <p class="who">{name.clone()}</p>
            <ul role="list">
                <li><a href="/chat/search" data-search="" aria-keyshortcuts="Control+K Meta+K">{text!("search-button")}" "<kbd aria-hidden="true">"Ctrl K"</kbd></a></li>
                <li><a href=own>{text!("your-agents")}</a></li>
                <li><a href="/teams">{text!("nav-teams")}</a></li>
                <li><a href="/register">{text!("register-agent")}</a></li>
                <li><a href="/settings/account">{text!("nav-settings")}</a></li>
                {admin.then(|| view! { <li><a href="/admin">{text!("nav-administration")}</a></li> })}
            </ul>
            <form method="post" action="/logout"><button>{text!("sign-out")}</button></form>
        </Menu>
    }
    .into_any()
}

fn signed_out(frame: &Frame) -> AnyView {
    let (sign_in, sign_up) = (entrance(frame, "/login"), entrance(frame, "/signup"));
    let open = matches!(frame.registration, Registration::Open | Registration::Approval);
    view! {
        <div class="signed-out">
            {open.then(|| view! { <a class=Kind::Quiet.class() href=sign_up>{text!("sign-up")}</a> })}
            <a class=Kind::Plain.class() href=sign_in>{text!("sign-in")}</a>
        </div>
    }
    .into_any()
}

/// Returns the URL of the sign-in or sign-up page that leads back to this page, or to where this one leads.
fn entrance(frame: &Frame, page: &str) -> String {
    let (path, query) = frame.path.split_once('?').unwrap_or((&frame.path, ""));
    if !matches!(path, "/login" | "/signup") {
        return entrance_href(page, &frame.path);
    }
    let next = query.split('&').find(|field| field.starts_with("next="));
    next.map_or_else(|| page.to_owned(), |next| format!("{page}?{next}"))
}
