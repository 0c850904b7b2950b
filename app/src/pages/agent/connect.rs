use leptos::prelude::*;

use crate::{
    components::{code_block::CodeBlock, empty::Empty, section::Section},
    view_models::agent::{AgentHead, Callable, Snippet},
};

pub fn view(snippets: Vec<Snippet>, head: &AgentHead) -> AnyView {
    if snippets.is_empty() {
        return view! { <Empty title="Programs cannot reach it yet"><p>"This hub offers no way to call it from outside."</p></Empty> }.into_any();
    }
    let token = (head.callable != Callable::SignIn).then(|| {
        view! { " Make a token in "<a href="/settings/tokens">"your settings"</a>"." }
    });
    let blocks = snippets
        .into_iter()
        .map(|snippet| view! { <Section title=snippet.title><CodeBlock language=snippet.language code=snippet.code /></Section> })
        .collect_view();
    view! {
        <p class="quiet">"Programs reach this agent through the hub, with a token of yours."{token}</p>
        {blocks}
    }
    .into_any()
}
