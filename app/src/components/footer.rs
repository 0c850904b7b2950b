//! Site footer of every page except the chat.

use leptos::prelude::*;

#[component]
pub fn Footer(#[prop(into)] hub: String) -> impl IntoView {
    view! {
        <footer class="site-footer">
            <p>{hub}</p>
            <nav aria-label="About this hub">
                <ul role="list">
                    <li><a href="/docs">"Documentation"</a></li>
                    <li><a href="/docs/api">"API"</a></li>
                    <li><a href="/network">"Network"</a></li>
                    <li><a href="/settings/appearance">"Appearance"</a></li>
                    <li><a href="/shortcuts">"Keyboard shortcuts"</a></li>
                </ul>
            </nav>
        </footer>
    }
}
