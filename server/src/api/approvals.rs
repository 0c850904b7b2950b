//! Human approval of tool calls.

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
    app_state::AppState,
    web::{auth::ApiCaller, error::ApiResult, json_body::JsonBody},
};

#[derive(Serialize, ToSchema)]
pub struct Approvals {
    approvals: Vec<Approval>,
}

/// A tool call that waits for approval. Its run is suspended.
#[derive(Serialize, ToSchema)]
struct Approval {
    id: ApprovalId,
    run: RunId,
    chat: ChatId,
    tool: String,
    /// Exact arguments of the call; the approval is bound to them.
    arguments: Value,
    /// Deadline: without a decision, the call is denied.
    expires: Timestamp,
}

/// Lists the tool calls that wait for your approval.
#[utoipa::path(get, path = "/approvals", operation_id = "approvals.list", tag = "Chats", security(("token" = ["read"])),
    responses((status = OK, description = "Pending approval requests, oldest first.", body = Approvals)))]
pub async fn list(State(site): State<AppState>, ApiCaller(caller): ApiCaller) -> ApiResult<Json<Approvals>> {
    Ok(Json(waiting(&site.hub, &caller).await?))
}

pub async fn waiting(hub: &Hub, caller: &Caller) -> Result<Approvals, Error> {
    let shown = |one: runs::PendingToolApproval| Approval {
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

/// Allows or denies a tool call that a run waits for.
#[utoipa::path(post, path = "/approvals/{approval}", operation_id = "approvals.decide", tag = "Chats",
    params(("approval" = ApprovalId, Path)), request_body = Decision, security(("token" = ["chat"])),
    responses((status = NO_CONTENT, description = "The run continues.")))]
pub async fn decide(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
    Path(approval): Path<String>,
    JsonBody(decision): JsonBody<Decision>,
) -> ApiResult<StatusCode> {
    runs::decide(&site.hub, &caller, id(&approval)?, decision.allow).await?;
    Ok(StatusCode::NO_CONTENT)
}
