//! Page `/settings/shares`: the user's share links, and the export and import of chats.

use axum::{extract::State, response::Response};
use plexus_app::view_models::{
    Form,
    shared_chat::{ShareLinkRow, ShareLinksPage},
};
use plexus_hub::{
    Error,
    caller::Caller,
    chats::{self, ChatShareLink},
};

use crate::{
    app_state::AppState,
    chat_export,
    pages::shared_chat::url,
    web::{
        form::Fields,
        page::{PageContext, redirect_with_notice},
    },
};

pub async fn show(State(site): State<AppState>, visit: PageContext) -> Response {
    let page = page(&site, &visit.caller).await;
    visit.show_or_refuse(page)
}

pub(super) async fn page(site: &AppState, caller: &Caller) -> Result<ShareLinksPage, Error> {
    let links = chats::list_share_links(&site.hub, caller, None).await?;
    let links = links.into_iter().map(|link| row(site, link)).collect();
    Ok(ShareLinksPage { links, imported: None, form: Form::default() })
}

/// Converts a link to a row of a table.
pub fn row(site: &AppState, link: ChatShareLink) -> ShareLinkRow {
    ShareLinkRow {
        url: url(site, &link.id),
        id: link.id,
        chat: link.chat,
        title: link.title.into(),
        created: link.created_at,
        expires: link.expires_at,
    }
}

/// Revokes a link and returns to the page with the button.
pub async fn revoke(State(site): State<AppState>, visit: PageContext, fields: Fields) -> Response {
    match chats::revoke_share_link(&site.hub, &visit.caller, fields.get("id")).await {
        Ok(()) => {
            let chat = fields.get("back").strip_prefix("/chat/").and_then(|rest| rest.strip_suffix("/share"));
            let back = chat.and_then(|chat| chat.parse::<plexus_domain::ChatId>().ok());
            let back =
                back.map_or_else(|| "/settings/shares".to_owned(), |chat| format!("/chat/{chat}/share"));
            redirect_with_notice(&back, "share-revoked")
        }
        Err(error) => visit.refuse(error),
    }
}

/// Returns all chats of the user as one file.
pub async fn export(State(site): State<AppState>, visit: PageContext) -> Response {
    chat_export::all(&site, &visit.caller).await.unwrap_or_else(|error| visit.refuse(error))
}
