//! People of a chat: lists them, changes their roles, ends memberships, and reports what they do.

use axum::{
    Json,
    extract::{Path, State},
    http::StatusCode,
};
use plexus_domain::{ChatId, Timestamp, chat::RoomRole};
use plexus_hub::{
    Caller, Error, Hub,
    chats::{self, RoomPeople, RoomPerson},
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::id;
use crate::{
    app_state::AppState,
    web::{auth::ApiCaller, error::ApiResult, json_body::JsonBody},
};

/// What a user may do in a chat: an owner manages it, a member posts messages, a reader only reads.
#[derive(Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = ChatRole)]
pub enum ChatRoleJson {
    Owner,
    Member,
    Reader,
}

impl From<RoomRole> for ChatRoleJson {
    fn from(role: RoomRole) -> Self {
        match role {
            RoomRole::Owner => Self::Owner,
            RoomRole::Member => Self::Member,
            RoomRole::Reader => Self::Reader,
        }
    }
}

impl From<ChatRoleJson> for RoomRole {
    fn from(role: ChatRoleJson) -> Self {
        match role {
            ChatRoleJson::Owner => Self::Owner,
            ChatRoleJson::Member => Self::Member,
            ChatRoleJson::Reader => Self::Reader,
        }
    }
}

/// The people of a chat, in the order in which they joined.
#[derive(Serialize, ToSchema)]
pub struct ChatPeople {
    /// Your role.
    role: ChatRoleJson,
    items: Vec<ChatPersonJson>,
    /// Always null: the list is complete.
    #[schema(required)]
    next: Option<String>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = ChatPerson)]
pub struct ChatPersonJson {
    name: String,
    role: ChatRoleJson,
    joined: Timestamp,
}

impl From<RoomPeople> for ChatPeople {
    fn from(people: RoomPeople) -> Self {
        Self {
            role: people.role.into(),
            items: people.people.into_iter().map(Into::into).collect(),
            next: None,
        }
    }
}

impl From<RoomPerson> for ChatPersonJson {
    fn from(person: RoomPerson) -> Self {
        Self { name: person.name, role: person.role.into(), joined: person.joined_at }
    }
}

/// Lists the people of a chat.
#[utoipa::path(get, path = "/chats/{chat}/people", operation_id = "chats.people", tag = "Rooms",
    params(("chat" = ChatId, Path)), security(("token" = ["read"])),
    responses((status = OK, description = "The people.", body = ChatPeople)))]
pub async fn list(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
    Path(chat): Path<String>,
) -> ApiResult<Json<ChatPeople>> {
    Ok(Json(of(&site.hub, &caller, id(&chat)?).await?))
}

/// Returns the people of a chat of the caller.
pub async fn of(hub: &Hub, caller: &Caller, chat: ChatId) -> Result<ChatPeople, Error> {
    Ok(chats::list_people(hub, caller, chat).await?.into())
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewChatRole {
    role: ChatRoleJson,
}

/// Changes the role of a person of your chat.
///
/// The role `owner` hands the chat over: you become a member, and the share links of the chat are revoked.
#[utoipa::path(patch, path = "/chats/{chat}/people/{user}", operation_id = "chats.set_role", tag = "Rooms",
    params(("chat" = ChatId, Path), ("user" = String, Path, description = "Name of the user.")),
    request_body = NewChatRole, security(("token" = ["chat"])),
    responses((status = NO_CONTENT, description = "The role is changed.")))]
pub async fn set_role(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
    Path((chat, user)): Path<(String, String)>,
    JsonBody(body): JsonBody<NewChatRole>,
) -> ApiResult<StatusCode> {
    chats::set_role(&site.hub, &caller, id(&chat)?, &user, body.role.into()).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Removes a person from your chat.
///
/// Answers that the person started there and its open streams end. Its messages stay.
#[utoipa::path(delete, path = "/chats/{chat}/people/{user}", operation_id = "chats.remove_person", tag = "Rooms",
    params(("chat" = ChatId, Path), ("user" = String, Path, description = "Name of the user.")),
    security(("token" = ["chat"])), responses((status = NO_CONTENT, description = "The person is removed.")))]
pub async fn remove(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
    Path((chat, user)): Path<(String, String)>,
) -> ApiResult<StatusCode> {
    chats::remove_person(&site.hub, &caller, id(&chat)?, &user).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Leaves a chat. Its owner hands it over first.
#[utoipa::path(post, path = "/chats/{chat}/leave", operation_id = "chats.leave", tag = "Rooms",
    params(("chat" = ChatId, Path)), security(("token" = ["chat"])),
    responses((status = NO_CONTENT, description = "You have left the chat.")))]
pub async fn leave(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
    Path(chat): Path<String>,
) -> ApiResult<StatusCode> {
    chats::leave(&site.hub, &caller, id(&chat)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadPosition {
    /// Sequence number of the last event that you have seen.
    seq: i64,
}

/// Marks the messages of a room as read up to an event.
#[utoipa::path(post, path = "/chats/{chat}/read", operation_id = "chats.mark_read", tag = "Rooms",
    params(("chat" = ChatId, Path)), request_body = ReadPosition, security(("token" = ["chat"])),
    responses((status = NO_CONTENT, description = "Marked as read.")))]
pub async fn mark_read(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
    Path(chat): Path<String>,
    JsonBody(body): JsonBody<ReadPosition>,
) -> ApiResult<StatusCode> {
    chats::mark_read(&site.hub, &caller, id(&chat)?, body.seq).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Reports to the people of a room that you type.
///
/// Open streams get the event `typing`. Repeat the report every few seconds while the user types. Nothing is stored.
#[utoipa::path(post, path = "/chats/{chat}/typing", operation_id = "chats.report_typing", tag = "Rooms",
    params(("chat" = ChatId, Path)), security(("token" = ["chat"])),
    responses((status = NO_CONTENT, description = "Reported.")))]
pub async fn report_typing(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
    Path(chat): Path<String>,
) -> ApiResult<StatusCode> {
    chats::report_typing(&site.hub, &caller, id(&chat)?).await?;
    Ok(StatusCode::NO_CONTENT)
}
