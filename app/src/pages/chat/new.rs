use leptos::prelude::*;

use super::sidebar::{opener, sidebar};
use crate::{
    components::{
        badge::BadgeTag,
        composer::Composer,
        context::assets,
        format::{agent_href, chat_href},
        identicon::Mark,
        notice::Note,
        starters::{StarterUser, starters},
    },
    islands::chat_room::ChatRoom,
    pages::{Layout, Page, PageMeta},
    view_models::{
        Tone,
        agents::AgentRow,
        chat::{AgentChoice, NewChatPage},
    },
};

impl Page for NewChatPage {
    fn head(&self) -> PageMeta {
        PageMeta { layout: Layout::Full, islands: true, ..PageMeta::private("New chat") }
    }

    fn body(self) -> AnyView {
        let choice = self.to;
        let composer = Composer {
            action: "/chat".into(),
            id: self.next_id,
            parent: None,
            to: choice.as_ref(),
            edits: None,
            form: &self.form,
        };
        let composer =
            choice.as_ref().is_none_or(|choice| choice.obstacle.is_none()).then(|| composer.view());
        let top = match &choice {
            Some(choice) => chosen(choice),
            None => open_choice(self.starred, self.agents),
        };
        view! {
            <div class="chat">
                {sidebar(self.sidebar, None)}
                <div class="room new">
                    <div class="room-head">{opener()}</div>
                    <div class="thread">{top}</div>
                    <div class="dock">{composer}<ChatRoom chat=None seq=0 worker=assets().events_js.clone() /></div>
                </div>
            </div>
        }
        .into_any()
    }
}

fn chosen(choice: &AgentChoice) -> AnyView {
    // An agent that would not answer has no use for them.
    let texts = if choice.obstacle.is_none() { choice.starters.clone() } else { Vec::new() };
    let starters = starters(&choice.address, texts, StarterUser::SignedIn);
    let page = agent_href(&choice.address);
    view! {
        <div class="intro">
            <Mark seed=choice.seed.clone() />
            <h1>{choice.name.clone()}</h1>
            <p class="address"><a href=page>{choice.address.to_string()}</a></p>
            <p>{choice.summary.clone()}</p>
            {choice.obstacle.clone().map(|why| view! { <Note tone=Tone::Caution>{why}</Note> })}
            {starters}
        </div>
    }
    .into_any()
}

/// Renders the agents to choose from: starred ones above the hub's own.
fn open_choice(starred: Vec<AgentRow>, agents: Vec<AgentRow>) -> AnyView {
    let lists = if starred.is_empty() {
        view! { <h2 class="hidden">"Agents"</h2>{rows(agents)} }.into_any()
    } else {
        let others = (!agents.is_empty()).then(|| view! { <h2>"Agents of this hub"</h2>{rows(agents)} });
        view! {
            <div class="list-head"><h2>"Starred"</h2><a href="/agents?starred=true">"All starred"</a></div>
            {rows(starred)}
            {others}
        }
        .into_any()
    };
    view! {
        <div class="intro">
            <h1>"Who should answer?"</h1>
            <p class="quiet">"Choose an agent, "<a href="/agents">"search for one"</a>", or start your message with its address."</p>
        </div>
        <div class="choice">{lists}</div>
    }
    .into_any()
}

fn rows(agents: Vec<AgentRow>) -> AnyView {
    let rows = agents
        .into_iter()
        .map(|row| {
            let href = chat_href(&row.address, None);
            let badges = row.badges.into_iter().map(|badge| view! { <BadgeTag badge /> }).collect_view();
            view! {
                <li><article class="row">
                    <Mark seed=row.seed />
                    <div>
                        <h3><a class="reach" href=href dir="auto">{row.name}</a>" "<span class="address">{row.address.to_string()}</span></h3>
                        <p class="summary" dir="auto">{row.summary}</p>
                        <p class="tags">{badges}</p>
                    </div>
                </article></li>
            }
        })
        .collect_view();
    view! { <ul class="rows" role="list">{rows}</ul> }.into_any()
}
