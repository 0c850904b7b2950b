//! Rate limit usage per time window.

use plexus_domain::Timestamp;
use sqlx::{query, query_scalar};

use crate::{
    Conn, Result, Tx,
    conn::{execute, on},
};

/// Adds `n` to the usage of `key` in the window that began at `since`, and returns the sum.
pub async fn add(tx: &mut Tx, key: &str, since: Timestamp, n: i64) -> Result<i64> {
    let text = "insert into limits_used (key, since, n) values ($1, $2, $3) \
                on conflict (key, since) do update set n = limits_used.n + excluded.n returning n";
    on!(tx, c => query_scalar(text).bind(key).bind(since.millis()).bind(n).fetch_one(c))
}

/// Returns the usage of `key` in the windows that began at `since` or later.
pub async fn used(conn: &mut Conn, key: &str, since: Timestamp) -> Result<i64> {
    let text = "select cast(coalesce(sum(n), 0) as bigint) from limits_used where key = $1 and since >= $2";
    on!(conn, c => query_scalar(text).bind(key).bind(since.millis()).fetch_one(c))
}

/// Purges the windows that began before `before`.
pub async fn delete_before(tx: &mut Tx, before: Timestamp) -> Result<u64> {
    execute!(tx, query("delete from limits_used where since < $1").bind(before.millis()))
}
