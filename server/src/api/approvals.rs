//! Human approval of tool calls, and answers to questions of tools.

use axum::{
    Json,
    extract::{Path, State},
    http::StatusCode,
};
use plexus_domain::{ApprovalId, ChatId, RunId, Timestamp, form_question::FormQuestion};
use plexus_hub::{
    Caller, Error, Hub,
    runs::{self, AnswerInput, ApprovalReply},
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::id;
use crate::{
    app_state::AppState,
    web::{auth::ApiCaller, error::ApiResult, json_body::JsonBody},
};

#[derive(Serialize, ToSchema)]
pub struct Approvals {
    items: Vec<Approval>,
    /// Always null: the list is complete.
    #[schema(required)]
    next: Option<String>,
    /// The same as `items`, for programs of earlier versions.
    approvals: Vec<Approval>,
}

/// A tool call that waits for approval, or a question of a tool that waits for an answer. Its run is suspended.
#[derive(Clone, Serialize, ToSchema)]
struct Approval {
    id: ApprovalId,
    run: RunId,
    chat: ChatId,
    tool: String,
    /// Exact arguments of the call; the approval is bound to them. Empty for a question.
    arguments: Value,
    /// The question, if the tool asks one.
    #[serde(skip_serializing_if = "Option::is_none")]
    question: Option<FormQuestion>,
    /// Deadline: without a decision, the call is denied.
    expires: Timestamp,
}

/// Lists the tool calls and questions of tools that wait for you.
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
        question: one.question,
        expires: one.expires,
    };
    let waiting = runs::waiting(hub, caller).await?;
    let items: Vec<_> = waiting.into_iter().map(shown).collect();
    Ok(Approvals { approvals: items.clone(), items, next: None })
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Decision {
    pub allow: bool,
    /// Values of the answer to a question, by the names of its inputs.
    #[schema(value_type = Option<Object>)]
    pub answer: Option<Map<String, Value>>,
}

impl Decision {
    pub fn into_reply(self) -> ApprovalReply {
        match (self.allow, self.answer) {
            (false, _) => ApprovalReply::Refuse,
            (true, None) => ApprovalReply::Allow,
            (true, Some(values)) => ApprovalReply::Answer(AnswerInput::Json(values)),
        }
    }
}

/// Allows or denies a tool call that a run waits for, or answers a question of a tool.
#[utoipa::path(post, path = "/approvals/{approval}", operation_id = "approvals.decide", tag = "Chats",
    params(("approval" = ApprovalId, Path)), request_body = Decision, security(("token" = ["chat"])),
    responses((status = NO_CONTENT, description = "The run continues.")))]
pub async fn decide(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
    Path(approval): Path<String>,
    JsonBody(decision): JsonBody<Decision>,
) -> ApiResult<StatusCode> {
    runs::decide(&site.hub, &caller, id(&approval)?, decision.into_reply()).await?;
    Ok(StatusCode::NO_CONTENT)
}
