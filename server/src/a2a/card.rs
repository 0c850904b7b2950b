//! The card of an agent, for programs that look for it.

use axum::{
    extract::{Path, State},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use plexus_a2a::{card::with_former, keys::PublicKey, wire::v1::AgentCard};
use plexus_domain::{Address, Digest};
use plexus_hub::{Caller, calls, keys};
use serde_json::json;

use super::address;
use crate::{
    state::Site,
    web::{bearer::Bearer, error::ApiResult},
};

/// Cards may be kept this long; after that the ETag tells whether anything changed.
const CACHE: HeaderValue = HeaderValue::from_static("public, max-age=300");

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

/// The card of the hub itself; on a hub for test kits, that of the agent which they look for.
pub async fn of_hub(
    State(site): State<Site>,
    Bearer(caller): Bearer,
    headers: HeaderMap,
) -> ApiResult<Response> {
    match &site.conformance {
        Some(mode) => give(&site, &caller, &mode.front, &headers).await,
        None => answer(&calls::hub_card(&site.hub, &caller).await?, &headers),
    }
}

/// The keys that the signatures of cards are checked with (RFC 7517).
pub async fn keys(State(site): State<Site>) -> ApiResult<Response> {
    let keys = keys::hub_keys(&site.hub).await?;
    let set = json!({ "keys": keys.iter().map(PublicKey::to_jwk).collect::<Vec<_>>() });
    let headers = [(header::CONTENT_TYPE, "application/jwk-set+json")];
    Ok(([(header::CACHE_CONTROL, CACHE)], headers, set.to_string()).into_response())
}

async fn give(site: &Site, caller: &Caller, address: &Address, headers: &HeaderMap) -> ApiResult<Response> {
    answer(&calls::card(&site.hub, caller, address).await?, headers)
}

fn answer(card: &AgentCard, headers: &HeaderMap) -> ApiResult<Response> {
    let body = serde_json::to_vec(&with_former(card)).map_err(plexus_hub::Error::fault)?;
    let tag = format!("\"{}\"", Digest::of(&body));
    let known = headers.get(header::IF_NONE_MATCH).is_some_and(|known| is_named(known, &tag));
    let mut response = if known {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        ([(header::CONTENT_TYPE, "application/json")], body).into_response()
    };
    let answer = response.headers_mut();
    answer.insert(header::CACHE_CONTROL, CACHE);
    answer.insert(header::VARY, HeaderValue::from_static("authorization"));
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        answer.insert(header::ETAG, tag);
    }
    Ok(response)
}

/// Whether a list of entity tags names this one (RFC 9110 section 13.1.2).
fn is_named(known: &HeaderValue, tag: &str) -> bool {
    let known = known.to_str().unwrap_or_default();
    known
        .split(',')
        .map(|named| named.trim().trim_start_matches("W/"))
        .any(|named| named == tag || named == "*")
}
