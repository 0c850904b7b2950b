//! Site footer of every page except the chat.

use leptos::prelude::*;

use crate::{
    text,
    view_models::{Frame, Locale},
};

pub fn footer(frame: &Frame) -> AnyView {
    let hub = frame.hub.clone();
    view! {
        <footer class="site-footer">
            <p dir="auto">{hub}</p>
            <nav aria-label=text!("nav-about")>
                <ul role="list">
                    <li><a href="/docs">{text!("nav-documentation")}</a></li>
                    <li><a href="/docs/api">"API"</a></li>
                    <li><a href="/network">{text!("nav-network")}</a></li>
                    <li><a href="/settings/appearance">{text!("appearance")}</a></li>
                    <li><a href="/shortcuts">{text!("keyboard-shortcuts")}</a></li>
                </ul>
            </nav>
            {(!has_secret(&frame.path)).then(|| language_form(frame))}
        </footer>
    }
    .into_any()
}

/// True for the address of a link that was sent. The form would repeat its token, and returning to it could use it up.
fn has_secret(path: &str) -> bool {
    let query = path.split_once('?').map_or("", |(_, query)| query);
    query.split('&').any(|field| ["admin=", "invite=", "token="].iter().any(|name| field.starts_with(name)))
}

/// Renders the choice of the language. A button submits it, since a change of the selection must not load another page
/// (WCAG 3.2.2).
fn language_form(frame: &Frame) -> AnyView {
    let options = Locale::ALL.map(|locale| {
        let selected = locale == frame.locale;
        view! { <option value=locale.as_str() lang=locale.as_str() selected=selected>{locale.name()}</option> }
    });
    let next = frame.path.clone();
    view! {
        <form class="language" method="post" action="/language">
            <input type="hidden" name="next" value=next />
            <label class="hidden" for="footer-language">{text!("language")}</label>
            <select class="control" id="footer-language" name="language" autocomplete="off">{options.collect_view()}</select>
            <button class="button">{text!("change-language")}</button>
        </form>
    }
    .into_any()
}
