//! Terms of messages: the full-text index for the search over chats.
//!
//! Rows are written and deleted in the transaction that writes or deletes the message. On SQLite, triggers
//! copy them to an FTS5 table; on Postgres, a GIN index covers them.

use std::{borrow::Cow, collections::HashSet, fmt::Write as _};

use plexus_domain::{
    ChatId, MessageId, Part, PartBody, PrincipalId, Timestamp, chat::Title, page::PageSize, tokenize,
};
use sqlx::{query, query_as, query_scalar};
use uuid::Uuid;

use crate::{
    Conn, Result, Tx,
    batch::StatementBatch,
    conn::{DriverConn, execute, on},
    members, parts,
    sql_types::record,
};

/// Maximum bytes of a message that are indexed, from its beginning.
pub const MAX_INDEXED_BYTES: usize = 64 << 10;
/// Maximum terms of a search; more are ignored.
const MAX_TERMS: usize = 32;
/// Minimum length in characters of a last word that matches as a prefix.
const MIN_PREFIX: usize = 3;

/// First character of the area of private use.
const PRIVATE_USE: u32 = 0xe000;

/// A term that a message must have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchTerm {
    /// Normalized by [`tokenize::fold`].
    pub text: String,
    /// Whether longer words that begin with the term match as well.
    pub is_prefix: bool,
}

/// Returns the terms of a search. The last word matches as a prefix, because it may be incomplete.
pub fn search_terms(words: &str) -> Vec<SearchTerm> {
    let tokens = tokenize::query_tokens(words);
    let last = tokens.len().saturating_sub(1);
    let term = |(at, token): (usize, tokenize::Token)| SearchTerm {
        is_prefix: token.alone || (at == last && token.text.chars().count() >= MIN_PREFIX),
        text: token.text,
    };
    let mut terms: Vec<SearchTerm> = tokens.into_iter().enumerate().map(term).collect();
    terms.truncate(MAX_TERMS);
    terms
}

/// Returns the texts of a message that are searched: its text parts and the names of its parts.
pub fn searched_texts(parts: &[Part]) -> impl Iterator<Item = &str> {
    parts.iter().flat_map(|part| {
        let text = match &part.content {
            PartBody::Text { text } => Some(text.as_str()),
            _ => None,
        };
        text.into_iter().chain(part.name.as_deref())
    })
}

/// Adds the terms of a message that is in the batch or the database. Does nothing for a chat that is not in the chat list.
pub(crate) fn add(batch: &mut StatementBatch, message: MessageId, parts: &[Part]) {
    let terms = terms(parts);
    if !terms.is_empty() {
        let text = "insert into message_terms (message, owner, terms) \
                    select messages.id, chats.creator, $2 from messages join chats on chats.id = messages.chat \
                    where messages.id = $1 and chats.kind in ('direct', 'room') and delete_after_ms is null \
                    on conflict (message) do nothing";
        batch.add(text).bind(message.uuid()).bind(terms);
    }
}

/// Returns the distinct terms of a message, separated by spaces.
fn terms(parts: &[Part]) -> String {
    let mut known = HashSet::new();
    let mut terms = String::new();
    let mut left = MAX_INDEXED_BYTES;
    for text in searched_texts(parts) {
        let text = &text[..text.floor_char_boundary(left)];
        left -= text.len();
        for token in tokenize::index_tokens(text) {
            if !known.contains(&token.text) {
                if !terms.is_empty() {
                    terms.push(' ');
                }
                terms.push_str(&stored(&token.text));
                known.insert(token.text);
            }
        }
    }
    terms
}

/// Returns a term as it is stored: the tokenizer of the index and the query languages know letters, digits and what is not
/// ASCII, so that symbols of ASCII are stored as characters of private use.
fn stored(term: &str) -> Cow<'_, str> {
    let is_symbol = |c: char| c.is_ascii() && !c.is_ascii_alphanumeric();
    match term.contains(is_symbol) {
        false => term.into(),
        true => term
            .chars()
            .map(|c| if is_symbol(c) { char::from_u32(PRIVATE_USE + u32::from(c)).unwrap_or(c) } else { c })
            .collect(),
    }
}

pub(crate) async fn delete(tx: &mut Tx, message: MessageId) -> Result<()> {
    execute!(tx, query("delete from message_terms where message = $1").bind(message.uuid()))?;
    Ok(())
}

/// Removes the messages of a chat from the index, and marks them as not indexed.
pub(crate) async fn reset_chat(tx: &mut Tx, chat: ChatId) -> Result<()> {
    let delete = "delete from message_terms where message in (select id from messages where chat = $1)";
    execute!(tx, query(delete).bind(chat.uuid()))?;
    let insert = "insert into unindexed_messages (message) select id from messages \
                  where chat = $1 and state in ('done', 'stopped', 'failed') on conflict (message) do nothing";
    execute!(tx, query(insert).bind(chat.uuid()))?;
    Ok(())
}

/// Lists at most `limit` messages that were written before there was an index, or whose chat has a new creator.
pub async fn list_unindexed(conn: &mut Conn, limit: u32) -> Result<Vec<MessageId>> {
    let text = "select message from unindexed_messages limit $1";
    let found: Vec<Uuid> = on!(conn, c => query_scalar(text).bind(i64::from(limit)).fetch_all(c))?;
    Ok(found.into_iter().map(MessageId::from_uuid).collect())
}

/// Indexes messages of [`list_unindexed`]. Idempotent: another instance may have indexed them meanwhile.
pub async fn index(tx: &mut Tx, messages: &[MessageId]) -> Result<()> {
    let mut parts = parts::by_message(tx, messages).await?;
    let mut batch = StatementBatch::of(tx);
    for id in messages {
        // Those of an earlier tokenizer have terms.
        batch.add("delete from message_terms where message = $1").bind(id.uuid());
        add(&mut batch, *id, &parts.remove(id).unwrap_or_default());
        batch.add("delete from unindexed_messages where message = $1").bind(id.uuid());
    }
    batch.execute(tx).await.map(drop)
}

record! {
    /// A message that has all terms of a search.
    pub struct MessageMatch {
        pub message: MessageId,
        pub chat: ChatId,
        pub title: Title,
        pub author: PrincipalId,
        pub created_at: Timestamp,
    }
}

/// Page cursor of a search: the last message of a page.
pub type MatchCursor = (Timestamp, MessageId);

impl MessageMatch {
    pub const fn cursor(&self) -> MatchCursor {
        (self.created_at, self.message)
    }
}

/// Matches of a search before the page and the membership are applied, on SQLite: those indexed last.
/// A search for common words stays cheap.
macro_rules! max_matches {
    () => {
        "5000"
    };
}

macro_rules! select_matches {
    ($candidates:expr) => {
        concat!(
            "select messages.id as message, messages.chat, chats.title, messages.author, messages.created_at from (",
            $candidates,
            ") as found join messages on messages.id = found.message join chats on chats.id = messages.chat \
             join chat_members on chat_members.chat = chats.id and chat_members.principal = $1 \
             and chat_members.left_at is null \
             where messages.created_at < $3 or (messages.created_at = $3 and messages.id < $4) \
             order by messages.created_at desc, messages.id desc limit $5"
        )
    };
}

const SQLITE_SEARCH: &str = select_matches!(concat!(
    "select message_index_rows.message from message_index \
     join message_index_rows on message_index_rows.id = message_index.rowid \
     where message_index match $2 order by message_index.rowid desc limit ",
    max_matches!()
));
const POSTGRES_SEARCH: &str = select_matches!(
    "select message from message_terms where \
     array_to_tsvector(string_to_array(replace(owner::text, '-', '') || ' ' || terms, ' ')) @@ cast($2 as tsquery)"
);

/// Maximum number of owners of the rooms of a member whose messages a search reads.
const MAX_OWNERS: u32 = 100;

/// Lists the messages of the member's chats that have all terms, newest first.
pub async fn search(
    conn: &mut Conn,
    member: PrincipalId,
    terms: &[SearchTerm],
    after: Option<MatchCursor>,
    size: PageSize,
) -> Result<Vec<MessageMatch>> {
    if terms.is_empty() {
        return Ok(Vec::new());
    }
    let (at, id) =
        after.unwrap_or((Timestamp::from_millis(i64::MAX), MessageId::from_uuid(uuid::Uuid::max())));
    // The index knows the creator of a chat, not its members.
    let mut owners = members::list_room_owners(conn, member, MAX_OWNERS).await?;
    owners.push(member);
    let (text, asked) = match conn.raw() {
        DriverConn::Sqlite(_) => (SQLITE_SEARCH, fts5_query(&owners, terms)),
        DriverConn::Postgres(_) => (POSTGRES_SEARCH, tsquery(&owners, terms)),
    };
    on!(conn, c => query_as(text)
        .bind(member.uuid())
        .bind(asked.as_str())
        .bind(at.millis())
        .bind(id.uuid())
        .bind(i64::from(size.rows()))
        .fetch_all(c))
}

/// Returns the FTS5 query: all terms. Terms as they are stored need no escaping.
fn fts5_query(owners: &[PrincipalId], terms: &[SearchTerm]) -> String {
    let owners: Vec<String> = owners.iter().map(|id| format!("\"{}\"", id.uuid().simple())).collect();
    let mut query = format!("({})", owners.join(" OR "));
    for SearchTerm { text, is_prefix } in terms {
        let _ = write!(query, " AND \"{}\"{}", stored(text), if *is_prefix { " *" } else { "" });
    }
    query
}

/// Returns the text of the Postgres `tsquery`: all terms.
fn tsquery(owners: &[PrincipalId], terms: &[SearchTerm]) -> String {
    let owners: Vec<String> = owners.iter().map(|id| format!("'{}'", id.uuid().simple())).collect();
    let mut query = format!("({})", owners.join(" | "));
    for SearchTerm { text, is_prefix } in terms {
        let _ = write!(query, " & '{}'{}", stored(text), if *is_prefix { ":*" } else { "" });
    }
    query
}

#[cfg(test)]
mod tests {
    use plexus_domain::message::MessageState;

    use super::*;
    use crate::{chats, messages, on_both, testing::World};

    async fn found(conn: &mut Conn, member: PrincipalId, words: &str) -> Vec<MessageId> {
        let matches = search(conn, member, &search_terms(words), None, PageSize::DEFAULT).await.unwrap();
        matches.into_iter().map(|found| found.message).collect()
    }

    on_both! {
        async fn older_messages_are_indexed_in_steps_and_deleted_with_their_chat(store: Store) {
            let mut world = World::new(store);
            let (ada, eve) = (world.person("ada").await, world.person("eve").await);
            let chat = world.chat(&ada, &[]).await;
            let texts =
                ["Low tide at Büsum", "明日の天気予報", "The tides of Husum", "C++ on .NET for $5 👍🏽"];
            let mut said = Vec::new();
            for text in texts {
                said.push(world.say(chat, ada.principal, None, text).await);
            }
            let mut tx = world.write().await;
            execute!(tx, query("insert into unindexed_messages select id from messages")).unwrap();
            assert_eq!(found(&mut tx, ada.principal, "tide").await, []);
            for left in [4, 2] {
                let some = list_unindexed(&mut tx, 2).await.unwrap();
                assert_eq!(some.len(), left.min(2));
                index(&mut tx, &some).await.unwrap();
            }
            assert_eq!(list_unindexed(&mut tx, 2).await.unwrap(), []);
            tx.commit().await.unwrap();

            let mut tx = world.write().await;
            for (words, places) in [
                ("tide", vec![2, 0]),
                ("TIDE busum", vec![0]),
                ("tide of", vec![]),
                ("天気", vec![1]),
                ("気予報", vec![1]),
                ("予", vec![1]),
                ("天報", vec![]),
                ("\" OR * tide", vec![]),
                ("' | ':* &", vec![]),
                ("c++", vec![3]),
                ("C", vec![3]),
                ("c#", vec![]),
                (".NET", vec![3]),
                ("👍", vec![3]),
                ("👍🏽", vec![3]),
                ("👍🏿", vec![]),
                ("$", vec![3]),
                ("???", vec![]),
                ("", vec![]),
            ] {
                let expected: Vec<_> = places.into_iter().map(|place: usize| said[place]).collect();
                assert_eq!(found(&mut tx, ada.principal, words).await, expected, "{words}");
            }
            assert_eq!(found(&mut tx, eve.principal, "tide").await, [], "not a member");

            assert!(messages::erase(&mut tx, said[0]).await.unwrap());
            assert_eq!(found(&mut tx, ada.principal, "tide").await, [said[2]]);
            assert!(chats::delete(&mut tx, chat).await.unwrap());
            assert_eq!(found(&mut tx, ada.principal, "tide").await, []);
            let left: i64 = on!(tx, c => query_scalar("select count(*) from message_terms").fetch_one(c)).unwrap();
            assert_eq!(left, 0);
            tx.commit().await.unwrap();
        }

        async fn an_answer_is_found_once_it_has_ended(store: Store) {
            let mut world = World::new(store);
            let ada = world.person("ada").await;
            let agent = world.agent(&ada, "@ada/tides").await;
            let chat = world.chat(&ada, &[&agent]).await;
            let question = world.say(chat, ada.principal, None, "When?").await;
            let (_, answer) = world.run(&ada, &agent, chat, question, 1).await;
            let mut tx = world.write().await;
            let file = Part { name: Some("harbour.pdf".to_owned()), ..Part::text("At noon.") };
            assert!(messages::finish(&mut tx, answer, MessageState::Done, &[file]).await.unwrap());
            assert_eq!(found(&mut tx, ada.principal, "noon").await, [answer]);
            assert_eq!(found(&mut tx, ada.principal, "harbour").await, [answer]);
            tx.commit().await.unwrap();
        }
    }

    #[test]
    fn the_indexed_part_of_a_message_is_bounded() {
        let long = format!("begin {} end", "word ".repeat(MAX_INDEXED_BYTES));
        assert_eq!(terms(&[Part::text(long)]), "begin word");
        assert_eq!(search_terms(&"a b c ".repeat(MAX_TERMS)).len(), MAX_TERMS);
    }
}
