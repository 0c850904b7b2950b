//! Messages, and the runs that write them.

use axum::{
    Json,
    extract::{Path, State},
    http::StatusCode,
};
use plexus_domain::{
    Address, ChatId, MessageId, Part, RunId, Timestamp,
    message::MessageState,
    run::{Failure, RunState, Usage},
};
use plexus_hub::{
    chats::{self, NewMessage},
    runs,
    views::{self, MessageView, RunView},
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{chats::Began, id};
use crate::{
    state::Site,
    web::{body::JsonBody, caller::Called, error::ApiResult},
};

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NextMessage {
    /// Of your making. Sending it twice is harmless.
    id: MessageId,
    /// What it answers; the last message that you look at unless given.
    parent: Option<MessageId>,
    text: String,
}

/// Says something in a chat. The answer means that the message is kept.
#[utoipa::path(post, path = "/chats/{chat}/messages", operation_id = "chats.send", tag = "Chats",
    params(("chat" = ChatId, Path)), request_body = NextMessage, security(("token" = ["chat"])),
    responses((status = ACCEPTED, description = "It is kept, and being answered.", body = Began)))]
pub async fn send(
    State(site): State<Site>,
    Called(caller): Called,
    Path(chat): Path<String>,
    JsonBody(body): JsonBody<NextMessage>,
) -> ApiResult<(StatusCode, Json<Began>)> {
    let new = NewMessage { id: body.id, parent: body.parent, text: body.text };
    let sent = chats::send(&site.hub, &caller, id(&chat)?, new).await?;
    Ok((StatusCode::ACCEPTED, Json(sent.into())))
}

/// One message as it is now.
#[utoipa::path(get, path = "/messages/{message}", operation_id = "messages.get", tag = "Chats",
    params(("message" = MessageId, Path)), security(("token" = ["read"])),
    responses((status = OK, description = "The message.", body = Shown)))]
pub async fn show(
    State(site): State<Site>,
    Called(caller): Called,
    Path(message): Path<String>,
) -> ApiResult<Json<Shown>> {
    Ok(Json(chats::message(&site.hub, &caller, id(&message)?).await?.into()))
}

/// Asks for another answer in the place of one.
#[utoipa::path(post, path = "/messages/{message}/retry", operation_id = "messages.retry", tag = "Chats",
    params(("message" = MessageId, Path)), security(("token" = ["chat"])),
    responses((status = ACCEPTED, description = "It is being written.", body = Began)))]
pub async fn retry(
    State(site): State<Site>,
    Called(caller): Called,
    Path(message): Path<String>,
) -> ApiResult<(StatusCode, Json<Began>)> {
    let sent = chats::retry(&site.hub, &caller, id(&message)?).await?;
    Ok((StatusCode::ACCEPTED, Json(sent.into())))
}

/// Ends an answer. What was said stays.
#[utoipa::path(post, path = "/runs/{run}/stop", operation_id = "runs.stop", tag = "Chats", params(("run" = RunId, Path)),
    security(("token" = ["chat"])), responses((status = ACCEPTED, description = "It is told to end.")))]
pub async fn stop(
    State(site): State<Site>,
    Called(caller): Called,
    Path(run): Path<String>,
) -> ApiResult<StatusCode> {
    runs::stop(&site.hub, &caller, id(&run)?).await?;
    Ok(StatusCode::ACCEPTED)
}

/// A message.
#[derive(Serialize, ToSchema)]
#[schema(as = Message)]
pub struct Shown {
    id: MessageId,
    #[schema(required)]
    parent: Option<MessageId>,
    /// Messages with the same parent and lane are alternatives; in another lane they were said side by side.
    lane: i32,
    author: Author,
    state: MessageState,
    created: Timestamp,
    /// Empty while it is being written.
    parts: Vec<Part>,
    /// What the agent is doing, in one line, while it answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<String>,
    #[schema(required)]
    run: Option<Run>,
}

#[derive(Serialize, ToSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Author {
    Person {
        name: String,
    },
    Agent {
        address: Address,
    },
    /// Who said it is no longer here.
    Gone,
}

/// The work on an answer.
#[derive(Serialize, ToSchema)]
struct Run {
    id: RunId,
    state: RunState,
    #[schema(required)]
    failure: Option<Failure>,
    usage: Usage,
}

impl From<MessageView> for Shown {
    fn from(view: MessageView) -> Self {
        let message = view.message;
        Self {
            id: message.id,
            parent: message.parent,
            lane: message.lane,
            author: view.author.into(),
            state: message.state,
            created: message.created,
            parts: if message.state == MessageState::Open { Vec::new() } else { message.parts },
            status: view.status,
            run: view.run.map(Run::from),
        }
    }
}

impl From<views::Author> for Author {
    fn from(author: views::Author) -> Self {
        match author {
            views::Author::Person { name } => Self::Person { name },
            views::Author::Agent { address, .. } => Self::Agent { address },
            views::Author::Gone => Self::Gone,
        }
    }
}

impl From<RunView> for Run {
    fn from(run: RunView) -> Self {
        Self { id: run.id, state: run.state, failure: run.failure, usage: run.usage }
    }
}
