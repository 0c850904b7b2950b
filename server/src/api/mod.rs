//! `/api/v1`: everything that a page can do, for programs and for the islands of the pages (`docs/adr/0002`).

pub mod agent_lists;
pub mod agents;
pub mod blobs;
pub mod chats;
pub mod events;
mod positions;
mod wire;

use axum::{
    http::{StatusCode, header},
    response::{IntoResponse as _, Response},
};
use plexus_domain::Error as Refusal;

use crate::web::error::ApiError;

pub async fn missing() -> ApiError {
    Refusal::not_found("There is nothing at this address. See /docs/api.").into()
}

/// What refuses a request before a handler sees it (another method, a query of another shape, a path that is no text)
/// says so in the shape that all errors of the API have.
pub async fn in_json(response: Response) -> Response {
    let status = response.status();
    let is_json = response.headers().get(header::CONTENT_TYPE).is_some_and(|kind| kind == "application/json");
    if is_json || !status.is_client_error() {
        return response;
    }
    let refusal = match status {
        StatusCode::METHOD_NOT_ALLOWED => {
            Refusal::invalid("method", "This address has other methods. See /docs/api.")
        }
        _ => {
            Refusal::invalid("query", "The address or its query is not what is expected here. See /docs/api.")
        }
    };
    let mut said = ApiError::from(refusal).into_response();
    *said.status_mut() = status;
    if let Some(allowed) = response.headers().get(header::ALLOW) {
        said.headers_mut().insert(header::ALLOW, allowed.clone());
    }
    said
}

/// An id in a path or a body.
fn id<T: std::str::FromStr>(text: &str) -> Result<T, ApiError> {
    text.parse().map_err(|_| Refusal::not_found("There is no such thing, or it is not yours.").into())
}
