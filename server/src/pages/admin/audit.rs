//! Page `/admin/audit`: the audit log.

use axum::{
    extract::{Query, State},
    response::Response,
};
use plexus_app::view_models::{
    Pager,
    admin::{AdminAudit, AuditRow},
};
use plexus_domain::page::PageSize;
use plexus_hub::admin;
use serde::Deserialize;

use super::shown;
use crate::{app_state::AppState, web::page::PageContext};

#[derive(Deserialize)]
pub struct AuditQuery {
    #[serde(default)]
    actor: String,
    #[serde(default)]
    action: String,
    #[serde(default)]
    page: u32,
}

pub async fn show(
    State(site): State<AppState>,
    visit: PageContext,
    Query(query): Query<AuditQuery>,
) -> Response {
    let (actor, action) = (shown(&query.actor), shown(&query.action));
    let found = admin::list_audit(&site.hub, &visit.caller, &actor, &action, query.page).await;
    visit.show_or_refuse(found.map(|found| AdminAudit {
        pager: Pager::new(query.page, PageSize::DEFAULT.rows(), found.page.total),
        rows: found.page.rows.into_iter().map(row).collect(),
        actions: found.actions,
        actor,
        action,
    }))
}

fn row(row: admin::AuditRow) -> AuditRow {
    AuditRow {
        at: row.at,
        actor: row.actor,
        action: row.action,
        target: row.target,
        change: row.change,
        request: row.request,
    }
}
