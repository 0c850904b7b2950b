//! Chats.

use axum::{
    Json,
    extract::{Path, Query, State},
    http::StatusCode,
};
use plexus_domain::{Address, ChatId, Error as Refusal, MessageId, RunId, Timestamp};
use plexus_hub::{
    Caller, Error, Hub,
    caller::Scope,
    chats::{self, ChatItem, NewMessage, Sent},
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{id, messages::Shown};
use crate::{
    state::Site,
    web::{body::JsonBody, caller::Called, error::ApiResult, place},
};

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ListQuery {
    /// The `next` of the page before.
    after: Option<String>,
}

/// Your chats, the one last spoken in first.
#[utoipa::path(get, path = "/chats", operation_id = "chats.list", tag = "Chats", params(ListQuery),
    security(("token" = ["read"])), responses((status = OK, description = "A page of them.", body = ChatList)))]
pub async fn list(
    State(site): State<Site>,
    Called(caller): Called,
    Query(query): Query<ListQuery>,
) -> ApiResult<Json<ChatList>> {
    Ok(Json(listed(&site.hub, &caller, query.after.as_deref()).await?))
}

/// A page of the list, from the cursor on.
pub async fn listed(hub: &Hub, caller: &Caller, after: Option<&str>) -> Result<ChatList, Error> {
    // Whoever may not read is told so, whatever else is wrong.
    caller.may(Scope::Read)?;
    let after = after.map(cursor).transpose()?;
    let (items, next) = chats::list(hub, caller, after).await?;
    Ok(ChatList {
        items: items.into_iter().map(ListedChat::from).collect(),
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

#[derive(Serialize, ToSchema)]
pub struct ChatList {
    items: Vec<ListedChat>,
    /// Send it as `after` for the next page; null on the last.
    #[schema(required)]
    next: Option<String>,
}

#[derive(Serialize, ToSchema)]
struct ListedChat {
    id: ChatId,
    title: String,
    /// When somebody last spoke in it.
    at: Timestamp,
    /// Somebody is answering in it.
    running: bool,
}

impl From<ChatItem> for ListedChat {
    fn from(item: ChatItem) -> Self {
        Self { id: item.id, title: item.title, at: item.at, running: item.running }
    }
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewChat {
    /// Of your making. Sending it twice is harmless.
    id: MessageId,
    text: String,
    /// Whom to ask where the text begins with no address; the guide unless given.
    to: Option<Address>,
}

/// Begins a chat with its first message.
#[utoipa::path(post, path = "/chats", operation_id = "chats.start", tag = "Chats", request_body = NewChat,
    security(("token" = ["chat"])), responses((status = CREATED, description = "It is kept, and being answered.", body = Began)))]
pub async fn start(
    State(site): State<Site>,
    Called(caller): Called,
    JsonBody(body): JsonBody<NewChat>,
) -> ApiResult<(StatusCode, Json<Began>)> {
    let new = NewMessage { id: body.id, parent: None, text: body.text };
    let sent = chats::start(&site.hub, &caller, body.to.as_ref(), new).await?;
    Ok((StatusCode::CREATED, Json(sent.into())))
}

/// A message that is kept, and the answers that are being written to it.
#[derive(Serialize, ToSchema)]
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

/// The messages that you look at, oldest first.
#[utoipa::path(get, path = "/chats/{chat}", operation_id = "chats.get", tag = "Chats", params(("chat" = ChatId, Path)),
    security(("token" = ["read"])), responses((status = OK, description = "The chat.", body = Chat)))]
pub async fn open(
    State(site): State<Site>,
    Called(caller): Called,
    Path(chat): Path<String>,
) -> ApiResult<Json<Chat>> {
    Ok(Json(opened(&site.hub, &caller, id(&chat)?).await?))
}

pub async fn opened(hub: &Hub, caller: &Caller, chat: ChatId) -> Result<Chat, Error> {
    let page = chats::open(hub, caller, chat, None, None).await?;
    let messages = page.messages.into_iter().map(Shown::from).collect();
    Ok(Chat { id: page.id, title: page.title, seq: page.seq, leaf: page.leaf, messages })
}

/// A chat as its reader looks at it.
#[derive(Serialize, ToSchema)]
pub struct Chat {
    id: ChatId,
    title: String,
    /// The number of its last event: events go on after it.
    seq: i64,
    /// The last of these messages.
    #[schema(required)]
    leaf: Option<MessageId>,
    messages: Vec<Shown>,
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Rename {
    title: String,
}

/// Gives a chat another title.
#[utoipa::path(patch, path = "/chats/{chat}", operation_id = "chats.rename", tag = "Chats", params(("chat" = ChatId, Path)),
    request_body = Rename, security(("token" = ["chat"])), responses((status = NO_CONTENT, description = "It has the title.")))]
pub async fn rename(
    State(site): State<Site>,
    Called(caller): Called,
    Path(chat): Path<String>,
    JsonBody(body): JsonBody<Rename>,
) -> ApiResult<StatusCode> {
    chats::rename(&site.hub, &caller, id(&chat)?, body.title).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Deletes a chat with all that was said.
#[utoipa::path(delete, path = "/chats/{chat}", operation_id = "chats.delete", tag = "Chats", params(("chat" = ChatId, Path)),
    security(("token" = ["chat"])), responses((status = NO_CONTENT, description = "It is gone.")))]
pub async fn delete(
    State(site): State<Site>,
    Called(caller): Called,
    Path(chat): Path<String>,
) -> ApiResult<StatusCode> {
    chats::delete(&site.hub, &caller, id(&chat)?).await?;
    Ok(StatusCode::NO_CONTENT)
}
