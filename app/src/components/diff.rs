//! Difference of two texts by line. Added and removed lines differ by a sign, by words for screen readers and by colour.

use leptos::prelude::*;

use crate::{
    text,
    view_models::agent_versions::{DiffLine, DiffLineKind, FieldDiff},
};

#[component]
pub fn Diff(diff: FieldDiff) -> impl IntoView {
    let lines = diff.lines.into_iter().map(line).collect_view();
    let omitted = (diff.omitted > 0).then(|| text!("diff-omitted", count = diff.omitted));
    view! {
        <div class="diff">{lines}</div>
        {omitted.map(|words| view! { <p class="quiet">{words}</p> })}
    }
}

fn line(line: DiffLine) -> AnyView {
    let text = line.text;
    match line.kind {
        DiffLineKind::Unchanged => view! { <p dir="auto">{text}</p> }.into_any(),
        DiffLineKind::Added => {
            view! { <p class="added" dir="auto"><span class="hidden">{text!("diff-added")}" "</span><ins>{text}</ins></p> }.into_any()
        }
        DiffLineKind::Removed => {
            view! { <p class="removed" dir="auto"><span class="hidden">{text!("diff-removed")}" "</span><del>{text}</del></p> }
                .into_any()
        }
        DiffLineKind::Gap => {
            view! { <p class="gap"><span class="hidden">{text!("diff-unchanged")}</span></p> }.into_any()
        }
    }
}
