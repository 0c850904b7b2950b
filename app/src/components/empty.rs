//! Placeholder of an empty list: why it is empty, and the next step.

use leptos::prelude::*;

#[component]
pub fn Empty(#[prop(optional, into)] title: Option<String>, children: Children) -> impl IntoView {
    view! { <div class="empty">{title.map(|title| view! { <h2>{title}</h2> })}{children()}</div> }
}
