//! Menus and drawers that open and close without JavaScript.

use leptos::prelude::*;

use super::icon::Icon;
use crate::text;

/// Drop-down menu. `summary` is the content of its button. `site.js` closes it on a click outside.
#[component]
pub fn Menu(
    summary: AnyView,
    /// Label for screen readers, if the summary is only an image.
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

/// Close button of a drawer. Hidden where the layout shows the drawer as a column.
#[component]
pub fn CloseDrawer(drawer: &'static str) -> impl IntoView {
    view! {
        <button type="button" class="button quiet close-drawer" popovertarget=drawer popovertargetaction="hide">
            {Icon::Close.view()}
            {text!("close")}
        </button>
    }
}
