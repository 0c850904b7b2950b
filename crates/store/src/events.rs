//! Events: changes of a chat's structure, in the order its readers are told.

use plexus_domain::{ChatId, Timestamp, event::Event};
use sqlx::{AssertSqlSafe, query, query_as};

use crate::{
    Conn, Result, Tx, chats,
    column::{Column, record},
    conn::{execute, on, rows},
};

record! {
    pub struct Row {
        pub seq: i64,
        pub payload: Event,
        pub at: Timestamp,
    }
}

const COLUMNS: usize = 7;
/// How many rows one statement writes.
const CHUNK: usize = 32;

/// Appends events and gives the number of the first; the others follow. It is the SSE id that readers come back with.
pub async fn append(tx: &mut Tx, chat: ChatId, events: &[Event], at: Timestamp) -> Result<i64> {
    let count = i64::try_from(events.len()).unwrap_or(i64::MAX);
    let first = chats::next_seqs(tx, chat, count).await?;
    for (from, chunk) in (first..).step_by(CHUNK).zip(events.chunks(CHUNK)) {
        let text = format!(
            "insert into events (chat, seq, kind, message, run, payload, at) values {}",
            rows(chunk.len(), COLUMNS)
        );
        execute!(tx, {
            (from..).zip(chunk).fold(query(AssertSqlSafe(text.as_str())), |query, (seq, event)| {
                let (message, run) = event.subject();
                query
                    .bind(chat.uuid())
                    .bind(seq)
                    .bind(event.kind())
                    .bind(message.to_column())
                    .bind(run.to_column())
                    .bind(event.to_column())
                    .bind(at.millis())
            })
        })?;
    }
    Ok(first)
}

/// At most `limit` events that follow `after`, in order.
pub async fn list_after(conn: &mut Conn, chat: ChatId, after: i64, limit: i64) -> Result<Vec<Row>> {
    let text = "select seq, payload, at from events where chat = $1 and seq > $2 order by seq limit $3";
    on!(conn, c => query_as(text).bind(chat.uuid()).bind(after).bind(limit).fetch_all(c))
}
