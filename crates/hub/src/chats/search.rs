//! Full-text search over the caller's chats.

use std::collections::{HashMap, hash_map::Entry};

use plexus_domain::{ChatId, Error as Refusal, MessageId, PrincipalId, Timestamp, page::PageSize, tokenize};
use plexus_store::{
    Conn, chats, members,
    message_terms::{self, MatchCursor, MessageMatch, SearchTerm},
    messages,
};

use super::snippet::{SnippetPiece, snippet};
use crate::{
    Caller, Hub, Result,
    caller::Scope,
    limits::Rate,
    message_views::{self, Author},
};

/// Maximum length of a search in characters.
const MAX_WORDS: usize = 200;
/// Chats whose titles are searched: the most recently active.
const SEARCHED_TITLES: u32 = 1_000;
/// Maximum number of chats that are found by their titles.
const MAX_TITLES: usize = 5;

/// A page of the results of a search.
#[derive(Default)]
pub struct ChatSearchResults {
    /// Chats whose titles have all words; only on the first page.
    pub chats: Vec<FoundChat>,
    /// Messages that have all words, newest first.
    pub messages: Vec<FoundMessage>,
    /// Cursor of the next page.
    pub next: Option<MatchCursor>,
}

pub struct FoundChat {
    pub id: ChatId,
    pub title: String,
    pub at: Timestamp,
}

pub struct FoundMessage {
    pub id: MessageId,
    pub chat: ChatId,
    /// Title of the chat.
    pub title: String,
    pub author: Author,
    /// Agents of the chat.
    pub agents: Vec<Author>,
    pub at: Timestamp,
    pub snippet: Vec<SnippetPiece>,
}

/// Searches titles and messages of the caller's chats. A message matches if it has all words; the last word may be
/// incomplete. Rate limited per caller.
pub async fn search(
    hub: &Hub,
    caller: &Caller,
    words: &str,
    after: Option<MatchCursor>,
) -> Result<ChatSearchResults> {
    let person = caller.may(Scope::Read)?;
    if words.chars().count() > MAX_WORDS {
        return Err(Refusal::invalid("q", format!("Search for at most {MAX_WORDS} characters.")).into());
    }
    hub.limits().take(Rate::Searches, &caller.key())?;
    let terms = message_terms::search_terms(words);
    let size = PageSize::DEFAULT;
    let mut conn = hub.store().snapshot().await?;
    let found = message_terms::search(&mut conn, person.principal, &terms, after, size).await?;
    let next = found.last().filter(|_| found.len() == usize::from(size.rows())).map(MessageMatch::cursor);
    let chats = match after {
        None => by_title(&mut conn, person.principal, &terms).await?,
        Some(_) => Vec::new(),
    };
    Ok(ChatSearchResults { chats, messages: described(&mut conn, found, &terms).await?, next })
}

async fn by_title(conn: &mut Conn, member: PrincipalId, terms: &[SearchTerm]) -> Result<Vec<FoundChat>> {
    if terms.is_empty() {
        return Ok(Vec::new());
    }
    let titles = chats::list_titles(conn, member, SEARCHED_TITLES).await?;
    let found = titles.into_iter().filter(|chat| has_terms(chat.title.as_str(), terms)).take(MAX_TITLES);
    Ok(found
        .map(|chat| FoundChat { id: chat.id, title: chat.title.into(), at: chat.last_activity_at })
        .collect())
}

fn has_terms(text: &str, terms: &[SearchTerm]) -> bool {
    let tokens = tokenize::index_tokens(text);
    terms.iter().all(|term| {
        tokens
            .iter()
            .any(|token| token.text == term.text || (term.is_prefix && token.text.starts_with(&term.text)))
    })
}

/// Loads texts, authors and agents of the matches.
async fn described(
    conn: &mut Conn,
    found: Vec<MessageMatch>,
    terms: &[SearchTerm],
) -> Result<Vec<FoundMessage>> {
    let ids: Vec<MessageId> = found.iter().map(|found| found.message).collect();
    let texts = messages::load(conn, &ids).await?;
    let texts: HashMap<_, _> = texts.into_iter().map(|message| (message.id, message.parts)).collect();
    let mut members_of: HashMap<ChatId, Vec<PrincipalId>> = HashMap::new();
    for found in &found {
        if let Entry::Vacant(place) = members_of.entry(found.chat) {
            let members = members::list_by_chat(conn, found.chat).await?;
            place.insert(members.into_iter().map(|member| member.principal).collect());
        }
    }
    let shown = members_of.values().flatten().copied().chain(found.iter().map(|found| found.author));
    let authors = message_views::authors(conn, shown).await?;
    let is_agent = |author: &&Author| matches!(author, Author::Agent { .. });
    let described = |found: MessageMatch| {
        let members = members_of.get(&found.chat).into_iter().flatten();
        let texts: Vec<&str> = texts
            .get(&found.message)
            .map(|parts| message_terms::searched_texts(parts).collect())
            .unwrap_or_default();
        FoundMessage {
            id: found.message,
            chat: found.chat,
            title: found.title.into(),
            author: authors.get(&found.author).cloned().unwrap_or(Author::Gone),
            agents: members.filter_map(|id| authors.get(id)).filter(is_agent).cloned().collect(),
            at: found.created_at,
            snippet: snippet(&texts.join(" "), terms),
        }
    };
    Ok(found.into_iter().map(described).collect())
}
