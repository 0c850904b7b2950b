//! A question in front of the page, opened by its button without a script.

use leptos::prelude::*;

use super::button::Kind;

/// `id` is unique on the page; `open` is the label of the button that shows the dialog.
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
