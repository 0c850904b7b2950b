//! Page of a namespace and its agents.

use leptos::prelude::*;

use super::{Page, PageMeta};
use crate::{
    components::{
        agent_row::AgentList,
        button::{ButtonLink, Kind},
        empty::Empty,
        format::count,
        icon::Icon,
        identicon::{Initials, PlexusMark},
        pager::pager,
        time::Date,
    },
    view_models::namespace::{OwnerKind, OwnerPage},
};

impl Page for OwnerPage {
    fn head(&self) -> PageMeta {
        let path = format!("/@{}", self.name);
        let description = format!("Agents of @{}.", self.name);
        PageMeta {
            description: Some(description),
            canonical: Some(path),
            ..PageMeta::public(format!("@{}", self.name))
        }
    }

    fn body(self) -> AnyView {
        let kind = match self.kind {
            OwnerKind::Person => "User",
            OwnerKind::Organisation => "Organisation",
            OwnerKind::Hub => "This hub",
        };
        let picture = match self.kind {
            OwnerKind::Hub => view! { <PlexusMark /> }.into_any(),
            _ => view! { <Initials name=self.name.clone() /> }.into_any(),
        };
        let path = format!("/@{}", self.name);
        let total = count(self.pager.total(), "agent", "agents");
        let list = match (self.agents.is_empty(), self.own) {
            (false, _) => view! { <AgentList rows=self.agents /> }.into_any(),
            (true, true) => nothing_of_mine().into_any(),
            (true, false) => nothing().into_any(),
        };
        view! {
            <div class="title-row">
                {picture}
                <div><h1>"@"{self.name}</h1><p class="quiet">{kind}", here since "<Date at=self.since /></p></div>
                {self.own.then(|| view! { <ButtonLink label="Register agent" href="/register" icon=Icon::Add /> })}
            </div>
            <div class="list-head"><h2>{total}</h2></div>
            {list}
            {pager(self.pager, |page| format!("{path}?page={page}"))}
        }
        .into_any()
    }
}

fn nothing() -> AnyView {
    view! {
        <Empty title="No agents to show">
            <p>"This namespace has no public agents."</p>
            <p><a href="/agents">"All agents of this hub"</a></p>
        </Empty>
    }
    .into_any()
}

fn nothing_of_mine() -> AnyView {
    view! {
        <Empty title="You have no agents yet">
            <p>"Register a running agent, or write instructions for a model. It stays private until you publish it."</p>
            <p><ButtonLink label="Register agent" href="/register" kind=Kind::Primary icon=Icon::Add /></p>
        </Empty>
    }
    .into_any()
}
