//! The caller's own account.

use axum::{Json, extract::State};
use plexus_domain::{Name, account::Role};
use plexus_hub::{
    Error, Hub,
    caller::{Caller, Scope},
    quotas::{self, Used},
};
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    app_state::AppState,
    web::{auth::ApiCaller, error::ApiResult},
};

#[derive(Serialize, ToSchema)]
pub struct Account {
    #[schema(value_type = String)]
    name: Name,
    role: Role,
    /// Usage of each quota of the account.
    usage: Vec<QuotaUsage>,
}

#[derive(Serialize, ToSchema)]
pub struct QuotaUsage {
    /// `bytes`, `chats`, `agents`, `versions`, `teams`, `stars`, `drafts`, `tokens` or `push`.
    #[schema(value_type = String)]
    quota: &'static str,
    used: u64,
    limit: u64,
}

/// Returns your account.
#[utoipa::path(get, path = "/account", operation_id = "account.get", tag = "Account", security(("token" = ["read"])),
    responses((status = OK, description = "Your account.", body = Account)))]
pub async fn show(State(site): State<AppState>, ApiCaller(caller): ApiCaller) -> ApiResult<Json<Account>> {
    Ok(Json(who(&site.hub, &caller).await?))
}

pub async fn who(hub: &Hub, caller: &Caller) -> Result<Account, Error> {
    let person = caller.may(Scope::Read)?;
    let used = quotas::used(hub, caller).await?.into_iter();
    let usage = used.map(|Used { quota, used, limit }| QuotaUsage { quota, used, limit }).collect();
    Ok(Account { name: person.name.clone(), role: person.role, usage })
}
