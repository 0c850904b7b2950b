//! What the caller shows an agent to be let in.

use axum::{
    Json,
    extract::{Path, State},
    http::StatusCode,
};
use plexus_domain::{Address, Error as Refusal};
use plexus_hub::{
    Caller, Error, Hub,
    agents::credentials::{self, Asked, Given, Scheme},
};
use serde::{Deserialize, Serialize};
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
    /// Empty for a public client of OAuth.
    #[serde(default)]
    secret: String,
}

/// What an agent asks you for.
#[derive(Serialize, ToSchema)]
pub struct AskedCredentials {
    scheme: Scheme,
    /// Something of yours is kept, so that it can be called for you.
    kept: bool,
    /// You own it, and what you give is used for everybody.
    for_everybody: bool,
    /// What is kept, or a token that is got with it, is sent to this origin of the agent and to no other.
    origin: String,
    /// Where you connect, on a page: a program cannot agree for you.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    connect_at: Option<String>,
}

/// Says what an agent asks you for. An agent that asks you for nothing is not found.
#[utoipa::path(get, path = "/agents/{owner}/{name}/credentials", operation_id = "agents.asked_credentials", tag = "Agents",
    params(At), security(("token" = ["read"])),
    responses((status = OK, description = "What it asks for.", body = AskedCredentials)))]
pub async fn show(
    State(site): State<Site>,
    Called(caller): Called,
    Path(at): Path<At>,
) -> ApiResult<Json<AskedCredentials>> {
    Ok(Json(asked(&site.hub, &caller, &at.address()?).await?))
}

pub async fn asked(hub: &Hub, caller: &Caller, address: &Address) -> Result<AskedCredentials, Error> {
    let asked = credentials::asked(hub, caller, address).await?;
    let nothing = || Refusal::not_found(format!("{address} asks for no credentials of yours."));
    let Asked { scheme, kept, for_everybody, origin, .. } = asked.ok_or_else(nothing)?;
    let by_person = matches!(&scheme, Scheme::Oauth2(oauth) if oauth.authorization_url.is_some());
    let page = format!("{}{address}/credentials", hub.config().public_url);
    let connect_at = by_person.then_some(page);
    Ok(AskedCredentials { scheme, kept, for_everybody, origin, connect_at })
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
