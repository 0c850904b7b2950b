//! What the caller shows an agent to be let in.

use axum::{
    extract::{Path, State},
    http::StatusCode,
};
use plexus_hub::agents::credentials::{self, Given};
use serde::Deserialize;
use utoipa::ToSchema;

use super::agent::At;
use crate::{
    state::Site,
    web::{body::JsonBody, caller::Called, error::ApiResult},
};

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct OwnCredentials {
    /// Where it asks for a name, too.
    #[serde(default)]
    user: String,
    secret: String,
}

/// Gives an agent your own credentials. They are never told again.
#[utoipa::path(put, path = "/agents/{owner}/{name}/credentials", operation_id = "agents.give_credentials", tag = "Agents",
    params(At), request_body = OwnCredentials, security(("token" = ["agents"])),
    responses((status = NO_CONTENT, description = "They are kept.")))]
pub async fn give(
    State(site): State<Site>,
    Called(caller): Called,
    Path(at): Path<At>,
    JsonBody(body): JsonBody<OwnCredentials>,
) -> ApiResult<StatusCode> {
    let given = Given { user: body.user, secret: body.secret };
    credentials::give(&site.hub, &caller, &at.address()?, given).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Takes your own credentials back from an agent.
#[utoipa::path(delete, path = "/agents/{owner}/{name}/credentials", operation_id = "agents.forget_credentials",
    tag = "Agents", params(At), security(("token" = ["agents"])),
    responses((status = NO_CONTENT, description = "Nothing is kept.")))]
pub async fn forget(
    State(site): State<Site>,
    Called(caller): Called,
    Path(at): Path<At>,
) -> ApiResult<StatusCode> {
    credentials::forget(&site.hub, &caller, &at.address()?).await?;
    Ok(StatusCode::NO_CONTENT)
}
