use leptos::prelude::*;

use crate::{
    components::{code_block::CodeBlock, empty::Empty, section::Section},
    rich, text,
    view_models::agent::{AgentHead, Callable, Snippet},
};

pub fn view(snippets: Vec<Snippet>, head: &AgentHead) -> AnyView {
    if snippets.is_empty() {
        return view! { <Empty title=text!("connect-none")><p>{text!("connect-none-why")}</p></Empty> }
            .into_any();
    }
    let token = (head.callable != Callable::SignIn).then(|| {
        view! { " "{rich!("connect-token"; link = |inner| view! { <a href="/settings/tokens">{inner}</a> })} }
    });
    let blocks = snippets
        .into_iter()
        .map(|snippet| view! { <Section title=snippet.title><CodeBlock language=snippet.language code=snippet.code /></Section> })
        .collect_view();
    view! {
        <p class="quiet">{text!("connect-lead")}{token}</p>
        {blocks}
    }
    .into_any()
}
