//! The hubs that this one knows.

use leptos::prelude::*;

use super::{Head, Page};
use crate::{
    components::{
        code_block::Copyable,
        empty::Empty,
        facts::{fact, facts},
        icon::Icon,
        mark::Mark,
        section::Section,
        table::Table,
        text::{count, grouped, short_hub},
        time::Ago,
    },
    model::network::{HubRow, HubState, NetworkMode, NetworkPage},
};

impl Page for NetworkPage {
    fn head(&self) -> Head {
        Head {
            description: Some("The hubs that this one knows, and how they stand.".into()),
            canonical: Some("/network".into()),
            ..Head::public("Network")
        }
    }

    fn body(self) -> AnyView {
        let total = count(self.hubs.len() as u64, "other hub", "other hubs");
        let hubs = match (self.hubs.is_empty(), self.mode) {
            (false, _) => {
                let rows = self.hubs.iter().map(row).collect();
                view! { <Table caption="Hubs that this one knows" heads=vec!["Hub", "State", "Agents here", "Last heard"] rows /> }
                    .into_any()
            }
            (true, Some(_)) => view! { <Empty title="No other hubs yet"><p>"This hub is reachable, and has met nobody so far. Hubs find each other as soon as one knows the way to another."</p></Empty> }.into_any(),
            (true, None) => view! { <Empty title="This hub keeps to itself"><p>"Its operator has not joined it to a network. "<a href="/docs/federation">"How to join"</a>"."</p></Empty> }.into_any(),
        };
        view! {
            <div class="stack">
                <h1>"Network"</h1>
                <p class="quiet">"Hubs find each other without a centre. Agents of other hubs are found here as long as their hub vouches for them."</p>
                <div class="list-head"><h2>{total}</h2></div>
                {hubs}
                {itself(&self)}
            </div>
        }
        .into_any()
    }
}

fn row(hub: &HubRow) -> AnyView {
    let short = short_hub(&hub.id);
    let name = hub.domain.clone().or_else(|| hub.name.clone()).unwrap_or_else(|| short.clone());
    let (state, tone, icon) = state(hub.state);
    let connected = hub.connected.then(|| view! { <span class="quiet">" connected"</span> });
    view! {
        <tr>
            <th scope="row"><div class="named"><Mark seed=hub.id.clone() /><div>{name}" "<span class="address" title=hub.id.clone()>{short}</span></div></div></th>
            <td><span class=format!("badge {tone}") title=meaning(hub.state)>{icon.view()} {state}</span>{connected}</td>
            <td class="number">{grouped(hub.agents)}</td>
            <td><Ago at=hub.seen /></td>
        </tr>
    }
    .into_any()
}

const fn state(state: HubState) -> (&'static str, &'static str, Icon) {
    match state {
        HubState::Fresh => ("Alive", "good", Icon::Answering),
        HubState::Stale => ("Quiet", "neutral", Icon::Offline),
        HubState::Silent => ("Silent", "caution", Icon::Offline),
        HubState::Blocked => ("Blocked", "caution", Icon::Lock),
    }
}

const fn meaning(state: HubState) -> &'static str {
    match state {
        HubState::Fresh => "It signed what it has within the last half hour.",
        HubState::Stale => "It said nothing for half an hour. Its agents are still found.",
        HubState::Silent => "It said nothing for two days. Its agents are not found until it does.",
        HubState::Blocked => "A rule of this hub keeps its agents out.",
    }
}

fn itself(page: &NetworkPage) -> AnyView {
    let addresses = page.addresses.clone();
    let addresses =
        addresses.into_iter().map(|text| view! { <Copyable text about="address" /> }).collect_view();
    let mode = page.mode.map(|mode| match mode {
        NetworkMode::Open => "New hubs are carried in full.",
        NetworkMode::Probation => {
            "New hubs are carried within narrow limits until they have proved themselves."
        }
        NetworkMode::Allowlist => "Only hubs that are allowed by name are carried.",
    });
    let (none, agents, id) = (page.addresses.is_empty(), page.agents, page.id.clone());
    view! {
        <Section title="This hub">
            {facts(vec![
                ("Agents that others may carry", fact(grouped(agents))),
                ("New hubs", mode.and_then(fact)),
            ])}
            <p>"Its name is its key:"</p>
            <Copyable text=id about="name of this hub" />
            {(!none).then(|| view! { <p>"Other hubs reach it at:"</p> })}
            {addresses}
        </Section>
    }
    .into_any()
}
