//! Full-text search over the caller's chats.

use std::collections::{HashMap, hash_map::Entry};

use plexus_domain::{
    ChatId, Error as Refusal, MessageId, Part, PrincipalId, Timestamp, page::PageSize, tokenize,
};
use plexus_store::{
    Conn, chats, members,
    message_terms::{self, MatchCursor, MessageMatch, SearchTerm},
    messages,
};

use super::{
    quoted_phrase::QuotedPhrase,
    snippet::{SnippetPiece, snippet},
};
use crate::{Caller, Hub, Result, caller::Scope, limits::Rate, message_views, views::Author};

/// Maximum length of a search in characters.
const MAX_WORDS: usize = 200;
/// Chats whose titles are searched: the most recently active.
const SEARCHED_TITLES: u32 = 1_000;
/// Maximum number of chats that are found by their titles.
const MAX_TITLES: usize = 5;
/// Maximum number of pages of the index that are read for a page of messages with a quoted phrase.
const MAX_PAGES_READ: usize = 8;

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

/// Searches titles and messages of the caller's chats. A message matches if it has all words and quoted phrases; the last
/// word may be incomplete. Rate limited per caller.
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
    let phrases = QuotedPhrase::all_of(words);
    let mut conn = hub.store().snapshot().await?;
    let (found, next) = matches(&mut conn, person.principal, &terms, &phrases, after).await?;
    let chats = match after {
        None => by_title(&mut conn, person.principal, &terms, &phrases).await?,
        Some(_) => Vec::new(),
    };
    Ok(ChatSearchResults { chats, messages: described(&mut conn, found, &terms).await?, next })
}

/// Returns a page of matches and the cursor of the next page. With phrases, a page may have fewer.
async fn matches(
    conn: &mut Conn,
    member: PrincipalId,
    terms: &[SearchTerm],
    phrases: &[QuotedPhrase],
    mut after: Option<MatchCursor>,
) -> Result<(Vec<MessageMatch>, Option<MatchCursor>)> {
    let size = usize::from(PageSize::DEFAULT.rows());
    let mut matches = Vec::new();
    for _ in 0..MAX_PAGES_READ {
        let found = message_terms::search(conn, member, terms, after, PageSize::DEFAULT).await?;
        let is_last = found.len() < size;
        let texts = if phrases.is_empty() { HashMap::new() } else { texts(conn, &found).await? };
        for one in found {
            after = Some(one.cursor());
            if phrases.is_empty()
                || texts.get(&one.message).is_some_and(|text| QuotedPhrase::are_in(phrases, text))
            {
                matches.push(one);
                if matches.len() == size {
                    return Ok((matches, after.filter(|_| !is_last || !phrases.is_empty())));
                }
            }
        }
        if is_last {
            return Ok((matches, None));
        }
    }
    Ok((matches, after))
}

/// Loads the searched texts of messages.
async fn texts(conn: &mut Conn, found: &[MessageMatch]) -> Result<HashMap<MessageId, String>> {
    let ids: Vec<MessageId> = found.iter().map(|found| found.message).collect();
    let messages = messages::load(conn, &ids).await?;
    let text = |parts: &[Part]| message_terms::searched_texts(parts).collect::<Vec<_>>().join(" ");
    Ok(messages.into_iter().map(|message| (message.id, text(&message.parts))).collect())
}

async fn by_title(
    conn: &mut Conn,
    member: PrincipalId,
    terms: &[SearchTerm],
    phrases: &[QuotedPhrase],
) -> Result<Vec<FoundChat>> {
    if terms.is_empty() {
        return Ok(Vec::new());
    }
    let titles = chats::list_titles(conn, member, SEARCHED_TITLES).await?;
    let is_match = |title: &str| has_terms(title, terms) && QuotedPhrase::are_in(phrases, title);
    let found = titles.into_iter().filter(|chat| is_match(chat.title.as_str())).take(MAX_TITLES);
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
    let texts = texts(conn, &found).await?;
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
        let text = texts.get(&found.message).map(String::as_str).unwrap_or_default();
        FoundMessage {
            id: found.message,
            chat: found.chat,
            title: found.title.into(),
            author: authors.get(&found.author).cloned().unwrap_or(Author::Gone),
            agents: members.filter_map(|id| authors.get(id)).filter(is_agent).cloned().collect(),
            at: found.created_at,
            snippet: snippet(text, terms),
        }
    };
    Ok(found.into_iter().map(described).collect())
}
