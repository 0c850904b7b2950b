//! `/admin/network`.

use axum::{extract::State, response::Response};
use plexus_app::model::{
    Form,
    admin::{AdminNetwork, NetworkRuleRow},
};
use plexus_hub::{
    Caller, Error, Hub,
    federation::{self, RuleRow, Ruled},
};

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

async fn page(hub: &Hub, caller: &Caller) -> Result<AdminNetwork, Error> {
    let row = |row: RuleRow| NetworkRuleRow {
        subject: row.subject,
        allows: row.does == Ruled::Allow,
        reason: row.reason,
        by: row.author,
        at: row.since,
    };
    let rows = federation::list_rules(hub, caller).await?.into_iter().map(row).collect();
    Ok(AdminNetwork { rows, form: Form::default() })
}

pub async fn block(State(site): State<Site>, visit: Visit, fields: Fields) -> Response {
    let (subject, reason) = (fields.get("subject"), fields.get("reason"));
    let made =
        federation::block(&site.hub, &visit.caller, subject, Ruled::Block, reason, visit.request_id()).await;
    match made {
        Ok(_) => done("/admin/network", "saved"),
        Err(error) => match page(&site.hub, &visit.caller).await {
            Ok(page) => refused(visit, error, fields, |form| AdminNetwork { form, ..page }),
            Err(error) => visit.refuse(error),
        },
    }
}

pub async fn unblock(State(site): State<Site>, visit: Visit, fields: Fields) -> Response {
    let subject = fields.get("subject");
    match federation::unblock(&site.hub, &visit.caller, subject, visit.request_id()).await {
        Ok(_) => done("/admin/network", "saved"),
        Err(error) => visit.refuse(error),
    }
}
