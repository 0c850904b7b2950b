//! Outbox: outgoing messages, enqueued in the transaction that decides on them.

use plexus_domain::{OutboxId, Timestamp};
use sqlx::{query, query_as, query_scalar};

use crate::{
    Conn, Result, Tx,
    conn::{DriverConn, execute, on},
    sql_types::record,
};

record! {
    /// Queued outgoing message.
    pub struct OutboxMessage {
        pub id: OutboxId,
        /// Recipient, in a format that the sender defines.
        pub target: String,
        pub kind: String,
        pub payload: Vec<u8>,
        pub due_at: Timestamp,
        /// Number of attempts. Also the fencing token of a lease: its sender owns the message until another
        /// attempt begins.
        pub attempts: i64,
    }
}

macro_rules! lease {
    ($lock:literal) => {
        concat!(
            "update outbox set due_at = $2, attempts = attempts + 1 where id in \
             (select id from outbox where kind = $4 and due_at <= $1 order by due_at, id limit $3 ",
            $lock,
            ") returning id, target, kind, payload, due_at, attempts"
        )
    };
}

/// Enqueues a message; `new.attempts` is ignored.
pub async fn insert(tx: &mut Tx, new: &OutboxMessage) -> Result<()> {
    let text =
        "insert into outbox (id, target, kind, payload, due_at, attempts) values ($1, $2, $3, $4, $5, 0)";
    execute!(
        tx,
        query(text)
            .bind(new.id.uuid())
            .bind(&new.target)
            .bind(&new.kind)
            .bind(new.payload.as_slice())
            .bind(new.due_at.millis())
    )?;
    Ok(())
}

/// Leases at most `limit` due messages of this kind. Those not deleted become due again at `until`. Commit
/// before sending.
pub async fn lease(
    tx: &mut Tx,
    kind: &str,
    now: Timestamp,
    until: Timestamp,
    limit: i64,
) -> Result<Vec<OutboxMessage>> {
    let (now, until) = (now.millis(), until.millis());
    let result = match tx.raw() {
        // SQLite has a single writer, so no row lock is needed.
        DriverConn::Sqlite(c) => {
            query_as(lease!("")).bind(now).bind(until).bind(limit).bind(kind).fetch_all(c).await
        }
        DriverConn::Postgres(c) => {
            let text = lease!("for update skip locked");
            query_as(text).bind(now).bind(until).bind(limit).bind(kind).fetch_all(c).await
        }
    };
    tx.note(result)
}

/// Returns when the next message of this kind is due, hence how long its sender may sleep.
pub async fn next_due(conn: &mut Conn, kind: &str) -> Result<Option<Timestamp>> {
    let text = "select min(due_at) from outbox where kind = $1";
    let due: Option<i64> = on!(conn, c => query_scalar(text).bind(kind).fetch_one(c))?;
    Ok(due.map(Timestamp::from_millis))
}

/// Returns when the oldest pending message to the same target before this one is due. Used to send in order.
pub async fn earliest_pending_before(conn: &mut Conn, message: &OutboxMessage) -> Result<Option<Timestamp>> {
    let text = "select due_at from outbox where target = $1 and kind = $2 and id < $3 order by id limit 1";
    let due: Option<i64> = on!(conn, c => query_scalar(text)
        .bind(&message.target)
        .bind(&message.kind)
        .bind(message.id.uuid())
        .fetch_optional(c))?;
    Ok(due.map(Timestamp::from_millis))
}

/// Deletes a message that was sent or given up. Returns false if another sender has leased it since.
pub async fn delete(tx: &mut Tx, message: &OutboxMessage) -> Result<bool> {
    let text = "delete from outbox where id = $1 and attempts = $2";
    Ok(execute!(tx, query(text).bind(message.id.uuid()).bind(message.attempts))? > 0)
}

/// Schedules a retry at `due`.
pub async fn retry(tx: &mut Tx, message: &OutboxMessage, due: Timestamp) -> Result<bool> {
    let text = "update outbox set due_at = $3 where id = $1 and attempts = $2";
    Ok(execute!(tx, query(text).bind(message.id.uuid()).bind(message.attempts).bind(due.millis()))? > 0)
}
