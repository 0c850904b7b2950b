//! Page `/network`: this hub and the remote hubs that it knows.

use axum::{extract::State, response::Response};
use plexus_app::model::network::{
    CatchingUp, Figures as Shown, HubRow, HubState, NetworkMode, NetworkPage, Speeds,
};
use plexus_hub::{
    config::Mode,
    federation::{self, Figures, Standing},
};

use crate::{state::Site, web::page::Visit};

pub mod hub;

pub async fn show(State(site): State<Site>, visit: Visit) -> Response {
    let page = async {
        let found = federation::overview(&site.hub).await?;
        Ok(NetworkPage {
            reached: found.itself.reached(),
            id: found.itself.id,
            name: found.itself.name,
            addresses: found.itself.addresses,
            agents: found.itself.agents,
            mode: site.hub.config().federation.as_ref().map(|config| mode(config.mode)),
            hubs: found.hubs.into_iter().map(row).collect(),
            speeds: Speeds {
                spread: found.speeds.spread.map(figures),
                look_up: found.speeds.look_up.map(figures),
                catch_up: found.speeds.catch_up.map(figures),
            },
        })
    };
    visit.show_or_refuse(page.await)
}

const fn mode(mode: Mode) -> NetworkMode {
    match mode {
        Mode::Open => NetworkMode::Open,
        Mode::Probation => NetworkMode::Probation,
        Mode::Allowlist => NetworkMode::Allowlist,
    }
}

pub fn row(row: federation::HubRow) -> HubRow {
    let fetching = row.report.and_then(|report| report.fetching);
    HubRow {
        id: row.id,
        name: row.name,
        domain: row.domain,
        state: match row.standing {
            Standing::Fresh => HubState::Fresh,
            Standing::Stale => HubState::Stale,
            Standing::Silent => HubState::Silent,
            Standing::Blocked => HubState::Blocked,
        },
        connected: row.connected,
        agents: row.agents,
        seen: row.seen,
        catching_up: fetching.map(|fetching| CatchingUp { got: fetching.got, wanted: fetching.wanted }),
    }
}

fn figures(figures: Figures) -> Shown {
    let millis = |time: std::time::Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    let Figures { median, p99, samples, since } = figures;
    Shown { median: millis(median), p99: millis(p99), samples, since }
}
