//! Webhooks: push notification configurations of runs.

use plexus_domain::{ChatId, PrincipalId, PushId, RunId};
use sqlx::{query, query_as, query_scalar};

use crate::{
    Conn, Result, Tx,
    conn::{execute, on},
    sql_types::{SqlType, record},
};

record! {
    /// Webhook of a run.
    pub struct Webhook {
        pub id: PushId,
        pub run: RunId,
        /// Principal that receives the notifications and whose quota the webhook counts against.
        pub caller: Option<PrincipalId>,
        /// Name given by the caller, unique per run.
        pub name: String,
        /// Encrypted URL and credentials for the receiver.
        pub ciphertext: Vec<u8>,
    }
}

macro_rules! select {
    ($rest:literal) => {
        concat!("select id, run, caller, name, ciphertext from webhooks ", $rest)
    };
}

/// Inserts a webhook, or replaces the one of the same run and name, which keeps its id.
pub async fn set(tx: &mut Tx, new: &Webhook) -> Result<()> {
    let text = "insert into webhooks (id, run, caller, name, ciphertext) values ($1, $2, $3, $4, $5) \
                on conflict (run, name) do update set ciphertext = excluded.ciphertext";
    execute!(
        tx,
        query(text)
            .bind(new.id.uuid())
            .bind(new.run.uuid())
            .bind(new.caller.to_column())
            .bind(&new.name)
            .bind(new.ciphertext.as_slice())
    )?;
    Ok(())
}

pub async fn find(conn: &mut Conn, id: PushId) -> Result<Option<Webhook>> {
    on!(conn, c => query_as(select!("where id = $1")).bind(id.uuid()).fetch_optional(c))
}

pub async fn list_by_run(conn: &mut Conn, run: RunId) -> Result<Vec<Webhook>> {
    on!(conn, c => query_as(select!("where run = $1 order by id")).bind(run.uuid()).fetch_all(c))
}

/// Counts the webhooks of a caller over all its runs.
pub async fn count_by_caller(conn: &mut Conn, caller: PrincipalId) -> Result<u64> {
    let text = "select count(*) from webhooks where caller = $1";
    let count: i64 = on!(conn, c => query_scalar(text).bind(caller.uuid()).fetch_one(c))?;
    Ok(count.unsigned_abs())
}

/// Deletes the webhooks of a caller in one chat.
pub async fn delete_by_caller(tx: &mut Tx, chat: ChatId, caller: PrincipalId) -> Result<u64> {
    let text = "delete from webhooks where caller = $2 and run in (select id from runs where chat = $1)";
    execute!(tx, query(text).bind(chat.uuid()).bind(caller.uuid()))
}

/// Deletes the webhook with this name.
pub async fn delete(tx: &mut Tx, run: RunId, name: &str) -> Result<bool> {
    let text = "delete from webhooks where run = $1 and name = $2";
    Ok(execute!(tx, query(text).bind(run.uuid()).bind(name))? > 0)
}
