//! Errors in OpenAI format: `{"error": {"message", "type", "param", "code"}}`.

use axum::{
    Json,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use plexus_domain::{Error as Refusal, RunState, run::FailureClass};
use plexus_hub::calls::Task;
use serde_json::{Value, json};

use crate::{
    anthropic::{
        self,
        error::{AnthropicError, is_anthropic},
    },
    web::{
        bearer::InvalidToken,
        error::{public_message, retry_after},
    },
};

#[derive(Clone, Debug)]
pub struct OpenAiError {
    status: StatusCode,
    kind: &'static str,
    code: Option<&'static str>,
    /// Error code of Anthropic's format (`error.details.error_code`).
    detail: Option<&'static str>,
    param: Option<String>,
    message: String,
    retry_after: Option<Box<HeaderValue>>,
}

const INVALID: &str = "invalid_request_error";
const SERVER: &str = "server_error";
/// Code of the error for a conversation that does not fit into the model's context window.
const CONTEXT_LENGTH: &str = "context_length_exceeded";

/// Fallback for unknown paths below `/v1/`, in the format of the client's API.
pub async fn missing(headers: HeaderMap) -> Response {
    if is_anthropic(&headers) {
        return anthropic::error::missing().await.into_response();
    }
    let words = "Not found. The endpoints are /v1/models, /v1/chat/completions, /v1/responses \
                 and /v1/messages.";
    OpenAiError::missing(words).into_response()
}

/// Response to a method that a path does not have. `allowed` lists its methods.
pub async fn method_not_allowed(allowed: &'static str, headers: HeaderMap) -> Response {
    let error = OpenAiError::method(allowed);
    let mut response = match is_anthropic(&headers) {
        true => AnthropicError::from(error).into_response(),
        false => error.into_response(),
    };
    response.headers_mut().insert(header::ALLOW, HeaderValue::from_static(allowed));
    response
}

impl OpenAiError {
    fn new(status: StatusCode, kind: &'static str, message: impl Into<String>) -> Self {
        Self {
            status,
            kind,
            code: None,
            detail: None,
            param: None,
            message: message.into(),
            retry_after: None,
        }
    }

    fn coded(self, code: &'static str) -> Self {
        Self { code: Some(code), ..self }
    }

    pub fn detailed(self, detail: &'static str) -> Self {
        Self { detail: Some(detail), ..self }
    }

    pub fn about(self, param: impl Into<String>) -> Self {
        Self { param: Some(param.into()), ..self }
    }

    /// Returns an error for an invalid request; `param` is the invalid member.
    pub fn invalid(param: Option<&str>, message: impl Into<String>) -> Self {
        let failure = Self::new(StatusCode::BAD_REQUEST, INVALID, message);
        Self { param: param.map(str::to_owned), ..failure }
    }

    /// Returns an error for a parameter that cannot be honoured.
    pub fn unsupported(param: impl Into<String>, message: impl Into<String>) -> Self {
        Self::invalid(None, message).coded("unsupported_parameter").about(param)
    }

    /// Returns the error for a path that does not exist.
    pub fn missing(words: &str) -> Self {
        Self::of_status(StatusCode::NOT_FOUND, words)
    }

    /// Returns the error for a method that a path does not have.
    pub fn method(allowed: &'static str) -> Self {
        let words = format!("This path does not have this method. It has {allowed}.");
        Self::of_status(StatusCode::METHOD_NOT_ALLOWED, &words)
    }

    /// Returns the error for a request that no handler saw.
    pub fn of_status(status: StatusCode, words: &str) -> Self {
        let kind = if status.is_server_error() { SERVER } else { INVALID };
        let error = Self::new(status, kind, words);
        match status {
            StatusCode::NOT_FOUND => error.coded("unknown_url"),
            StatusCode::METHOD_NOT_ALLOWED => error.coded("method_not_allowed"),
            _ => error,
        }
    }

    pub fn media_type() -> Self {
        let words = "Send JSON, with Content-Type: application/json.";
        Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, INVALID, words).coded("unsupported_media_type")
    }

    /// Returns the error for an agent that does not exist or is not visible to the caller.
    pub fn no_model(message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, INVALID, message).coded("model_not_found").about("model")
    }

    pub fn ending() -> Self {
        let words = "The hub is shutting down. Send the request again in a moment.";
        Self::new(StatusCode::SERVICE_UNAVAILABLE, SERVER, words).coded("unavailable")
    }

    /// Returns the error for a run that ended without an answer.
    pub fn of_run(task: &Task) -> Self {
        let said = task.failure.as_ref();
        let words = said.map_or("The agent gave no answer.", |failure| failure.message.as_str());
        match task.state {
            RunState::Rejected => Self::new(StatusCode::BAD_REQUEST, INVALID, words).coded("rejected"),
            RunState::AuthRequired => {
                let words = "The agent requires credentials. Enter them on its page, then try again.";
                Self::new(StatusCode::FORBIDDEN, INVALID, words).coded("credentials_required")
            }
            // The code by which clients know that they have to shorten the conversation, and not to send it again.
            _ if said.is_some_and(|failure| failure.class == FailureClass::PromptTooLong) => {
                Self::invalid(None, words).coded(CONTEXT_LENGTH)
            }
            _ => {
                let class = said.map_or(FailureClass::Internal, |failure| failure.class);
                Self::new(status_of(class), SERVER, words).coded(class.as_str())
            }
        }
    }

    pub fn body(&self) -> Value {
        json!({ "error": { "message": self.message, "type": self.kind, "param": self.param, "code": self.code } })
    }

    pub const fn status(&self) -> StatusCode {
        self.status
    }

    /// Returns the name of the invalid member.
    pub fn param(&self) -> Option<&str> {
        self.param.as_deref()
    }

    pub const fn detail(&self) -> Option<&'static str> {
        self.detail
    }

    /// Returns whether the conversation does not fit into the model's context window.
    pub fn is_prompt_too_long(&self) -> bool {
        self.code == Some(CONTEXT_LENGTH)
    }

    /// Returns the value of the header `Retry-After`.
    pub fn retry_after(&self) -> Option<&HeaderValue> {
        self.retry_after.as_deref()
    }

    pub fn message(&self) -> &str {
        &self.message
    }

    pub fn code(&self) -> &'static str {
        self.code.unwrap_or(self.kind)
    }
}

const fn status_of(class: FailureClass) -> StatusCode {
    match class {
        FailureClass::TimedOut => StatusCode::GATEWAY_TIMEOUT,
        FailureClass::PromptTooLong => StatusCode::BAD_REQUEST,
        FailureClass::Unreachable
        | FailureClass::Refused
        | FailureClass::Garbage
        | FailureClass::TooLarge => StatusCode::BAD_GATEWAY,
        FailureClass::Budget => StatusCode::TOO_MANY_REQUESTS,
        FailureClass::Policy => StatusCode::FORBIDDEN,
        FailureClass::Interrupted => StatusCode::SERVICE_UNAVAILABLE,
        FailureClass::Internal => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

impl From<plexus_hub::Error> for OpenAiError {
    fn from(error: plexus_hub::Error) -> Self {
        let (status, refusal) = public_message(error);
        let message = refusal.to_string();
        let failure = match &refusal {
            // Not 409: OpenAI clients retry a conflict automatically, which would not help.
            Refusal::Invalid { .. } | Refusal::Conflict { .. } => Self::invalid(None, message),
            Refusal::Unauthenticated { .. } => Self::new(status, INVALID, message).coded("invalid_api_key"),
            Refusal::Forbidden { .. } => Self::new(status, INVALID, message).coded("permission_denied"),
            Refusal::NotFound { .. } => Self::new(status, INVALID, message).coded("not_found"),
            Refusal::RateLimited { .. } => {
                Self::new(status, "rate_limit_error", message).coded("rate_limit_exceeded")
            }
            Refusal::OverQuota { .. } => {
                Self::new(status, "insufficient_quota", message).coded("insufficient_quota")
            }
            Refusal::TooLarge { .. } => Self::new(status, INVALID, message).coded("request_too_large"),
            Refusal::Timeout { .. } => Self::new(status, INVALID, message).coded("request_timeout"),
            Refusal::Unavailable { .. } => Self::new(status, SERVER, message),
        };
        Self { retry_after: retry_after(&refusal).map(Box::new), ..failure }
    }
}

impl From<InvalidToken> for OpenAiError {
    fn from(InvalidToken(error): InvalidToken) -> Self {
        Self::from(error)
    }
}

impl IntoResponse for OpenAiError {
    fn into_response(self) -> Response {
        let mut response = (self.status, Json(self.body())).into_response();
        if let Some(seconds) = self.retry_after {
            response.headers_mut().insert(header::RETRY_AFTER, *seconds);
        }
        response
    }
}
