//! Page `/chat/{id}/share`: creates share links of a chat and lists them.

use axum::{
    extract::{Path, Query, State},
    response::Response,
};
use plexus_app::view_models::{Form, shared_chat::ChatSharePage};
use plexus_domain::{ChatId, Error as Refusal, MessageId};
use plexus_hub::{
    Error,
    caller::Caller,
    chats::{self, NewShareLink},
};
use serde::Deserialize;

use super::thread::gone;
use crate::{
    app_state::AppState,
    pages::{account::refused, settings::shares::row},
    web::{
        form::Fields,
        page::{PageContext, redirect_with_notice},
    },
};

#[derive(Deserialize)]
pub struct BranchQuery {
    /// A message of the branch.
    m: Option<String>,
}

impl BranchQuery {
    pub fn message(&self) -> Option<MessageId> {
        self.m.as_ref().and_then(|id| id.parse().ok())
    }
}

pub async fn show(
    State(site): State<AppState>,
    visit: PageContext,
    Path(id): Path<String>,
    Query(query): Query<BranchQuery>,
) -> Response {
    let page = page(&site, &visit.caller, &id, query.message()).await;
    visit.show_or_refuse(page)
}

async fn page(
    site: &AppState,
    caller: &Caller,
    id: &str,
    message: Option<MessageId>,
) -> Result<ChatSharePage, Error> {
    let chat: ChatId = id.parse().map_err(gone)?;
    let title = chats::title(&site.hub, caller, chat).await?;
    let links = chats::list_share_links(&site.hub, caller, Some(chat)).await?;
    let links = links.into_iter().map(|link| row(site, link)).collect();
    Ok(ChatSharePage { chat, title, message, links, form: Form::default() })
}

pub async fn create(
    State(site): State<AppState>,
    visit: PageContext,
    Path(id): Path<String>,
    fields: Fields,
) -> Response {
    let message = fields.given("message").and_then(|id| id.parse().ok());
    match created(&site, &visit.caller, &id, message, &fields).await {
        Ok(chat) => {
            let branch = message.map(|message: MessageId| format!("?m={message}")).unwrap_or_default();
            redirect_with_notice(&format!("/chat/{chat}/share{branch}"), "share-created")
        }
        Err(error) => match page(&site, &visit.caller, &id, message).await {
            Ok(page) => refused(visit, error, fields, |form| ChatSharePage { form, ..page }),
            Err(error) => visit.refuse(error),
        },
    }
}

async fn created(
    site: &AppState,
    caller: &Caller,
    id: &str,
    message: Option<MessageId>,
    fields: &Fields,
) -> Result<ChatId, Error> {
    let chat: ChatId = id.parse().map_err(gone)?;
    let days = fields.get("days").parse();
    let days = days.map_err(|_| Refusal::invalid("days", "Choose when the link expires."))?;
    chats::create_share_link(&site.hub, caller, NewShareLink { chat, message, days }).await?;
    Ok(chat)
}
