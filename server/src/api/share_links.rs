//! Share links of chats.

use axum::{
    Json,
    extract::{Path, Query, State},
    http::StatusCode,
};
use plexus_domain::{ChatId, MessageId, Timestamp};
use plexus_hub::{
    caller::Scope,
    chats::{self, ChatShareLink, DEFAULT_SHARE_DAYS, NewShareLink},
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{id, messages::ForkedChat};
use crate::{
    app_state::AppState,
    pages::shared_chat::url,
    web::{auth::ApiCaller, error::ApiResult, json_body::JsonBody},
};

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NewShareLink)]
pub struct NewShareLinkJson {
    /// A message of the branch to share; default: the branch of your current message.
    message: Option<MessageId>,
    /// Days until the link expires, 0 for never; default: 30.
    #[schema(minimum = 0, maximum = 365)]
    expires_in_days: Option<u16>,
}

/// A share link of a chat.
#[derive(Serialize, ToSchema)]
#[schema(as = ShareLink)]
pub struct ShareLinkJson {
    id: String,
    url: String,
    chat: ChatId,
    /// Title of the chat when the link was created.
    title: String,
    /// The last message that it shows.
    last_message: MessageId,
    created: Timestamp,
    #[schema(required)]
    expires: Option<Timestamp>,
}

impl ShareLinkJson {
    fn new(site: &AppState, link: ChatShareLink) -> Self {
        Self {
            url: url(site, &link.id),
            id: link.id,
            chat: link.chat,
            title: link.title.into(),
            last_message: link.last_message,
            created: link.created_at,
            expires: link.expires_at,
        }
    }
}

#[derive(Serialize, ToSchema)]
pub struct ShareLinkList {
    items: Vec<ShareLinkJson>,
    /// Always null: the list is complete.
    #[schema(required)]
    next: Option<String>,
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ShareLinkQuery {
    /// Lists only the links of this chat.
    chat: Option<String>,
}

/// Creates a link with which anyone can read one branch of your chat, up to its newest message.
#[utoipa::path(post, path = "/chats/{chat}/share", operation_id = "chats.share", tag = "Chats",
    params(("chat" = ChatId, Path)), request_body = NewShareLinkJson, security(("token" = ["read", "chat"])),
    responses((status = CREATED, description = "The link.", body = ShareLinkJson)))]
pub async fn create(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
    Path(chat): Path<String>,
    JsonBody(body): JsonBody<NewShareLinkJson>,
) -> ApiResult<(StatusCode, Json<ShareLinkJson>)> {
    let days = body.expires_in_days.unwrap_or(DEFAULT_SHARE_DAYS);
    let new = NewShareLink { chat: id(&chat)?, message: body.message, days };
    let link = chats::create_share_link(&site.hub, &caller, new).await?;
    Ok((StatusCode::CREATED, Json(ShareLinkJson::new(&site, link))))
}

/// Lists the links to your chats that have not expired, newest first.
#[utoipa::path(get, path = "/shares", operation_id = "shares.list", tag = "Chats", params(ShareLinkQuery),
    security(("token" = ["read"])), responses((status = OK, description = "The links.", body = ShareLinkList)))]
pub async fn list(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
    Query(query): Query<ShareLinkQuery>,
) -> ApiResult<Json<ShareLinkList>> {
    // Checked before the filter is parsed: 401 without a sign-in, whatever the filter is.
    caller.may(Scope::Read)?;
    let chat = query.chat.map(|chat| id(&chat)).transpose()?;
    let links = chats::list_share_links(&site.hub, &caller, chat).await?;
    Ok(Json(ShareLinkList {
        items: links.into_iter().map(|link| ShareLinkJson::new(&site, link)).collect(),
        next: None,
    }))
}

/// Revokes a link. It stops working at once.
#[utoipa::path(delete, path = "/shares/{share}", operation_id = "shares.revoke", tag = "Chats",
    params(("share" = String, Path, description = "Id of the link.")), security(("token" = ["chat"])),
    responses((status = NO_CONTENT, description = "Revoked.")))]
pub async fn revoke(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
    Path(share): Path<String>,
) -> ApiResult<StatusCode> {
    chats::revoke_share_link(&site.hub, &caller, &share).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Copies a shared chat to a new chat of yours.
#[utoipa::path(post, path = "/shares/{share}/continue", operation_id = "shares.continue", tag = "Chats",
    params(("share" = String, Path, description = "Id of the link.")), security(("token" = ["chat"])),
    responses((status = CREATED, description = "The new chat.", body = ForkedChat)))]
pub async fn go_on(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
    Path(share): Path<String>,
) -> ApiResult<(StatusCode, Json<ForkedChat>)> {
    let chat = chats::continue_shared(&site.hub, &caller, &share).await?;
    Ok((StatusCode::CREATED, Json(chat.into())))
}
