//! Folders of chats.

use axum::{Json, extract::State};
use plexus_hub::{Caller, Error, Hub, chats};
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    app_state::AppState,
    web::{auth::ApiCaller, error::ApiResult},
};

/// Lists your folders of chats, by name.
#[utoipa::path(get, path = "/chats/folders", operation_id = "chats.list_folders", tag = "Chats",
    security(("token" = ["read"])),
    responses((status = OK, description = "The folders.", body = ChatFolderList)))]
pub async fn list_folders(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
) -> ApiResult<Json<ChatFolderList>> {
    Ok(Json(ChatFolderList::of(&site.hub, &caller).await?))
}

#[derive(Serialize, ToSchema)]
pub struct ChatFolderList {
    items: Vec<ChatFolderJson>,
    /// Always null: the list is complete.
    #[schema(required)]
    next: Option<String>,
}

/// A folder. It exists while a chat is in it.
#[derive(Serialize, ToSchema)]
#[schema(as = ChatFolder)]
struct ChatFolderJson {
    name: String,
    /// Number of chats in it that are not archived.
    chats: i64,
}

impl ChatFolderList {
    pub async fn of(hub: &Hub, caller: &Caller) -> Result<Self, Error> {
        let folders = chats::list_folders(hub, caller).await?.into_iter();
        Ok(Self {
            items: folders.map(|it| ChatFolderJson { name: it.folder, chats: it.chats }).collect(),
            next: None,
        })
    }
}
