//! Restores the state of the federation engine from the store.

use plexus_federation::{
    HubId,
    engine::{Engine, KnownHub},
    record::{HubRecord, InventoryHead, Listing, Signed},
};
use plexus_store::{
    hubs::{self, Hub as Row, HubState},
    listings::ListingState,
    replicated_listings,
};

use super::{own_id, unreadable};
use crate::{Hub, Result};

/// Listings read per query.
const BATCH: i64 = 500;

pub(super) async fn restore(hub: &Hub, core: &mut Engine) -> Result<()> {
    let (me, now) = (own_id(hub).await?, hub.env().now());
    remember_own(hub, me).await?;
    for row in hubs::list_known(&mut hub.store().read().await?).await? {
        let mut known = known(me, &row)?;
        if known.hub == me {
            // Signed while the clock was ahead: other hubs refuse it, and the next record has a lower number.
            known.head = known.head.filter(|head| !head.body().seq.is_in_future_of(now));
            known.record = known.record.filter(|record| !record.body().seq.is_in_future_of(now));
        }
        core.restore_hub(known);
    }
    let mut after = None;
    loop {
        let rows = replicated_listings::list(&mut hub.store().read().await?, after, BATCH).await?;
        let Some(last) = rows.last() else { return Ok(()) };
        after = Some(last.agent);
        for row in &rows {
            let listing = Listing::parse(&row.envelope).map_err(|error| unreadable("a listing", error))?;
            let claims = listing.claims();
            if claims.hub == me && claims.seq.is_in_future_of(now) {
                // The publisher signs it again.
                continue;
            }
            let shown = row.state == ListingState::Live;
            core.restore_listing(listing.claims(), listing.hash(), row.envelope.len(), shown);
        }
    }
}

/// Stores this hub's public key in its own row, so that its own full address resolves.
async fn remember_own(hub: &Hub, me: HubId) -> Result<()> {
    let mut tx = hub.store().write_background().await?;
    let found = hubs::find(&mut tx, plexus_domain::HubRowId::SELF).await?;
    let Some(row) = found.filter(|row| row.hub_key.as_deref() != Some(me.to_string().as_str())) else {
        return Ok(());
    };
    let now = hub.env().now();
    let own = Row { hub_key: Some(me.to_string()), head: None, first_seen_at: Some(now), ..row };
    hubs::set(&mut tx, &own).await?;
    Ok(tx.commit().await?)
}

fn known(me: HubId, row: &Row) -> Result<KnownHub> {
    let hub = match row.state {
        HubState::Itself => me,
        _ => {
            row.hub_key.as_deref().unwrap_or_default().parse().map_err(|error| unreadable("a hub", error))?
        }
    };
    let head = row.head.as_deref().map(Signed::<InventoryHead>::parse).transpose();
    let record = row.record.as_deref().map(Signed::<HubRecord>::parse).transpose();
    let head = head.map_err(|error| unreadable("a head", error))?;
    let record = record.map_err(|error| unreadable("the record of a hub", error))?;
    // Stored data was verified before. Verify heads again, since the lease depends on them alone.
    Ok(KnownHub {
        hub,
        first_seen: row.first_seen_at.unwrap_or(row.last_seen_at),
        proved_domain: row.domain.clone(),
        head: head.and_then(|head| head.verify().ok()),
        record: record.and_then(|record| record.verify().ok()),
    })
}
