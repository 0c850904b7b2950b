//! Requests that other hubs signed, by what makes each of them good once.

use plexus_domain::{Digest, HubRowId, Timestamp};
use sqlx::query;

use crate::{Result, Tx, column::Column as _, conn::execute};

/// Remembers a nonce until it expires, and forgets those that have. False when it was used before.
pub async fn take(
    tx: &mut Tx,
    hub: HubRowId,
    nonce: &Digest,
    expires: Timestamp,
    now: Timestamp,
) -> Result<bool> {
    execute!(tx, query("delete from hub_nonces where expires <= $1").bind(now.millis()))?;
    let text = "insert into hub_nonces (hub, nonce, expires) values ($1, $2, $3) on conflict do nothing";
    let taken = execute!(tx, query(text).bind(hub.uuid()).bind(nonce.to_column()).bind(expires.millis()))?;
    Ok(taken > 0)
}
