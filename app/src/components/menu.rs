//! A menu that opens without a script.

use leptos::prelude::*;

/// `summary` is what is pressed; a script closes the menu when something else is.
#[component]
pub fn Menu(
    summary: AnyView,
    /// The accessible name, where the summary is only a picture.
    #[prop(optional, into)]
    label: Option<String>,
    children: Children,
) -> impl IntoView {
    view! {
        <details class="menu">
            <summary aria-label=label>{summary}</summary>
            <div class="sheet">{children()}</div>
        </details>
    }
}
