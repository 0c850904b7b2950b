//! Tables that scroll sideways by themselves instead of the page.

use leptos::prelude::*;

#[component]
pub fn Table(
    /// What the table holds, for those who cannot see where it stands.
    #[prop(into)]
    caption: String,
    /// The heads of the columns; an empty one is for actions.
    heads: Vec<&'static str>,
    rows: Vec<AnyView>,
) -> impl IntoView {
    let heads = heads
        .into_iter()
        .map(|head| {
            if head.is_empty() {
                view! { <th scope="col"><span class="hidden">"Actions"</span></th> }.into_any()
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
