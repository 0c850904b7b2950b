//! Agent card endpoints and the hub's signing keys.

use axum::{
    extract::{Path, State},
    http::HeaderMap,
    response::Response,
};
use plexus_a2a::{card::with_v03_fields, keys::PublicKey, wire::v1::AgentCard};
use plexus_domain::Address;
use plexus_hub::{Caller, calls, keys};
use serde_json::json;

use super::address;
use crate::{
    app_state::AppState,
    web::{bearer::Bearer, error::ApiResult, etag::cached, json_body::JSON},
};

pub async fn show(
    State(site): State<AppState>,
    Path((owner, name)): Path<(String, String)>,
    Bearer(caller): Bearer,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let missing = || plexus_domain::Error::not_found(format!("Agent @{owner}/{name} not found."));
    let address = address(&owner, &name).ok_or_else(missing)?;
    give(&site, &caller, &address, &headers).await
}

/// Returns the card of the hub itself; in conformance mode, the card of the test agent.
pub async fn of_hub(
    State(site): State<AppState>,
    Bearer(caller): Bearer,
    headers: HeaderMap,
) -> ApiResult<Response> {
    match &site.conformance {
        Some(mode) => give(&site, &caller, &mode.front, &headers).await,
        None => answer(&calls::hub_card(&site.hub, &caller).await?, &headers),
    }
}

/// Returns the keys that verify card signatures, as a JWK set (RFC 7517).
pub async fn keys(State(site): State<AppState>, headers: HeaderMap) -> ApiResult<Response> {
    let keys = keys::hub_keys(&site.hub).await?;
    let set = json!({ "keys": keys.iter().map(PublicKey::to_jwk).collect::<Vec<_>>() });
    Ok(cached(&headers, "application/jwk-set+json", set.to_string().into_bytes()))
}

async fn give(
    site: &AppState,
    caller: &Caller,
    address: &Address,
    headers: &HeaderMap,
) -> ApiResult<Response> {
    answer(&calls::card(&site.hub, caller, address).await?, headers)
}

fn answer(card: &AgentCard, headers: &HeaderMap) -> ApiResult<Response> {
    let body = serde_json::to_vec(&with_v03_fields(card)).map_err(plexus_hub::Error::fault)?;
    Ok(cached(headers, JSON, body))
}
