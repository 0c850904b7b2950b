//! Chats, messages and runs.

use axum::{
    Json,
    extract::{Path, Query, State},
    http::StatusCode,
    response::IntoResponse,
};
use plexus_domain::{Address, ChatId, Error as Refusal, MessageId, RunId, Timestamp, message::MessageState};
use plexus_hub::{
    Caller, Error, Hub,
    chats::{self, ChatItem, NewMessage, Sent},
    runs,
    views::{Author, MessageView},
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::id;
use crate::{
    state::Site,
    web::{body::JsonBody, caller::Called, error::ApiResult, place},
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
) -> ApiResult<Json<Listed>> {
    Ok(Json(listed(&site.hub, &caller, query.after.as_deref()).await?))
}

/// A page of the list, from the cursor on.
pub async fn listed(hub: &Hub, caller: &Caller, after: Option<&str>) -> Result<Listed, Error> {
    let after = after.map(cursor).transpose()?;
    let (items, next) = chats::list(hub, caller, after).await?;
    let item = |item: ChatItem| Item { id: item.id, title: item.title, at: item.at, running: item.running };
    Ok(Listed {
        items: items.into_iter().map(item).collect(),
        next: next.map(|(at, chat)| format!("{}-{chat}", at.millis())),
    })
}

fn cursor(text: &str) -> Result<(Timestamp, ChatId), Refusal> {
    let parse = || {
        let (millis, chat) = text.split_once('-')?;
        Some((Timestamp::from_millis(millis.parse().ok()?), chat.parse().ok()?))
    };
    parse().ok_or_else(place::not_a_cursor)
}

/// A page of the caller's chats.
#[derive(Serialize)]
pub struct Listed {
    items: Vec<Item>,
    next: Option<String>,
}

#[derive(Serialize)]
pub struct Item {
    id: ChatId,
    title: String,
    at: Timestamp,
    running: bool,
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
    Ok((StatusCode::CREATED, Json(Began::from(sent))))
}

/// A message that is kept, and the answers that are being written to it.
#[derive(Serialize)]
pub struct Began {
    chat: ChatId,
    message: MessageId,
    runs: Vec<RunId>,
}

impl From<Sent> for Began {
    fn from(sent: Sent) -> Self {
        Self { chat: sent.chat, message: sent.message, runs: sent.runs }
    }
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
    Ok((StatusCode::ACCEPTED, Json(Began::from(sent))))
}

/// `POST /messages/{id}/retry`: another answer in its place.
pub async fn retry(
    State(site): State<Site>,
    Called(caller): Called,
    Path(message): Path<String>,
) -> ApiResult<impl IntoResponse> {
    let sent = chats::retry(&site.hub, &caller, id(&message)?).await?;
    Ok((StatusCode::ACCEPTED, Json(Began::from(sent))))
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
) -> ApiResult<Json<Opened>> {
    Ok(Json(opened(&site.hub, &caller, id(&chat)?).await?))
}

pub async fn opened(hub: &Hub, caller: &Caller, chat: ChatId) -> Result<Opened, Error> {
    let page = chats::open(hub, caller, chat, None, None).await?;
    let messages = page.messages.into_iter().map(Shown::from).collect();
    Ok(Opened { id: page.id, title: page.title, seq: page.seq, leaf: page.leaf, messages })
}

/// A chat as the caller looks at it.
#[derive(Serialize)]
pub struct Opened {
    id: ChatId,
    title: String,
    /// The number of its last event.
    seq: i64,
    leaf: Option<MessageId>,
    messages: Vec<Shown>,
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
