//! The models available to agents of this hub.

use axum::{Json, extract::State};
use plexus_hub::{Caller, Hub, Result, caller::Scope, model_providers};
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    app_state::AppState,
    web::{auth::ApiCaller, error::ApiResult},
};

#[derive(Serialize, ToSchema)]
pub struct Models {
    /// Valid values for the `model` of a new agent. A prefix names a model server, as in `groq/large`.
    models: Vec<String>,
}

/// Lists the models available to agents of this hub.
#[utoipa::path(get, path = "/models", operation_id = "models.list", tag = "Agents", security(("token" = ["agents"])),
    responses((status = OK, description = "The models, the default first.", body = Models)))]
pub async fn list(State(site): State<AppState>, ApiCaller(caller): ApiCaller) -> ApiResult<Json<Models>> {
    Ok(Json(all(&site.hub, &caller).await?))
}

/// Returns the models, for callers that may create agents.
pub async fn all(hub: &Hub, caller: &Caller) -> Result<Models> {
    caller.may(Scope::Agents)?;
    Ok(Models { models: model_providers::models(hub).await? })
}
