//! `GET /account`: who the caller is.

use axum::Json;
use plexus_hub::caller::Scope;
use serde_json::{Value, json};

use crate::web::{caller::Called, error::ApiResult};

pub async fn show(Called(caller): Called) -> ApiResult<Json<Value>> {
    let person = caller.may(Scope::Read)?;
    Ok(Json(json!({ "name": person.name, "role": person.role })))
}
