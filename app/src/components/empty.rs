//! Empty places say why they are empty and offer the next step.

use leptos::prelude::*;

#[component]
pub fn Empty(#[prop(into)] title: String, children: Children) -> impl IntoView {
    view! { <div class="empty"><h2>{title}</h2>{children()}</div> }
}
