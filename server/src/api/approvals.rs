//! What waits for a person's yes or no.

use axum::{
    Json,
    extract::{Path, State},
    http::StatusCode,
};
use plexus_domain::{ApprovalId, ChatId, RunId, Timestamp};
use plexus_hub::{Caller, Error, Hub, runs};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::id;
use crate::{
    state::Site,
    web::{body::JsonBody, caller::Called, error::ApiResult},
};

#[derive(Serialize, ToSchema)]
pub struct Approvals {
    approvals: Vec<Approval>,
}

/// A call of a tool that a run waits with.
#[derive(Serialize, ToSchema)]
struct Approval {
    id: ApprovalId,
    run: RunId,
    chat: ChatId,
    tool: String,
    /// What is allowed is a call with exactly these.
    arguments: Value,
    /// No answer until then is a no.
    expires: Timestamp,
}

/// What waits for the caller's yes or no.
#[utoipa::path(get, path = "/approvals", operation_id = "approvals.list", tag = "Chats", security(("token" = ["read"])),
    responses((status = OK, description = "The oldest first.", body = Approvals)))]
pub async fn list(State(site): State<Site>, Called(caller): Called) -> ApiResult<Json<Approvals>> {
    Ok(Json(waiting(&site.hub, &caller).await?))
}

pub async fn waiting(hub: &Hub, caller: &Caller) -> Result<Approvals, Error> {
    let shown = |one: runs::Waiting| Approval {
        id: one.id,
        run: one.run,
        chat: one.chat,
        tool: one.tool,
        arguments: one.arguments,
        expires: one.expires,
    };
    let waiting = runs::waiting(hub, caller).await?;
    Ok(Approvals { approvals: waiting.into_iter().map(shown).collect() })
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Decision {
    allow: bool,
}

/// Allows or refuses the call of a tool that a run waits with.
#[utoipa::path(post, path = "/approvals/{approval}", operation_id = "approvals.decide", tag = "Chats",
    params(("approval" = ApprovalId, Path)), request_body = Decision, security(("token" = ["chat"])),
    responses((status = NO_CONTENT, description = "The run goes on.")))]
pub async fn decide(
    State(site): State<Site>,
    Called(caller): Called,
    Path(approval): Path<String>,
    JsonBody(decision): JsonBody<Decision>,
) -> ApiResult<StatusCode> {
    runs::decide(&site.hub, &caller, id(&approval)?, decision.allow).await?;
    Ok(StatusCode::NO_CONTENT)
}
