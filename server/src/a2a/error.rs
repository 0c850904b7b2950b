//! Maps errors of the hub to A2A errors (specification 1.0 section 3.3.2).

use axum::{
    http::{StatusCode, header},
    response::Response,
};
use plexus_a2a::wire::{
    Method,
    rpc::{Error, ErrorKind},
};
use plexus_domain::Error as Refusal;
use plexus_hub::{Error as HubError, calls};

use crate::web::error::{public_message, retry_after};

/// Why a method failed.
pub enum MethodError {
    /// An A2A error.
    Error(Error),
    /// An HTTP status: authentication, permission, rate limit or availability.
    Outside(StatusCode, Refusal),
}

impl From<Error> for MethodError {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

/// Maps an error of the hub to the error of a method.
pub fn of(method: Method, error: HubError) -> MethodError {
    let (status, refusal) = public_message(error);
    let message = refusal.to_string();
    let error = match &refusal {
        Refusal::NotFound { .. } => Error::new(ErrorKind::TaskNotFound, message),
        Refusal::Invalid { field, .. } if field == calls::MEDIA_TYPE => {
            Error::new(ErrorKind::ContentTypeNotSupported, message)
        }
        Refusal::Invalid { field, .. } => {
            Error::invalid_params(&message, &[(field.as_str(), message.as_str())])
        }
        Refusal::TooLarge { .. } => Error::invalid_params(&message, &[("message", message.as_str())]),
        Refusal::Conflict { .. } if method == Method::CancelTask => {
            Error::new(ErrorKind::TaskNotCancelable, message)
        }
        Refusal::Forbidden { .. } if method.is_of_push() => {
            Error::new(ErrorKind::PushNotificationNotSupported, message)
        }
        Refusal::Conflict { .. } => Error::new(ErrorKind::UnsupportedOperation, message),
        Refusal::Unavailable { .. } if status == StatusCode::INTERNAL_SERVER_ERROR => {
            Error::new(ErrorKind::Internal, message)
        }
        Refusal::Unauthenticated { .. }
        | Refusal::Forbidden { .. }
        | Refusal::RateLimited { .. }
        | Refusal::OverQuota { .. }
        | Refusal::Timeout { .. }
        | Refusal::Unavailable { .. } => return MethodError::Outside(status, refusal),
    };
    MethodError::Error(error)
}

/// Adds `Retry-After` if the retry time is known.
pub fn with_time(mut response: Response, refusal: &Refusal) -> Response {
    if let Some(seconds) = retry_after(refusal) {
        response.headers_mut().insert(header::RETRY_AFTER, seconds);
    }
    response
}

/// Returns the error for invalid method parameters.
pub fn params(detail: impl std::fmt::Display) -> Error {
    let message = format!("Invalid parameters: {detail}.");
    Error::invalid_params(&message, &[("params", message.as_str())])
}
