//! Model endpoints: agents as models, named by their address.

use axum::{
    Json,
    extract::{Path, State, rejection::PathRejection},
};
use plexus_domain::{Address, Timestamp};
use plexus_hub::{agents, calls};
use serde_json::{Value, json};

use super::error::OpenAiError;
use crate::{
    app_state::AppState,
    web::bearer::{Bearer, InvalidToken},
};

/// Handles `GET /v1/models`: lists the caller's own agents, starred agents, recently called agents, and the
/// most used agents of the hub.
pub async fn list(
    State(site): State<AppState>,
    caller: Result<Bearer, InvalidToken>,
) -> Result<Json<Value>, OpenAiError> {
    let Bearer(caller) = caller?;
    let offered = calls::list_callable_agents(&site.hub, &caller).await?;
    let models: Vec<Value> = offered.iter().map(|offered| model(&offered.address, offered.created)).collect();
    Ok(Json(json!({ "object": "list", "data": models })))
}

/// Handles `GET /v1/models/{id}`: returns any agent that is visible to the caller.
pub async fn show(
    State(site): State<AppState>,
    id: Result<Path<String>, PathRejection>,
    caller: Result<Bearer, InvalidToken>,
) -> Result<Json<Value>, OpenAiError> {
    let Bearer(caller) = caller?;
    let Path(id) = id.map_err(|_| unknown("\u{fffd}"))?;
    let address = address(&id)?;
    let found = agents::get(&site.hub, &caller, &address).await?.ok_or_else(|| unknown(&id))?;
    Ok(Json(model(&found.address, found.agent.created_at)))
}

/// Parses the address in a model name.
pub fn address(model: &str) -> Result<Address, OpenAiError> {
    model.parse().map_err(|_| unknown(model))
}

fn unknown(model: &str) -> OpenAiError {
    let model =
        plexus_domain::sanitized_text::ellipsize(&plexus_domain::sanitized_text::one_line(model), 100);
    OpenAiError::no_model(format!("Agent \"{model}\" not found. Name a model as owner/name."))
}

/// Returns the model name of an agent.
pub fn id(address: &Address) -> String {
    format!("{}/{}", address.owner, address.name)
}

fn model(address: &Address, created: Timestamp) -> Value {
    json!({ "id": id(address), "object": "model", "created": created.millis() / 1_000, "owned_by": address.owner })
}
