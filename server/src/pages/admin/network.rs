//! Page `/admin/network`: federation rules, rule lists, and hubs whose listings are being fetched.

use axum::{
    extract::State,
    http::{HeaderValue, header},
    response::{IntoResponse as _, Response},
};
use plexus_app::view_models::{
    Form,
    admin::{AdminNetwork, ImportedRules, NetworkRuleRow, RuleListRow},
};
use plexus_hub::{
    Caller, Error, Hub,
    federation::{self, RuleImport, RuleOrigin, RuleRow, RuleSubscription, Ruled},
};

use crate::{
    app_state::AppState,
    pages::{account::refused, network},
    web::{
        form::Fields,
        page::{PageContext, redirect_with_notice},
    },
};

pub async fn show(State(site): State<AppState>, visit: PageContext) -> Response {
    let page = page(&site.hub, &visit.caller).await;
    visit.show_or_refuse(page)
}

async fn page(hub: &Hub, caller: &Caller) -> Result<AdminNetwork, Error> {
    let rows = federation::list_rules(hub, caller).await?.into_iter().map(row).collect();
    let lists = federation::subscriptions(hub, caller).await?.into_iter().map(list).collect();
    let hubs = federation::overview(hub).await?.hubs.into_iter().map(network::row);
    let syncing = hubs.filter(|row| row.sync_progress.is_some()).collect();
    let warnings = federation::warnings(hub).await;
    Ok(AdminNetwork { warnings, syncing, rows, lists, imported: None, form: Form::default() })
}

fn row(row: RuleRow) -> NetworkRuleRow {
    let (RuleOrigin::Here(by) | RuleOrigin::List(by)) = row.made;
    NetworkRuleRow {
        subject: row.subject,
        allows: row.does == Ruled::Allow,
        reason: row.reason,
        by,
        at: row.created,
        expires: row.expires,
    }
}

fn list(list: RuleSubscription) -> RuleListRow {
    let RuleSubscription { url, signer, name, author, rules, last_fetch_at, last_error } = list;
    RuleListRow { url, name, signer, rules, by: author, last_fetch_at, last_error }
}

pub async fn block(State(site): State<AppState>, visit: PageContext, fields: Fields) -> Response {
    let (subject, reason) = (fields.get("subject"), fields.get("reason"));
    let made =
        federation::block(&site.hub, &visit.caller, subject, Ruled::Block, reason, visit.request_id()).await;
    saved(&site.hub, visit, fields, made).await
}

pub async fn unblock(State(site): State<AppState>, visit: PageContext, fields: Fields) -> Response {
    let subject = fields.get("subject");
    match federation::unblock(&site.hub, &visit.caller, subject, visit.request_id()).await {
        Ok(_) => redirect_with_notice("/admin/network", "rule-added"),
        Err(error) => visit.refuse(error),
    }
}

pub async fn subscribe(State(site): State<AppState>, visit: PageContext, fields: Fields) -> Response {
    let (list, signer) = (fields.get("list"), fields.given("signer"));
    let made = federation::subscribe(&site.hub, &visit.caller, list, signer, visit.request_id()).await;
    saved(&site.hub, visit, fields, made).await
}

pub async fn unsubscribe(State(site): State<AppState>, visit: PageContext, fields: Fields) -> Response {
    match federation::unsubscribe(&site.hub, &visit.caller, fields.get("url"), visit.request_id()).await {
        Ok(()) => redirect_with_notice("/admin/network", "rule-removed"),
        Err(error) => visit.refuse(error),
    }
}

/// Downloads this hub's rules as a signed file.
pub async fn save(State(site): State<AppState>, visit: PageContext) -> Response {
    match federation::export_rules(&site.hub, &visit.caller).await {
        Ok(list) => {
            let mut response = list.into_response();
            let way = HeaderValue::from_static("attachment; filename=\"plexus-rules.txt\"");
            response.headers_mut().insert(header::CONTENT_DISPOSITION, way);
            response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
            response
        }
        Err(error) => visit.refuse(error),
    }
}

/// Imports a rule list and shows the result without a redirect. Repeating the request is harmless
/// (idempotent).
pub async fn import(State(site): State<AppState>, visit: PageContext, fields: Fields) -> Response {
    let document = fields.get("document");
    let made = federation::import_rules(&site.hub, &visit.caller, document, visit.request_id()).await;
    match made {
        Ok(done) => {
            let page = page(&site.hub, &visit.caller).await;
            visit.show_or_refuse(page.map(|page| AdminNetwork { imported: Some(imported(done)), ..page }))
        }
        Err(error) => refuse(&site.hub, visit, fields, error).await,
    }
}

fn imported(done: RuleImport) -> ImportedRules {
    let RuleImport { signer, name, imported, already_present, invalid } = done;
    ImportedRules { name, signer: signer.to_string(), imported, already_present, invalid }
}

async fn saved<T>(hub: &Hub, visit: PageContext, fields: Fields, made: Result<T, Error>) -> Response {
    match made {
        Ok(_) => redirect_with_notice("/admin/network", "saved"),
        Err(error) => refuse(hub, visit, fields, error).await,
    }
}

/// Returns the page again, with the form as it was filled in and the error.
async fn refuse(hub: &Hub, visit: PageContext, fields: Fields, error: Error) -> Response {
    match page(hub, &visit.caller).await {
        Ok(page) => refused(visit, error, fields, |form| AdminNetwork { form, ..page }),
        Err(error) => visit.refuse(error),
    }
}
