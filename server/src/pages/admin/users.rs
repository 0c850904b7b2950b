//! Page `/admin/users`: approves, suspends and restores accounts, and sets their roles.

use axum::{
    extract::{Path, Query, State},
    http::StatusCode,
    response::Response,
};
use plexus_app::view_models::{
    Pager,
    admin::{AdminUsers, ResetLink, UserRow, UserState},
};
use plexus_domain::{AccountId, Error as Refusal, account::Role, page::PageSize};
use plexus_hub::{
    Caller, Error, Hub, accounts,
    admin::{self, AccountModeration, AccountRow, AccountState},
    audit::Administrator,
};

use super::{TableQuery, shown, table_href, words};
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
    let page = page(&site.hub, &visit.caller, words(&query), query.page).await;
    visit.show_or_refuse(page)
}

async fn page(hub: &Hub, caller: &Caller, words: String, page: u32) -> Result<AdminUsers, Error> {
    let found = admin::list_people(hub, caller, &words, page).await?;
    Ok(AdminUsers {
        pager: Pager::new(page, PageSize::DEFAULT.rows(), found.total),
        rows: found.rows.into_iter().map(row).collect(),
        reset: None,
        words,
    })
}

/// Creates a reset link and shows it above the list.
async fn create_reset_link(site: &AppState, visit: PageContext, id: AccountId, fields: &Fields) -> Response {
    let (hub, caller) = (&site.hub, &visit.caller);
    let by = Administrator::Account { caller, request: visit.request_id() };
    let page = async {
        let created = accounts::create_password_reset(hub, by, id).await?;
        let number = fields.get("page").parse().unwrap_or(1);
        let page = page(hub, caller, shown(fields.get("q")), number).await?;
        let reset = ResetLink { name: created.name.to_string(), link: created.link };
        Ok(AdminUsers { reset: Some(reset), ..page })
    };
    let page = page.await;
    visit.show_or_refuse(page)
}

fn row(row: AccountRow) -> UserRow {
    UserRow {
        id: row.id,
        name: row.name,
        role: row.role,
        state: match row.state {
            AccountState::Pending => UserState::Waiting,
            AccountState::Suspended => UserState::Suspended,
            AccountState::Leaving => UserState::Leaving,
            AccountState::Active | AccountState::Deleted => UserState::Active,
        },
        reason: row.reason.filter(|_| row.state == AccountState::Pending),
        since: row.since,
        seen: row.seen,
        agents: row.agents,
        own: !row.can_change,
    }
}

pub async fn act(
    State(site): State<AppState>,
    visit: PageContext,
    Path(id): Path<String>,
    fields: Fields,
) -> Response {
    let Ok(id) = id.parse() else { return visit.refuse_status(StatusCode::NOT_FOUND) };
    if fields.get("action") == "reset" {
        return create_reset_link(&site, visit, id, &fields).await;
    }
    let acted = match wanted(&fields) {
        Ok(act) => admin::act_on_person(&site.hub, &visit.caller, id, act, visit.request_id()).await,
        Err(refusal) => Err(refusal.into()),
    };
    match acted {
        Ok(()) => redirect_with_notice(&table_href("/admin/users", &fields), done(&fields)),
        Err(error) => visit.refuse(error),
    }
}

/// Returns the code of the notice about what was done.
fn done(fields: &Fields) -> &'static str {
    match fields.get("action") {
        "approve" => "user-accepted",
        "suspend" => "user-suspended",
        "restore" => "user-restored",
        "role" => "user-role",
        _ => "saved",
    }
}

fn wanted(fields: &Fields) -> Result<AccountModeration, Refusal> {
    match fields.get("action") {
        "approve" => Ok(AccountModeration::Approve),
        "suspend" => Ok(AccountModeration::Suspend),
        "restore" => Ok(AccountModeration::Restore),
        "role" => Role::parse(fields.get("role"))
            .map(AccountModeration::SetRole)
            .ok_or_else(|| Refusal::invalid("role", "Choose one of the roles user, moderator and admin.")),
        _ => Err(Refusal::invalid("action", "Choose what to do with this account.")),
    }
}
