//! Pages with lists of chats, and the actions on several of them.

use axum::{
    extract::{Path, Query, State},
    response::Response,
};
use plexus_app::view_models::chat::{ChatListPage, ChatScope, DeletedChatItem, DeletedChatsPage};
use plexus_domain::{ChatId, Error as Refusal};
use plexus_hub::{
    Error,
    caller::Caller,
    chats::{self, ChatFilter, ChatPatch, FolderChange},
};
use serde::Deserialize;

use super::{chat_item, sidebar, thread::gone};
use crate::{
    api::chats::{cursor, token},
    app_state::AppState,
    web::{
        form::Fields,
        page::{PageContext, redirect_with_notice},
    },
};

/// Maximum number of chats that one action changes.
const MAX_SELECTED: usize = 100;

#[derive(Deserialize)]
pub struct ChatListParams {
    /// Name of the folder, on the page of folders.
    #[serde(default)]
    name: String,
    after: Option<String>,
}

pub async fn show_all(
    State(site): State<AppState>,
    visit: PageContext,
    Query(query): Query<ChatListParams>,
) -> Response {
    let page = page(&site, &visit.caller, ChatScope::All, query.after.as_deref()).await;
    visit.show_or_refuse(page)
}

pub async fn show_archived(
    State(site): State<AppState>,
    visit: PageContext,
    Query(query): Query<ChatListParams>,
) -> Response {
    let page = page(&site, &visit.caller, ChatScope::Archived, query.after.as_deref()).await;
    visit.show_or_refuse(page)
}

pub async fn show_folder(
    State(site): State<AppState>,
    visit: PageContext,
    Query(query): Query<ChatListParams>,
) -> Response {
    let scope = ChatScope::Folder(query.name);
    let page = page(&site, &visit.caller, scope, query.after.as_deref()).await;
    visit.show_or_refuse(page)
}

/// Builds the page. An invalid cursor means the first page.
async fn page(
    site: &AppState,
    caller: &Caller,
    scope: ChatScope,
    after: Option<&str>,
) -> Result<ChatListPage, Error> {
    let filter = match &scope {
        ChatScope::All => ChatFilter::Active,
        ChatScope::Archived => ChatFilter::Archived,
        ChatScope::Folder(name) => ChatFilter::Folder(name),
    };
    let after = after.and_then(|after| cursor(after).ok());
    let (chats, next) = chats::list(&site.hub, caller, filter, after).await?;
    let list = scope.href();
    let separator = if list.contains('?') { '&' } else { '?' };
    Ok(ChatListPage {
        sidebar: sidebar(&site.hub, caller).await?,
        chats: chats.into_iter().map(chat_item).collect(),
        older: next.map(|next| format!("{list}{separator}after={}", token(next))),
        scope,
    })
}

pub async fn show_deleted(State(site): State<AppState>, visit: PageContext) -> Response {
    let page = deleted(&site, &visit.caller).await;
    visit.show_or_refuse(page)
}

async fn deleted(site: &AppState, caller: &Caller) -> Result<DeletedChatsPage, Error> {
    let item = |chat: chats::DeletedChat| DeletedChatItem {
        id: chat.id,
        title: chat.title.into(),
        until: chat.expires_at,
    };
    Ok(DeletedChatsPage {
        chats: chats::list_deleted(&site.hub, caller).await?.into_iter().map(item).collect(),
        sidebar: sidebar(&site.hub, caller).await?,
    })
}

/// Restores a deleted chat.
pub async fn undelete(State(site): State<AppState>, visit: PageContext, Path(id): Path<String>) -> Response {
    let restored = match id.parse::<ChatId>() {
        Ok(chat) => {
            chats::restore(&site.hub, &visit.caller, chat).await.map(|is_archived| (chat, is_archived))
        }
        Err(refusal) => Err(gone(refusal)),
    };
    match restored {
        Ok((chat, is_archived)) => {
            let notice = if is_archived { "chat-restored-archived" } else { "chat-restored" };
            redirect_with_notice(&format!("/chat/{chat}"), notice)
        }
        Err(error) => visit.refuse(error),
    }
}

/// Action on the selected chats.
#[derive(Clone)]
enum SelectionAction {
    Change(ChatPatch),
    Delete,
}

/// Changes the selected chats of a list, and returns to it.
pub async fn change(State(site): State<AppState>, visit: PageContext, fields: Fields) -> Response {
    let back = Some(fields.get("back")).filter(|path| is_list(path)).unwrap_or("/chat/all").to_owned();
    let changed = change_selected(&site, &visit.caller, &fields).await;
    match changed {
        Ok(notice) => redirect_with_notice(&back, notice),
        Err(error) => visit.refuse(error),
    }
}

/// Returns whether this is the URL of a list of chats, so that the form leads to no other site.
fn is_list(path: &str) -> bool {
    let is_plain = path.chars().all(|it| it.is_ascii_graphic());
    is_plain && (path == "/chat/archived" || path == "/chat/all" || path.starts_with("/chat/folder?name="))
}

async fn change_selected(site: &AppState, caller: &Caller, fields: &Fields) -> Result<&'static str, Error> {
    let chats: Result<Vec<ChatId>, _> = fields.all("chat").map(str::parse).collect();
    let chats = chats.map_err(gone)?;
    if chats.is_empty() {
        return Ok("chats-none");
    }
    if chats.len() > MAX_SELECTED {
        let words = format!("At most {MAX_SELECTED} chats can be changed at once. Select fewer.");
        return Err(Refusal::too_large(words, MAX_SELECTED as u64).into());
    }
    let (action, notice) = action(fields)?;
    for chat in chats {
        match action.clone() {
            SelectionAction::Change(patch) => chats::update(&site.hub, caller, chat, patch).await?,
            SelectionAction::Delete => {
                chats::delete(&site.hub, caller, chat).await?;
            }
        }
    }
    Ok(notice)
}

/// Returns the action that the pressed button names, with the code of its notice.
fn action(fields: &Fields) -> Result<(SelectionAction, &'static str), Refusal> {
    let archived = |archived| ChatPatch { archived: Some(archived), ..ChatPatch::default() };
    match fields.get("action") {
        "move" => {
            let folder = Some(FolderChange::requested(fields.get("folder").to_owned())?);
            let change = SelectionAction::Change(ChatPatch { folder, ..ChatPatch::default() });
            Ok((change, "chats-moved"))
        }
        "archive" => Ok((SelectionAction::Change(archived(true)), "chats-archived")),
        "restore" => Ok((SelectionAction::Change(archived(false)), "chats-restored")),
        "delete" => Ok((SelectionAction::Delete, "chats-deleted")),
        _ => Err(Refusal::invalid("action", "Choose what to do with the selected chats.")),
    }
}
