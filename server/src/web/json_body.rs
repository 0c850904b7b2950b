//! JSON request bodies: an extractor whose errors name the invalid field, and errors for bodies that could
//! not be read.

use std::{error::Error, io, iter};

use axum::{
    body::Bytes,
    extract::{FromRequest, Request},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use plexus_domain::{
    Error as Refusal,
    media_type::essence,
    sanitized_text::{ellipsize, one_line},
};
use serde::de::DeserializeOwned;

use super::{auth::WithoutAccount, body_budget::BodyBudgetExceeded, error::ApiError};
use crate::app_state::AppState;

pub const JSON: &str = "application/json";
/// Maximum length of a parser's error message, in characters.
const MAX_WORDS: usize = 500;

/// Returns whether `Content-Type` is one of `types`, ignoring parameters.
pub fn is_of_type(headers: &HeaderMap, types: &[&str]) -> bool {
    let given = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    types.contains(&essence(given).as_str())
}

/// Returns the error for a body that could not be read: a timeout if it was too slow, a rate limit if too many bytes
/// are in memory, else `otherwise`. Each protocol maps it to its own format.
pub fn body_error(cause: &(dyn Error + 'static), otherwise: Refusal) -> Refusal {
    let mut causes = iter::successors(Some(cause), |&cause| cause.source());
    let aborted = causes.find_map(|cause| match cause.downcast_ref::<io::Error>() {
        Some(error) if error.kind() == io::ErrorKind::TimedOut => {
            Some(Refusal::timeout("The request body timed out. Send the request again."))
        }
        _ => cause.is::<BodyBudgetExceeded>().then(BodyBudgetExceeded::refusal),
    });
    aborted.unwrap_or(otherwise)
}

pub struct JsonBody<T>(pub T);

impl<T: DeserializeOwned> FromRequest<AppState> for JsonBody<T> {
    type Rejection = Response;

    async fn from_request(request: Request, site: &AppState) -> Result<Self, Response> {
        if let Some(WithoutAccount(refusal)) = request.extensions().get() {
            return Err(refuse(refusal.clone()));
        }
        if !is_of_type(request.headers(), &[JSON]) {
            return Err(not_json());
        }
        let limit = site.hub.config().limits.max_message_bytes as u64;
        let too_large = Refusal::too_large("The body is larger than this hub accepts.", limit);
        let body = Bytes::from_request(request, site)
            .await
            .map_err(|rejection| refuse(body_error(&rejection, too_large)))?;
        let value = serde_json::from_slice(&body);
        Ok(Self(value.map_err(|error| refuse(unexpected(&error)))?))
    }
}

/// Returns the error for a body of another type than JSON.
pub fn not_json() -> Response {
    let words = "Send JSON, with Content-Type: application/json.";
    (StatusCode::UNSUPPORTED_MEDIA_TYPE, words).into_response()
}

fn refuse(refusal: Refusal) -> Response {
    ApiError::from(refusal).into_response()
}

/// Returns the error for JSON that does not match the expected type. The parser's message quotes the input,
/// so it is untrusted and unbounded: it is reduced to one line and shortened.
pub fn unexpected(error: &serde_json::Error) -> Refusal {
    let what = ellipsize(&one_line(&error.to_string()), MAX_WORDS);
    Refusal::invalid("body", format!("The JSON does not match the expected schema: {what}."))
}
