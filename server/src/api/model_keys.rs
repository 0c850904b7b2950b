//! The caller's API keys for model providers.

use axum::{
    Json,
    extract::{Path, State},
    http::StatusCode,
};
use plexus_domain::Timestamp;
use plexus_hub::{
    Caller, Hub, Result,
    model_providers::{self, AccountKeyRow},
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::{
    app_state::AppState,
    web::{auth::ApiCaller, error::ApiResult, json_body::JsonBody},
};

#[derive(Serialize, ToSchema)]
pub struct ModelKeys {
    items: Vec<ModelKey>,
    /// Always null: the list is complete.
    #[schema(required)]
    next: Option<String>,
}

/// A model provider that takes keys of users.
#[derive(Serialize, ToSchema)]
struct ModelKey {
    provider: String,
    /// Server that gets the key.
    host: String,
    /// `allowed`: without a key of yours the hub pays. `required`: its models answer only with a key of yours. `refused`:
    /// a stored key is no longer used.
    policy: &'static str,
    /// When you stored your key, in milliseconds since 1970; null without a key.
    #[schema(value_type = Option<i64>)]
    added_at: Option<Timestamp>,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct ModelKeyPath {
    /// Name of the model provider.
    provider: String,
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewModelKey {
    api_key: String,
}

/// Lists the model providers that take keys of users, and whether you stored one. Keys are never returned.
#[utoipa::path(get, path = "/model-keys", operation_id = "model_keys.list", tag = "Agents", security(("token" = ["read"])),
    responses((status = OK, description = "The providers, by name.", body = ModelKeys)))]
pub async fn list(State(site): State<AppState>, ApiCaller(caller): ApiCaller) -> ApiResult<Json<ModelKeys>> {
    Ok(Json(all(&site.hub, &caller).await?))
}

pub async fn all(hub: &Hub, caller: &Caller) -> Result<ModelKeys> {
    let rows = model_providers::account_keys(hub, caller).await?;
    Ok(ModelKeys { items: rows.into_iter().map(item).collect(), next: None })
}

fn item(row: AccountKeyRow) -> ModelKey {
    ModelKey { provider: row.provider, host: row.host, policy: row.policy.as_str(), added_at: row.added_at }
}

/// Stores your key for a model provider, after its server accepted it. Replaces the one before.
#[utoipa::path(put, path = "/model-keys/{provider}", operation_id = "model_keys.set", tag = "Agents", params(ModelKeyPath),
    security(("token" = ["agents"])), request_body = NewModelKey,
    responses((status = NO_CONTENT, description = "The key is stored.")))]
pub async fn set(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
    Path(at): Path<ModelKeyPath>,
    JsonBody(new): JsonBody<NewModelKey>,
) -> ApiResult<StatusCode> {
    model_providers::set_account_key(&site.hub, &caller, &at.provider, &new.api_key).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Deletes your key for a model provider.
#[utoipa::path(delete, path = "/model-keys/{provider}", operation_id = "model_keys.remove", tag = "Agents",
    params(ModelKeyPath), security(("token" = ["agents"])),
    responses((status = NO_CONTENT, description = "The key is deleted.")))]
pub async fn remove(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
    Path(at): Path<ModelKeyPath>,
) -> ApiResult<StatusCode> {
    model_providers::remove_account_key(&site.hub, &caller, &at.provider).await?;
    Ok(StatusCode::NO_CONTENT)
}
