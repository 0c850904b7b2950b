//! Writes listings.

use std::time::Duration;

use plexus_a2a::Card;
use plexus_domain::{AgentId, Timestamp, agent::Connector};
use plexus_store::{
    Conn, Tx, agent_versions,
    agents::{self, AgentState},
    cards,
    listings::{self, Listing, ListingState},
    origin_verifications::{self, Proof},
};

use super::ListingSummary;
use crate::{Error, Hub, Result};

/// Interval at which an agent that keeps answering is marked as online (write amplification).
const LIVENESS_INTERVAL: Duration = Duration::from_secs(5 * 60);

/// Updates the agent's listing to its current version, verification and state.
/// Notify the index after the commit.
pub(crate) async fn publish(hub: &Hub, tx: &mut Tx, agent: AgentId) -> Result<()> {
    let missing = |what| Error::Fault(anyhow::anyhow!("agent {agent} has no {what}"));
    let row = agents::find(tx, agent).await?.ok_or_else(|| missing("row"))?;
    if row.state == AgentState::Deleted && listings::find(tx, agent).await?.is_some() {
        // Its listing is a tombstone, and its card may be deleted already.
        return Ok(());
    }
    let version = agent_versions::current(tx, agent).await?.ok_or_else(|| missing("version"))?;
    let body = cards::find(tx, &version.card).await?.ok_or_else(|| missing("card"))?;
    let card = Card::read(&body).card.ok_or_else(|| missing("readable card"))?;
    let before = listings::find(tx, agent).await?;
    let mut summary =
        ListingSummary::new(&card, &version.connector, verified(tx, agent, &version.connector).await?);
    if let Some(before) = before.as_ref().map(read_summary) {
        (summary.online_at, summary.uses) = (before.online_at, before.uses);
    }
    let state = match row.state {
        AgentState::Active => ListingState::Live,
        AgentState::Paused | AgentState::Hidden => ListingState::Paused,
        AgentState::Deleted => ListingState::Deleted,
    };
    let now = hub.env().now();
    // The sequence follows the clock, so that it is greater than any that a
    // former copy of the hub has signed.
    let seq = before.as_ref().map_or(0, |before| before.seq).max(now.millis().saturating_mul(1_000)) + 1;
    // The signed envelope stays until the publisher signs a new one.
    let signed = before;
    let listing = Listing {
        agent,
        seq,
        card: version.card,
        summary: serde_json::to_value(summary).map_err(Error::fault)?,
        envelope: signed.as_ref().and_then(|signed| signed.envelope.clone()),
        hash: signed.as_ref().and_then(|signed| signed.hash),
        issued_at: now,
        expires_at: signed.and_then(|signed| signed.expires_at),
        leased_until: None,
        state,
        change: 0,
    };
    listings::put(tx, &listing).await?;
    Ok(())
}

pub(crate) fn read_summary(listing: &Listing) -> ListingSummary {
    serde_json::from_value(listing.summary.clone()).unwrap_or_default()
}

/// Returns whether the agent is verified. Agents that run on this hub need none;
/// others need all origins verified.
async fn verified(conn: &mut Conn, agent: AgentId, connector: &Connector) -> Result<bool> {
    match connector {
        Connector::A2a { .. } | Connector::Http { .. } => {
            let proofs = origin_verifications::list_by_agent(conn, agent).await?;
            Ok(!proofs.is_empty() && proofs.iter().all(Proof::holds))
        }
        Connector::Llm { .. }
        | Connector::Process { .. }
        | Connector::Attached
        | Connector::Builtin { .. } => Ok(true),
    }
}

/// Marks the agent as online.
pub(crate) async fn mark_online(hub: &Hub, agent: AgentId) -> Result<()> {
    let now = hub.env().now();
    let known = listings::find(&mut hub.store().read().await?, agent).await?;
    let fresh = |at: Timestamp| now.since(at) < LIVENESS_INTERVAL;
    match known {
        Some(listing) if !read_summary(&listing).online_at.is_some_and(fresh) => {}
        _ => return Ok(()),
    }
    note_online(hub, agent, Some(now)).await
}

/// Marks an agent as offline, if its disconnect is observed.
pub(crate) async fn mark_offline(hub: &Hub, agent: AgentId) -> Result<()> {
    note_online(hub, agent, None).await
}

async fn note_online(hub: &Hub, agent: AgentId, online_at: Option<Timestamp>) -> Result<()> {
    let mut tx = hub.store().write_background().await?;
    change_summary(&mut tx, agent, |summary| summary.online_at = online_at).await?;
    tx.commit().await?;
    hub.wake_index_worker();
    Ok(())
}

/// Changes the summary of a listing, as it is in the transaction. Does nothing if there is no listing.
pub(super) async fn change_summary(
    tx: &mut Tx,
    agent: AgentId,
    change: impl FnOnce(&mut ListingSummary),
) -> Result<()> {
    let Some(mut listing) = listings::find(tx, agent).await? else { return Ok(()) };
    let mut summary = read_summary(&listing);
    change(&mut summary);
    listing.summary = serde_json::to_value(summary).map_err(Error::fault)?;
    listings::put(tx, &listing).await?;
    Ok(())
}
