//! Home page `/`.

use axum::{extract::State, response::Response};
use plexus_app::{
    components::format::hub_href,
    view_models::{
        home::{FeaturedRow, HomePage, HubLink},
        setup::SetupCount,
    },
};
use plexus_hub::{Error, Hub, admin, directory, federation};

use super::agents::row;
use crate::{
    app_state::AppState,
    web::{page::PageContext, page_cache},
};

pub async fn show(State(site): State<AppState>, visit: PageContext) -> Response {
    let caller = visit.caller.clone();
    let page = async {
        let lists = directory::lists(&site.hub, &caller).await?;
        Ok(HomePage {
            purpose: site.hub.config().hub_description.clone(),
            agents: lists.total,
            index_complete: lists.index_complete,
            setup: admin::unfinished_setup(&site.hub, &caller).await?.as_ref().map(setup_count),
            featured: lists.featured.into_iter().map(featured).collect(),
            answering: lists.answering.into_iter().map(row).collect(),
            newest: lists.newest.into_iter().map(row).collect(),
            most_used: lists.most_used.into_iter().map(row).collect(),
            hubs: hubs(&site.hub).await?,
        })
    };
    page_cache::cached_page(&site, visit, page).await
}

fn featured(agent: directory::FeaturedAgent) -> FeaturedRow {
    FeaturedRow { row: row(agent.row), starters: agent.starters }
}

fn setup_count(progress: &admin::SetupProgress) -> SetupCount {
    SetupCount { done: progress.done(), total: progress.steps.len() }
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
