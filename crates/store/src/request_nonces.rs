//! Nonces of signed requests from remote hubs, for replay protection.

use plexus_domain::{Digest, HubRowId, Timestamp};
use sqlx::query;

use crate::{Result, Tx, conn::execute, sql_types::SqlType as _};

/// Records a nonce until it expires, and purges expired ones. Returns false if the nonce was used before
/// (replay).
pub async fn insert_once(
    tx: &mut Tx,
    hub: HubRowId,
    nonce: &Digest,
    expires: Timestamp,
    now: Timestamp,
) -> Result<bool> {
    execute!(tx, query("delete from request_nonces where expires_at <= $1").bind(now.millis()))?;
    let text =
        "insert into request_nonces (hub, nonce, expires_at) values ($1, $2, $3) on conflict do nothing";
    let taken = execute!(tx, query(text).bind(hub.uuid()).bind(nonce.to_column()).bind(expires.millis()))?;
    Ok(taken > 0)
}
