//! Page `/@{owner}`: a namespace and its agents.

use axum::{
    extract::{Path, Query, State},
    http::StatusCode,
    response::Response,
};
use plexus_app::view_models::{
    Pager,
    namespace::{OwnerKind, OwnerPage},
};
use plexus_domain::{Name, page::PageSize};
use plexus_hub::agents::{self, NamespaceKind};
use serde::Deserialize;

use super::agents::row;
use crate::{app_state::AppState, web::page::PageContext};

#[derive(Deserialize)]
pub struct OwnerQuery {
    #[serde(default)]
    page: u32,
}

pub async fn show(
    State(site): State<AppState>,
    visit: PageContext,
    Path(owner): Path<String>,
    Query(query): Query<OwnerQuery>,
) -> Response {
    let Ok(name) = owner.parse::<Name>() else { return visit.refuse_status(StatusCode::NOT_FOUND) };
    let view = match agents::get_namespace(&site.hub, &visit.caller, &name).await {
        Ok(Some(view)) => view,
        Ok(None) => return visit.refuse_status(StatusCode::NOT_FOUND),
        Err(error) => return visit.refuse(error),
    };
    let rows = usize::from(PageSize::DEFAULT.rows());
    let pager = Pager::new(query.page, PageSize::DEFAULT.rows(), view.agents.len() as u64);
    let shown = view.agents.into_iter().skip((pager.page() as usize - 1) * rows).take(rows);
    visit.show(OwnerPage {
        name: view.name.to_string(),
        kind: match view.kind {
            NamespaceKind::Person => OwnerKind::Person,
            NamespaceKind::Org => OwnerKind::Organisation,
            NamespaceKind::System => OwnerKind::Hub,
        },
        since: view.since,
        own: view.own,
        agents: shown.map(row).collect(),
        pager,
    })
}
