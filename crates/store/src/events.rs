//! Events: changes of a chat's structure, in the order its readers are told.

use plexus_domain::{ChatId, Timestamp, event::Event};
use sqlx::query_as;

use crate::{
    Conn, Result,
    batch::Batch,
    column::{Column, record},
    conn::{on, rows},
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

/// Adds events with numbers that their chat gave. A number is the SSE id that readers come back with.
pub(crate) fn add(batch: &mut Batch, chat: ChatId, events: &[(i64, Event)], at: Timestamp) {
    for chunk in events.chunks(CHUNK) {
        let columns = "insert into events (chat, seq, kind, message, run, payload, at) values ";
        batch.add(&format!("{columns}{}", rows(chunk.len(), COLUMNS)));
        for (seq, event) in chunk {
            let (message, run) = event.subject();
            batch
                .bind(chat.uuid())
                .bind(*seq)
                .bind(event.kind())
                .bind(message.to_column())
                .bind(run.to_column())
                .bind(event.to_column())
                .bind(at.millis());
        }
    }
}

/// At most `limit` events that follow `after`, in order.
pub async fn list_after(conn: &mut Conn, chat: ChatId, after: i64, limit: i64) -> Result<Vec<Row>> {
    let text = "select seq, payload, at from events where chat = $1 and seq > $2 order by seq limit $3";
    on!(conn, c => query_as(text).bind(chat.uuid()).bind(after).bind(limit).fetch_all(c))
}
