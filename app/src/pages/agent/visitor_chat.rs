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
    view_models::agent::{AgentHead, VisitorChat, VisitorTurn},
};

pub fn view(model: VisitorChat, head: &AgentHead) -> AnyView {
    let path = visitor_chat_href(&head.address, None);
    let login = format!("/login?next={path}");
    let turns = model.turns.into_iter().map(|turn| message(turn, &head.name)).collect_view();
    let running = model.is_running.then(|| {
        let href = path.clone();
        view! {
            <p role="status">"The agent is still working on its answer."</p>
            <p><ButtonLink label="Show answer" href icon=Icon::Retry /></p>
        }
    });
    let (errors, field) =
        (form_errors(&model.form, None), Field::lines("text", "Message", 4).of(&model.form));
    view! {
        <p class="quiet">
            "You are not signed in. This browser can read the chat for an hour after its last answer. "
            <a href=login>"Sign in"</a> " to keep your chats."
        </p>
        <section class="stack" aria-label="Messages">{turns}{running}</section>
        {errors}
        <form class="stack" method="post" action=path>
            {field}
            <p class="actions"><Button label="Send message" kind=Kind::Primary /></p>
        </form>
    }
    .into_any()
}

fn message(turn: VisitorTurn, agent: &str) -> AnyView {
    let (class, author) = if turn.by_agent {
        ("message agent done", agent.to_owned())
    } else {
        ("message person", "You".to_owned())
    };
    let html = turn.html.into_string();
    view! {
        <article class=class>
            <header><h2>{author}</h2></header>
            <div class="prose" dir="auto" inner_html=html></div>
        </article>
    }
    .into_any()
}
