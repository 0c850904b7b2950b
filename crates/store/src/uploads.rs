//! Uploads: files that accounts stored for a message and have not sent yet.

use plexus_domain::{Digest, ImageSize, Part, PartBody, PrincipalId, Timestamp, UploadId};
use sqlx::{query, query_as, query_scalar};

use crate::{
    Conn, Result, Tx,
    conn::{execute, on},
    sql_types::{SqlType, clean, record},
};

record! {
    pub struct Upload {
        pub id: UploadId,
        pub blob: Digest,
        /// Bytes of the blob.
        pub size: u64,
        pub name: String,
        pub media_type: String,
        /// Width of an image that browsers show, in pixels.
        pub width: Option<u32>,
        pub height: Option<u32>,
    }
}

record! {
    /// Number and bytes of the uploads of one owner.
    #[derive(Copy)]
    pub struct UploadTotal {
        pub files: u64,
        pub bytes: u64,
    }
}

impl Upload {
    pub fn image(&self) -> Option<ImageSize> {
        Some(ImageSize { width: self.width?, height: self.height? })
    }

    /// Returns a message part that shows this file.
    pub fn part(&self) -> Part {
        let content = PartBody::File { blob: self.blob, size: self.size, image: self.image() };
        let (name, media_type) = (Some(self.name.clone()), Some(self.media_type.clone()));
        Part { name, media_type, ..Part::from(content) }
    }
}

/// Inserts an upload. Its blob exists.
pub async fn insert(tx: &mut Tx, owner: PrincipalId, new: &Upload, at: Timestamp) -> Result<()> {
    let text = "insert into uploads (id, owner, blob, name, media_type, width, height, created_at) \
                values ($1, $2, $3, $4, $5, $6, $7, $8)";
    execute!(
        tx,
        query(text)
            .bind(new.id.uuid())
            .bind(owner.uuid())
            .bind(new.blob.to_column())
            .bind(clean(&new.name))
            .bind(clean(&new.media_type))
            .bind(new.width.to_column())
            .bind(new.height.to_column())
            .bind(at.millis())
    )?;
    Ok(())
}

pub async fn find(conn: &mut Conn, owner: PrincipalId, id: UploadId) -> Result<Option<Upload>> {
    let text = "select uploads.id, blob, size, name, uploads.media_type, width, height from uploads \
                join blobs on blobs.sha256 = uploads.blob where uploads.id = $1 and owner = $2";
    on!(conn, c => query_as(text).bind(id.uuid()).bind(owner.uuid()).fetch_optional(c))
}

/// Returns an upload of this owner with this blob.
pub async fn find_by_blob(conn: &mut Conn, owner: PrincipalId, blob: &Digest) -> Result<Option<Upload>> {
    let text = "select uploads.id, blob, size, name, uploads.media_type, width, height from uploads \
                join blobs on blobs.sha256 = uploads.blob where uploads.blob = $1 and owner = $2 limit 1";
    on!(conn, c => query_as(text).bind(blob.to_column()).bind(owner.uuid()).fetch_optional(c))
}

/// Returns the total of an owner.
pub async fn total(conn: &mut Conn, owner: PrincipalId) -> Result<UploadTotal> {
    let text = "select count(*) as files, cast(coalesce(sum(size), 0) as bigint) as bytes from uploads \
                join blobs on blobs.sha256 = uploads.blob where owner = $1";
    on!(conn, c => query_as(text).bind(owner.uuid()).fetch_one(c))
}

/// Returns the bytes of the uploads of all owners.
pub async fn total_bytes(conn: &mut Conn) -> Result<u64> {
    let text = "select cast(coalesce(sum(size), 0) as bigint) from uploads \
                join blobs on blobs.sha256 = uploads.blob";
    let bytes: i64 = on!(conn, c => query_scalar(text).fetch_one(c))?;
    Ok(bytes.unsigned_abs())
}

/// Deletes an upload. Returns whether it existed.
pub async fn delete(tx: &mut Tx, owner: PrincipalId, id: UploadId) -> Result<bool> {
    let text = "delete from uploads where id = $1 and owner = $2";
    Ok(execute!(tx, query(text).bind(id.uuid()).bind(owner.uuid()))? > 0)
}

/// Deletes the uploads that are older than `before`. Returns how many.
pub async fn delete_older(tx: &mut Tx, before: Timestamp) -> Result<u64> {
    execute!(tx, query("delete from uploads where created_at < $1").bind(before.millis()))
}
