//! Blobs: bytes that lie elsewhere, named by their digest, and what keeps them.

use plexus_domain::Digest;
use sqlx::{query, query_as};
use uuid::Uuid;

use crate::{
    Conn, Result, Tx,
    column::{Column, record},
    conn::{execute, on},
};

record! {
    pub struct Blob {
        pub sha256: Digest,
        pub size: u64,
        pub media_type: String,
        /// Where the bytes are.
        pub place: String,
    }
}

/// What keeps a blob, besides the parts that show it: a kind of thing and which one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Use<'a> {
    pub owner_kind: &'a str,
    pub owner: Uuid,
}

/// Notes where bytes are, once however often they come.
pub async fn insert(tx: &mut Tx, new: &Blob) -> Result<bool> {
    let text =
        "insert into blobs (sha256, size, media_type, place) values ($1, $2, $3, $4) on conflict do nothing";
    let changed = execute!(
        tx,
        query(text)
            .bind(new.sha256.to_column())
            .bind(new.size.to_column())
            .bind(&new.media_type)
            .bind(&new.place)
    )?;
    Ok(changed > 0)
}

pub async fn find(conn: &mut Conn, sha256: &Digest) -> Result<Option<Blob>> {
    let text = "select sha256, size, media_type, place from blobs where sha256 = $1";
    on!(conn, c => query_as(text).bind(sha256.to_column()).fetch_optional(c))
}

pub async fn add_use(tx: &mut Tx, sha256: &Digest, by: Use<'_>) -> Result<bool> {
    let text = "insert into blob_uses (blob, owner_kind, owner) values ($1, $2, $3) on conflict do nothing";
    Ok(execute!(tx, query(text).bind(sha256.to_column()).bind(by.owner_kind).bind(by.owner))? > 0)
}

pub async fn remove_use(tx: &mut Tx, sha256: &Digest, by: Use<'_>) -> Result<bool> {
    let text = "delete from blob_uses where blob = $1 and owner_kind = $2 and owner = $3";
    Ok(execute!(tx, query(text).bind(sha256.to_column()).bind(by.owner_kind).bind(by.owner))? > 0)
}

/// At most `limit` blobs that nothing keeps and no part shows.
pub async fn list_unused(conn: &mut Conn, limit: i64) -> Result<Vec<Blob>> {
    let text = "select sha256, size, media_type, place from blobs \
                where not exists (select 1 from blob_uses where blob_uses.blob = blobs.sha256) \
                and not exists (select 1 from parts where parts.blob = blobs.sha256) order by sha256 limit $1";
    on!(conn, c => query_as(text).bind(limit).fetch_all(c))
}

/// A blob that is in use is a conflict.
pub async fn delete(tx: &mut Tx, sha256: &Digest) -> Result<bool> {
    Ok(execute!(tx, query("delete from blobs where sha256 = $1").bind(sha256.to_column()))? > 0)
}
