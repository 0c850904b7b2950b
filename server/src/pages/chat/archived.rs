//! Page `/chat/archived`: the viewer's archived chats.

use axum::{
    extract::{Query, State},
    response::Response,
};
use plexus_app::view_models::chat::ArchivedChatsPage;
use plexus_hub::{Error, caller::Caller, chats};
use serde::Deserialize;

use super::{chat_item, sidebar};
use crate::{
    api::chats::{cursor, token},
    app_state::AppState,
    web::page::PageContext,
};

#[derive(Deserialize)]
pub struct ArchivedQuery {
    after: Option<String>,
}

pub async fn show(
    State(site): State<AppState>,
    visit: PageContext,
    Query(query): Query<ArchivedQuery>,
) -> Response {
    let page = page(&site, &visit.caller, query.after.as_deref()).await;
    visit.show_or_refuse(page)
}

/// Builds the page. An invalid cursor means the first page.
async fn page(site: &AppState, caller: &Caller, after: Option<&str>) -> Result<ArchivedChatsPage, Error> {
    let after = after.and_then(|after| cursor(after).ok());
    let (chats, next) = chats::list(&site.hub, caller, true, after).await?;
    Ok(ArchivedChatsPage {
        sidebar: sidebar(&site.hub, caller).await?,
        chats: chats.into_iter().map(chat_item).collect(),
        older: next.map(|next| format!("/chat/archived?after={}", token(next))),
    })
}
