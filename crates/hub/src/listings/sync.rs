//! Keeping the index in step with the store.

use std::{collections::HashMap, convert::Infallible, time::Duration};

use plexus_domain::AgentId;
use plexus_search::{Change, Listing as Entry};
use plexus_store::{
    Conn,
    agents::{self, Agent},
    listings::{self, Listing, ListingState},
};
use tokio_util::sync::CancellationToken;

use super::publish::read_summary;
use crate::{Error, Hub, Result, views};

/// Listings that one commit of the index takes.
const BATCH: i64 = 1_000;
/// A wake-up may be lost; then this finds what it would have told.
const LOOK_EVERY: Duration = Duration::from_secs(30);

/// Brings the index up to the store's last change.
pub(crate) async fn catch_up(hub: &Hub) -> Result<()> {
    forget_another_store(hub).await?;
    loop {
        let from = hub.index().last_change();
        let mut conn = hub.store().read().await?;
        let changed = listings::changed_since(&mut conn, i64::try_from(from).unwrap_or(0), BATCH).await?;
        let Some(last) = changed.last().map(|listing| listing.change) else { return Ok(()) };
        let changes = changes(&mut conn, changed).await?;
        drop(conn);
        let index = hub.index().clone();
        let applied = move || index.apply(&changes, u64::try_from(last).unwrap_or(0));
        tokio::task::spawn_blocking(applied).await.map_err(Error::fault)?.map_err(Error::fault)?;
    }
}

/// An index that knows of changes which the store does not was made from another store, perhaps before a backup
/// was brought back: it begins anew.
async fn forget_another_store(hub: &Hub) -> Result<()> {
    let last = listings::last_change(&mut hub.store().read().await?).await?;
    if hub.index().last_change() <= u64::try_from(last).unwrap_or(0) {
        return Ok(());
    }
    let index = hub.index().clone();
    let nothing = std::iter::empty::<std::result::Result<Entry, Infallible>>();
    tokio::task::spawn_blocking(move || index.rebuild(nothing, 0))
        .await
        .map_err(Error::fault)?
        .map_err(Error::fault)
}

/// Follows changes until `stop`.
pub(crate) async fn index_until(stop: CancellationToken, hub: &Hub) {
    loop {
        let woken = tokio::time::timeout(LOOK_EVERY, hub.until_listings_change());
        if stop.run_until_cancelled(woken).await.is_none() {
            return;
        }
        if let Err(error) = catch_up(hub).await {
            tracing::warn!(%error, "the index is behind; it tries again");
        }
    }
}

async fn changes(conn: &mut Conn, changed: Vec<Listing>) -> Result<Vec<Change>> {
    let ids: Vec<AgentId> = changed.iter().map(|listing| listing.agent).collect();
    let agents: HashMap<_, _> =
        agents::list(conn, &ids).await?.into_iter().map(|agent| (agent.id, agent)).collect();
    let change = |listing: Listing| match agents.get(&listing.agent) {
        Some(agent) if agent.visibility.is_listed() && listing.state == ListingState::Live => {
            Change::Put(Box::new(entry(agent, &listing)))
        }
        _ => Change::Remove(listing.agent),
    };
    Ok(changed.into_iter().map(change).collect())
}

fn entry(agent: &Agent, listing: &Listing) -> Entry {
    let summary = read_summary(listing);
    let alive_at = summary.alive_at();
    Entry {
        agent: agent.id,
        address: views::address(agent).to_string(),
        name: summary.title,
        owner: agent.owner.to_string(),
        summary: summary.summary,
        description: summary.description,
        tags: summary.tags,
        skills: summary.skills,
        protocol: summary.protocol,
        kind: summary.kind,
        verified: summary.verified,
        online_at: alive_at,
        created: agent.created,
        updated: listing.issued,
        uses: summary.uses,
    }
}
