use leptos::prelude::*;

use crate::{
    components::{code_block::CodeBlock, empty::Empty, section::Section},
    view_models::agent::{AgentHead, Callable, Snippet},
};

pub fn view(snippets: Vec<Snippet>, head: &AgentHead) -> AnyView {
    if snippets.is_empty() {
        return view! { <Empty title="No API access"><p>"This hub offers no API for calling this agent."</p></Empty> }.into_any();
    }
    let token = (head.callable != Callable::SignIn).then(|| {
        view! { " Create a token in "<a href="/settings/tokens">"your settings"</a>"." }
    });
    let blocks = snippets
        .into_iter()
        .map(|snippet| view! { <Section title=snippet.title><CodeBlock language=snippet.language code=snippet.code /></Section> })
        .collect_view();
    view! {
        <p class="quiet">"Programs call this agent through the hub, with one of your tokens."{token}</p>
        {blocks}
    }
    .into_any()
}
