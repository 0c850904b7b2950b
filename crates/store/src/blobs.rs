//! Blobs: metadata of externally stored bytes, addressed by SHA-256 digest, and the references to them.

use std::collections::HashSet;

use plexus_domain::Digest;
use sqlx::{QueryBuilder, query, query_as};
use uuid::Uuid;

use crate::{
    Conn, Result, Tx,
    conn::{execute, on},
    sql_in_list,
    sql_types::{SqlType, record},
};

record! {
    pub struct Blob {
        pub sha256: Digest,
        pub size: u64,
        pub media_type: String,
        /// Location of the bytes.
        pub place: String,
    }
}

/// Reference that keeps a blob alive, besides message parts: the kind of the referrer and its id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlobReference<'a> {
    pub owner_kind: &'a str,
    pub owner: Uuid,
}

/// Returns the path of a file below the folder of files. The first two digits are a folder, so that no folder grows
/// too large.
pub fn place(sha256: &Digest) -> String {
    let name = sha256.to_string();
    format!("{}/{name}", &name[..2])
}

/// Inserts a blob; idempotent. Returns false if it exists already.
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

/// Returns those of these digests that have a row.
pub async fn list_existing(conn: &mut Conn, digests: &[Digest]) -> Result<HashSet<Digest>> {
    let columns: Vec<_> = digests.iter().map(|digest| digest.to_column()).collect();
    let mut found = HashSet::with_capacity(digests.len());
    for chunk in columns.chunks(sql_in_list::CHUNK) {
        let rows: Vec<Vec<u8>> = on!(conn, c => {
            let mut query = QueryBuilder::new("select sha256 from blobs where sha256 in ");
            sql_in_list::push_list(&mut query, chunk);
            async move { query.build_query_scalar().fetch_all(c).await }
        })?;
        found.extend(rows.into_iter().filter_map(|row| Digest::from_column(row).ok()));
    }
    Ok(found)
}

/// Lists at most `limit` blobs whose digest is greater than `after`, in the order of their digests.
pub async fn list_after(conn: &mut Conn, after: Option<&Digest>, limit: i64) -> Result<Vec<Blob>> {
    let text = "select sha256, size, media_type, place from blobs where sha256 > $1 order by sha256 limit $2";
    let after = after.map(|digest| digest.to_column()).unwrap_or_default();
    on!(conn, c => query_as(text).bind(after).bind(limit).fetch_all(c))
}

pub async fn add_use(tx: &mut Tx, sha256: &Digest, by: BlobReference<'_>) -> Result<bool> {
    let text = "insert into blob_uses (blob, owner_kind, owner) values ($1, $2, $3) on conflict do nothing";
    Ok(execute!(tx, query(text).bind(sha256.to_column()).bind(by.owner_kind).bind(by.owner))? > 0)
}

pub async fn remove_use(tx: &mut Tx, sha256: &Digest, by: BlobReference<'_>) -> Result<bool> {
    let text = "delete from blob_uses where blob = $1 and owner_kind = $2 and owner = $3";
    Ok(execute!(tx, query(text).bind(sha256.to_column()).bind(by.owner_kind).bind(by.owner))? > 0)
}

/// Lists at most `limit` blobs without references from `blob_uses`, uploads and message parts.
pub async fn list_unused(conn: &mut Conn, limit: i64) -> Result<Vec<Blob>> {
    let text = "select sha256, size, media_type, place from blobs \
                where not exists (select 1 from blob_uses where blob_uses.blob = blobs.sha256) \
                and not exists (select 1 from uploads where uploads.blob = blobs.sha256) \
                and not exists (select 1 from parts where parts.blob = blobs.sha256) order by sha256 limit $1";
    on!(conn, c => query_as(text).bind(limit).fetch_all(c))
}

/// Deletes a blob. Returns a conflict if it is still referenced.
pub async fn delete(tx: &mut Tx, sha256: &Digest) -> Result<bool> {
    Ok(execute!(tx, query("delete from blobs where sha256 = $1").bind(sha256.to_column()))? > 0)
}
