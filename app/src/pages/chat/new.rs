use leptos::prelude::*;

use super::{
    sidebar::{opener, sidebar},
    temporary,
};
use crate::{
    components::{
        badge::BadgeTag,
        button::Kind,
        composer::Composer,
        context::assets,
        format::{address_text, agent_href, new_chat_href},
        icon::Icon,
        identicon::Mark,
        notice::Note,
        starters::{StarterUser, starters},
    },
    islands::chat_room::{ChatRoom, RoomTexts},
    locales,
    pages::{Layout, Page, PageMeta},
    text,
    view_models::{
        Tone,
        agents::AgentRow,
        chat::{AgentChoice, AgentChoices, NewChatPage, TemporaryOffer},
    },
};

impl Page for NewChatPage {
    fn head(&self) -> PageMeta {
        PageMeta { layout: Layout::Full, islands: true, ..PageMeta::private(text!("new-chat")) }
    }

    fn is_translated(&self) -> bool {
        true
    }

    fn body(self) -> AnyView {
        let choice = self.to;
        let composer = Composer {
            action: "/chat".into(),
            id: self.next_id,
            parent: None,
            to: choice.as_ref(),
            edits: None,
            is_temporary: self.temporary.is_chosen,
            attachments: &self.attachments,
            form: &self.form,
        };
        let switch = temporary::switch(self.temporary, choice.as_ref());
        let composer =
            choice.as_ref().is_none_or(|choice| choice.obstacle.is_none()).then(|| composer.view());
        let top = match &choice {
            Some(choice) => chosen(choice, self.temporary),
            None => open_choice(self.choice, self.temporary),
        };
        view! {
            <div class="chat">
                {sidebar(self.sidebar, None)}
                <div class="room new">
                    <div class="room-head">{opener()}{switch}</div>
                    <div class="thread">{top}</div>
                    <div class="dock">{temporary::announcement(self.temporary)}{composer}<ChatRoom chat=None seq=0 worker=assets().events_js.clone() texts=RoomTexts::of_page() /></div>
                </div>
            </div>
        }
        .into_any()
    }
}

fn chosen(choice: &AgentChoice, temporary: TemporaryOffer) -> AnyView {
    // An agent that would not answer has no use for them.
    let texts = if choice.obstacle.is_none() { choice.starters.clone() } else { Vec::new() };
    let user = if temporary.is_chosen { StarterUser::TemporaryChat } else { StarterUser::SignedIn };
    let starters = starters(&choice.address, texts, user);
    let page = agent_href(&choice.address);
    view! {
        <div class="intro">
            <Mark seed=choice.seed.clone() />
            <h1>{choice.name.clone()}</h1>
            <p class="address"><a href=page>{choice.address.to_string()}</a></p>
            <p>{choice.summary.clone()}</p>
            {choice.obstacle.clone().map(|why| view! { <Note tone=Tone::Caution>{locales::translated(why)}</Note> })}
            {starters}
        </div>
    }
    .into_any()
}

/// Renders the agents to choose from, below a search field.
fn open_choice(choices: AgentChoices, temporary: TemporaryOffer) -> AnyView {
    let is_temporary = temporary.is_chosen;
    let list = |heading, agents| list(heading, agents, is_temporary);
    let (words, lists) = match choices {
        AgentChoices::Found { words, agents } => (words.clone(), found(&words, agents, is_temporary)),
        AgentChoices::Suggested { own, recent, starred, hub } => {
            let starred = (!starred.is_empty()).then(|| {
                view! {
                    <div class="list-head"><h2>{text!("starred")}</h2><a href="/agents?starred=true">{text!("new-all-starred")}</a></div>
                    {rows(starred, is_temporary)}
                }
            });
            let lists = view! {
                {list(text!("your-agents"), own)}
                {list(text!("new-recent"), recent)}
                {starred}
                {list(text!("new-hub"), hub)}
            };
            (String::new(), lists.into_any())
        }
    };
    view! {
        <div class="intro">
            <h1>{text!("new-who")}</h1>
            <p class="quiet">{text!("new-choose")}</p>
            {search(words, is_temporary)}
        </div>
        <div class="choice">{lists}</div>
    }
    .into_any()
}

fn search(words: String, is_temporary: bool) -> AnyView {
    let temporary = is_temporary.then(|| view! { <input type="hidden" name="temporary" value="yes" /> });
    view! {
        <form class="search" role="search" aria-label=text!("new-agents") action="/chat">
            {temporary}
            <label class="hidden" for="agent-q">{text!("search-agents")}</label>
            {Icon::Search.view()}
            <input id="agent-q" type="search" name="q" maxlength="200" value=words placeholder=text!("agents-search") />
            <button class=Kind::Plain.class()>{text!("search-agents")}</button>
        </form>
    }
    .into_any()
}

fn list(heading: String, agents: Vec<AgentRow>, is_temporary: bool) -> Option<AnyView> {
    (!agents.is_empty()).then(|| view! { <h2>{heading}</h2>{rows(agents, is_temporary)} }.into_any())
}

fn found(words: &str, agents: Vec<AgentRow>, is_temporary: bool) -> AnyView {
    let href = new_chat_href(None, is_temporary);
    let back = view! { <a href=href>{text!("new-suggested")}</a> };
    if agents.is_empty() {
        return view! {
            <div class="list-head"><h2>{text!("new-none")}</h2>{back}</div>
            <p class="quiet">{text!("new-none-words", words = words)}</p>
        }
        .into_any();
    }
    view! { <div class="list-head"><h2>{text!("new-found")}</h2>{back}</div>{rows(agents, is_temporary)} }
        .into_any()
}

fn rows(agents: Vec<AgentRow>, is_temporary: bool) -> AnyView {
    let rows = agents
        .into_iter()
        .map(|row| {
            let href = new_chat_href(Some(&row.address), is_temporary);
            let badges = row.badges.into_iter().map(|badge| view! { <BadgeTag badge /> }).collect_view();
            view! {
                <li><article class="row">
                    <Mark seed=row.seed />
                    <div>
                        <h3><a class="reach" href=href dir="auto">{row.name}</a>" "<span class="address" title=row.address.to_string()>{address_text(&row.address)}</span></h3>
                        <p class="summary" dir="auto">{row.summary}</p>
                        <p class="tags">{badges}</p>
                    </div>
                </article></li>
            }
        })
        .collect_view();
    view! { <ul class="rows" role="list">{rows}</ul> }.into_any()
}
