//! Worker that keeps the search index current with the store.

use std::{
    collections::HashMap,
    iter,
    time::{Duration, Instant},
};

use plexus_domain::AgentId;
use plexus_search::{IndexChange, Listing as Entry};
use plexus_store::{
    Conn,
    agents::{self, Agent},
    listings::{self, Listing, ListingState},
};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::{catalog::CatalogAgentInfo, publish::read_summary};
use crate::{Error, Hub, Result};

/// Listings per read and per commit of the index.
const BATCH: i64 = 1_000;
/// Queue capacity in batches; a full queue blocks the reader (backpressure).
const READ_AHEAD: usize = 1;
/// Poll interval, in case a wake-up notification is lost.
const POLL_INTERVAL: Duration = Duration::from_secs(30);
/// Delay before a failed update is repeated. Without it, agents would be missing from searches for a poll interval.
const RETRY_DELAY: Duration = Duration::from_secs(1);

/// Runs the worker until `stop`: applies all changes, marks the index as complete, and follows new changes.
pub(crate) async fn run_index_worker(stop: CancellationToken, hub: Hub) {
    loop {
        let pause = match catch_up(&stop, &hub).await {
            Ok(()) => {
                hub.mark_index_ready();
                POLL_INTERVAL
            }
            Err(_) if stop.is_cancelled() => return,
            Err(error) => {
                tracing::warn!(error = format!("{error:#}"), "index update failed; retrying");
                RETRY_DELAY
            }
        };
        let woken = tokio::time::timeout(pause, hub.index_work_available());
        if stop.run_until_cancelled(woken).await.is_none() {
            return;
        }
    }
}

/// Applies changes to the index. Rebuilds it if it is empty, or if it is ahead of the store: then it was
/// built from another store, or the store was restored from a backup.
async fn catch_up(stop: &CancellationToken, hub: &Hub) -> Result<()> {
    let (last, at) = (last_change(hub).await?, hub.index().last_change());
    if at > last || (at == 0 && last > 0) {
        build(stop, hub, last).await?;
    }
    while !stop.is_cancelled() {
        let Some(batch) = read(hub, hub.index().last_change()).await? else { break };
        let index = hub.index().clone();
        let applied = move || index.apply(&batch.changes, batch.last_change);
        tokio::task::spawn_blocking(applied).await.map_err(Error::fault)?.map_err(Error::fault)?;
    }
    Ok(())
}

/// Rebuilds the index beside the one that serves searches. `last` was read before the listings, so later
/// changes are applied afterwards.
async fn build(stop: &CancellationToken, hub: &Hub, last: u64) -> Result<()> {
    let begun = Instant::now();
    let (batches, mut taken) = mpsc::channel(READ_AHEAD);
    let index = hub.index().clone();
    let building = tokio::task::spawn_blocking(move || {
        let read = iter::from_fn(|| next_batch(taken.blocking_recv()));
        index.rebuild(read.flat_map(entries), last)
    });
    read_all(stop, hub, last, batches).await;
    building.await.map_err(Error::fault)?.map_err(Error::fault)?;
    tracing::info!(listings = hub.index().len(), took = ?begun.elapsed(), "search index built");
    Ok(())
}

/// Returns the next batch; an error if the reader ended without its end marker. A partial
/// index must not count as complete.
fn next_batch(received: Option<Sent>) -> Option<Result<ListingBatch>> {
    received.unwrap_or_else(|| Some(Err(Error::fault(anyhow::anyhow!("reading the listings broke off")))))
}

/// Batch or error; `None` marks the end.
type Sent = Option<Result<ListingBatch>>;

/// Sends all listings up to change `last`, or the error. Ends early if the receiver is gone.
async fn read_all(stop: &CancellationToken, hub: &Hub, last: u64, batches: mpsc::Sender<Sent>) {
    let mut from = 0;
    while from < last {
        let batch = match stop.run_until_cancelled(read(hub, from)).await {
            Some(Ok(None)) => break,
            Some(Ok(Some(batch))) => Ok(batch),
            Some(Err(error)) => Err(error),
            None => Err(Error::fault(anyhow::anyhow!("the hub ends"))),
        };
        from = batch.as_ref().map_or(last, |batch| batch.last_change);
        if batches.send(Some(batch)).await.is_err() {
            return;
        }
    }
    // The receiver is gone if it met an error.
    let _ = batches.send(None).await;
}

/// Listings in the order of their changes.
struct ListingBatch {
    changes: Vec<IndexChange>,
    last_change: u64,
}

fn entries(batch: Result<ListingBatch>) -> impl Iterator<Item = std::result::Result<Entry, Error>> {
    let (changes, error) = match batch {
        Ok(batch) => (batch.changes, None),
        Err(error) => (Vec::new(), Some(error)),
    };
    let listed = |change| match change {
        IndexChange::Put(entry) => Some(Ok(*entry)),
        IndexChange::Remove(_) => None,
    };
    changes.into_iter().filter_map(listed).chain(error.map(Err))
}

async fn last_change(hub: &Hub) -> Result<u64> {
    let last = listings::last_change(&mut hub.store().read().await?).await?;
    Ok(u64::try_from(last).unwrap_or(0))
}

/// Reads the next listings after `change`; `None` if there are none.
async fn read(hub: &Hub, change: u64) -> Result<Option<ListingBatch>> {
    let mut conn = hub.store().read().await?;
    let changed = listings::changed_since(&mut conn, i64::try_from(change).unwrap_or(0), BATCH).await?;
    let Some(last) = changed.last().map(|listing| listing.change) else { return Ok(None) };
    let changes = changes(&mut conn, changed).await?;
    Ok(Some(ListingBatch { changes, last_change: u64::try_from(last).unwrap_or(0) }))
}

async fn changes(conn: &mut Conn, changed: Vec<Listing>) -> Result<Vec<IndexChange>> {
    let ids: Vec<AgentId> = changed.iter().map(|listing| listing.agent).collect();
    let agents: HashMap<_, _> =
        agents::list(conn, &ids).await?.into_iter().map(|agent| (agent.id, agent)).collect();
    let change = |listing: Listing| match agents.get(&listing.agent) {
        Some(agent) if is_searchable(agent) && listing.state == ListingState::Live => {
            IndexChange::Put(Box::new(entry(agent, &listing)))
        }
        _ => IndexChange::Remove(listing.agent),
    };
    Ok(changed.into_iter().map(change).collect())
}

/// Returns whether some searches find the agent. Those of callers that it does not name hide a restricted one.
fn is_searchable(agent: &Agent) -> bool {
    agent.is_listed() || agent.is_restricted()
}

fn entry(agent: &Agent, listing: &Listing) -> Entry {
    let described = CatalogAgentInfo {
        address: agent.address(),
        summary: read_summary(listing),
        created: agent.created_at,
        updated: listing.issued_at,
        score: 0,
    };
    Entry { restricted: agent.is_restricted(), ..index_document(agent.id, described) }
}

/// Builds the index document of an agent.
pub(crate) fn index_document(agent: AgentId, described: CatalogAgentInfo) -> Entry {
    let CatalogAgentInfo { address, summary, created, updated, .. } = described;
    let alive_at = summary.alive_at();
    Entry {
        agent,
        address: address.to_string(),
        name: summary.title,
        owner: address.owner.to_string(),
        summary: summary.summary,
        description: summary.description,
        tags: summary.tags,
        skills: summary.skills,
        protocol: summary.protocol,
        kind: summary.kind,
        here: address.hub.is_none(),
        verified: summary.verified,
        restricted: false,
        online_at: alive_at,
        created,
        updated,
        uses: summary.uses,
    }
}
