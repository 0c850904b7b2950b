//! OpenAI-compatible API at `/v1`. Every agent that the caller may call is a model, named by its address with
//! or without the `@`.
//!
//! Clients store their conversations themselves (`docs/adr/0012`), and cancel an answer by disconnecting.

pub mod answer_stream;
pub mod call_options;
pub mod caller_call;
mod chat;
pub mod error;
mod models;
mod reasoning;
pub mod request_messages;
mod response;
mod response_events;
mod responses;
mod stored_responses;

use axum::{Router, body::Bytes, extract::rejection::BytesRejection, http::HeaderMap};
use plexus_a2a::bounded_json::{self, JsonLimits};
use plexus_domain::Error as Refusal;
use serde_json::{Map, Value};

use self::error::{OpenAiError, method_not_allowed};
use crate::{
    app_state::AppState,
    web::{
        json_body::{JSON, body_error, is_of_type},
        routing::{any, get, post},
    },
};

/// Limits of JSON nesting depth and number of values in a request.
const DEPTH: usize = 64;
const VALUES: usize = 100_000;

pub fn routes() -> Router<AppState> {
    Router::new()
        .route("/v1/models", get(models::list).fallback(|headers| method_not_allowed("GET, HEAD", headers)))
        .route(
            "/v1/models/{*id}",
            get(models::show).fallback(|headers| method_not_allowed("GET, HEAD", headers)),
        )
        .route(
            "/v1/chat/completions",
            post(chat::answer).fallback(|headers| method_not_allowed("POST", headers)),
        )
        .route(
            "/v1/responses",
            post(responses::answer).fallback(|headers| method_not_allowed("POST", headers)),
        )
        .route(
            "/v1/responses/{id}",
            get(stored_responses::show)
                .delete(stored_responses::delete)
                .fallback(|headers| method_not_allowed("GET, HEAD, DELETE", headers)),
        )
        .route(
            "/v1/responses/{id}/input_items",
            get(stored_responses::list_input).fallback(|headers| method_not_allowed("GET, HEAD", headers)),
        )
        .route(
            "/v1/responses/{id}/cancel",
            post(stored_responses::cancel).fallback(|headers| method_not_allowed("POST", headers)),
        )
        .route("/v1", any(error::missing))
        .route("/v1/", any(error::missing))
        .route("/v1/{*rest}", any(error::missing))
}

/// Parses the members of a request. Unknown members are ignored.
pub fn read(
    site: &AppState,
    headers: &HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<Map<String, Value>, OpenAiError> {
    if !is_of_type(headers, &[JSON]) {
        return Err(OpenAiError::media_type());
    }
    let bytes = site.hub.config().limits.max_message_bytes * 2;
    let body = body.map_err(|rejection| {
        let words = format!("The request exceeds the limit of {bytes} bytes.");
        plexus_hub::Error::from(body_error(&rejection, Refusal::too_large(words, bytes as u64)))
    })?;
    match bounded_json::parse(&body, JsonLimits { bytes, depth: DEPTH, values: VALUES }) {
        Ok(Value::Object(members)) => Ok(members),
        Ok(_) => Err(OpenAiError::invalid(None, "The request is a JSON object.")),
        Err(error) => Err(OpenAiError::invalid(None, format!("The request cannot be read. {error}"))),
    }
}

/// Returns an optional string member.
pub fn text<'a>(members: &'a Map<String, Value>, name: &'static str) -> Result<Option<&'a str>, OpenAiError> {
    match members.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(OpenAiError::invalid(Some(name), format!("The member {name} is a text."))),
    }
}

/// Returns an optional boolean member; the default is false.
pub fn flag(members: &Map<String, Value>, name: &'static str) -> Result<bool, OpenAiError> {
    flag_or(members, name, false)
}

fn flag_or(members: &Map<String, Value>, name: &'static str, default: bool) -> Result<bool, OpenAiError> {
    match members.get(name) {
        None | Some(Value::Null) => Ok(default),
        Some(Value::Bool(flag)) => Ok(*flag),
        Some(_) => Err(OpenAiError::invalid(Some(name), format!("The member {name} is true or false."))),
    }
}

pub fn model(members: &Map<String, Value>) -> Result<&str, OpenAiError> {
    let named = text(members, "model")?;
    named.ok_or_else(|| {
        OpenAiError::invalid(Some("model"), "Name the agent as the model, such as \"plexus/calc\".")
    })
}
