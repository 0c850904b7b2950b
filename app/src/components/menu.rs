//! What opens and closes without a script: menus and drawers.

use leptos::prelude::*;

use super::icon::Icon;

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

/// Closes the drawer it stands in; not shown where the drawer has a place of its own.
#[component]
pub fn CloseDrawer(drawer: &'static str) -> impl IntoView {
    view! {
        <button type="button" class="button quiet close-drawer" popovertarget=drawer popovertargetaction="hide">
            {Icon::Close.view()}
            "Close"
        </button>
    }
}
