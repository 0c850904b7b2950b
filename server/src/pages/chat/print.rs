//! Page `/chat/{id}/print`: the print view of a chat. Download `/chat/{id}/export` of it.

use axum::{
    extract::{Path, Query, State},
    response::Response,
};
use plexus_app::view_models::shared_chat::PrintPage;
use plexus_domain::{ChatId, MessageId};
use plexus_hub::{Error, caller::Caller, chats};
use serde::Deserialize;

use super::{share::BranchQuery, thread::gone};
use crate::{
    app_state::AppState,
    chat_export::{self, ExportFormat},
    pages::shared_chat::transcript,
    web::page::PageContext,
};

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
) -> Result<PrintPage, Error> {
    let chat: ChatId = id.parse().map_err(gone)?;
    let printed = chats::printed(&site.hub, caller, chat, message).await?;
    let views = printed.messages;
    let messages = site.renderer.run(move |renderer| {
        views.into_iter().map(|view| transcript(view, "/blobs", renderer)).collect::<Vec<_>>()
    });
    Ok(PrintPage { chat, title: printed.title, messages: messages.await?, omitted: printed.omitted })
}

#[derive(Deserialize)]
pub struct ExportQuery {
    #[serde(default)]
    format: String,
}

/// Returns the chat as a file: JSON, or Markdown for any other format.
pub async fn export(
    State(site): State<AppState>,
    visit: PageContext,
    Path(id): Path<String>,
    Query(query): Query<ExportQuery>,
) -> Response {
    let format = if query.format == "json" { ExportFormat::Json } else { ExportFormat::Markdown };
    let exported = match id.parse() {
        Ok(chat) => chat_export::one(&site, &visit.caller, chat, format).await,
        Err(refusal) => Err(gone(refusal)),
    };
    exported.unwrap_or_else(|error| visit.refuse(error))
}
