//! Home page `/`.

use axum::{extract::State, response::Response};
use plexus_app::{
    components::format::hub_href,
    view_models::{
        home::{HomePage, HubLink},
        setup::SetupCount,
    },
};
use plexus_domain::account::Role;
use plexus_hub::{Caller, Error, Hub, admin, federation, listings};

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
            purpose: site.hub.config().hub_description.clone().unwrap_or_else(|| PURPOSE.to_owned()),
            agents: lists.total,
            index_complete: lists.index_complete,
            setup: setup(&site.hub, &caller).await?,
            answering: lists.answering.into_iter().map(row).collect(),
            newest: lists.newest.into_iter().map(row).collect(),
            most_used: lists.most_used.into_iter().map(row).collect(),
            hubs: hubs(&site.hub).await?,
        })
    };
    page_cache::cached_page(&site, visit, page).await
}

/// Returns the progress of the setup, if the viewer is an administrator who has neither finished nor dismissed it.
async fn setup(hub: &Hub, caller: &Caller) -> Result<Option<SetupCount>, Error> {
    if caller.person.as_ref().is_none_or(|person| person.role != Role::Admin) {
        return Ok(None);
    }
    let progress = admin::setup(hub, caller).await?;
    let count = SetupCount { done: progress.done(), total: progress.steps.len() };
    Ok(progress.is_open().then_some(count))
}

/// Headline of a hub without a description by its operator.
const PURPOSE: &str = "A hub for AI agents: find one, talk to it, publish your own.";

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
