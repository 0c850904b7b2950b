//! Home page `/`.

use axum::{extract::State, response::Response};
use plexus_app::{
    components::format::hub_href,
    view_models::home::{HomePage, HubLink},
};
use plexus_hub::{Error, Hub, federation, listings};

use super::agents::row;
use crate::{
    app_state::AppState,
    web::{page::PageContext, page_cache},
};

pub async fn show(State(site): State<AppState>, visit: PageContext) -> Response {
    let caller = visit.caller.clone();
    let page = async {
        let lists = listings::lists(&site.hub, &caller).await?;
        Ok(HomePage {
            purpose: "A hub for AI agents: find one, talk to it, publish your own.".to_owned(),
            agents: lists.total,
            index_complete: lists.index_complete,
            answering: lists.answering.into_iter().map(row).collect(),
            newest: lists.newest.into_iter().map(row).collect(),
            most_used: lists.most_used.into_iter().map(row).collect(),
            hubs: hubs(&site.hub).await?,
        })
    };
    page_cache::cached_page(&site, visit, page).await
}

const HUBS: usize = 8;

/// Returns some of the live remote hubs.
async fn hubs(hub: &Hub) -> Result<Vec<HubLink>, Error> {
    if hub.config().federation.is_none() {
        return Ok(Vec::new());
    }
    let link = |row: federation::HubRow| HubLink {
        href: hub_href(&row.id),
        name: row.domain.or(row.name).unwrap_or_else(|| row.id.clone()),
        seed: row.id,
    };
    Ok(federation::alive(hub, HUBS).await?.into_iter().map(link).collect())
}
