//! Page `/admin/origins`: trusted origins.

use axum::{extract::State, response::Response};
use plexus_app::view_models::{
    Form,
    admin::{AdminOrigins, OriginRow},
};
use plexus_hub::{Caller, Error, Hub, admin};

use crate::{
    app_state::AppState,
    pages::account::refused,
    web::{
        form::Fields,
        page::{PageContext, redirect_with_notice},
    },
};

pub async fn show(State(site): State<AppState>, visit: PageContext) -> Response {
    let page = page(&site.hub, &visit.caller).await;
    visit.show_or_refuse(page)
}

async fn page(hub: &Hub, caller: &Caller) -> Result<AdminOrigins, Error> {
    let row = |row: admin::OriginRow| OriginRow {
        origin: row.origin,
        note: row.note,
        by: row.by,
        at: row.since,
        agents: row.agents,
    };
    let rows = admin::list_origins(hub, caller).await?.into_iter().map(row).collect();
    Ok(AdminOrigins { rows, form: Form::default() })
}

pub async fn trust(State(site): State<AppState>, visit: PageContext, fields: Fields) -> Response {
    let (origin, note) = (fields.get("origin"), fields.get("note"));
    match admin::trust_origin(&site.hub, &visit.caller, origin, note, visit.request_id()).await {
        Ok(_) => redirect_with_notice("/admin/origins", "trusted"),
        Err(error) => match page(&site.hub, &visit.caller).await {
            Ok(page) => refused(visit, error, fields, |form| AdminOrigins { form, ..page }),
            Err(error) => visit.refuse(error),
        },
    }
}

pub async fn withdraw(State(site): State<AppState>, visit: PageContext, fields: Fields) -> Response {
    let origin = fields.get("origin");
    match admin::untrust_origin(&site.hub, &visit.caller, origin, visit.request_id()).await {
        Ok(()) => redirect_with_notice("/admin/origins", "origin-removed"),
        Err(error) => visit.refuse(error),
    }
}
