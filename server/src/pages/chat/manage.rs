//! Pages to rename, move and delete a chat, and forms to pin and archive it.

use axum::{
    extract::{Path, State},
    response::{IntoResponse as _, Redirect, Response},
};
use plexus_app::view_models::{
    Form,
    chat::{ChatAction, ChatDialogPage, MoveChatPage},
};
use plexus_domain::ChatId;
use plexus_hub::{
    Error,
    caller::Caller,
    chats::{self, ChatPatch, DeletionOutcome, FolderChange},
};

use super::thread::gone;
use crate::{
    app_state::AppState,
    pages::account::refused,
    web::{
        form::Fields,
        page::{PageContext, redirect_with_notice},
    },
};

pub async fn show_rename(
    State(site): State<AppState>,
    visit: PageContext,
    Path(id): Path<String>,
) -> Response {
    let page = page(&site, &visit.caller, &id, ChatAction::Rename).await;
    visit.show_or_refuse(page)
}

pub async fn show_delete(
    State(site): State<AppState>,
    visit: PageContext,
    Path(id): Path<String>,
) -> Response {
    let page = page(&site, &visit.caller, &id, ChatAction::Delete).await;
    visit.show_or_refuse(page)
}

async fn page(
    site: &AppState,
    caller: &Caller,
    id: &str,
    action: ChatAction,
) -> Result<ChatDialogPage, Error> {
    let chat: ChatId = id.parse().map_err(gone)?;
    let title = chats::title(&site.hub, caller, chat).await?;
    let is_temporary = chats::expiry(&site.hub, caller, chat).await?.is_some();
    Ok(ChatDialogPage { chat, title, action, is_temporary, form: Form::default() })
}

pub async fn rename(
    State(site): State<AppState>,
    visit: PageContext,
    Path(id): Path<String>,
    fields: Fields,
) -> Response {
    let renamed = match id.parse::<ChatId>() {
        Ok(chat) => {
            let title = Some(fields.get("title").to_owned());
            let update = ChatPatch { title, ..ChatPatch::default() };
            chats::update(&site.hub, &visit.caller, chat, update).await.map(|()| chat)
        }
        Err(refusal) => Err(gone(refusal)),
    };
    match renamed {
        Ok(chat) => Redirect::to(&page_of(chat)).into_response(),
        Err(error) => match page(&site, &visit.caller, &id, ChatAction::Rename).await {
            Ok(page) => refused(visit, error, fields, |form| ChatDialogPage { form, ..page }),
            Err(error) => visit.refuse(error),
        },
    }
}

pub async fn show_folder(
    State(site): State<AppState>,
    visit: PageContext,
    Path(id): Path<String>,
) -> Response {
    let page = folder_page(&site, &visit.caller, &id).await;
    visit.show_or_refuse(page)
}

async fn folder_page(site: &AppState, caller: &Caller, id: &str) -> Result<MoveChatPage, Error> {
    let chat: ChatId = id.parse().map_err(gone)?;
    let title = chats::title(&site.hub, caller, chat).await?;
    let folder = chats::folder(&site.hub, caller, chat).await?;
    let folders = chats::list_folders(&site.hub, caller).await?.into_iter().map(|it| it.folder).collect();
    Ok(MoveChatPage { chat, title, folder, folders, form: Form::default() })
}

/// Moves a chat to a folder, or out of its folder.
pub async fn move_to_folder(
    State(site): State<AppState>,
    visit: PageContext,
    Path(id): Path<String>,
    fields: Fields,
) -> Response {
    let moved = match FolderChange::requested(fields.get("folder").to_owned()) {
        Ok(folder) => {
            let update = ChatPatch { folder: Some(folder), ..ChatPatch::default() };
            changed(&site, &visit.caller, &id, update).await
        }
        Err(refusal) => Err(refusal.into()),
    };
    match moved {
        Ok(chat) => redirect_with_notice(&page_of(chat), "chat-moved"),
        Err(error) => match folder_page(&site, &visit.caller, &id).await {
            Ok(page) => refused(visit, error, fields, |form| MoveChatPage { form, ..page }),
            Err(error) => visit.refuse(error),
        },
    }
}

/// Pins or unpins a chat.
pub async fn pin(
    State(site): State<AppState>,
    visit: PageContext,
    Path(id): Path<String>,
    fields: Fields,
) -> Response {
    let pinned = fields.get("pinned") == "yes";
    let update = ChatPatch { pinned: Some(pinned), ..ChatPatch::default() };
    match changed(&site, &visit.caller, &id, update).await {
        Ok(chat) => {
            redirect_with_notice(&page_of(chat), if pinned { "chat-pinned" } else { "chat-unpinned" })
        }
        Err(error) => visit.refuse(error),
    }
}

/// Archives or restores a chat.
pub async fn archive(
    State(site): State<AppState>,
    visit: PageContext,
    Path(id): Path<String>,
    fields: Fields,
) -> Response {
    let archived = fields.get("archived") == "yes";
    let update = ChatPatch { archived: Some(archived), ..ChatPatch::default() };
    match changed(&site, &visit.caller, &id, update).await {
        Ok(chat) => {
            redirect_with_notice(&page_of(chat), if archived { "chat-archived" } else { "chat-restored" })
        }
        Err(error) => visit.refuse(error),
    }
}

/// Makes a temporary chat an ordinary one.
pub async fn keep(State(site): State<AppState>, visit: PageContext, Path(id): Path<String>) -> Response {
    let update = ChatPatch { temporary: Some(false), ..ChatPatch::default() };
    match changed(&site, &visit.caller, &id, update).await {
        Ok(chat) => redirect_with_notice(&page_of(chat), "chat-kept"),
        Err(error) => visit.refuse(error),
    }
}

async fn changed(site: &AppState, caller: &Caller, id: &str, update: ChatPatch) -> Result<ChatId, Error> {
    let chat: ChatId = id.parse().map_err(gone)?;
    chats::update(&site.hub, caller, chat, update).await?;
    Ok(chat)
}

fn page_of(chat: ChatId) -> String {
    format!("/chat/{chat}")
}

/// Deletes a chat, permanently if the field `permanent` is `yes`.
pub async fn delete(
    State(site): State<AppState>,
    visit: PageContext,
    Path(id): Path<String>,
    fields: Fields,
) -> Response {
    let is_permanent = fields.get("permanent") == "yes";
    let deleted = match id.parse::<ChatId>() {
        Ok(chat) if is_permanent => chats::delete_permanently(&site.hub, &visit.caller, chat)
            .await
            .map(|()| DeletionOutcome::Permanent),
        Ok(chat) => chats::delete(&site.hub, &visit.caller, chat).await,
        Err(refusal) => Err(gone(refusal)),
    };
    match deleted {
        Ok(_) if is_permanent => redirect_with_notice("/chat/deleted", "chat-removed"),
        Ok(DeletionOutcome::Permanent) => redirect_with_notice("/chat", "chat-removed"),
        Ok(DeletionOutcome::Restorable) => redirect_with_notice("/chat", "chats-deleted"),
        Err(error) => visit.refuse(error),
    }
}
