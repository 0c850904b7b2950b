//! Federation page: the hubs that this one knows, and this hub itself.

use leptos::prelude::*;

use super::{Page, PageMeta};
use crate::{
    components::{
        code_block::Copyable,
        definition_list::{fact, facts},
        empty::Empty,
        format::{count, duration, grouped, hub_href, short_hub},
        icon::Icon,
        identicon::Mark,
        section::Section,
        table::Table,
        time::Ago,
    },
    view_models::network::{CatchingUp, Figures, HubRow, HubState, NetworkMode, NetworkPage, Speeds},
};

mod graph;
mod hub;

impl Page for NetworkPage {
    fn head(&self) -> PageMeta {
        PageMeta {
            description: Some("The hubs that this one knows, and how they stand.".into()),
            canonical: Some("/network".into()),
            ..PageMeta::public("Network")
        }
    }

    fn body(self) -> AnyView {
        let total = count(self.hubs.len() as u64, "other hub", "other hubs");
        let hubs = match (self.hubs.is_empty(), self.mode) {
            (false, _) => {
                let rows = self.hubs.iter().map(row).collect();
                view! {
                    {graph::drawing(&self.name, &self.hubs)}
                    <Table caption="Hubs that this one knows" heads=vec!["Hub", "State", "Agents here", "Last heard"] rows />
                }
                    .into_any()
            }
            (true, Some(_)) => view! { <Empty title="No other hubs yet"><p>"This hub takes part, and has met nobody so far. Hubs find each other as soon as one knows the way to another."</p></Empty> }.into_any(),
            (true, None) => view! { <Empty title="This hub keeps to itself"><p>"Its operator has not joined it to a network. "<a href="/docs/federation">"How to join"</a>"."</p></Empty> }.into_any(),
        };
        view! {
            <div class="stack">
                <h1>"Network"</h1>
                <p class="quiet">"Hubs find each other without a centre. Agents of other hubs are found here as long as their hub vouches for them."</p>
                <div class="list-head"><h2>{total}</h2></div>
                {hubs}
                {self.mode.map(|_| speeds(&self.speeds))}
                {itself(&self)}
            </div>
        }
        .into_any()
    }
}

fn row(hub: &HubRow) -> AnyView {
    let (id, short, href) = (hub.id.clone(), short_hub(&hub.id), hub_href(&hub.id));
    view! {
        <tr>
            <th scope="row"><div class="named"><Mark seed=id.clone() /><div><a href=href>{name_of(hub)}</a>" "<span class="address" title=id>{short}</span></div></div></th>
            <td>{state_badge(hub)}{hub.catching_up.map(catching_up)}</td>
            <td class="number">{grouped(hub.agents)}</td>
            <td><Ago at=hub.seen /></td>
        </tr>
    }
    .into_any()
}

/// Returns the display name of a hub: its verified domain, else the name it gives itself, else its short id.
pub fn name_of(hub: &HubRow) -> String {
    hub.domain.clone().or_else(|| hub.name.clone()).unwrap_or_else(|| short_hub(&hub.id))
}

fn state_badge(hub: &HubRow) -> AnyView {
    let (state, tone, icon) = state(hub.state);
    let connected = hub.connected.then(|| view! { <span class="quiet">" connected"</span> });
    view! { <span class=format!("badge {tone}") title=meaning(hub.state)>{icon.view()} {state}</span>{connected} }
        .into_any()
}

/// Renders the progress of replication: "catching up: 1,200 of 5,000 listings".
pub fn catching_up(progress: CatchingUp) -> AnyView {
    let CatchingUp { got, wanted } = progress;
    let words = format!("catching up: {} of {}", grouped(got), count(wanted, "listing", "listings"));
    view! { <span class="catching-up"><progress value=got max=wanted aria-hidden="true"></progress>" "{words}</span> }
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
        HubState::Blocked => "This hub keeps its agents out.",
    }
}

/// Renders the measured latencies, with an explanation of each.
fn speeds(speeds: &Speeds) -> AnyView {
    let rows = vec![
        speed(
            "News from another hub",
            "From when that hub says it signed a listing, or what it has, until this hub stored it. The clocks of both are in it: what seems to come from the future took 0 ms.",
            speeds.spread,
        ),
        speed(
            "A question to the DHT",
            "From asking until it ended, with an answer or without.",
            speeds.look_up,
        ),
        speed(
            "Catching up",
            "Comparing with another hub and fetching all that was missing here.",
            speeds.catch_up,
        ),
    ];
    view! {
        <Section title="How fast it is" lead="Measured by this hub since it started: the latest 1,024 of each kind.">
            <Table caption="How fast the network is" heads=vec!["What", "Half took at most", "99 of 100 took at most", "Measured", "Since"] rows />
        </Section>
    }
    .into_any()
}

fn speed(what: &'static str, meaning: &'static str, figures: Option<Figures>) -> AnyView {
    let figures = match figures {
        Some(Figures { median, p99, samples, since }) => view! {
            <td class="number">{duration(median)}</td>
            <td class="number">{duration(p99)}</td>
            <td class="number">{grouped(samples)}</td>
            <td><Ago at=since /></td>
        }
        .into_any(),
        None => view! { <td colspan="4" class="quiet">"Nothing measured yet"</td> }.into_any(),
    };
    view! { <tr><th scope="row">{what}<p class="quiet small">{meaning}</p></th>{figures}</tr> }.into_any()
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
    let reached = page.reached.clone();
    view! {
        <Section title="This hub">
            {facts(vec![
                ("Agents that others may carry", fact(grouped(agents))),
                ("New hubs", mode.and_then(fact)),
                ("Reached by others", reached.and_then(fact)),
            ])}
            <p>"Its name is its key:"</p>
            <Copyable text=id about="name of this hub" />
            {(!none).then(|| view! { <p>"Other hubs reach it at:"</p> })}
            {addresses}
        </Section>
    }
    .into_any()
}
