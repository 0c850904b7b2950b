//! Confirmation dialog that opens without JavaScript (Popover API).

use leptos::prelude::*;

use super::button::Kind;

/// Button and the dialog that it opens. `id` must be unique on the page; `open` is the label of the button.
#[component]
pub fn Dialog(
    id: &'static str,
    #[prop(into)] open: String,
    #[prop(into)] title: String,
    #[prop(optional)] kind: Kind,
    children: Children,
) -> impl IntoView {
    let title_id = format!("{id}-title");
    let labelled = title_id.clone();
    view! {
        <button type="button" class=kind.class() popovertarget=id>{open}</button>
        <div class="dialog" id=id popover="auto" role="dialog" aria-labelledby=labelled>
            <h2 id=title_id>{title}</h2>
            {children()}
            <button type="button" class=Kind::Quiet.class() popovertarget=id popovertargetaction="hide">"Cancel"</button>
        </div>
    }
}
