//! Tables that scroll horizontally inside the page.

use leptos::prelude::*;

use crate::text;

#[component]
pub fn Table<H>(
    /// Caption for screen readers.
    #[prop(into)]
    caption: String,
    /// Column headers. An empty one marks the column of action buttons.
    heads: Vec<H>,
    rows: Vec<AnyView>,
) -> impl IntoView
where
    H: Into<String> + 'static,
{
    let heads = heads
        .into_iter()
        .map(Into::<String>::into)
        .map(|head| {
            if head.is_empty() {
                view! { <th scope="col"><span class="hidden">{text!("actions")}</span></th> }.into_any()
            } else {
                view! { <th scope="col">{head}</th> }.into_any()
            }
        })
        .collect_view();
    let label = caption.clone();
    view! {
        <div class="table" role="region" aria-label=label tabindex="0">
            <table><caption class="hidden">{caption}</caption><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>
        </div>
    }
}
