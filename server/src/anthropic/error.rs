//! Errors in Anthropic's format: `{"type": "error", "error": {"type", "message"}}`.

use axum::{
    Json,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};

use crate::{openai::error::OpenAiError, web::bearer::InvalidToken};

/// An error of the shared parts, in Anthropic's format.
#[derive(Clone, Debug)]
pub struct AnthropicError(OpenAiError);

/// Fallback for unknown paths below `/v1/messages/`.
pub async fn missing() -> AnthropicError {
    let words = "Not found. The endpoints are POST /v1/messages, POST /v1/messages/count_tokens and GET /v1/models: \
                 there are no batches.";
    AnthropicError(OpenAiError::missing(words))
}

/// Response to another method than POST.
pub async fn method_not_allowed() -> Response {
    let mut response = AnthropicError(OpenAiError::method("POST")).into_response();
    response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("POST"));
    response
}

/// Returns whether a request comes from a client of this API, by the header that each of them sends.
pub fn is_anthropic(headers: &HeaderMap) -> bool {
    headers.contains_key("anthropic-version")
}

impl AnthropicError {
    /// Returns the object, with the name of the invalid member before the message.
    pub fn body(&self) -> Value {
        let Self(error) = self;
        let message = match error.param() {
            // The words by which clients know that they have to shorten the conversation.
            _ if error.is_prompt_too_long() => format!("prompt is too long: {}", error.message()),
            Some(param) => format!("{param}: {}", error.message()),
            None => error.message().to_owned(),
        };
        let mut told = json!({ "type": kind(error.status()), "message": message });
        if let Some(code) = error.detail() {
            told["details"] = json!({ "error_code": code });
        }
        json!({ "type": "error", "error": told })
    }
}

/// Returns the error type of a status (Anthropic API reference, Errors).
fn kind(status: StatusCode) -> &'static str {
    match status {
        StatusCode::UNAUTHORIZED => "authentication_error",
        StatusCode::FORBIDDEN => "permission_error",
        StatusCode::NOT_FOUND => "not_found_error",
        StatusCode::PAYLOAD_TOO_LARGE => "request_too_large",
        StatusCode::TOO_MANY_REQUESTS => "rate_limit_error",
        StatusCode::SERVICE_UNAVAILABLE => "overloaded_error",
        StatusCode::GATEWAY_TIMEOUT => "timeout_error",
        status if status.is_server_error() => "api_error",
        _ => "invalid_request_error",
    }
}

impl From<OpenAiError> for AnthropicError {
    fn from(error: OpenAiError) -> Self {
        Self(error)
    }
}

impl From<InvalidToken> for AnthropicError {
    fn from(error: InvalidToken) -> Self {
        Self(error.into())
    }
}

impl IntoResponse for AnthropicError {
    fn into_response(self) -> Response {
        let mut response = (self.0.status(), Json(self.body())).into_response();
        if let Some(seconds) = self.0.retry_after() {
            response.headers_mut().insert(header::RETRY_AFTER, seconds.clone());
        }
        response
    }
}
