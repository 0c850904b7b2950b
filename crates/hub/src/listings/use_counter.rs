//! Counts the uses of agents: how many runs each had on this hub in the last 30 days.
//!
//! Every run counts once when it is queued, no matter who requested it and how it ends. A run whose chat is deleted
//! does not count any more. Pages count when they are read; the index, which sorts by the count, follows within
//! [`INTERVAL`].

use std::{collections::HashMap, time::Duration};

use plexus_domain::{AgentId, Timestamp};
use plexus_store::{Conn, listings, runs};
use tokio_util::sync::CancellationToken;

use super::publish::{change_summary, read_summary};
use crate::{Hub, Result};

/// Period over which uses are counted.
const PERIOD: Duration = Duration::from_secs(30 * 24 * 3_600);
/// Interval at which the counts of agents with new runs are written to the index.
const INTERVAL: Duration = Duration::from_secs(5);
/// Interval at which those are recounted, too, whose runs have become older than [`PERIOD`].
const RECOUNT_INTERVAL: Duration = Duration::from_secs(3_600);
/// Overlap of two looks at the new runs: a run is visible only after its commit, and clocks of instances differ.
const OVERLAP: Duration = Duration::from_secs(60);
/// Agents per transaction.
const BATCH: usize = 200;

/// Counts the uses of an agent.
pub(crate) async fn count_uses(conn: &mut Conn, agent: AgentId, now: Timestamp) -> Result<u64> {
    Ok(runs::count_by_agent(conn, &[agent], now - PERIOD).await?.get(&agent).copied().unwrap_or(0))
}

/// Keeps the counts in the index current until `stop`.
pub(crate) async fn run_use_counter(stop: CancellationToken, hub: Hub) {
    let mut tick = tokio::time::interval(INTERVAL);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let (mut counted, mut recounted): (Option<Timestamp>, Option<Timestamp>) = (None, None);
    while stop.run_until_cancelled(tick.tick()).await.is_some() {
        let now = hub.env().now();
        let is_due = recounted.is_none_or(|at| now.since(at) >= RECOUNT_INTERVAL);
        // The first look covers agents whose runs became too old while the hub was stopped.
        let since = match counted.filter(|_| !is_due) {
            Some(at) => at - OVERLAP,
            None => now - 2 * PERIOD,
        };
        match recount_since(&hub, since, now).await {
            Ok(()) => {
                counted = Some(now);
                recounted = if is_due { Some(now) } else { recounted };
            }
            Err(error) => tracing::warn!(%error, "agent uses: not counted; retrying"),
        }
    }
}

/// Recounts the agents that have runs since `since`.
async fn recount_since(hub: &Hub, since: Timestamp, now: Timestamp) -> Result<()> {
    let agents = runs::list_agents_since(&mut hub.store().read().await?, since).await?;
    for batch in agents.chunks(BATCH) {
        recount(hub, batch, now).await?;
    }
    Ok(())
}

async fn recount(hub: &Hub, agents: &[AgentId], now: Timestamp) -> Result<()> {
    let mut conn = hub.store().read().await?;
    let counts = runs::count_by_agent(&mut conn, agents, now - PERIOD).await?;
    let known = listings::list(&mut conn, agents).await?;
    drop(conn);
    let uses = |agent: AgentId| counts.get(&agent).copied().unwrap_or(0);
    let changed: HashMap<AgentId, u64> = known
        .iter()
        .filter(|listing| read_summary(listing).uses != uses(listing.agent))
        .map(|listing| (listing.agent, uses(listing.agent)))
        .collect();
    if changed.is_empty() {
        return Ok(());
    }
    let mut tx = hub.store().write_background().await?;
    for (agent, uses) in changed {
        change_summary(&mut tx, agent, |summary| summary.uses = uses).await?;
    }
    tx.commit().await?;
    hub.wake_index_worker();
    Ok(())
}
