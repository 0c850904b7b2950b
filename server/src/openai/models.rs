//! Models: agents, by address.

use axum::{
    Json,
    extract::{Path, State, rejection::PathRejection},
};
use plexus_domain::{Address, Timestamp};
use plexus_hub::{agents, calls};
use serde_json::{Value, json};

use super::failure::Failure;
use crate::{
    state::Site,
    web::bearer::{Bearer, Unknown},
};

/// `GET /v1/models`: the caller's own agents, those with its star, those it asked last, and those that are used most
/// here.
pub async fn list(State(site): State<Site>, caller: Result<Bearer, Unknown>) -> Result<Json<Value>, Failure> {
    let Bearer(caller) = caller?;
    let offered = calls::offered(&site.hub, &caller).await?;
    let models: Vec<Value> = offered.iter().map(|offered| model(&offered.address, offered.created)).collect();
    Ok(Json(json!({ "object": "list", "data": models })))
}

/// `GET /v1/models/{id}`: any agent that the caller may know of.
pub async fn show(
    State(site): State<Site>,
    id: Result<Path<String>, PathRejection>,
    caller: Result<Bearer, Unknown>,
) -> Result<Json<Value>, Failure> {
    let Bearer(caller) = caller?;
    let Path(id) = id.map_err(|_| unknown("\u{fffd}"))?;
    let address = address(&id)?;
    let found = agents::look(&site.hub, &caller, &address).await?.ok_or_else(|| unknown(&id))?;
    Ok(Json(model(&found.address, found.agent.created)))
}

/// The address that a model's name stands for.
pub fn address(model: &str) -> Result<Address, Failure> {
    model.parse().map_err(|_| unknown(model))
}

fn unknown(model: &str) -> Failure {
    let model = plexus_domain::text::shorten(&plexus_domain::text::one_line(model), 100);
    Failure::no_model(format!("There is no agent \"{model}\" here. A model is named as owner/name."))
}

/// What an agent is called as a model.
pub fn id(address: &Address) -> String {
    format!("{}/{}", address.owner, address.name)
}

fn model(address: &Address, created: Timestamp) -> Value {
    json!({ "id": id(address), "object": "model", "created": created.millis() / 1_000, "owned_by": address.owner })
}
