//! The models that an agent of this hub can be made of.

use axum::{Json, extract::State};
use plexus_hub::{Caller, Hub, Result, agents, caller::Scope};
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    state::Site,
    web::{caller::Called, error::ApiResult},
};

#[derive(Serialize, ToSchema)]
pub struct Models {
    /// What the `model` of a new agent may be. One with the name of a provider before it, as in `groq/large`, is that
    /// provider's.
    models: Vec<String>,
}

/// The models that an agent of this hub can be made of.
#[utoipa::path(get, path = "/models", operation_id = "models.list", tag = "Agents", security(("token" = ["agents"])),
    responses((status = OK, description = "The usual one first.", body = Models)))]
pub async fn list(State(site): State<Site>, Called(caller): Called) -> ApiResult<Json<Models>> {
    Ok(Json(all(&site.hub, &caller).await?))
}

/// The models, for callers that may make an agent of them.
pub async fn all(hub: &Hub, caller: &Caller) -> Result<Models> {
    caller.may(Scope::Agents)?;
    Ok(Models { models: agents::models(hub).await })
}
