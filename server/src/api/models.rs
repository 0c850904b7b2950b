//! The models available to agents of this hub.

use axum::{Json, extract::State};
use plexus_hub::{
    Caller, Hub, Result,
    caller::Scope,
    model_providers::{self, OfferedModel},
};
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
    /// The same models with their settings.
    items: Vec<ModelItem>,
    /// Always null: the list is complete.
    #[schema(required)]
    next: Option<String>,
}

/// A model with its settings.
#[derive(Serialize, ToSchema)]
#[schema(as = Model)]
struct ModelItem {
    name: String,
    display_name: Option<String>,
    context_tokens: u64,
    /// Price of a million input tokens, in millionths of the currency unit; 0 without a price.
    input_price_micro: u64,
    /// Price of a million output tokens, in millionths of the currency unit; 0 without a price.
    output_price_micro: u64,
    abilities: ModelAbilitiesJson,
}

/// What a model can do; null if it is not known.
#[derive(Serialize, ToSchema)]
#[schema(as = ModelAbilities)]
struct ModelAbilitiesJson {
    tools: Option<bool>,
    images: Option<bool>,
    reasoning: Option<bool>,
    json: Option<bool>,
}

/// Lists the models that the caller may use for agents.
#[utoipa::path(get, path = "/models", operation_id = "models.list", tag = "Agents", security(("token" = ["agents"])),
    responses((status = OK, description = "The models, the default first.", body = Models)))]
pub async fn list(State(site): State<AppState>, ApiCaller(caller): ApiCaller) -> ApiResult<Json<Models>> {
    Ok(Json(all(&site.hub, &caller).await?))
}

/// Returns the models, for callers that may create agents.
pub async fn all(hub: &Hub, caller: &Caller) -> Result<Models> {
    let offered = model_providers::offered_models(hub, caller.may(Scope::Agents)?).await?;
    Ok(Models {
        models: offered.iter().map(|model| model.name.clone()).collect(),
        items: offered.into_iter().map(item).collect(),
        next: None,
    })
}

fn item(model: OfferedModel) -> ModelItem {
    let abilities = model.abilities;
    ModelItem {
        name: model.name,
        display_name: model.display_name,
        context_tokens: model.context_tokens,
        input_price_micro: model.prices.sent,
        output_price_micro: model.prices.received,
        abilities: ModelAbilitiesJson {
            tools: abilities.calls_tools,
            images: abilities.reads_images,
            reasoning: abilities.can_reason,
            json: abilities.writes_json,
        },
    }
}
