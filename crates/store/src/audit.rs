//! The audit log: who changed what.

use plexus_domain::{AuditId, Timestamp, page::PageSize};
use serde_json::Value;
use sqlx::{query, query_as};

use crate::{
    Conn, Result, Tx,
    column::{Column, clean, record},
    conn::{execute, on},
};

record! {
    pub struct Entry {
        pub id: AuditId,
        pub at: Timestamp,
        /// Who, in words that outlive them: `account:…`, `cli`, `hub`.
        pub actor: String,
        pub action: String,
        pub target: String,
        pub change: Value,
        /// The id of the request that it came with.
        pub request: String,
    }
}

macro_rules! select {
    ($rest:literal) => {
        concat!("select id, at, actor, action, target, change, request from audit ", $rest)
    };
}

pub async fn insert(tx: &mut Tx, new: &Entry) -> Result<()> {
    let text = "insert into audit (id, at, actor, action, target, change, request) \
                values ($1, $2, $3, $4, $5, $6, $7)";
    execute!(
        tx,
        query(text)
            .bind(new.id.uuid())
            .bind(new.at.millis())
            .bind(clean(&new.actor))
            .bind(&new.action)
            .bind(clean(&new.target))
            .bind(new.change.to_column())
            .bind(clean(&new.request))
    )?;
    Ok(())
}

/// Newest first, from before `before`.
pub async fn list(conn: &mut Conn, before: Option<&Entry>, size: PageSize) -> Result<Vec<Entry>> {
    let (at, id) = before.map_or((i64::MAX, uuid::Uuid::max()), |entry| (entry.at.millis(), entry.id.uuid()));
    let text = select!("where at < $1 or (at = $1 and id < $2) order by at desc, id desc limit $3");
    on!(conn, c => query_as(text).bind(at).bind(id).bind(i64::from(size.rows())).fetch_all(c))
}

/// What happened to one thing last, newest first.
pub async fn list_by_target(conn: &mut Conn, target: &str, size: PageSize) -> Result<Vec<Entry>> {
    let text = select!("where target = $1 order by at desc, id desc limit $2");
    on!(conn, c => query_as(text).bind(target).bind(i64::from(size.rows())).fetch_all(c))
}
