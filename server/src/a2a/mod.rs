//! A2A endpoints: every agent of this hub at `/a2a/{owner}/{name}/`, in 1.0 and 0.3 over JSON-RPC and in 1.0
//! over HTTP+JSON (`docs/adr/0025`).
//!
//! Both bindings deserialize requests into the 1.0 messages of `plexus_a2a`, call [`methods`], and serialize
//! the result in their own format.

mod auth;
mod card;
mod error;
mod file;
mod forwarded;
mod methods;
mod p2p;
mod page_token;
mod push;
mod rest;
mod rpc;
mod stream;

use axum::{Router, extract::rejection::BytesRejection};
use plexus_a2a::bounded_json::JsonLimits;
use plexus_domain::{Address, Error as Refusal};
use plexus_hub::{
    Caller, Error,
    calls::{self, AuthorizedAgent},
};

pub use self::p2p::P2pA2aHandler;
use crate::{
    app_state::AppState,
    web::{
        json_body,
        routing::{any, get, post},
    },
};

/// Limits of JSON nesting depth and number of values in a request.
const DEPTH: usize = 32;
const VALUES: usize = 100_000;

pub fn routes() -> Router<AppState> {
    Router::new()
        .route("/.well-known/agent-card.json", get(card::of_hub))
        .route("/.well-known/jwks.json", get(card::keys))
        .route("/a2a/{owner}/{name}", post(rpc::answer))
        .route("/a2a/{owner}/{name}/", post(rpc::answer))
        // Some clients append a slash to any URL in a card.
        .route("/a2a/{owner}/{name}//", post(rpc::answer))
        .route("/a2a/{owner}/{name}/.well-known/agent-card.json", get(card::show))
        .route("/a2a/{owner}/{name}/files/{task}/{sha256}", get(file::show))
        .route("/a2a/{owner}/{name}/rest/{*path}", any(rest::answer))
}

/// Parses the agent's address in the path. An invalid address means that the agent does not exist.
fn address(owner: &str, name: &str) -> Option<Address> {
    format!("@{owner}/{name}").parse().ok()
}

/// Authorises the caller for an agent.
async fn authorize(
    site: &AppState,
    caller: &Caller,
    owner: &str,
    name: &str,
) -> plexus_hub::Result<AuthorizedAgent> {
    let missing = || Refusal::not_found(format!("Agent @{owner}/{name} not found."));
    let authorized = calls::authorize(&site.hub, caller, &address(owner, name).ok_or_else(missing)?).await?;
    // Agents of other hubs have their own A2A endpoints.
    if authorized.address().hub.is_some() { Err(missing().into()) } else { Ok(authorized) }
}

/// Returns the error for a path that is not valid UTF-8.
fn nowhere() -> Error {
    Refusal::not_found("Agent not found.").into()
}

/// Returns the error for a body that could not be read.
fn body_error(rejection: &BytesRejection, limit: JsonLimits) -> Refusal {
    let words = format!("The body exceeds the limit of {} bytes.", limit.bytes);
    json_body::body_error(rejection, Refusal::too_large(words, limit.bytes as u64))
}

fn limits(site: &AppState) -> JsonLimits {
    // Bytes are sent as base64 and text may be escaped; both enlarge a message.
    let bytes = site.hub.config().limits.max_message_bytes * 2;
    JsonLimits { bytes, depth: DEPTH, values: VALUES }
}
