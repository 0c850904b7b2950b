//! Audit log: which actor changed what.

use plexus_domain::{AuditId, Timestamp, page::PageSize};
use serde_json::Value;
use sqlx::{query, query_as, query_scalar};

use crate::{
    Conn, Result, Tx,
    admin::RowRange,
    conn::{execute, on},
    sql_types::{SqlType, clean, record},
};

record! {
    pub struct AuditEntry {
        pub id: AuditId,
        pub recorded_at: Timestamp,
        /// The actor as text that stays valid after its deletion: `account:…`, `cli`, `hub`.
        pub actor: String,
        pub action: String,
        pub target: String,
        pub change: Value,
        /// Id of the HTTP request that caused the change.
        pub request: String,
    }
}

macro_rules! select {
    ($rest:literal) => {
        concat!("select id, recorded_at, actor, action, target, change, request from audit_log ", $rest)
    };
}

pub async fn insert(tx: &mut Tx, new: &AuditEntry) -> Result<()> {
    let text = "insert into audit_log (id, recorded_at, actor, action, target, change, request) \
                values ($1, $2, $3, $4, $5, $6, $7)";
    execute!(
        tx,
        query(text)
            .bind(new.id.uuid())
            .bind(new.recorded_at.millis())
            .bind(clean(&new.actor))
            .bind(&new.action)
            .bind(clean(&new.target))
            .bind(new.change.to_column())
            .bind(clean(&new.request))
    )?;
    Ok(())
}

/// Lists entries, newest first, before the entry `before`.
pub async fn list(conn: &mut Conn, before: Option<&AuditEntry>, size: PageSize) -> Result<Vec<AuditEntry>> {
    let (at, id) =
        before.map_or((i64::MAX, uuid::Uuid::max()), |entry| (entry.recorded_at.millis(), entry.id.uuid()));
    let text = select!(
        "where recorded_at < $1 or (recorded_at = $1 and id < $2) order by recorded_at desc, id desc limit $3"
    );
    on!(conn, c => query_as(text).bind(at).bind(id).bind(i64::from(size.rows())).fetch_all(c))
}

/// Returns the latest entry of an action on one target, since a time.
pub async fn latest(
    conn: &mut Conn,
    target: &str,
    action: &str,
    since: Timestamp,
) -> Result<Option<AuditEntry>> {
    let text = select!(
        "where target = $1 and action = $2 and recorded_at >= $3 order by recorded_at desc, id desc limit 1"
    );
    on!(conn, c => query_as(text).bind(target).bind(action).bind(since.millis()).fetch_optional(c))
}

/// Replaces the values of an entry that counts repeated actions.
pub async fn set_change(tx: &mut Tx, id: AuditId, change: &Value) -> Result<()> {
    let text = "update audit_log set change = $2 where id = $1";
    execute!(tx, query(text).bind(id.uuid()).bind(change.to_column()))?;
    Ok(())
}

/// Deletes the entries of an action that are older than `before`.
pub async fn delete_before(tx: &mut Tx, action: &str, before: Timestamp) -> Result<u64> {
    let text = "delete from audit_log where action = $1 and recorded_at < $2";
    execute!(tx, query(text).bind(action).bind(before.millis()))
}

/// Filter of the audit log; an empty string matches everything.
#[derive(Clone, Copy, Debug)]
pub struct AuditFilter<'a> {
    pub actor: &'a str,
    pub action: &'a str,
}

pub async fn count(conn: &mut Conn, wanted: AuditFilter<'_>) -> Result<u64> {
    let text = "select count(*) from audit_log where ($1 = '' or actor = $1) and ($2 = '' or action = $2)";
    let found: i64 =
        on!(conn, c => query_scalar(text).bind(clean(wanted.actor)).bind(clean(wanted.action)).fetch_one(c))?;
    Ok(found.unsigned_abs())
}

/// Lists a range of the matching entries, newest first.
pub async fn slice(conn: &mut Conn, wanted: AuditFilter<'_>, slice: RowRange) -> Result<Vec<AuditEntry>> {
    let text = select!(
        "where ($1 = '' or actor = $1) and ($2 = '' or action = $2) \
         order by recorded_at desc, id desc limit $3 offset $4"
    );
    on!(conn, c => {
        let query = query_as(text).bind(clean(wanted.actor)).bind(clean(wanted.action));
        query.bind(i64::from(slice.take)).bind(slice.skip()).fetch_all(c)
    })
}

/// Lists the distinct actions in the log, ordered by name.
pub async fn actions(conn: &mut Conn) -> Result<Vec<String>> {
    on!(conn, c => query_scalar("select distinct action from audit_log order by action").fetch_all(c))
}
