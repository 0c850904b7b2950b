//! Difference of two texts by line. Added and removed lines differ by a sign, by words for screen readers and by colour.

use leptos::prelude::*;

use crate::view_models::agent_versions::{DiffLine, DiffLineKind, FieldDiff};

#[component]
pub fn Diff(diff: FieldDiff) -> impl IntoView {
    let lines = diff.lines.into_iter().map(line).collect_view();
    let omitted = match diff.omitted {
        0 => None,
        1 => Some("1 more line is not shown.".to_owned()),
        number => Some(format!("{number} more lines are not shown.")),
    };
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
            view! { <p class="added" dir="auto"><span class="hidden">"Added: "</span><ins>{text}</ins></p> }.into_any()
        }
        DiffLineKind::Removed => {
            view! { <p class="removed" dir="auto"><span class="hidden">"Removed: "</span><del>{text}</del></p> }
                .into_any()
        }
        DiffLineKind::Gap => {
            view! { <p class="gap"><span class="hidden">"Unchanged lines"</span></p> }.into_any()
        }
    }
}
