//! Page `/admin/users`: approves, suspends and restores accounts, and sets their roles.

use axum::{
    extract::{Path, Query, State},
    http::StatusCode,
    response::Response,
};
use plexus_app::model::{
    Pager,
    admin::{AdminUsers, UserRow, UserState},
};
use plexus_domain::{Error as Refusal, account::Role, page::PageSize};
use plexus_hub::admin::{self, AccountState, PersonAct, PersonRow};

use super::{TableQuery, words};
use crate::{
    state::Site,
    web::{
        form::Fields,
        page::{Visit, done},
    },
};

pub async fn show(State(site): State<Site>, visit: Visit, Query(query): Query<TableQuery>) -> Response {
    let words = words(&query);
    let found = admin::list_people(&site.hub, &visit.caller, &words, query.page).await;
    visit.show_or_refuse(found.map(|found| AdminUsers {
        pager: Pager::new(query.page, PageSize::DEFAULT.rows(), found.total),
        rows: found.rows.into_iter().map(row).collect(),
        words,
    }))
}

fn row(row: PersonRow) -> UserRow {
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

pub async fn act(State(site): State<Site>, visit: Visit, Path(id): Path<String>, fields: Fields) -> Response {
    let Ok(id) = id.parse() else { return visit.refuse_status(StatusCode::NOT_FOUND) };
    let acted = match wanted(&fields) {
        Ok(act) => admin::act_on_person(&site.hub, &visit.caller, id, act, visit.request_id()).await,
        Err(refusal) => Err(refusal.into()),
    };
    match acted {
        Ok(()) => done("/admin/users", "saved"),
        Err(error) => visit.refuse(error),
    }
}

fn wanted(fields: &Fields) -> Result<PersonAct, Refusal> {
    match fields.get("action") {
        "approve" => Ok(PersonAct::Approve),
        "suspend" => Ok(PersonAct::Suspend),
        "restore" => Ok(PersonAct::Restore),
        "role" => Role::parse(fields.get("role"))
            .map(PersonAct::SetRole)
            .ok_or_else(|| Refusal::invalid("role", "Choose one of the roles user, moderator and admin.")),
        _ => Err(Refusal::invalid("action", "Choose what to do with this account.")),
    }
}
