//! Database rows of known hubs.

use plexus_domain::{HubRowId, Timestamp};
use plexus_federation::{
    HubId,
    record::{HubRecord, InventoryHead, Signed},
};
use plexus_store::{
    Conn, Tx,
    hubs::{self, Hub as Row, HubState},
};

use crate::{Hub, Result, keys};

/// Returns the row id of a hub; inserts a row if there is none.
pub(super) async fn row_of(hub: &Hub, tx: &mut Tx, id: HubId) -> Result<HubRowId> {
    Ok(find_or_make(hub, tx, id).await?.id)
}

async fn find_or_make(hub: &Hub, tx: &mut Tx, id: HubId) -> Result<Row> {
    let now = hub.env().now();
    if is_own(tx, id).await? {
        let own = hubs::find(tx, HubRowId::SELF).await?;
        return Ok(own.ok_or_else(|| anyhow::anyhow!("the hub has no row of its own"))?);
    }
    if let Some(known) = hubs::by_key(tx, &id.to_string()).await? {
        if known.state != HubState::Gone {
            return Ok(known);
        }
        let back = Row { state: HubState::Carried, first_seen_at: Some(now), last_seen_at: now, ..known };
        hubs::set(tx, &back).await?;
        return Ok(back);
    }
    let new = Row {
        id: hub.env().id(HubRowId::new),
        domain: None,
        state: HubState::Carried,
        record: None,
        head_seq: 0,
        last_seen_at: now,
        hub_key: Some(id.to_string()),
        head: None,
        first_seen_at: Some(now),
    };
    hubs::insert(tx, &new).await?;
    Ok(new)
}

async fn is_own(conn: &mut Conn, id: HubId) -> Result<bool> {
    Ok(HubId::from(keys::hub_key(conn).await?) == id)
}

pub(super) async fn store_record(hub: &Hub, tx: &mut Tx, record: &Signed<HubRecord>) -> Result<()> {
    let body = record.body();
    let row = find_or_make(hub, tx, body.hub).await?;
    // Drop a verified domain that the hub does not claim any more.
    let domain = row.domain.clone().filter(|domain| body.domain.as_ref() == Some(domain));
    let new = Row { record: Some(record.encode()), domain, last_seen_at: hub.env().now(), ..row };
    hubs::set(tx, &new).await?;
    Ok(())
}

pub(super) async fn store_head(
    hub: &Hub,
    tx: &mut Tx,
    head: &Signed<InventoryHead>,
    now: Timestamp,
) -> Result<()> {
    let row = find_or_make(hub, tx, head.body().hub).await?;
    let head_seq = i64::try_from(head.body().seq.get()).unwrap_or(i64::MAX);
    hubs::set(tx, &Row { head: Some(head.encode()), head_seq, last_seen_at: now, ..row }).await?;
    Ok(())
}

pub(super) async fn forget(tx: &mut Tx, id: HubId) -> Result<()> {
    match hubs::by_key(tx, &id.to_string()).await? {
        Some(row) => Ok(hubs::forget(tx, row.id).await?),
        None => Ok(()),
    }
}

/// Sets the verified domain of a hub. A hub that had this domain before loses it.
pub(super) async fn prove(hub: &Hub, id: HubId, domain: &str) -> Result<()> {
    let mut tx = hub.store().write_background().await?;
    if let Some(before) = hubs::by_domain(&mut tx, domain).await? {
        hubs::set(&mut tx, &Row { domain: None, ..before }).await?;
    }
    if let Some(row) = hubs::by_key(&mut tx, &id.to_string()).await?.filter(|row| row.id != HubRowId::SELF) {
        hubs::set(&mut tx, &Row { domain: Some(domain.to_owned()), ..row }).await?;
    }
    Ok(tx.commit().await?)
}
