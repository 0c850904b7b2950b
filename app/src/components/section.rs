//! Titled section of a page.

use leptos::prelude::*;

#[component]
pub fn Section(
    #[prop(into)] title: String,
    /// Purpose of the section in one sentence.
    #[prop(optional, into)]
    lead: Option<String>,
    children: Children,
) -> impl IntoView {
    view! {
        <section class="section">
            <h2>{title}</h2>
            {lead.map(|lead| view! { <p class="quiet">{lead}</p> })}
            {children()}
        </section>
    }
}
