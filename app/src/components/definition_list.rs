//! Definition list of names and values.

use leptos::prelude::*;

/// Renders a definition list. Pairs without a value are omitted.
pub fn facts<N: Into<String>>(pairs: Vec<(N, Option<AnyView>)>) -> AnyView {
    let rows = pairs
        .into_iter()
        .filter_map(|(name, value)| {
            value.map(|value| view! { <div><dt>{name.into()}</dt><dd>{value}</dd></div> })
        })
        .collect_view();
    view! { <dl class="facts">{rows}</dl> }.into_any()
}

/// Returns a plain-text value for [`facts`].
pub fn fact(text: impl Into<String>) -> Option<AnyView> {
    Some(text.into().into_any())
}

/// Returns a monospace value for [`facts`], such as an id or a version.
pub fn mono(text: impl Into<String>) -> Option<AnyView> {
    let text = text.into();
    Some(view! { <code>{text}</code> }.into_any())
}
