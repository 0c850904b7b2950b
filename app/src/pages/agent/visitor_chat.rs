//! Chat tab of an agent's page, for visitors without an account.

use leptos::prelude::*;

use crate::{
    components::{
        button::{Button, ButtonLink, Kind},
        field::Field,
        form_errors::form_errors,
        format::visitor_chat_href,
        icon::Icon,
    },
    rich, text,
    view_models::agent::{AgentHead, VisitorChat, VisitorTurn},
};

pub fn view(model: VisitorChat, head: &AgentHead) -> AnyView {
    let path = visitor_chat_href(&head.address, None);
    let login = format!("/login?next={path}");
    let turns = model.turns.into_iter().map(|turn| message(turn, &head.name)).collect_view();
    let running = model.is_running.then(|| {
        let href = path.clone();
        view! {
            <p role="status">{text!("visitor-running")}</p>
            <p><ButtonLink label=text!("show-answer") href icon=Icon::Retry /></p>
        }
    });
    let (errors, field) =
        (form_errors(&model.form, None), Field::lines("text", text!("message"), 4).of(&model.form));
    view! {
        <p class="quiet">
            {rich!("visitor-lead"; link = |inner| view! { <a href=login>{inner}</a> })}
        </p>
        <section class="stack" aria-label=text!("messages")>{turns}{running}</section>
        {errors}
        <form class="stack" method="post" action=path>
            {field}
            <p class="actions"><Button label=text!("send-message") kind=Kind::Primary /></p>
        </form>
    }
    .into_any()
}

fn message(turn: VisitorTurn, agent: &str) -> AnyView {
    let (class, author) = if turn.by_agent {
        ("message agent done", agent.to_owned())
    } else {
        ("message person", text!("you"))
    };
    let html = turn.html.into_string();
    view! {
        <article class=class>
            <header><h2 dir="auto">{author}</h2></header>
            <div class="prose" dir="auto" inner_html=html></div>
        </article>
    }
    .into_any()
}
