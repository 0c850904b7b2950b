//! Code blocks and one-line values with a copy button.

use leptos::prelude::*;

use super::icon::Icon;
use crate::text;

#[component]
pub fn CodeBlock(#[prop(into)] language: String, #[prop(into)] code: String) -> impl IntoView {
    view! {
        <figure class="code">
            <figcaption><span>{language}</span> <CopyButton /></figcaption>
            <pre tabindex="0"><code>{code}</code></pre>
        </figure>
    }
}

/// Button that copies the enclosing code block or value, or the text of the enclosing message.
///
/// It is hidden until `site.js` shows it, because copying needs JavaScript.
#[component]
pub fn CopyButton(#[prop(optional, into)] about: Option<String>) -> impl IntoView {
    view! {
        <button type="button" class="copy" data-copy="" hidden=true>
            {Icon::Copy.view()} <span>{text!("copy")}</span>
            {about.map(|about| view! { <span class="hidden">" "{about}</span> })}
        </button>
    }
}

/// One-line value with a copy button, such as an address, a token or a DNS record.
#[component]
pub fn Copyable(#[prop(into)] text: String, #[prop(into)] about: String) -> impl IntoView {
    view! { <span class="copyable"><code>{text}</code><CopyButton about /></span> }
}
