//! Secrets, encrypted by the caller before they are stored.

use plexus_domain::{NamespaceId, SecretId};
use sqlx::{query, query_as};

use crate::{
    Conn, Result, Tx,
    conn::{execute, on},
    sql_types::record,
};

record! {
    pub struct Secret {
        pub id: SecretId,
        pub namespace: NamespaceId,
        /// Purpose, authenticated by the encryption.
        pub kind: String,
        pub ciphertext: Vec<u8>,
        /// Version of the key with which the secret is encrypted.
        pub key_version: i64,
    }
}

macro_rules! select {
    ($rest:literal) => {
        concat!("select id, namespace, kind, ciphertext, key_version from secrets ", $rest)
    };
}

pub async fn insert(tx: &mut Tx, new: &Secret) -> Result<()> {
    let text =
        "insert into secrets (id, namespace, kind, ciphertext, key_version) values ($1, $2, $3, $4, $5)";
    execute!(
        tx,
        query(text)
            .bind(new.id.uuid())
            .bind(new.namespace.uuid())
            .bind(&new.kind)
            .bind(new.ciphertext.as_slice())
            .bind(new.key_version)
    )?;
    Ok(())
}

pub async fn find(conn: &mut Conn, id: SecretId) -> Result<Option<Secret>> {
    on!(conn, c => query_as(select!("where id = $1")).bind(id.uuid()).fetch_optional(c))
}

/// Returns the oldest secret.
pub async fn find_oldest(conn: &mut Conn) -> Result<Option<Secret>> {
    on!(conn, c => query_as(select!("order by id limit 1")).fetch_optional(c))
}

/// Lists at most `limit` secrets that are encrypted with another key version.
pub async fn list_sealed_before(conn: &mut Conn, key_version: i64, limit: i64) -> Result<Vec<Secret>> {
    let text = select!("where key_version <> $1 order by id limit $2");
    on!(conn, c => query_as(text).bind(key_version).bind(limit).fetch_all(c))
}

/// Replaces the ciphertext.
pub async fn set_ciphertext(tx: &mut Tx, id: SecretId, ciphertext: &[u8], key_version: i64) -> Result<bool> {
    let text = "update secrets set ciphertext = $2, key_version = $3 where id = $1";
    Ok(execute!(tx, query(text).bind(id.uuid()).bind(ciphertext).bind(key_version))? > 0)
}

/// Deletes a secret. Returns a conflict if it is still referenced.
pub async fn delete(tx: &mut Tx, id: SecretId) -> Result<bool> {
    Ok(execute!(tx, query("delete from secrets where id = $1").bind(id.uuid()))? > 0)
}
