//! Pages to rename and delete a chat.

use axum::{
    extract::{Path, State},
    response::{IntoResponse as _, Redirect, Response},
};
use plexus_app::view_models::{
    Form,
    chat::{ChatAction, ChatDialogPage},
};
use plexus_domain::ChatId;
use plexus_hub::{Error, caller::Caller, chats};

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
    Ok(ChatDialogPage { chat, title, action, form: Form::default() })
}

pub async fn rename(
    State(site): State<AppState>,
    visit: PageContext,
    Path(id): Path<String>,
    fields: Fields,
) -> Response {
    let renamed = match id.parse::<ChatId>() {
        Ok(chat) => {
            chats::rename(&site.hub, &visit.caller, chat, fields.get("title").to_owned()).await.map(|()| chat)
        }
        Err(refusal) => Err(gone(refusal)),
    };
    match renamed {
        Ok(chat) => Redirect::to(&format!("/chat/{chat}")).into_response(),
        Err(error) => match page(&site, &visit.caller, &id, ChatAction::Rename).await {
            Ok(page) => refused(visit, error, fields, |form| ChatDialogPage { form, ..page }),
            Err(error) => visit.refuse(error),
        },
    }
}

pub async fn delete(State(site): State<AppState>, visit: PageContext, Path(id): Path<String>) -> Response {
    let deleted = match id.parse::<ChatId>() {
        Ok(chat) => chats::delete(&site.hub, &visit.caller, chat).await,
        Err(refusal) => Err(gone(refusal)),
    };
    match deleted {
        Ok(()) => redirect_with_notice("/chat", "deleted"),
        Err(error) => visit.refuse(error),
    }
}
