//! OpenAI-compatible API at `/v1`. Every agent that the caller may call is a model, named by its address with
//! or without the `@`.
//!
//! Clients store their conversations themselves (`docs/adr/0012`), and cancel an answer by disconnecting.

mod answering;
mod chat;
mod failure;
mod input;
mod models;
mod response;
mod response_events;
mod responses;

use axum::{
    Router,
    body::Bytes,
    extract::rejection::BytesRejection,
    http::HeaderMap,
    routing::{get, post},
};
use plexus_a2a::json::{self, Limits};
use plexus_domain::Error as Refusal;
use serde_json::{Map, Value};

use self::failure::Failure;
use crate::{
    state::Site,
    web::body::{JSON, is_of_type, untaken},
};

/// Limits of JSON nesting depth and number of values in a request.
const DEPTH: usize = 64;
const VALUES: usize = 100_000;

pub fn routes() -> Router<Site> {
    Router::new()
        .route("/v1/models", get(models::list))
        .route("/v1/models/{*id}", get(models::show))
        .route("/v1/chat/completions", post(chat::answer))
        .route("/v1/responses", post(responses::answer))
        .route("/v1/responses/{id}", get(responses::show))
        .route("/v1", get(failure::missing))
        .route("/v1/{*rest}", axum::routing::any(failure::missing))
}

/// Parses the members of a request. Unknown members are ignored.
fn read(
    site: &Site,
    headers: &HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<Map<String, Value>, Failure> {
    if !is_of_type(headers, &[JSON]) {
        return Err(Failure::media_type());
    }
    let bytes = site.hub.config().limits.max_message_bytes * 2;
    let body = body.map_err(|rejection| {
        let words = format!("The request is larger than the {bytes} bytes that this hub takes.");
        plexus_hub::Error::from(untaken(&rejection, Refusal::too_large(words, bytes as u64)))
    })?;
    match json::parse(&body, Limits { bytes, depth: DEPTH, values: VALUES }) {
        Ok(Value::Object(members)) => Ok(members),
        Ok(_) => Err(Failure::invalid(None, "The request is a JSON object.")),
        Err(error) => Err(Failure::invalid(None, format!("The request cannot be read. {error}"))),
    }
}

/// Returns an optional string member.
fn text<'a>(members: &'a Map<String, Value>, name: &'static str) -> Result<Option<&'a str>, Failure> {
    match members.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(Failure::invalid(Some(name), format!("The member {name} is a text."))),
    }
}

/// Returns an optional boolean member; the default is false.
fn flag(members: &Map<String, Value>, name: &'static str) -> Result<bool, Failure> {
    match members.get(name) {
        None | Some(Value::Null) => Ok(false),
        Some(Value::Bool(flag)) => Ok(*flag),
        Some(_) => Err(Failure::invalid(Some(name), format!("The member {name} is true or false."))),
    }
}

fn model(members: &Map<String, Value>) -> Result<&str, Failure> {
    let named = text(members, "model")?;
    named.ok_or_else(|| {
        Failure::invalid(Some("model"), "Name the agent as the model, such as \"plexus/calc\".")
    })
}
