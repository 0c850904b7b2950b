//! Page `/admin/origins`: trusted origins.

use axum::{extract::State, response::Response};
use plexus_app::model::{
    Form,
    admin::{AdminOrigins, OriginRow},
};
use plexus_hub::{Caller, Error, Hub, admin};

use crate::{
    pages::account::refused,
    state::Site,
    web::{
        form::Fields,
        page::{Visit, done},
    },
};

pub async fn show(State(site): State<Site>, visit: Visit) -> Response {
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

pub async fn vouch(State(site): State<Site>, visit: Visit, fields: Fields) -> Response {
    let (origin, note) = (fields.get("origin"), fields.get("note"));
    match admin::vouch(&site.hub, &visit.caller, origin, note, visit.request_id()).await {
        Ok(_) => done("/admin/origins", "saved"),
        Err(error) => match page(&site.hub, &visit.caller).await {
            Ok(page) => refused(visit, error, fields, |form| AdminOrigins { form, ..page }),
            Err(error) => visit.refuse(error),
        },
    }
}

pub async fn withdraw(State(site): State<Site>, visit: Visit, fields: Fields) -> Response {
    let origin = fields.get("origin");
    match admin::withdraw_voucher(&site.hub, &visit.caller, origin, visit.request_id()).await {
        Ok(()) => done("/admin/origins", "saved"),
        Err(error) => visit.refuse(error),
    }
}
