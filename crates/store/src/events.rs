//! Chat events: structural changes of a chat, in the order in which subscribers receive them.

use plexus_domain::{ChatId, Timestamp, chat_event::Event};
use sqlx::query_as;

use crate::{
    Conn, Result,
    batch::StatementBatch,
    conn::{on, rows},
    sql_types::{SqlType, record},
};

record! {
    pub struct Row {
        pub seq: i64,
        pub payload: Event,
        pub recorded_at: Timestamp,
    }
}

const COLUMNS: usize = 7;
/// Maximum rows per insert statement.
const CHUNK: usize = 32;

/// Adds events with sequence numbers of their chat.
/// The sequence number is the SSE event id with which a subscriber resumes.
pub(crate) fn add(batch: &mut StatementBatch, chat: ChatId, events: &[(i64, Event)], at: Timestamp) {
    for chunk in events.chunks(CHUNK) {
        let columns = "insert into chat_events (chat, seq, kind, message, run, payload, recorded_at) values ";
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

/// Lists at most `limit` events after sequence number `after`, in order.
pub async fn list_after(conn: &mut Conn, chat: ChatId, after: i64, limit: i64) -> Result<Vec<Row>> {
    let text = "select seq, payload, recorded_at from chat_events where chat = $1 and seq > $2 order by seq limit $3";
    on!(conn, c => query_as(text).bind(chat.uuid()).bind(after).bind(limit).fetch_all(c))
}
