//! Tab navigation. Each tab is a link with its own URL.

use leptos::prelude::*;

pub struct Tab {
    pub label: String,
    pub href: String,
    pub current: bool,
}

#[component]
pub fn Tabs(#[prop(into)] label: String, tabs: Vec<Tab>) -> impl IntoView {
    let items = tabs
        .into_iter()
        .map(|tab| {
            let current = tab.current.then_some("page");
            view! { <li><a href=tab.href aria-current=current>{tab.label}</a></li> }
        })
        .collect_view();
    view! { <nav class="tabs" aria-label=label><ul role="list">{items}</ul></nav> }
}
