//! Code with its language and a button that copies it.

use leptos::prelude::*;

use super::icon::Icon;

#[component]
pub fn CodeBlock(#[prop(into)] language: String, #[prop(into)] code: String) -> impl IntoView {
    view! {
        <figure class="code">
            <figcaption><span>{language}</span> <CopyButton /></figcaption>
            <pre tabindex="0"><code>{code}</code></pre>
        </figure>
    }
}

/// Copies the nearest `<code>` or `[data-copy-text]` before it. Shown only where the script that does it runs.
#[component]
pub fn CopyButton(#[prop(optional, into)] about: Option<String>) -> impl IntoView {
    view! {
        <button type="button" class="copy" data-copy="" hidden=true>
            {Icon::Copy.view()} <span>"Copy"</span>
            {about.map(|about| view! { <span class="hidden">" "{about}</span> })}
        </button>
    }
}

/// A value on one line that is there to be copied: an address, a token, a record.
#[component]
pub fn Copyable(#[prop(into)] text: String, #[prop(into)] about: String) -> impl IntoView {
    view! { <span class="copyable"><code>{text}</code><CopyButton about /></span> }
}
