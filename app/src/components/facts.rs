//! Names and values, as a definition list.

use leptos::prelude::*;

/// Pairs of a name and what stands beside it; those without a value are left out.
pub fn facts(pairs: Vec<(&'static str, Option<AnyView>)>) -> AnyView {
    let rows = pairs
        .into_iter()
        .filter_map(|(name, value)| value.map(|value| view! { <div><dt>{name}</dt><dd>{value}</dd></div> }))
        .collect_view();
    view! { <dl class="facts">{rows}</dl> }.into_any()
}

/// A value of plain text.
pub fn fact(text: impl Into<String>) -> Option<AnyView> {
    Some(text.into().into_any())
}

/// An id, a version, a number.
pub fn mono(text: impl Into<String>) -> Option<AnyView> {
    let text = text.into();
    Some(view! { <code>{text}</code> }.into_any())
}
