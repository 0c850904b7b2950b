//! Page `/network`: this hub and the remote hubs that it knows.

use axum::{extract::State, response::Response};
use plexus_app::{
    locales, text,
    view_models::{
        Locale,
        network::{Figures as Shown, HubRow, HubState, Latencies, NetworkMode, NetworkPage, SyncProgress},
    },
};
use plexus_hub::{
    config::AdmissionMode,
    federation::{self, HubStatus, LatencySummary, LocalHubInfo},
};

use crate::{app_state::AppState, web::page::PageContext};

pub mod hub;

pub async fn show(State(site): State<AppState>, visit: PageContext) -> Response {
    let locale = visit.frame().locale;
    let page = async {
        let found = federation::overview(&site.hub).await?;
        Ok(NetworkPage {
            reachability_text: reachability(locale, &found.itself),
            id: found.itself.id,
            name: found.itself.name,
            addresses: found.itself.addresses,
            agents: found.itself.agents,
            mode: site.hub.config().federation.as_ref().map(|config| mode(config.mode)),
            hubs: found.hubs.into_iter().map(row).collect(),
            latencies: Latencies {
                propagation: found.latencies.propagation.map(figures),
                dht_lookup: found.latencies.dht_lookup.map(figures),
                sync: found.latencies.sync.map(figures),
            },
        })
    };
    visit.show_or_refuse(page.await)
}

/// Describes how others reach this hub and whether it relays.
fn reachability(locale: Locale, itself: &LocalHubInfo) -> Option<String> {
    let route = itself.route_text()?;
    let how = locales::translated_in(locale, route);
    Some(match itself.relay_usage {
        Some(usage) => {
            text!(locale => "network-relaying", how = how, hubs = usage.hubs, circuits = usage.circuits)
        }
        None => how,
    })
}

const fn mode(mode: AdmissionMode) -> NetworkMode {
    match mode {
        AdmissionMode::Open => NetworkMode::Open,
        AdmissionMode::Probation => NetworkMode::Probation,
        AdmissionMode::Allowlist => NetworkMode::Allowlist,
    }
}

pub fn row(row: federation::HubRow) -> HubRow {
    let fetching = row.report.and_then(|report| report.fetching);
    HubRow {
        id: row.id,
        name: row.name,
        domain: row.domain,
        state: match row.standing {
            HubStatus::Fresh => HubState::Fresh,
            HubStatus::Stale => HubState::Stale,
            HubStatus::Silent => HubState::Silent,
            HubStatus::Blocked => HubState::Blocked,
        },
        connected: row.connected,
        agents: row.agents,
        last_seen: row.last_seen,
        sync_progress: fetching.map(|it| SyncProgress { fetched: it.fetched, total: it.total }),
    }
}

fn figures(figures: LatencySummary) -> Shown {
    let millis = |time: std::time::Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    let LatencySummary { median, p99, samples, since } = figures;
    Shown { median: millis(median), p99: millis(p99), samples, since }
}
