//! `/network`.

use axum::{extract::State, response::Response};
use plexus_app::model::network::{HubRow, HubState, NetworkMode, NetworkPage};
use plexus_hub::{
    config::Mode,
    federation::{self, Standing},
};

use crate::{state::Site, web::page::Visit};

pub async fn show(State(site): State<Site>, visit: Visit) -> Response {
    let page = async {
        let found = federation::overview(&site.hub).await?;
        Ok(NetworkPage {
            id: found.itself.id,
            addresses: found.itself.addresses,
            agents: found.itself.agents,
            mode: site.hub.config().federation.as_ref().map(|config| mode(config.mode)),
            hubs: found.hubs.into_iter().map(row).collect(),
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

fn row(row: federation::HubRow) -> HubRow {
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
    }
}
