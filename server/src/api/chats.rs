//! Chats, messages and runs.

use axum::{
    Json,
    extract::{Path, Query, State},
    http::StatusCode,
    response::IntoResponse,
};
use plexus_domain::{Address, ChatId, Error as Refusal, MessageId, Timestamp, message::MessageState};
use plexus_hub::{
    chats::{self, NewMessage},
    runs,
    views::{Author, MessageView},
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::id;
use crate::{
    state::Site,
    web::{
        body::JsonBody,
        caller::Called,
        error::{ApiError, ApiResult},
    },
};

#[derive(Deserialize)]
pub struct ListQuery {
    after: Option<String>,
}

/// `GET /chats`: the caller's own, the one last spoken in first.
pub async fn list(
    State(site): State<Site>,
    Called(caller): Called,
    Query(query): Query<ListQuery>,
) -> ApiResult<Json<Value>> {
    let after = query.after.as_deref().map(cursor).transpose()?;
    let (items, next) = chats::list(&site.hub, &caller, after).await?;
    let items: Vec<Value> = items
        .into_iter()
        .map(|item| json!({ "id": item.id, "title": item.title, "at": item.at, "running": item.running }))
        .collect();
    let next = next.map(|(at, chat)| format!("{}-{chat}", at.millis()));
    Ok(Json(json!({ "items": items, "next": next })))
}

fn cursor(text: &str) -> Result<(Timestamp, ChatId), ApiError> {
    let parse = || {
        let (millis, chat) = text.split_once('-')?;
        Some((Timestamp::from_millis(millis.parse().ok()?), chat.parse().ok()?))
    };
    parse().ok_or_else(|| Refusal::invalid("after", "This is not a cursor that a list answered.").into())
}

#[derive(Deserialize)]
pub struct Start {
    id: MessageId,
    text: String,
    to: Option<Address>,
}

/// `POST /chats`: says the first message of a new chat.
pub async fn start(
    State(site): State<Site>,
    Called(caller): Called,
    JsonBody(body): JsonBody<Start>,
) -> ApiResult<impl IntoResponse> {
    let new = NewMessage { id: body.id, parent: None, text: body.text };
    let sent = chats::start(&site.hub, &caller, body.to.as_ref(), new).await?;
    Ok((StatusCode::CREATED, Json(json!({ "chat": sent.chat, "message": sent.message, "runs": sent.runs }))))
}

#[derive(Deserialize)]
pub struct Say {
    id: MessageId,
    parent: Option<MessageId>,
    text: String,
}

/// `POST /chats/{id}/messages`. The answer means that the message is kept.
pub async fn send(
    State(site): State<Site>,
    Called(caller): Called,
    Path(chat): Path<String>,
    JsonBody(body): JsonBody<Say>,
) -> ApiResult<impl IntoResponse> {
    let new = NewMessage { id: body.id, parent: body.parent, text: body.text };
    let sent = chats::send(&site.hub, &caller, id(&chat)?, new).await?;
    Ok((StatusCode::ACCEPTED, Json(json!({ "message": sent.message, "runs": sent.runs }))))
}

/// `POST /messages/{id}/retry`: another answer in its place.
pub async fn retry(
    State(site): State<Site>,
    Called(caller): Called,
    Path(message): Path<String>,
) -> ApiResult<impl IntoResponse> {
    let sent = chats::retry(&site.hub, &caller, id(&message)?).await?;
    Ok((StatusCode::ACCEPTED, Json(json!({ "message": sent.message, "runs": sent.runs }))))
}

/// `POST /runs/{id}/stop`. What was said stays.
pub async fn stop(
    State(site): State<Site>,
    Called(caller): Called,
    Path(run): Path<String>,
) -> ApiResult<StatusCode> {
    runs::stop(&site.hub, &caller, id(&run)?).await?;
    Ok(StatusCode::ACCEPTED)
}

/// `GET /chats/{id}`: the path that the caller looks at, oldest first.
pub async fn open(
    State(site): State<Site>,
    Called(caller): Called,
    Path(chat): Path<String>,
) -> ApiResult<Json<Value>> {
    let page = chats::open(&site.hub, &caller, id(&chat)?, None, None).await?;
    let messages: Vec<Shown> = page.messages.into_iter().map(Shown::from).collect();
    Ok(Json(
        json!({ "id": page.id, "title": page.title, "seq": page.seq, "leaf": page.leaf, "messages": messages }),
    ))
}

/// `GET /messages/{id}`: one message as it is now.
pub async fn message(
    State(site): State<Site>,
    Called(caller): Called,
    Path(message): Path<String>,
) -> ApiResult<Json<Shown>> {
    Ok(Json(chats::message(&site.hub, &caller, id(&message)?).await?.into()))
}

#[derive(Deserialize)]
pub struct Rename {
    title: String,
}

/// `PATCH /chats/{id}`.
pub async fn rename(
    State(site): State<Site>,
    Called(caller): Called,
    Path(chat): Path<String>,
    JsonBody(body): JsonBody<Rename>,
) -> ApiResult<StatusCode> {
    chats::rename(&site.hub, &caller, id(&chat)?, body.title).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// `DELETE /chats/{id}`, with all that was said.
pub async fn delete(
    State(site): State<Site>,
    Called(caller): Called,
    Path(chat): Path<String>,
) -> ApiResult<StatusCode> {
    chats::delete(&site.hub, &caller, id(&chat)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// A message for programs.
#[derive(Serialize)]
pub struct Shown {
    id: MessageId,
    parent: Option<MessageId>,
    lane: i32,
    author: Value,
    state: MessageState,
    created: Timestamp,
    parts: Value,
    run: Option<Value>,
}

impl From<MessageView> for Shown {
    fn from(view: MessageView) -> Self {
        let message = view.message;
        let parts = match message.state {
            MessageState::Open => json!([]),
            _ => json!(message.parts),
        };
        Self {
            id: message.id,
            parent: message.parent,
            lane: message.lane,
            author: match view.author {
                Author::Person { name } => json!({ "kind": "person", "name": name }),
                Author::Agent { address, .. } => json!({ "kind": "agent", "address": address }),
                Author::Gone => json!({ "kind": "gone" }),
            },
            state: message.state,
            created: message.created,
            parts,
            run: view.run.map(
                |run| json!({ "id": run.id, "state": run.state, "failure": run.failure, "usage": run.usage }),
            ),
        }
    }
}
