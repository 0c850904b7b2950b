//! Exports of chats as files: Markdown for people, JSON and JSON lines for programs.
//!
//! The files are streamed, a page of messages at a time.

mod json;
mod markdown;

use std::{sync::Arc, time::Duration};

use axum::{body::Body, response::Response};
use futures::{Stream, StreamExt as _, TryStreamExt as _, stream};
use plexus_domain::{ChatId, Error as Refusal, MessageId};
use plexus_hub::{
    Caller, Error, Hub,
    chats::{self, ChatExport},
    views::MessageView,
};
use serde::Deserialize;
use tokio::{runtime::Handle, task::spawn_blocking};
use utoipa::ToSchema;

use crate::{app_state::AppState, web::download};

/// Wait for the turn to write a page, while other exports are written.
const SLOT_TIMEOUT: Duration = Duration::from_secs(120);

/// Writes a page of messages.
type PageWriter = Arc<dyn Fn(Vec<MessageView>) -> Result<String, Error> + Send + Sync>;

/// Format of an exported chat.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExportFormat {
    #[default]
    Json,
    Markdown,
}

/// Exports one chat as a download.
pub async fn one(
    site: &AppState,
    caller: &Caller,
    chat: ChatId,
    format: ExportFormat,
) -> Result<Response, Error> {
    let export = chats::export(&site.hub, caller, chat).await?;
    let (hub, caller, title) = (site.hub.clone(), caller.clone(), export.title.clone());
    Ok(match format {
        ExportFormat::Json => {
            let body = body(json::document(hub, caller, &export));
            download::attachment(body, "application/json", &format!("{title}.json"))
        }
        ExportFormat::Markdown => {
            let body = body(markdown::document(hub, caller, &export));
            download::attachment(body, "text/markdown; charset=utf-8", &format!("{title}.md"))
        }
    })
}

/// Exports all chats of the caller as a download: JSON lines, one chat per line.
pub async fn all(site: &AppState, caller: &Caller) -> Result<Response, Error> {
    let chats = chats::export_all(&site.hub, caller).await?;
    let (hub, caller) = (site.hub.clone(), caller.clone());
    let lines = stream::iter(chats).then(move |chat| {
        let (hub, caller) = (hub.clone(), caller.clone());
        async move {
            match chats::export_one(&hub, &caller, chat).await {
                Ok(export) => json::document(hub, caller, &export).boxed(),
                // It was deleted meanwhile.
                Err(Error::Refused(Refusal::NotFound { .. })) => stream::empty().boxed(),
                Err(error) => stream::once(async { Err(error) }).boxed(),
            }
        }
    });
    Ok(download::attachment(body(lines.flatten()), "application/x-ndjson", "chats.jsonl"))
}

fn body(pieces: impl Stream<Item = Result<String, Error>> + Send + 'static) -> Body {
    Body::from_stream(pieces.inspect_err(|error| tracing::warn!(%error, "chat export: failed")))
}

/// Reads these messages of a chat in pages, and writes each.
///
/// A page is read and written on a blocking thread, while its caller has the turn: exports of large chats take CPU time.
/// Between pages others get their turn, also while the client reads slowly.
fn pages(
    hub: Hub,
    caller: Caller,
    export: &ChatExport,
    order: &[MessageId],
    write: PageWriter,
) -> impl Stream<Item = Result<String, Error>> + Send + use<> {
    let chat = export.id;
    stream::iter(export.pages(order)).then(move |wanted| {
        let (hub, caller, write) = (hub.clone(), caller.clone(), Arc::clone(&write));
        async move {
            let slot = hub.slots().exports.acquire(&caller.key(), SLOT_TIMEOUT).await?;
            let runtime = Handle::current();
            let written = spawn_blocking(move || {
                let _slot = slot;
                write(runtime.block_on(chats::export_messages(&hub, &caller, chat, &wanted))?)
            });
            written.await.map_err(Error::fault)?
        }
    })
}
