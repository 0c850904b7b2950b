//! Numbers that only grow, taken in the transaction that uses them.

use sqlx::query_scalar;

use crate::{Conn, Result, Tx, conn::on};

/// The next number of `name`, from 1. Others who want one wait until this transaction ends.
pub async fn next(tx: &mut Tx, name: &str) -> Result<i64> {
    let text = "insert into counters (name, n) values ($1, 1) \
                on conflict (name) do update set n = counters.n + 1 returning n";
    on!(tx, c => query_scalar(text).bind(name).fetch_one(c))
}

/// The last number that was taken; 0 when there was none.
pub async fn current(conn: &mut Conn, name: &str) -> Result<i64> {
    let found: Option<i64> =
        on!(conn, c => query_scalar("select n from counters where name = $1").bind(name).fetch_optional(c))?;
    Ok(found.unwrap_or(0))
}
