//! Agent cards: the bytes as received, addressed by their digest.

use plexus_domain::Digest;
use sqlx::{query, query_scalar};

use crate::{
    Conn, Result, Tx,
    conn::{execute, on},
    sql_types::SqlType,
};

/// Stores a card and returns its digest; idempotent.
pub async fn insert(tx: &mut Tx, body: &[u8]) -> Result<Digest> {
    let digest = Digest::of(body);
    let text = "insert into cards (sha256, body) values ($1, $2) on conflict (sha256) do nothing";
    execute!(tx, query(text).bind(digest.to_column()).bind(body))?;
    Ok(digest)
}

pub async fn find(conn: &mut Conn, digest: &Digest) -> Result<Option<Vec<u8>>> {
    let text = "select body from cards where sha256 = $1";
    on!(conn, c => query_scalar(text).bind(digest.to_column()).fetch_optional(c))
}
