//! Page `/admin/invites`: creates, lists and revokes invitations.

use axum::{extract::State, response::Response};
use plexus_app::view_models::{
    Form,
    admin::{AdminInvites, InviteRow},
};
use plexus_domain::Error as Refusal;
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

async fn page(hub: &Hub, caller: &Caller) -> Result<AdminInvites, Error> {
    let row = |row: admin::InviteRow| InviteRow {
        id: row.id,
        by: row.by,
        expires: row.expires,
        used: row.used.is_some(),
        used_by: row.used_by,
    };
    let rows = admin::list_invites(hub, caller).await?.into_iter().map(row).collect();
    let registration = hub.config().registration;
    Ok(AdminInvites { registration, rows, created: None, form: Form::default() })
}

pub async fn create(State(site): State<AppState>, visit: PageContext, fields: Fields) -> Response {
    let made = match fields.get("days").parse() {
        Ok(days) => admin::create_invite(&site.hub, &visit.caller, days, visit.request_id()).await,
        Err(_) => Err(Refusal::invalid("days", "Choose how many days the invitation is valid.").into()),
    };
    match (made, page(&site.hub, &visit.caller).await) {
        (Ok(made), Ok(page)) => visit.show(AdminInvites { created: Some(made.link), ..page }),
        (Err(error), Ok(page)) => refused(visit, error, fields, |form| AdminInvites { form, ..page }),
        (_, Err(error)) => visit.refuse(error),
    }
}

pub async fn revoke(State(site): State<AppState>, visit: PageContext, fields: Fields) -> Response {
    match admin::revoke_invite(&site.hub, &visit.caller, fields.get("id"), visit.request_id()).await {
        Ok(()) => redirect_with_notice("/admin/invites", "invitation-revoked"),
        Err(error) => visit.refuse(error),
    }
}
