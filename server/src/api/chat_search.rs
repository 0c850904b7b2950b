//! Full-text search over the caller's chats.

use axum::{
    Json,
    extract::{Query, State},
};
use plexus_domain::{ChatId, Error as Refusal, MessageId, Timestamp};
use plexus_hub::{
    Caller, Error, Hub,
    caller::Scope,
    chats::{self, FoundChat, FoundMessage, SnippetPiece},
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::messages::Author;
use crate::{
    app_state::AppState,
    web::{auth::ApiCaller, error::ApiResult, search_cursor},
};

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ChatSearchQuery {
    /// Words to search for, at most 200 characters. The last word may be incomplete.
    #[param(max_length = 200)]
    q: Option<String>,
    /// The `next` of the previous page.
    after: Option<String>,
}

/// Searches the messages of your chats, newest first. A message is found if it has all words.
#[utoipa::path(get, path = "/chats/search", operation_id = "chats.search", tag = "Chats", params(ChatSearchQuery),
    security(("token" = ["read"])), responses((status = OK, description = "A page of the \
        results.", body = ChatSearchResults)))]
pub async fn search(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
    Query(query): Query<ChatSearchQuery>,
) -> ApiResult<Json<ChatSearchResults>> {
    let words = query.q.unwrap_or_default();
    Ok(Json(found(&site.hub, &caller, &words, query.after.as_deref()).await?))
}

/// Returns a page of results, starting after the cursor.
pub async fn found(
    hub: &Hub,
    caller: &Caller,
    words: &str,
    after: Option<&str>,
) -> Result<ChatSearchResults, Error> {
    // Check the scope first, so that a missing permission takes precedence over an invalid cursor.
    caller.may(Scope::Read)?;
    let after = after.map(cursor).transpose()?;
    let found = chats::search(hub, caller, words, after).await?;
    Ok(ChatSearchResults {
        chats: found.chats.into_iter().map(FoundChatJson::from).collect(),
        items: found.messages.into_iter().map(FoundMessageJson::from).collect(),
        next: found.next.map(token),
    })
}

/// Parses a cursor of [`token`].
pub fn cursor(text: &str) -> Result<(Timestamp, MessageId), Refusal> {
    let parse = || {
        let (millis, message) = text.split_once('-')?;
        Some((Timestamp::from_millis(millis.parse().ok()?), message.parse().ok()?))
    };
    parse().ok_or_else(search_cursor::not_a_cursor)
}

pub fn token((at, message): (Timestamp, MessageId)) -> String {
    format!("{}-{message}", at.millis())
}

#[derive(Serialize, ToSchema)]
pub struct ChatSearchResults {
    /// Chats whose titles have all words, at most five; only on the first page.
    chats: Vec<FoundChatJson>,
    items: Vec<FoundMessageJson>,
    /// Pass it as `after` to get the next page; null on the last page.
    #[schema(required)]
    next: Option<String>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = FoundChat)]
struct FoundChatJson {
    id: ChatId,
    title: String,
    /// Time of the last message.
    last_activity: Timestamp,
}

impl From<FoundChat> for FoundChatJson {
    fn from(found: FoundChat) -> Self {
        Self { id: found.id, title: found.title, last_activity: found.at }
    }
}

#[derive(Serialize, ToSchema)]
#[schema(as = FoundMessage)]
struct FoundMessageJson {
    chat: ChatId,
    /// Title of the chat.
    title: String,
    message: MessageId,
    author: Author,
    created: Timestamp,
    /// Text around the first match, in pieces.
    snippet: Vec<SnippetPieceJson>,
}

impl From<FoundMessage> for FoundMessageJson {
    fn from(found: FoundMessage) -> Self {
        Self {
            chat: found.chat,
            title: found.title,
            message: found.id,
            author: found.author.into(),
            created: found.at,
            snippet: found.snippet.into_iter().map(SnippetPieceJson::from).collect(),
        }
    }
}

#[derive(Serialize, ToSchema)]
#[schema(as = SnippetPiece)]
struct SnippetPieceJson {
    text: String,
    /// Whether it is one of the words.
    #[serde(rename = "match")]
    is_match: bool,
}

impl From<SnippetPiece> for SnippetPieceJson {
    fn from(piece: SnippetPiece) -> Self {
        Self { text: piece.text, is_match: piece.is_match }
    }
}
