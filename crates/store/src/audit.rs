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

/// Lists the latest entries about one target, newest first.
pub async fn list_by_target(conn: &mut Conn, target: &str, size: PageSize) -> Result<Vec<AuditEntry>> {
    let text = select!("where target = $1 order by recorded_at desc, id desc limit $2");
    on!(conn, c => query_as(text).bind(target).bind(i64::from(size.rows())).fetch_all(c))
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
