//! Deleted chats that can still be restored.

use axum::{
    Json,
    extract::{Path, State},
    http::StatusCode,
};
use plexus_domain::{ChatId, Timestamp};
use plexus_hub::{Caller, Error, Hub, chats};
use serde::Serialize;
use utoipa::ToSchema;

use super::id;
use crate::{
    app_state::AppState,
    web::{auth::ApiCaller, error::ApiResult},
};

/// Restores a chat that was deleted with `restorable`, or on the site, within the last 24 hours.
#[utoipa::path(post, path = "/chats/{chat}/restore", operation_id = "chats.restore", tag = "Chats",
    params(("chat" = ChatId, Path)), security(("token" = ["chat"])),
    responses((status = NO_CONTENT, description = "The chat is in your list again.")))]
pub async fn restore(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
    Path(chat): Path<String>,
) -> ApiResult<StatusCode> {
    chats::restore(&site.hub, &caller, id(&chat)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Lists the chats that you can restore, latest deleted first: at most 100.
#[utoipa::path(get, path = "/chats/deleted", operation_id = "chats.list_deleted", tag = "Chats",
    security(("token" = ["read"])),
    responses((status = OK, description = "The deleted chats.", body = DeletedChatList)))]
pub async fn list_deleted(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
) -> ApiResult<Json<DeletedChatList>> {
    Ok(Json(DeletedChatList::of(&site.hub, &caller).await?))
}

#[derive(Serialize, ToSchema)]
pub struct DeletedChatList {
    items: Vec<DeletedChatJson>,
    /// Always null: the list is complete.
    #[schema(required)]
    next: Option<String>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = DeletedChat)]
struct DeletedChatJson {
    id: ChatId,
    title: String,
    /// When it is deleted permanently.
    restorable_until: Timestamp,
}

impl DeletedChatList {
    pub async fn of(hub: &Hub, caller: &Caller) -> Result<Self, Error> {
        let items = chats::list_deleted(hub, caller).await?.into_iter().map(|chat| DeletedChatJson {
            id: chat.id,
            title: chat.title.into(),
            restorable_until: chat.expires_at,
        });
        Ok(Self { items: items.collect(), next: None })
    }
}
