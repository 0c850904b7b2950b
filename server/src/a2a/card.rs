//! The card of an agent, for programs that look for it.

use axum::{
    extract::{Path, State},
    http::HeaderMap,
    response::Response,
};
use plexus_a2a::card::with_former;
use plexus_domain::Address;
use plexus_hub::{Caller, calls};

use super::address;
use crate::{
    state::Site,
    web::{bearer::Bearer, body::JSON, cached::cached, error::ApiResult},
};

pub async fn show(
    State(site): State<Site>,
    Path((owner, name)): Path<(String, String)>,
    Bearer(caller): Bearer,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let missing = || plexus_domain::Error::not_found(format!("There is no agent @{owner}/{name} here."));
    let address = address(&owner, &name).ok_or_else(missing)?;
    give(&site, &caller, &address, &headers).await
}

/// The card of the agent that test kits look for; a hub for people has none.
pub async fn of_kit(
    State(site): State<Site>,
    Bearer(caller): Bearer,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let missing = || plexus_domain::Error::not_found("This hub is not one for test kits.");
    let mode = site.conformance.as_ref().ok_or_else(missing)?;
    give(&site, &caller, &mode.front, &headers).await
}

async fn give(site: &Site, caller: &Caller, address: &Address, headers: &HeaderMap) -> ApiResult<Response> {
    let card = calls::card(&site.hub, caller, address).await?;
    let body = serde_json::to_vec(&with_former(&card)).map_err(plexus_hub::Error::fault)?;
    Ok(cached(headers, JSON, body))
}
