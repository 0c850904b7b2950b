//! Maps errors to HTTP: the status by the kind of refusal, and the same text on pages and in JSON.

use axum::{
    Json,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use plexus_domain::Error as Refusal;
use plexus_hub::Error;
use serde::Serialize;
use utoipa::{ToResponse, ToSchema};

/// Returns the HTTP status for a refusal.
pub const fn status(refusal: &Refusal) -> StatusCode {
    match refusal {
        Refusal::Invalid { .. } => StatusCode::UNPROCESSABLE_ENTITY,
        Refusal::Unauthenticated { .. } => StatusCode::UNAUTHORIZED,
        Refusal::Forbidden { .. } => StatusCode::FORBIDDEN,
        Refusal::NotFound { .. } => StatusCode::NOT_FOUND,
        Refusal::Conflict { .. } => StatusCode::CONFLICT,
        Refusal::RateLimited { .. } | Refusal::OverQuota { .. } => StatusCode::TOO_MANY_REQUESTS,
        Refusal::TooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
        Refusal::Timeout { .. } => StatusCode::REQUEST_TIMEOUT,
        Refusal::Unavailable { .. } => StatusCode::SERVICE_UNAVAILABLE,
    }
}

/// The public message of every internal error.
pub const FAULT: &str = "Internal error (logged). If it persists, send the request id to the operator.";

/// Returns the status and the public message of an error. Internal errors are replaced by one fixed message;
/// this is the only place that logs them.
pub fn public_message(error: Error) -> (StatusCode, Refusal) {
    match error {
        Error::Refused(refusal) => (status(&refusal), refusal),
        Error::Fault(fault) => {
            tracing::error!(error = format!("{fault:#}"), "a request failed");
            (StatusCode::INTERNAL_SERVER_ERROR, Refusal::unavailable(FAULT))
        }
    }
}

/// Returns the value of `Retry-After` in seconds, rounded up, for rate-limited requests.
pub fn retry_after(refusal: &Refusal) -> Option<HeaderValue> {
    match refusal {
        Refusal::RateLimited { retry_after_ms, .. } => {
            Some(HeaderValue::from(retry_after_ms.div_ceil(1_000).max(1)))
        }
        _ => None,
    }
}

/// Error response of `/api/v1`: `{"error": {"code", "message", "field"?, "retry_after_ms"?, "quota"?,
/// "used"?, "limit"?}}`.
pub struct ApiError(pub Error);

pub type ApiResult<T> = Result<T, ApiError>;

impl<E: Into<Error>> From<E> for ApiError {
    fn from(error: E) -> Self {
        Self(error.into())
    }
}

/// An error response.
#[derive(ToResponse)]
#[response(description = "Why not.")]
#[expect(dead_code, reason = "it stands for the body in the description of the API")]
pub struct RefusedRequest(Body<'static>);

#[derive(Serialize, ToSchema)]
#[schema(as = Error)]
pub struct Body<'a> {
    error: Detail<'a>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = ErrorDetail)]
struct Detail<'a> {
    code: &'a str,
    /// Human-readable description of the error.
    message: String,
    /// The request field that is invalid.
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<&'a str>,
    /// Milliseconds until the request may be retried.
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after_ms: Option<u64>,
    /// The quota that is exhausted.
    #[serde(skip_serializing_if = "Option::is_none")]
    quota: Option<&'a str>,
    /// How much of the quota is used.
    #[serde(skip_serializing_if = "Option::is_none")]
    used: Option<u64>,
    /// The size of the quota.
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<u64>,
}

impl<'a> Detail<'a> {
    const fn new(code: &'a str, message: String) -> Self {
        Self { code, message, field: None, retry_after_ms: None, quota: None, used: None, limit: None }
    }

    fn of(refusal: &'a Refusal) -> Self {
        let detail = Self { field: refusal.field(), ..Self::new(refusal.code(), refusal.to_string()) };
        match refusal {
            Refusal::RateLimited { retry_after_ms, .. } => {
                Self { retry_after_ms: Some(*retry_after_ms), ..detail }
            }
            Refusal::OverQuota { quota, used, limit, .. } => {
                Self { quota: Some(quota), used: Some(*used), limit: Some(*limit), ..detail }
            }
            _ => detail,
        }
    }
}

/// Builds an error response for a request that failed before it reached the hub's use cases.
pub fn plain_error(status: StatusCode, code: &str, message: String) -> impl IntoResponse {
    (status, Json(Body { error: Detail::new(code, message) }))
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let (status, refusal) = public_message(self.0);
        let mut detail = Detail::of(&refusal);
        if status == StatusCode::INTERNAL_SERVER_ERROR {
            detail.code = "internal";
        }
        let mut response = (status, Json(Body { error: detail })).into_response();
        if let Some(seconds) = retry_after(&refusal) {
            response.headers_mut().insert(header::RETRY_AFTER, seconds);
        }
        response
    }
}
