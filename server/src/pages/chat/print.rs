//! Page `/chat/{id}/print`: the print view of a chat. Download `/chat/{id}/export` of it.

use std::time::Duration;

use axum::{
    extract::{Path, Query, State},
    response::Response,
};
use plexus_app::view_models::shared_chat::PrintPage;
use plexus_domain::{ChatId, MessageId};
use plexus_hub::{Error, caller::Caller, chats};
use serde::Deserialize;
use tokio::{runtime::Handle, task::spawn_blocking};

use super::{share::BranchQuery, thread::gone};
use crate::{
    app_state::AppState,
    chat_export::{self, ExportFormat},
    pages::shared_chat::transcript,
    web::page::PageContext,
};

/// Wait for the turn to write a page, while others are written.
const SLOT_TIMEOUT: Duration = Duration::from_secs(60);

pub async fn show(
    State(site): State<AppState>,
    visit: PageContext,
    Path(id): Path<String>,
    Query(query): Query<BranchQuery>,
) -> Response {
    // Held until the page is written, since it is in memory as a whole.
    let slot = site.hub.slots().prints.acquire(&visit.caller.key(), SLOT_TIMEOUT).await;
    let page = match &slot {
        Ok(_) => page(&site, &visit.caller, &id, query.message()).await,
        Err(refusal) => Err(refusal.clone().into()),
    };
    visit.show_or_refuse(page)
}

async fn page(
    site: &AppState,
    caller: &Caller,
    id: &str,
    message: Option<MessageId>,
) -> Result<PrintPage, Error> {
    let chat: ChatId = id.parse().map_err(gone)?;
    let (hub, owned, runtime) = (site.hub.clone(), caller.clone(), Handle::current());
    let printed = spawn_blocking(move || runtime.block_on(chats::printed(&hub, &owned, chat, message)));
    let printed = printed.await.map_err(Error::fault)??;
    let views = printed.messages;
    let messages = site.renderer.run(caller.key(), move |renderer| {
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
