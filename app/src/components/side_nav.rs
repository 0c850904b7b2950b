//! Side navigation of settings, administration and documentation.

use leptos::prelude::*;

use super::tabs::Tab;

/// Page content with the side navigation.
#[component]
pub fn WithSide(#[prop(into)] label: String, links: Vec<Tab>, children: Children) -> impl IntoView {
    let items = links
        .into_iter()
        .map(|link| {
            let current = link.current.then_some("page");
            view! { <li><a href=link.href aria-current=current>{link.label}</a></li> }
        })
        .collect_view();
    view! {
        <div class="with-side">
            <nav class="side" aria-label=label><ul role="list">{items}</ul></nav>
            <div class="stack">{children()}</div>
        </div>
    }
}
