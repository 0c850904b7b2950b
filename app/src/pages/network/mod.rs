//! Federation page: the hubs that this one knows, and this hub itself.

use leptos::prelude::*;

use super::{Page, PageMeta};
use crate::{
    components::{
        code_block::Copyable,
        definition_list::{fact, facts},
        empty::Empty,
        format::{duration, hub_href, short_hub},
        icon::Icon,
        identicon::Mark,
        section::Section,
        table::Table,
        time::Ago,
    },
    locales::grouped,
    rich, text,
    view_models::network::{Figures, HubRow, HubState, Latencies, NetworkMode, NetworkPage, SyncProgress},
};

mod graph;
mod hub;

impl Page for NetworkPage {
    fn head(&self) -> PageMeta {
        PageMeta {
            description: Some(text!("network-description")),
            canonical: Some("/network".into()),
            ..PageMeta::public(text!("nav-network"))
        }
    }

    fn is_translated(&self) -> bool {
        true
    }

    fn body(self) -> AnyView {
        let total = text!("count-other-hubs", count = self.hubs.len());
        let hubs = match (self.hubs.is_empty(), self.mode) {
            (false, _) => {
                let rows = self.hubs.iter().map(row).collect();
                view! {
                    {graph::drawing(&self.name, &self.hubs)}
                    <Table caption=text!("network-known") heads=vec![text!("network-hub"), text!("team-state"), text!("network-agents-here"), text!("network-last-seen")] rows />
                }
                    .into_any()
            }
            (true, Some(_)) => {
                view! { <Empty title=text!("network-none")><p>{text!("network-none-why")}</p></Empty> }
                    .into_any()
            }
            (true, None) => {
                view! { <Empty title=text!("network-disabled")><p>{how_to_join()}</p></Empty> }.into_any()
            }
        };
        view! {
            <div class="stack">
                <h1>{text!("nav-network")}</h1>
                <p class="quiet">{text!("network-lead")}</p>
                <div class="list-head"><h2>{total}</h2></div>
                {hubs}
                {self.mode.map(|_| latencies(&self.latencies))}
                {itself(&self)}
            </div>
        }
        .into_any()
    }
}

fn how_to_join() -> AnyView {
    rich!("network-disabled-next"; link = |inner| view! { <a href="/docs/federation">{inner}</a> })
}

fn row(hub: &HubRow) -> AnyView {
    let (id, short, href) = (hub.id.clone(), short_hub(&hub.id), hub_href(&hub.id));
    view! {
        <tr>
            <th scope="row"><div class="named"><Mark seed=id.clone() /><div><a href=href dir="auto">{name_of(hub)}</a>" "<span class="address" title=id>{short}</span></div></div></th>
            <td>{state_badge(hub)}{hub.sync_progress.map(sync_progress)}</td>
            <td class="number">{grouped(hub.agents)}</td>
            <td><Ago at=hub.last_seen /></td>
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
    let connected =
        hub.connected.then(|| view! { <span class="quiet">" "{text!("network-connected")}</span> });
    view! { <span class=format!("badge {tone}") title=meaning(hub.state)>{icon.view()} {state}</span>{connected} }
        .into_any()
}

/// Renders the progress of replication: "catching up: 1,200 of 5,000 listings".
pub fn sync_progress(progress: SyncProgress) -> AnyView {
    let SyncProgress { fetched, total } = progress;
    let words = text!("network-catching-up", fetched = fetched, total = total);
    view! { <span class="catching-up"><progress value=fetched max=total aria-hidden="true"></progress>" "{words}</span> }
        .into_any()
}

fn state(state: HubState) -> (String, &'static str, Icon) {
    match state {
        HubState::Fresh => (text!("hub-alive"), "good", Icon::Answering),
        HubState::Stale => (text!("hub-quiet"), "neutral", Icon::Offline),
        HubState::Silent => (text!("hub-silent"), "caution", Icon::Offline),
        HubState::Blocked => (text!("hub-blocked"), "caution", Icon::Lock),
    }
}

fn meaning(state: HubState) -> String {
    match state {
        HubState::Fresh => text!("hub-alive-meaning"),
        HubState::Stale => text!("hub-quiet-meaning"),
        HubState::Silent => text!("hub-silent-meaning"),
        HubState::Blocked => text!("hub-blocked-meaning"),
    }
}

/// Renders the measured latencies, with an explanation of each.
fn latencies(latencies: &Latencies) -> AnyView {
    let rows = vec![
        latency(text!("latency-gossip"), text!("latency-gossip-meaning"), latencies.propagation),
        latency(text!("latency-dht"), text!("latency-dht-meaning"), latencies.dht_lookup),
        latency(text!("latency-round"), text!("latency-round-meaning"), latencies.sync),
    ];
    view! {
        <Section title=text!("latency") lead=text!("latency-lead")>
            <Table caption=text!("latency-caption") heads=vec![text!("latency-measurement"), "p50".to_owned(), "p99".to_owned(), text!("latency-samples"), text!("latency-since")] rows />
        </Section>
    }
    .into_any()
}

fn latency(what: String, meaning: String, figures: Option<Figures>) -> AnyView {
    let figures = match figures {
        Some(Figures { median, p99, samples, since }) => view! {
            <td class="number">{duration(median)}</td>
            <td class="number">{duration(p99)}</td>
            <td class="number">{grouped(samples)}</td>
            <td><Ago at=since /></td>
        }
        .into_any(),
        None => view! { <td colspan="4" class="quiet">{text!("latency-none")}</td> }.into_any(),
    };
    view! { <tr><th scope="row">{what}<p class="quiet small">{meaning}</p></th>{figures}</tr> }.into_any()
}

fn itself(page: &NetworkPage) -> AnyView {
    let addresses = page.addresses.clone();
    let addresses = addresses
        .into_iter()
        .map(|text| view! { <Copyable text about=text!("about-address") /> })
        .collect_view();
    let mode = page.mode.map(|mode| match mode {
        NetworkMode::Open => text!("new-hubs-open"),
        NetworkMode::Probation => text!("new-hubs-probation"),
        NetworkMode::Allowlist => text!("new-hubs-allowlist"),
    });
    let (none, agents, id) = (page.addresses.is_empty(), page.agents, page.id.clone());
    let reachability = page.reachability_text.clone();
    view! {
        <Section title=text!("network-this-hub")>
            {facts(vec![
                (text!("network-federated"), fact(grouped(agents))),
                (text!("network-new-hubs"), mode.and_then(fact)),
                (text!("network-reachability"), reachability.and_then(fact)),
            ])}
            <p>{text!("network-hub-id")}</p>
            <Copyable text=id about=text!("about-hub-id") />
            {(!none).then(|| view! { <p>{text!("network-addresses")}</p> })}
            {addresses}
        </Section>
    }
    .into_any()
}
