//! Confirmation dialog, for what cannot be undone.
//!
//! Without JavaScript it opens as a popover (Popover API). `site.js` opens it as a modal dialog, which keeps the
//! focus inside and returns it on close.

use leptos::prelude::*;

use super::button::Kind;
use crate::text;

/// Button and the dialog that it opens. `id` must be unique on the page; `open` is the label of the button.
#[component]
pub fn Dialog(
    #[prop(into)] id: String,
    #[prop(into)] open: String,
    #[prop(into)] title: String,
    #[prop(optional)] kind: Kind,
    /// Extra label of the button for screen readers.
    #[prop(optional, into)]
    about: Option<String>,
    children: Children,
) -> impl IntoView {
    let title_id = format!("{id}-title");
    let (labelled, closes) = (title_id.clone(), id.clone());
    view! {
        <button type="button" class=kind.class() popovertarget=id.clone() aria-haspopup="dialog">
            {open}
            {about.map(|about| view! { <span class="hidden">" "{about}</span> })}
        </button>
        <dialog class="dialog" id=id popover="auto" aria-labelledby=labelled>
            <h2 id=title_id>{title}</h2>
            {children()}
            // The first focus: Enter must not confirm by accident.
            <button type="button" class=Kind::Quiet.class() popovertarget=closes popovertargetaction="hide" autofocus>{text!("cancel")}</button>
        </dialog>
    }
}
