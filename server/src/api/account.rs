//! Who the caller is.

use axum::Json;
use plexus_domain::{Error as Refusal, Name, account::Role};
use plexus_hub::caller::{Caller, Scope};
use serde::Serialize;
use utoipa::ToSchema;

use crate::web::{caller::Called, error::ApiResult};

#[derive(Serialize, ToSchema)]
pub struct Account {
    #[schema(value_type = String)]
    name: Name,
    role: Role,
}

/// Who you are.
#[utoipa::path(get, path = "/account", operation_id = "account.get", tag = "Account", security(("token" = ["read"])),
    responses((status = OK, description = "Your account.", body = Account)))]
pub async fn show(Called(caller): Called) -> ApiResult<Json<Account>> {
    Ok(Json(who(&caller)?))
}

pub fn who(caller: &Caller) -> Result<Account, Refusal> {
    let person = caller.may(Scope::Read)?;
    Ok(Account { name: person.name.clone(), role: person.role })
}
