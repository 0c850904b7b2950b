//! Page `/network/{hub}`: a remote hub.

use axum::{
    extract::{Path, Query, State},
    http::StatusCode,
    response::{IntoResponse as _, Redirect, Response},
};
use plexus_app::{
    components::format::hub_href,
    view_models::{
        Form, Pager,
        network::{
            HubAdmin, HubPage, HubRule, HubRuleOrigin, Replication, ReplicationTier, RuleMaker, ViolationRow,
        },
    },
};
use plexus_domain::Error as Refusal;
use plexus_hub::{
    Caller, Error, Hub,
    federation::{self, HubDetails, HubViolation, RuleOrigin, Ruled},
};
use serde::Deserialize;

use super::row;
use crate::{
    app_state::AppState,
    pages::{account::refused, agents},
    web::{
        form::Fields,
        page::{PageContext, redirect_with_notice},
    },
};

#[derive(Deserialize)]
pub struct HubQuery {
    #[serde(default)]
    page: u32,
}

pub async fn show(
    State(site): State<AppState>,
    visit: PageContext,
    Path(name): Path<String>,
    Query(query): Query<HubQuery>,
) -> Response {
    match federation::other(&site.hub, &visit.caller, &name).await {
        Ok(Some(found)) => {
            let page = page(&site.hub, found, query.page).await;
            visit.show_or_refuse(page)
        }
        Ok(None) if is_own(&site.hub, &name).await => Redirect::to("/network").into_response(),
        Ok(None) => visit.refuse_status(StatusCode::NOT_FOUND),
        Err(error) => visit.refuse(error),
    }
}

async fn is_own(hub: &Hub, name: &str) -> bool {
    let own = federation::name(hub).await.ok().flatten();
    own.is_some_and(|own| own == name)
}

async fn page(hub: &Hub, found: HubDetails, page: u32) -> Result<HubPage, Error> {
    let agents = federation::agents_of(hub, &found.row.id, page).await?;
    let pager = Pager::new(page, federation::AGENTS.rows(), agents.total);
    let report = found.row.report;
    let replication = report.map(|report| Replication {
        tier: match report.tier {
            federation::ReplicationTier::Full => ReplicationTier::Full,
            federation::ReplicationTier::Probation { until } => ReplicationTier::Probation(until),
            federation::ReplicationTier::Refused => ReplicationTier::Refused,
        },
        replicated: report.replicated,
        announced: report.announced,
        partial: report.partial,
    });
    let rule = found.rule.as_ref().map(|rule| HubRule {
        subject: rule.subject.clone(),
        allows: rule.does == Ruled::Allow,
        expires: rule.expires,
    });
    let origin = found.rule.map(|rule| HubRuleOrigin {
        reason: rule.reason,
        created: rule.created,
        made: match rule.made {
            RuleOrigin::Here(name) => RuleMaker::Here(name),
            RuleOrigin::List(url) => RuleMaker::List(url),
        },
    });
    let admin = |addresses| HubAdmin { addresses, rule: origin, form: Form::default() };
    Ok(HubPage {
        admin: found.addresses.map(admin),
        software: found.row.software.clone(),
        hub: row(found.row),
        claimed: found.claimed,
        api: found.api,
        first_seen: found.first_seen,
        last_head_at: found.last_head_at,
        replication,
        rule,
        violations: found.violations.into_iter().map(violation).collect(),
        agents: agents.rows.into_iter().map(agents::row).collect(),
        pager,
    })
}

fn violation(row: federation::ViolationRow) -> ViolationRow {
    let federation::ViolationRow { kind, about_hub, first_seen, last_seen, count } = row;
    ViolationRow { what: words(kind), about_hub, count, first_seen, last_seen }
}

const fn words(kind: HubViolation) -> &'static str {
    match kind {
        HubViolation::MissingListings => "Its inventory omits listings that it was offered or claims to have",
        HubViolation::ExtraListings => "Its inventory contains listings that it knows to have moved",
        HubViolation::WrongVersions => "Its inventory contains other listing versions than it was offered",
        HubViolation::StaleHead => "It keeps an old inventory head of a hub after it was offered the new one",
        HubViolation::ListingEquivocation => "It signed two versions of a listing with the same number",
        HubViolation::RecordEquivocation => "It signed two statements about itself with the same number",
    }
}

/// Performs an administrator's action on the hub: block, allow, or remove the rule.
pub async fn act(
    State(site): State<AppState>,
    visit: PageContext,
    Path(name): Path<String>,
    fields: Fields,
) -> Response {
    let found = match federation::other(&site.hub, &visit.caller, &name).await {
        Ok(Some(found)) => found,
        Ok(None) => return visit.refuse_status(StatusCode::NOT_FOUND),
        Err(error) => return visit.refuse(error),
    };
    let id = found.row.id.clone();
    match rule(&site.hub, &visit.caller, &id, &fields, visit.request_id()).await {
        Ok(()) => redirect_with_notice(&hub_href(&id), "saved"),
        Err(error) => match page(&site.hub, found, 1).await {
            Ok(page) if page.admin.is_some() => refused(visit, error, fields, |form| {
                let admin = page.admin.map(|admin| HubAdmin { form, ..admin });
                HubPage { admin, ..page }
            }),
            _ => visit.refuse(error),
        },
    }
}

async fn rule(hub: &Hub, caller: &Caller, id: &str, fields: &Fields, request: &str) -> Result<(), Error> {
    let reason = fields.get("reason");
    match fields.get("action") {
        "block" => federation::block(hub, caller, id, Ruled::Block, reason, request).await?,
        "allow" => federation::block(hub, caller, id, Ruled::Allow, reason, request).await?,
        "undo" => federation::unblock(hub, caller, fields.get("subject"), request).await?,
        _ => return Err(Refusal::invalid("action", "Choose block, allow or undo.").into()),
    };
    Ok(())
}
