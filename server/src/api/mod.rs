//! `/api/v1`: everything that a page can do, for programs and for the islands of the pages (`docs/adr/0002`).

pub mod account;
pub mod agent_lists;
pub mod agents;
pub mod blobs;
pub mod chats;
pub mod events;
mod positions;
pub mod teams;
pub mod wire;

use plexus_domain::Error as Refusal;

use crate::web::error::ApiError;

pub async fn missing() -> ApiError {
    Refusal::not_found("There is nothing at this address. See /docs/api.").into()
}

/// An id in a path or a body.
fn id<T: std::str::FromStr>(text: &str) -> Result<T, ApiError> {
    text.parse().map_err(|_| Refusal::not_found("There is no such thing, or it is not yours.").into())
}
