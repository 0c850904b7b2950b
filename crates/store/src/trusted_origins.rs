//! Trusted origins: origins that administrators trust without verification. [`crate::origin_verifications`] treats them as
//! verified.

use plexus_domain::Timestamp;
use sqlx::{query, query_scalar};

use crate::{
    Conn, Result, Tx,
    conn::{execute, on},
};

/// Adds a trusted origin. Returns false if it is trusted already.
pub async fn insert(tx: &mut Tx, origin: &str, at: Timestamp) -> Result<bool> {
    let text = "insert into trusted_origins (origin, trusted_at) values ($1, $2) on conflict do nothing";
    Ok(execute!(tx, query(text).bind(origin).bind(at.millis()))? > 0)
}

/// Returns when an origin became trusted.
pub async fn trusted_at(conn: &mut Conn, origin: &str) -> Result<Option<Timestamp>> {
    let text = "select trusted_at from trusted_origins where origin = $1";
    let found: Option<i64> = on!(conn, c => query_scalar(text).bind(origin).fetch_optional(c))?;
    Ok(found.map(Timestamp::from_millis))
}

pub async fn delete(tx: &mut Tx, origin: &str) -> Result<bool> {
    Ok(execute!(tx, query("delete from trusted_origins where origin = $1").bind(origin))? > 0)
}
