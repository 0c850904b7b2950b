//! Errors in ARD format (specification appendix B): `{"errorCode", "message"}`.

use axum::{
    Json,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use plexus_domain::Error as Refusal;
use plexus_hub::Error;
use serde_json::json;

use crate::web::{
    bearer::InvalidToken,
    error::{public_message, retry_after},
};

#[derive(Debug)]
pub enum ArdError {
    /// The request is invalid.
    Invalid(String),
    Missing(String),
    Hub(Error),
}

pub async fn missing() -> ArdError {
    ArdError::Missing("Not found. The endpoints are search, explore and agents.".to_owned())
}

impl ArdError {
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::Invalid(message.into())
    }

    /// Converts to an error of the hub.
    pub fn into_error(self) -> Error {
        match self {
            Self::Invalid(message) => Refusal::invalid("params", message).into(),
            Self::Missing(message) => Refusal::not_found(message).into(),
            Self::Hub(error) => error,
        }
    }
}

impl<E: Into<Error>> From<E> for ArdError {
    fn from(error: E) -> Self {
        Self::Hub(error.into())
    }
}

/// Returns the error of a failed authentication.
pub fn unknown(InvalidToken(error): InvalidToken) -> ArdError {
    ArdError::Hub(error)
}

impl IntoResponse for ArdError {
    fn into_response(self) -> Response {
        let (status, refusal) = public_message(self.into_error());
        let (status, code) = match &refusal {
            Refusal::Invalid { .. } => (StatusCode::BAD_REQUEST, "INVALID_ARGUMENT"),
            Refusal::TooLarge { .. } | Refusal::Timeout { .. } | Refusal::Conflict { .. } => {
                (status, "INVALID_ARGUMENT")
            }
            Refusal::NotFound { .. } => (status, "NOT_FOUND"),
            Refusal::Unauthenticated { .. } => (status, "UNAUTHENTICATED"),
            Refusal::Forbidden { .. } => (status, "PERMISSION_DENIED"),
            Refusal::RateLimited { .. } | Refusal::OverQuota { .. } => (status, "RATE_LIMIT_EXCEEDED"),
            Refusal::Unavailable { .. } => (status, "INTERNAL_ERROR"),
        };
        let answer = Json(json!({ "errorCode": code, "message": refusal.to_string() }));
        let mut response = (status, answer).into_response();
        let headers = response.headers_mut();
        // An error may not last: the entry may exist after the next change, so it must not be cached.
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        if let Some(seconds) = retry_after(&refusal) {
            headers.insert(header::RETRY_AFTER, seconds);
        }
        response
    }
}
