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
    view_models::network::{Figures, HubRow, HubState, Latencies, NetworkMode, NetworkPage, SyncProgress},
};

mod graph;
mod hub;

impl Page for NetworkPage {
    fn head(&self) -> PageMeta {
        PageMeta {
            description: Some("Hubs known to this hub, and their state.".into()),
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
                    <Table caption="Known hubs" heads=vec!["Hub", "State", "Agents here", "Last seen"] rows />
                }
                    .into_any()
            }
            (true, Some(_)) => view! { <Empty title="No other hubs yet"><p>"Federation is enabled, but no other hub has been found yet. Hubs find each other through bootstrap addresses."</p></Empty> }.into_any(),
            (true, None) => view! { <Empty title="Federation is disabled"><p>"Set PLEXUS_P2P_LISTEN to enable it. "<a href="/docs/federation">"How to join a network"</a>"."</p></Empty> }.into_any(),
        };
        view! {
            <div class="stack">
                <h1>"Network"</h1>
                <p class="quiet">"Hubs form a peer-to-peer network without a central server. Agents of a remote hub are listed while its signed inventory is recent."</p>
                <div class="list-head"><h2>{total}</h2></div>
                {hubs}
                {self.mode.map(|_| latencies(&self.latencies))}
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
    let connected = hub.connected.then(|| view! { <span class="quiet">" connected"</span> });
    view! { <span class=format!("badge {tone}") title=meaning(hub.state)>{icon.view()} {state}</span>{connected} }
        .into_any()
}

/// Renders the progress of replication: "catching up: 1,200 of 5,000 listings".
pub fn sync_progress(progress: SyncProgress) -> AnyView {
    let SyncProgress { fetched, total } = progress;
    let words = format!("catching up: {} of {}", grouped(fetched), count(total, "listing", "listings"));
    view! { <span class="catching-up"><progress value=fetched max=total aria-hidden="true"></progress>" "{words}</span> }
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
        HubState::Fresh => "It signed its inventory within the last 30 minutes.",
        HubState::Stale => "Silent for 30 minutes; its agents are still listed.",
        HubState::Silent => "Silent for 2 days; its agents are hidden.",
        HubState::Blocked => "A rule blocks it; its agents are hidden.",
    }
}

/// Renders the measured latencies, with an explanation of each.
fn latencies(latencies: &Latencies) -> AnyView {
    let rows = vec![
        latency(
            "Gossip latency",
            "Time from signing a listing or inventory at the source to storage here. Subject to clock skew; \
             negative values count as 0 ms.",
            latencies.propagation,
        ),
        latency("DHT query", "Time until a query ends, with or without a result.", latencies.dht_lookup),
        latency(
            "Anti-entropy round",
            "Time to compare inventories with one peer and fetch missing listings.",
            latencies.sync,
        ),
    ];
    view! {
        <Section title="Latency" lead="Measured by this hub since it started, over the latest 1,024 samples of each kind.">
            <Table caption="Federation latency" heads=vec!["Measurement", "p50", "p99", "Samples", "Since"] rows />
        </Section>
    }
    .into_any()
}

fn latency(what: &'static str, meaning: &'static str, figures: Option<Figures>) -> AnyView {
    let figures = match figures {
        Some(Figures { median, p99, samples, since }) => view! {
            <td class="number">{duration(median)}</td>
            <td class="number">{duration(p99)}</td>
            <td class="number">{grouped(samples)}</td>
            <td><Ago at=since /></td>
        }
        .into_any(),
        None => view! { <td colspan="4" class="quiet">"No samples yet"</td> }.into_any(),
    };
    view! { <tr><th scope="row">{what}<p class="quiet small">{meaning}</p></th>{figures}</tr> }.into_any()
}

fn itself(page: &NetworkPage) -> AnyView {
    let addresses = page.addresses.clone();
    let addresses =
        addresses.into_iter().map(|text| view! { <Copyable text about="address" /> }).collect_view();
    let mode = page.mode.map(|mode| match mode {
        NetworkMode::Open => "New hubs are replicated in full.",
        NetworkMode::Probation => "New hubs are on probation (reduced quota) until they verify a domain.",
        NetworkMode::Allowlist => "Only hubs with an allow rule are replicated.",
    });
    let (none, agents, id) = (page.addresses.is_empty(), page.agents, page.id.clone());
    let reachability = page.reachability_text.clone();
    view! {
        <Section title="This hub">
            {facts(vec![
                ("Federated agents", fact(grouped(agents))),
                ("New hubs", mode.and_then(fact)),
                ("Reachability", reachability.and_then(fact)),
            ])}
            <p>"Hub id (public key):"</p>
            <Copyable text=id about="hub id" />
            {(!none).then(|| view! { <p>"Addresses for other hubs:"</p> })}
            {addresses}
        </Section>
    }
    .into_any()
}
