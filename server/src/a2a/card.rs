//! The card of an agent, for programs that look for it.

use axum::{
    extract::{Path, State},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use plexus_a2a::card::with_former;
use plexus_domain::Digest;
use plexus_hub::calls;

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
    let card = calls::card(&site.hub, &caller, &address).await?;
    let body = serde_json::to_vec(&with_former(&card)).map_err(plexus_hub::Error::fault)?;
    let tag = format!("\"{}\"", Digest::of(&body));
    let known = headers.get(header::IF_NONE_MATCH).is_some_and(|known| known.as_bytes() == tag.as_bytes());
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
