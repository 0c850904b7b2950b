//! Home page: purpose of the hub, a search box, featured agents, and three short lists of other agents.

use leptos::prelude::*;

use super::{Page, PageMeta};
use crate::{
    components::{
        agent_row::{AgentList, AgentRowView},
        button::{Button, ButtonLink, Kind},
        context,
        empty::Empty,
        icon::Icon,
        identicon::Mark,
        notice::{Note, StillReading},
        starters::{StarterUser, starters},
    },
    rich, text,
    view_models::{
        agent_query::{AgentsQuery, Facet, Sort},
        agents::AgentRow,
        home::{FeaturedRow, HomePage, HubLink},
        setup::SetupCount,
    },
};

impl Page for HomePage {
    fn head(&self) -> PageMeta {
        PageMeta {
            description: Some(self.purpose.clone().unwrap_or_else(|| text!("home-purpose"))),
            canonical: Some("/".into()),
            ..PageMeta::public("")
        }
    }

    fn is_translated(&self) -> bool {
        true
    }

    fn body(self) -> AnyView {
        let everything = AgentsQuery::default();
        let online = everything.toggled(Facet::Online, "true").href();
        let none = self.agents == 0;
        let lists = [
            list(text!("home-answering"), online, self.answering),
            list(text!("home-newest"), everything.sorted(Sort::Newest).href(), self.newest),
            list(text!("home-most-used"), everything.sorted(Sort::MostUsed).href(), self.most_used),
        ];
        view! {
            <div class="home">
                <section class="hero">
                    <h1 dir="auto">{self.purpose.unwrap_or_else(|| text!("home-purpose"))}</h1>
                    {search()}
                    <p class="quiet">{rich!("home-lead", agents = text!("count-agents", count = self.agents);
                        link = |inner| view! { <a href="/register">{inner}</a> })}</p>
                </section>
                {self.setup.map(next_steps)}
                {(!self.index_complete).then(|| view! { <StillReading /> })}
                {(none && self.index_complete).then(nothing_yet)}
                {(!self.featured.is_empty()).then(|| featured(self.featured))}
                {lists.iter().any(Option::is_some).then(|| view! { <div class="lists">{lists.collect_view()}</div> })}
                {(!self.hubs.is_empty()).then(|| hubs(self.hubs))}
            </div>
        }
        .into_any()
    }
}

fn next_steps(count: SetupCount) -> AnyView {
    view! {
        <Note><p>{rich!("home-next-steps", done = count.done, total = count.total;
            link = |inner| view! { <a href="/admin/setup">{inner}</a> })}</p></Note>
    }
    .into_any()
}

fn search() -> AnyView {
    view! {
        <form class="search" role="search" action="/agents">
            <label class="hidden" for="q">{text!("search-agents")}</label>
            {Icon::Search.view()}
            <input id="q" type="search" name="q" maxlength="200" placeholder=text!("home-search") />
            <Button label=text!("search-button") kind=Kind::Primary />
        </form>
    }
    .into_any()
}

fn featured(agents: Vec<FeaturedRow>) -> AnyView {
    let user = if context::role().is_some() { StarterUser::SignedIn } else { StarterUser::Visitor };
    let rows = agents
        .into_iter()
        .map(|agent| {
            let starters = starters(&agent.row.address, agent.starters, user);
            view! { <li><AgentRowView row=agent.row />{starters}</li> }
        })
        .collect_view();
    view! {
        <section class="featured">
            <div class="list-head"><h2>{text!("home-featured")}</h2><a href="/agents">{text!("all-agents")}</a></div>
            <ul class="rows" role="list">{rows}</ul>
        </section>
    }
    .into_any()
}

fn list(title: String, all: String, rows: Vec<AgentRow>) -> Option<AnyView> {
    if rows.is_empty() {
        return None;
    }
    let about = format!(": {title}");
    let view = view! {
        <section>
            <div class="list-head"><h2>{title}</h2><a href=all>{text!("home-all")}<span class="hidden">{about}</span></a></div>
            <AgentList rows />
        </section>
    };
    Some(view.into_any())
}

fn nothing_yet() -> AnyView {
    view! {
        <Empty title=text!("home-empty")>
            <p>{text!("home-empty-next")}</p>
            <p><ButtonLink label=text!("register-agent") href="/register" icon=Icon::Add /></p>
        </Empty>
    }
    .into_any()
}

fn hubs(hubs: Vec<HubLink>) -> AnyView {
    let links = hubs
        .into_iter()
        .map(|hub| view! { <li><a href=hub.href><Mark seed=hub.seed /> {hub.name}</a></li> })
        .collect_view();
    view! { <section class="strip"><h2>{text!("home-hubs")}</h2><ul role="list">{links}</ul></section> }
        .into_any()
}
