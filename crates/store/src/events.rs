//! Events: changes of a chat's structure, in the order its readers are told.

use plexus_domain::{ChatId, Timestamp, event::Event};
use sqlx::{query, query_as};

use crate::{
    Conn, Result, Tx, chats,
    column::{Column, record},
    conn::{execute, on},
};

record! {
    pub struct Row {
        pub seq: i64,
        pub payload: Event,
        pub at: Timestamp,
    }
}

/// Appends an event and gives its number, the SSE id that readers come back with.
pub async fn append(tx: &mut Tx, chat: ChatId, event: &Event, at: Timestamp) -> Result<i64> {
    let seq = chats::next_seq(tx, chat).await?;
    let (message, run) = event.subject();
    let text =
        "insert into events (chat, seq, kind, message, run, payload, at) values ($1, $2, $3, $4, $5, $6, $7)";
    execute!(
        tx,
        query(text)
            .bind(chat.uuid())
            .bind(seq)
            .bind(event.kind())
            .bind(message.to_column())
            .bind(run.to_column())
            .bind(event.to_column())
            .bind(at.millis())
    )?;
    Ok(seq)
}

/// At most `limit` events that follow `after`, in order.
pub async fn list_after(conn: &mut Conn, chat: ChatId, after: i64, limit: i64) -> Result<Vec<Row>> {
    let text = "select seq, payload, at from events where chat = $1 and seq > $2 order by seq limit $3";
    on!(conn, c => query_as(text).bind(chat.uuid()).bind(after).bind(limit).fetch_all(c))
}
