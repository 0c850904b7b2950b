//! Page `/chat/search`: search over the viewer's chats.

use axum::{
    extract::{Query, State},
    response::Response,
};
use plexus_app::{
    text,
    view_models::{
        Locale,
        chat::ChatItem,
        chat_search::{ChatSearchPage, FoundMessage},
    },
};
use plexus_domain::PrincipalId;
use plexus_hub::{
    Error,
    chats::{self, ChatSearchResults, FoundChat},
    views::Author,
};
use serde::Deserialize;
use url::form_urlencoded;

use super::sidebar;
use crate::{
    api::chat_search::{cursor, token},
    app_state::AppState,
    web::page::PageContext,
};

#[derive(Deserialize)]
pub struct ChatSearchPageQuery {
    #[serde(default)]
    q: String,
    after: Option<String>,
}

pub async fn show(
    State(site): State<AppState>,
    visit: PageContext,
    Query(query): Query<ChatSearchPageQuery>,
) -> Response {
    let page = page(&site, &visit, query).await;
    visit.show_or_refuse(page)
}

/// Builds the page. An invalid cursor means the first page; an invalid search is shown with its error.
async fn page(
    site: &AppState,
    visit: &PageContext,
    query: ChatSearchPageQuery,
) -> Result<ChatSearchPage, Error> {
    let (hub, caller) = (&site.hub, &visit.caller);
    let sidebar = sidebar(hub, caller).await?;
    let words = query.q.trim().to_owned();
    let after = query.after.and_then(|after| cursor(&after).ok());
    let (found, error) = match chats::search(hub, caller, &words, after).await {
        Ok(found) => (found, None),
        Err(Error::Refused(refusal)) => (ChatSearchResults::default(), Some(refusal.to_string())),
        Err(fault) => return Err(fault),
    };
    let viewer = caller.person.as_ref().map(|person| person.principal);
    Ok(ChatSearchPage {
        sidebar,
        older: found.next.map(|next| page_href(&words, &token(next))),
        chats: found.chats.into_iter().map(found_chat).collect(),
        messages: found
            .messages
            .into_iter()
            .map(|found| message(found, viewer, visit.frame().locale))
            .collect(),
        words,
        error,
    })
}

fn page_href(words: &str, after: &str) -> String {
    let query = form_urlencoded::Serializer::new(String::new())
        .append_pair("q", words)
        .append_pair("after", after)
        .finish();
    format!("/chat/search?{query}")
}

fn found_chat(found: FoundChat) -> ChatItem {
    ChatItem {
        id: found.id,
        title: found.title,
        at: found.at,
        running: false,
        waiting: false,
        pinned: false,
        folder: None,
        is_room: false,
        is_unread: false,
    }
}

/// Converts a result for this viewer and language.
fn message(found: chats::FoundMessage, viewer: Option<PrincipalId>, locale: Locale) -> FoundMessage {
    let agents = found.agents.iter().filter_map(|agent| match agent {
        Author::Agent { name, .. } => Some(name.as_str()),
        Author::Person { .. } | Author::Imported { .. } | Author::Gone => None,
    });
    let author = match &found.author {
        Author::Person { id, .. } if Some(*id) == viewer => {
            let to = agents.collect::<Vec<_>>().join(&text!(locale => "list-separator"));
            if to.is_empty() { text!(locale => "you") } else { text!(locale => "search-you-to", agents = to) }
        }
        Author::Person { name, .. } | Author::Agent { name, .. } => name.clone(),
        Author::Imported { label } => label.clone(),
        Author::Gone => text!(locale => "deleted-account"),
    };
    let seed = [&found.author].into_iter().chain(&found.agents).find_map(|author| match author {
        Author::Agent { seed, .. } => Some(seed.clone()),
        Author::Person { .. } | Author::Imported { .. } | Author::Gone => None,
    });
    FoundMessage {
        href: format!("/chat/{}?m={}#m-{}", found.chat, found.id, found.id),
        title: found.title,
        seed: seed.unwrap_or_default(),
        author,
        at: found.at,
        snippet: found.snippet.into_iter().map(|piece| (piece.text, piece.is_match)).collect(),
    }
}
