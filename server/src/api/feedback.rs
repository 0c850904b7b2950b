//! Feedback on the messages of agents.

use axum::{
    Json,
    extract::{Path, State},
    http::StatusCode,
};
use plexus_domain::{
    MessageId, Timestamp,
    feedback::{FeedbackReason, Rating},
};
use plexus_hub::{
    caller::Scope,
    chats::{self, NewFeedback},
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{agent::AgentPath, id};
use crate::{
    app_state::AppState,
    web::{auth::ApiCaller, error::ApiResult, json_body::JsonBody},
};

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NewFeedback)]
pub struct NewFeedbackJson {
    rating: Rating,
    /// A reason that fits the rating.
    reason: Option<FeedbackReason>,
    #[serde(default)]
    #[schema(max_length = 1000)]
    comment: String,
    /// Whether the owner of the agent may read `reason` and `comment`, without your name. Has no effect for an agent of
    /// another hub.
    #[serde(default)]
    shown_to_owner: bool,
}

/// Your feedback on a message.
#[derive(Serialize, ToSchema)]
#[schema(as = Feedback)]
pub struct FeedbackJson {
    message: MessageId,
    /// Whether the agent is on another hub: the feedback then stays on this one, and the owner does not see it.
    is_remote: bool,
    /// Null if you gave none.
    #[schema(required)]
    rating: Option<Rating>,
    #[schema(required)]
    reason: Option<FeedbackReason>,
    #[schema(required)]
    comment: Option<String>,
    shown_to_owner: bool,
}

/// Feedback on an agent, for its owner.
#[derive(Serialize, ToSchema)]
#[schema(as = AgentFeedback)]
pub struct AgentFeedbackJson {
    /// The last 12 weeks, oldest first.
    weeks: Vec<FeedbackWeekJson>,
    /// What its authors let you read: the newest 50.
    comments: Vec<FeedbackCommentJson>,
}

#[derive(Serialize, ToSchema)]
struct FeedbackWeekJson {
    /// Begin of the week: Monday, 00:00 UTC.
    begins: Timestamp,
    up: u64,
    down: u64,
}

#[derive(Serialize, ToSchema)]
struct FeedbackCommentJson {
    rating: Rating,
    #[schema(required)]
    reason: Option<FeedbackReason>,
    #[schema(required)]
    comment: Option<String>,
    created: Timestamp,
}

/// Gives feedback on an agent's message, instead of earlier feedback.
#[utoipa::path(put, path = "/messages/{message}/feedback", operation_id = "messages.give_feedback", tag = "Chats",
    params(("message" = MessageId, Path)), request_body = NewFeedbackJson, security(("token" = ["chat"])),
    responses((status = NO_CONTENT, description = "The feedback is stored.")))]
pub async fn give(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
    Path(message): Path<String>,
    JsonBody(body): JsonBody<NewFeedbackJson>,
) -> ApiResult<StatusCode> {
    caller.may(Scope::Chat)?;
    let new = NewFeedback {
        rating: body.rating,
        reason: body.reason,
        comment: body.comment,
        shown_to_owner: body.shown_to_owner,
    };
    chats::give_feedback(&site.hub, &caller, id(&message)?, new).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Returns your feedback on an agent's message.
#[utoipa::path(get, path = "/messages/{message}/feedback", operation_id = "messages.feedback", tag = "Chats",
    params(("message" = MessageId, Path)), security(("token" = ["read"])),
    responses((status = OK, description = "Your feedback.", body = FeedbackJson)))]
pub async fn show(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
    Path(message): Path<String>,
) -> ApiResult<Json<FeedbackJson>> {
    let message = id(&message)?;
    let own = chats::own_feedback(&site.hub, &caller, message).await?;
    let given = own.given;
    Ok(Json(FeedbackJson {
        message,
        is_remote: own.is_remote,
        rating: given.as_ref().map(|given| given.rating),
        reason: given.as_ref().and_then(|given| given.reason),
        shown_to_owner: given.as_ref().is_some_and(|given| given.shown_to_owner),
        comment: given.and_then(|given| given.comment),
    }))
}

/// Takes your feedback on a message back.
#[utoipa::path(delete, path = "/messages/{message}/feedback", operation_id = "messages.take_back_feedback", tag = "Chats",
    params(("message" = MessageId, Path)), security(("token" = ["chat"])),
    responses((status = NO_CONTENT, description = "There is no feedback of yours on the message.")))]
pub async fn take_back(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
    Path(message): Path<String>,
) -> ApiResult<StatusCode> {
    chats::take_back_feedback(&site.hub, &caller, id(&message)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Returns the feedback on your agent: counts by week, and comments that you may read.
#[utoipa::path(get, path = "/agents/{owner}/{name}/feedback", operation_id = "agents.feedback", tag = "Agents",
    params(AgentPath), security(("token" = ["agents"])),
    responses((status = OK, description = "The feedback.", body = AgentFeedbackJson)))]
pub async fn of_agent(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
    Path(at): Path<AgentPath>,
) -> ApiResult<Json<AgentFeedbackJson>> {
    let feedback = chats::agent_feedback(&site.hub, &caller, &at.address()?).await?;
    let weeks = feedback.weeks.into_iter();
    let weeks = weeks.map(|week| FeedbackWeekJson { begins: week.begins, up: week.up, down: week.down });
    let comments = feedback.comments.into_iter().map(|given| FeedbackCommentJson {
        rating: given.rating,
        reason: given.reason,
        comment: given.comment,
        created: given.created_at,
    });
    Ok(Json(AgentFeedbackJson { weeks: weeks.collect(), comments: comments.collect() }))
}
