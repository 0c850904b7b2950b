//! Registration drafts: unfinished registrations of agents.

use plexus_domain::{AccountId, DraftId, Timestamp};
use serde_json::Value;
use sqlx::{query, query_as};

use crate::{
    Conn, Result, Tx,
    conn::{execute, on},
    sql_types::{SqlType, record},
};

record! {
    pub struct Draft {
        pub id: DraftId,
        pub account: AccountId,
        pub step: String,
        pub data: Value,
        pub expires_at: Timestamp,
    }
}

macro_rules! select {
    ($rest:literal) => {
        concat!("select id, account, step, data, expires_at from registration_drafts ", $rest)
    };
}

pub async fn insert(tx: &mut Tx, new: &Draft) -> Result<()> {
    let text =
        "insert into registration_drafts (id, account, step, data, expires_at) values ($1, $2, $3, $4, $5)";
    execute!(
        tx,
        query(text)
            .bind(new.id.uuid())
            .bind(new.account.uuid())
            .bind(&new.step)
            .bind(new.data.to_column())
            .bind(new.expires_at.millis())
    )?;
    Ok(())
}

/// Returns a draft of this account.
pub async fn find(conn: &mut Conn, account: AccountId, id: DraftId) -> Result<Option<Draft>> {
    let text = select!("where id = $1 and account = $2");
    on!(conn, c => query_as(text).bind(id.uuid()).bind(account.uuid()).fetch_optional(c))
}

/// Lists the drafts of an account, newest first.
pub async fn list_by_account(conn: &mut Conn, account: AccountId) -> Result<Vec<Draft>> {
    on!(conn, c => query_as(select!("where account = $1 order by id desc")).bind(account.uuid()).fetch_all(c))
}

/// Saves the step, data and expiry of a draft.
pub async fn set_step(tx: &mut Tx, draft: &Draft) -> Result<bool> {
    let text =
        "update registration_drafts set step = $3, data = $4, expires_at = $5 where id = $1 and account = $2";
    let changed = execute!(
        tx,
        query(text)
            .bind(draft.id.uuid())
            .bind(draft.account.uuid())
            .bind(&draft.step)
            .bind(draft.data.to_column())
            .bind(draft.expires_at.millis())
    )?;
    Ok(changed > 0)
}

pub async fn delete(tx: &mut Tx, account: AccountId, id: DraftId) -> Result<bool> {
    let text = "delete from registration_drafts where id = $1 and account = $2";
    Ok(execute!(tx, query(text).bind(id.uuid()).bind(account.uuid()))? > 0)
}

pub async fn delete_expired(tx: &mut Tx, now: Timestamp) -> Result<u64> {
    execute!(tx, query("delete from registration_drafts where expires_at <= $1").bind(now.millis()))
}
