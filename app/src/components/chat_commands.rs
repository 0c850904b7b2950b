//! Commands and example messages that the composer offers after `/`. `public/pickers.js` shows those whose control is on
//! the page at that moment, and presses it.

use leptos::prelude::*;

use crate::text;

/// A command: the word after `/`, the selector of the control that it presses, and its title. The last control that
/// matches is pressed. Without a selector the command is always offered.
type Command = (&'static str, Option<&'static str>, String);

const RETRY: &str = "#thread > article:last-of-type > footer form[action$='/retry'] button";
const COMPARE: &str = "#thread > article:last-of-type > footer a[href*='/compare?']";
const EDIT: &str = "#thread:not([data-viewer]) > .person [data-edit], #thread > .own [data-edit]";
const STOP: &str = "#thread > article[aria-busy] form[action$='/stop'] button";

fn commands() -> [Command; 20] {
    [
        ("retry", Some(RETRY), text!("command-retry")),
        ("compare", Some(COMPARE), text!("command-compare")),
        ("edit", Some(EDIT), text!("command-edit")),
        ("stop", Some(STOP), text!("command-stop")),
        ("new", Some("#chats > a[href='/chat']"), text!("command-new")),
        ("search", Some("#chats > a[data-search]"), text!("command-search")),
        ("temporary", Some("#temporary-on"), text!("command-temporary")),
        ("ordinary", Some("#temporary-off"), text!("command-ordinary")),
        ("keep", Some(".dock form[action$='/keep'] button"), text!("command-keep")),
        ("rename", Some(".room-head a[href$='/rename']"), text!("command-rename")),
        ("pin", Some(".room-head form[action$='/pin']:has([value='yes']) button"), text!("command-pin")),
        ("unpin", Some(".room-head form[action$='/pin']:has([value='no']) button"), text!("command-unpin")),
        (
            "archive",
            Some(".room-head form[action$='/archive']:has([value='yes']) button"),
            text!("command-archive"),
        ),
        (
            "restore",
            Some(".room-head form[action$='/archive']:has([value='no']) button"),
            text!("command-restore"),
        ),
        ("folder", Some(".room-head a[href$='/folder']"), text!("command-folder")),
        ("people", Some(".room-head .sheet a[href$='/people']"), text!("command-people")),
        ("share", Some(".room-head a[href*='/share']"), text!("command-share")),
        ("export", Some(".room-head a[href$='format=markdown']"), text!("command-export")),
        ("delete", Some(".room-head a[href$='/delete']"), text!("command-delete")),
        ("shortcuts", None, text!("command-shortcuts")),
    ]
}

/// Renders the commands, and the example messages of the agent that answers. They are no part of the page.
pub fn chat_commands(examples: &[String]) -> AnyView {
    let commands = commands()
        .into_iter()
        .map(|(name, target, title)| view! { <span data-name=name data-target=target>{title}</span> })
        .collect_view();
    let examples = examples.iter().map(|text| view! { <span>{text.clone()}</span> }).collect_view();
    let (label, messages) = (text!("commands"), text!("command-examples"));
    view! { <template id="composer-commands" data-label=label data-messages=messages>{commands}{examples}</template> }
        .into_any()
}
