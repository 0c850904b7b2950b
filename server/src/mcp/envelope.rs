//! Validates request bodies before rmcp parses them: size limits and the JSON-RPC envelope.

use axum::{
    body::{Body, Bytes, to_bytes},
    http::{StatusCode, header},
    response::{IntoResponse as _, Response},
};
use plexus_a2a::bounded_json::{self, JsonError, JsonLimits};
use plexus_domain::Error as Refusal;
use serde_json::{Value, json};

use crate::{
    app_state::AppState,
    web::{error::status, json_body::body_error},
};

const PARSE: i64 = -32_700;
pub const INVALID_REQUEST: i64 = -32_600;
pub const INTERNAL: i64 = -32_603;

/// Limits of JSON nesting depth and number of values in a request.
const DEPTH: usize = 32;
const VALUES: usize = 100_000;

pub fn limits(site: &AppState) -> JsonLimits {
    // Text may be escaped, which enlarges a message.
    let bytes = site.hub.config().limits.max_message_bytes.saturating_mul(2);
    JsonLimits { bytes, depth: DEPTH, values: VALUES }
}

pub async fn read(site: &AppState, body: Body) -> Result<Bytes, Response> {
    let limits = limits(site);
    let bytes = to_bytes(body, limits.bytes).await.map_err(|cause| {
        let words = format!("The body exceeds the limit of {} bytes.", limits.bytes);
        let refusal = body_error(&cause, Refusal::too_large(words, limits.bytes as u64));
        error(status(&refusal), INVALID_REQUEST, &refusal.to_string())
    })?;
    check(&bytes, limits).map_err(|(code, words)| error(StatusCode::BAD_REQUEST, code, &words))?;
    Ok(bytes)
}

/// Checks that the body is one JSON-RPC 2.0 message of any kind. An error has the JSON-RPC code and the
/// message.
pub fn check(bytes: &[u8], limits: JsonLimits) -> Result<(), (i64, String)> {
    let value: Value = bounded_json::parse(bytes, limits).map_err(|error| unreadable(&error))?;
    let invalid = |words: &str| Err((INVALID_REQUEST, words.to_owned()));
    let Value::Object(message) = value else {
        return invalid("Send one JSON-RPC message, an object. MCP no longer supports batches.");
    };
    if message.get("jsonrpc") != Some(&json!("2.0")) {
        return invalid("The member jsonrpc is \"2.0\".");
    }
    if message.get("id").is_some_and(|id| !(id.is_string() || id.is_i64() || id.is_u64())) {
        return invalid("The id is a text or a whole number.");
    }
    match message.get("method") {
        Some(Value::String(_)) => {}
        None if message.contains_key("result") || message.contains_key("error") => {}
        _ => return invalid("The method is missing, or not a text."),
    }
    if message.get("params").is_some_and(|params| !params.is_object()) {
        return invalid("The params are an object.");
    }
    Ok(())
}

fn unreadable(error: &JsonError) -> (i64, String) {
    let code = if matches!(error, JsonError::NotJson { .. }) { PARSE } else { INVALID_REQUEST };
    (code, format!("The message cannot be read. {error}"))
}

/// Returns an error response without a request id.
pub fn error(status: StatusCode, code: i64, message: &str) -> Response {
    let body = json!({ "jsonrpc": "2.0", "id": null, "error": { "code": code, "message": message } });
    (status, [(header::CONTENT_TYPE, "application/json")], body.to_string()).into_response()
}
