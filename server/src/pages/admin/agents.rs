//! Page `/admin/agents`: lists all agents; pauses, resumes, unlists, withdraws or features them.

use axum::{
    extract::{Path, Query, State},
    http::StatusCode,
    response::Response,
};
use plexus_app::view_models::{
    Pager,
    admin::{AdminAgentRow, AdminAgents},
};
use plexus_domain::{Error as Refusal, page::PageSize};
use plexus_hub::{
    admin::{self, AgentModeration, AgentRow},
    audit::Administrator,
};

use super::{TableQuery, table_href, words};
use crate::{
    app_state::AppState,
    web::{
        form::Fields,
        page::{PageContext, redirect_with_notice},
    },
};

pub async fn show(
    State(site): State<AppState>,
    visit: PageContext,
    Query(query): Query<TableQuery>,
) -> Response {
    let words = words(&query);
    let found = admin::list_agents(&site.hub, &visit.caller, &words, query.page).await;
    visit.show_or_refuse(found.map(|found| AdminAgents {
        pager: Pager::new(query.page, PageSize::DEFAULT.rows(), found.total),
        rows: found.rows.into_iter().map(row).collect(),
        words,
    }))
}

fn row(row: AgentRow) -> AdminAgentRow {
    AdminAgentRow {
        id: row.id,
        seed: row.seed,
        name: row.title,
        address: row.address,
        kind: row.protocol,
        visibility: row.visibility,
        paused: row.paused,
        proved: row.proved,
        last_answered: row.last_answered,
        runs_today: row.runs_today,
        failed_today: row.failed_today,
        can_withdraw: row.can_withdraw,
        is_featured: row.is_featured,
    }
}

pub async fn act(
    State(site): State<AppState>,
    visit: PageContext,
    Path(id): Path<String>,
    fields: Fields,
) -> Response {
    let Ok(id) = id.parse() else { return visit.refuse_status(StatusCode::NOT_FOUND) };
    let (reason, request) = (fields.get("reason"), visit.request_id());
    let by = Administrator::Account { caller: &visit.caller, request };
    let acted = match wanted(&fields) {
        _ if fields.get("action") == "feature" => admin::set_featured(&site.hub, by, id, true).await,
        _ if fields.get("action") == "unfeature" => admin::set_featured(&site.hub, by, id, false).await,
        Ok(act) => admin::act_on_agent(&site.hub, &visit.caller, id, act, reason, request).await,
        Err(refusal) => Err(refusal.into()),
    };
    match acted {
        Ok(()) => redirect_with_notice(&table_href("/admin/agents", &fields), done(&fields)),
        Err(error) => visit.refuse(error),
    }
}

/// Returns the code of the notice about what was done.
fn done(fields: &Fields) -> &'static str {
    match fields.get("action") {
        "pause" => "agent-paused",
        "resume" => "agent-resumed",
        "unlist" => "agent-unlisted",
        "delete" => "agent-deleted",
        "feature" => "agent-featured",
        "unfeature" => "agent-unfeatured",
        _ => "saved",
    }
}

fn wanted(fields: &Fields) -> Result<AgentModeration, Refusal> {
    match fields.get("action") {
        "pause" => Ok(AgentModeration::Pause),
        "resume" => Ok(AgentModeration::Resume),
        "unlist" => Ok(AgentModeration::Unlist),
        "delete" => Ok(AgentModeration::Withdraw),
        _ => Err(Refusal::invalid("action", "Choose what to do with this agent.")),
    }
}
