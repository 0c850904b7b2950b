//! Trusted origins: origins that administrators trust without verification. [`crate::origin_verifications`] treats them as
//! verified.

use plexus_domain::{AccountId, Timestamp};
use sqlx::{query, query_scalar};

use crate::{
    Conn, Result, Tx,
    conn::{execute, on},
    sql_types::clean,
};

/// An origin to be trusted.
#[derive(Clone, Copy, Debug)]
pub struct NewTrustedOrigin<'a> {
    pub origin: &'a str,
    /// The administrator; `None` for the operator on the command line.
    pub by: Option<AccountId>,
    pub note: &'a str,
    pub at: Timestamp,
}

/// Adds a trusted origin. Returns false if it is trusted already.
pub async fn insert(tx: &mut Tx, new: NewTrustedOrigin<'_>) -> Result<bool> {
    let text = "insert into trusted_origins (origin, trusted_at, trusted_by, note) values ($1, $2, $3, $4) \
                on conflict do nothing";
    let changed = execute!(
        tx,
        query(text)
            .bind(new.origin)
            .bind(new.at.millis())
            .bind(new.by.map(AccountId::uuid))
            .bind(clean(new.note))
    )?;
    Ok(changed > 0)
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
