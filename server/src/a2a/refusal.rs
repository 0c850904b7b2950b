//! Refusals of the hub as errors of A2A (specification 1.0 section 3.3.2).

use plexus_a2a::wire::{
    Method,
    rpc::{Error, ErrorKind},
};
use plexus_domain::Error as Refusal;
use plexus_hub::{Error as HubError, calls};

use crate::web::error::say;

/// The error that says this refusal of a method.
pub fn of(method: Method, error: HubError) -> Error {
    let (_, refusal) = say(error);
    let message = refusal.to_string();
    match &refusal {
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
        Refusal::Conflict { .. } | Refusal::Forbidden { .. } | Refusal::Unauthenticated { .. } => {
            Error::new(ErrorKind::UnsupportedOperation, message)
        }
        Refusal::Limited { .. } | Refusal::Unavailable { .. } => Error::new(ErrorKind::Internal, message),
    }
}

/// Parameters that are not what the method takes.
pub fn params(detail: impl std::fmt::Display) -> Error {
    let message = format!("The parameters are not those of this method: {detail}.");
    Error::invalid_params(&message, &[("params", message.as_str())])
}
