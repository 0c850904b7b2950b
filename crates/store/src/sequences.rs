//! Sequences whose numbers are allocated in the transaction that uses them. Numbers only increase.

use sqlx::query_scalar;

use crate::{Conn, Result, Tx, conn::on};

/// Returns the next number of the sequence `name`, from 1. Other transactions wait until this one ends.
pub async fn next(tx: &mut Tx, name: &str) -> Result<i64> {
    let text = "insert into counters (name, n) values ($1, 1) \
                on conflict (name) do update set n = counters.n + 1 returning n";
    on!(tx, c => query_scalar(text).bind(name).fetch_one(c))
}

/// Returns the last allocated number; 0 if there is none.
pub async fn current(conn: &mut Conn, name: &str) -> Result<i64> {
    let found: Option<i64> =
        on!(conn, c => query_scalar("select n from counters where name = $1").bind(name).fetch_optional(c))?;
    Ok(found.unwrap_or(0))
}
