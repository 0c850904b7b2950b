//! A menu that opens without a script.

use leptos::prelude::*;

/// `summary` is what is pressed; a script closes the menu when something else is.
#[component]
pub fn Menu(
    summary: AnyView,
    /// What it is a menu of, where the summary is only a picture.
    #[prop(optional, into)]
    label: Option<String>,
    children: Children,
) -> impl IntoView {
    view! {
        <details class="menu">
            <summary>{summary}{label.map(|label| view! { <span class="hidden">{label}</span> })}</summary>
            <div class="sheet">{children()}</div>
        </details>
    }
}
