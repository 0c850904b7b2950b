//! Page of a namespace and its agents.

use leptos::prelude::*;

use super::{Page, PageMeta};
use crate::{
    components::{
        agent_row::AgentList,
        button::{ButtonLink, Kind},
        empty::Empty,
        icon::Icon,
        identicon::{Initials, PlexusMark},
        pager::pager,
        time::Date,
    },
    rich, text,
    view_models::namespace::{OwnerKind, OwnerPage},
};

impl Page for OwnerPage {
    fn head(&self) -> PageMeta {
        let path = format!("/@{}", self.name);
        let description = text!("namespace-description", name = self.name.clone());
        PageMeta {
            description: Some(description),
            canonical: Some(path),
            ..PageMeta::public(format!("@{}", self.name))
        }
    }

    fn is_translated(&self) -> bool {
        true
    }

    fn body(self) -> AnyView {
        let at = self.since;
        let kind = match self.kind {
            OwnerKind::Person => rich!("namespace-user"; date = |_| view! { <Date at /> }),
            OwnerKind::Organisation => rich!("namespace-organisation"; date = |_| view! { <Date at /> }),
            OwnerKind::Hub => rich!("namespace-hub"; date = |_| view! { <Date at /> }),
        };
        let picture = match self.kind {
            OwnerKind::Hub => view! { <PlexusMark /> }.into_any(),
            _ => view! { <Initials name=self.name.clone() /> }.into_any(),
        };
        let path = format!("/@{}", self.name);
        let total = text!("count-agents", count = self.pager.total());
        let list = match (self.agents.is_empty(), self.own) {
            (false, _) => view! { <AgentList rows=self.agents /> }.into_any(),
            (true, true) => nothing_of_mine().into_any(),
            (true, false) => nothing().into_any(),
        };
        view! {
            <div class="title-row">
                {picture}
                <div><h1 dir="auto">"@"{self.name}</h1><p class="quiet">{kind}</p></div>
                {self.own.then(|| view! { <ButtonLink label=text!("register-agent") href="/register" icon=Icon::Add /> })}
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
        <Empty title=text!("namespace-none")>
            <p>{text!("namespace-none-why")}</p>
            <p><a href="/agents">{text!("namespace-all")}</a></p>
        </Empty>
    }
    .into_any()
}

fn nothing_of_mine() -> AnyView {
    view! {
        <Empty title=text!("namespace-none-own")>
            <p>{text!("namespace-none-own-next")}</p>
            <p><ButtonLink label=text!("register-agent") href="/register" kind=Kind::Primary icon=Icon::Add /></p>
        </Empty>
    }
    .into_any()
}
