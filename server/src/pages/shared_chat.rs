//! Public page `/share/{id}` of a shared chat, its files and picture, and the form to continue it.

use axum::{
    extract::{Path, Query, State},
    http::header,
    response::{IntoResponse as _, Response},
};
use plexus_app::view_models::{
    message::PartView,
    shared_chat::{SharedChatPage, TranscriptMessage},
};
use plexus_domain::{ChatId, Timestamp};
use plexus_hub::{
    Error,
    chats::{self, SharedMessage},
    views::{Author, MessageView},
};
use serde::Deserialize;

use super::{chat::message_view::article, team::share::unlisted};
use crate::{
    app_state::AppState,
    rendering::{TextRenderer, social_picture},
    web::{
        download,
        page::{PageContext, redirect_with_notice},
    },
};

/// Query of the page. A page that is not a number means the first one.
#[derive(Deserialize)]
pub struct SharedQuery {
    #[serde(default)]
    page: String,
}

/// Returns the URL of a share link.
pub fn url(site: &AppState, id: &str) -> String {
    format!("{}share/{id}", site.hub.config().public_url)
}

pub async fn show(
    State(site): State<AppState>,
    visit: PageContext,
    Path(id): Path<String>,
    Query(query): Query<SharedQuery>,
) -> Response {
    let shown = page(&site, &visit, id, query.page.trim().parse().unwrap_or(1)).await;
    unlisted(visit.show_or_refuse(shown))
}

async fn page(
    site: &AppState,
    visit: &PageContext,
    id: String,
    page: usize,
) -> Result<SharedChatPage, Error> {
    let shared = chats::shared(&site.hub, &visit.caller, &id, page).await?;
    let (messages, files) = (shared.messages, format!("/share/{id}/files"));
    let transcript = site.renderer.run(visit.caller.key(), move |renderer| {
        messages.into_iter().map(|message| shared_message(message, &files, renderer)).collect::<Vec<_>>()
    });
    Ok(SharedChatPage {
        id,
        title: shared.title,
        owner: shared.owner,
        shared_at: shared.shared_at,
        expires_at: shared.expires_at,
        messages: transcript.await?,
        page: shared.page,
        pages: shared.pages,
        preview: shared.preview,
        is_signed_in: visit.caller.person.is_some(),
    })
}

fn shared_message(message: SharedMessage, files: &str, renderer: &mut TextRenderer) -> TranscriptMessage {
    TranscriptMessage { label: message.label, ..transcript(message.view, files, renderer) }
}

/// Converts a message to one that is only read; `files` is the path of its files.
pub fn transcript(view: MessageView, files: &str, renderer: &mut TextRenderer) -> TranscriptMessage {
    // Nothing of a transcript refers to its chat: it has no actions.
    let mut article = article(ChatId::new(Timestamp::from_millis(0), &[0; 10]), view, renderer);
    article.parts.retain(|part| !matches!(part, PartView::ContinueWith { .. }));
    for part in &mut article.parts {
        if let PartView::File { href: Some(href), .. } = part
            && let Some((_, sha256)) = href.rsplit_once('/')
        {
            *href = format!("{files}/{sha256}");
        }
    }
    TranscriptMessage { article, label: None }
}

pub async fn file(
    State(site): State<AppState>,
    visit: PageContext,
    Path((id, sha256)): Path<(String, String)>,
) -> Response {
    unlisted(match chats::shared_file(&site.hub, &visit.caller, &id, &sha256).await {
        Ok(file) => download::respond(file),
        Err(error) => visit.refuse(error),
    })
}

/// Returns the picture for previews of the link: the identicons of the agents in the chat.
pub async fn picture(State(site): State<AppState>, visit: PageContext, Path(id): Path<String>) -> Response {
    unlisted(match drawn(&site, &visit, &id).await {
        Ok(png) => ([(header::CONTENT_TYPE, "image/png")], png).into_response(),
        Err(error) => visit.refuse(error),
    })
}

async fn drawn(site: &AppState, visit: &PageContext, id: &str) -> Result<Vec<u8>, Error> {
    let shared = chats::shared(&site.hub, &visit.caller, id, 1).await?;
    let mut seeds: Vec<String> = Vec::new();
    for message in shared.messages {
        if let Author::Agent { seed, .. } = message.view.author
            && !seeds.contains(&seed)
        {
            seeds.push(seed);
        }
    }
    site.renderer.run(visit.caller.key(), move |_| social_picture::draw(&seeds)).await?.map_err(Error::fault)
}

/// Copies the shared chat to a chat of the caller, and opens that.
pub async fn go_on(State(site): State<AppState>, visit: PageContext, Path(id): Path<String>) -> Response {
    match chats::continue_shared(&site.hub, &visit.caller, &id).await {
        Ok(chat) => redirect_with_notice(&format!("/chat/{chat}"), "continued"),
        Err(error) => visit.refuse(error),
    }
}
