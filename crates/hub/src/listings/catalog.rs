//! Agent descriptions for catalogs of other standards: all publicly listed agents, without pages.

use std::collections::HashMap;

use plexus_domain::{Address, AgentId, HubRowId, Timestamp};
use plexus_search::{Query, ScoredAgent};
use plexus_store::{
    agents::{self, Agent, AgentState},
    listings::{self, Listing, ListingState},
};

use super::{ListingSummary, read_summary};
use crate::{Caller, Error, Hub, Result, limits::Rate};

/// Agent found by a search, with its score relative to the best: 0 to 100.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CatalogMatch {
    pub agent: AgentId,
    pub score: u8,
}

/// Catalog description of an agent.
#[derive(Clone, Debug)]
pub struct CatalogAgentInfo {
    pub address: Address,
    pub summary: ListingSummary,
    pub created: Timestamp,
    pub updated: Timestamp,
    pub score: u8,
}

const BEST: f32 = 100.0;

/// Returns all matching agents of this hub, up to the index limit for lists. Rate limited.
pub async fn matched(hub: &Hub, caller: &Caller, query: Query) -> Result<Vec<CatalogMatch>> {
    hub.limits().take(Rate::Catalogs, &caller.key())?;
    matching(hub, Query { here: Some(true), ..query }).await
}

/// Returns all matching agents, including replicas.
pub(crate) async fn matching(hub: &Hub, query: Query) -> Result<Vec<CatalogMatch>> {
    let index = hub.index().clone();
    let found = tokio::task::spawn_blocking(move || index.match_all(&query)).await.map_err(Error::fault)?;
    Ok(shares(&found.map_err(Error::fault)?))
}

/// Converts scores to percentages of the best score.
pub(crate) fn shares(found: &[ScoredAgent]) -> Vec<CatalogMatch> {
    let best = found.iter().map(|found| found.score).fold(f32::MIN_POSITIVE, f32::max);
    found.iter().map(|found| CatalogMatch { agent: found.agent, score: share(found.score / best) }).collect()
}

/// Returns the percentage, rounded.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is within 0 and 100")]
fn share(of_best: f32) -> u8 {
    (of_best * BEST).clamp(0.0, BEST).round() as u8
}

/// Returns the descriptions in the same order. Agents that are not listed any more are skipped.
pub async fn described(hub: &Hub, found: &[CatalogMatch]) -> Result<Vec<CatalogAgentInfo>> {
    let ids: Vec<AgentId> = found.iter().map(|found| found.agent).collect();
    let mut conn = hub.store().snapshot().await?;
    let agents: HashMap<_, _> =
        agents::list(&mut conn, &ids).await?.into_iter().map(|agent| (agent.id, agent)).collect();
    let listings: HashMap<_, _> =
        listings::list(&mut conn, &ids).await?.into_iter().map(|listing| (listing.agent, listing)).collect();
    let one = |found: &CatalogMatch| {
        let (agent, listing) = (agents.get(&found.agent)?, listings.get(&found.agent)?);
        is_listed(agent, listing).then(|| CatalogAgentInfo { score: found.score, ..of(agent, listing) })
    };
    Ok(found.iter().filter_map(one).collect())
}

/// Returns the description of the agent at an address, if it is publicly listed.
pub async fn describe(hub: &Hub, address: &Address) -> Result<Option<CatalogAgentInfo>> {
    let mut conn = hub.store().snapshot().await?;
    let found = agents::by_address(&mut conn, HubRowId::SELF, &address.owner, &address.name).await?;
    let Some(agent) = found else { return Ok(None) };
    let listing = listings::find(&mut conn, agent.id).await?;
    Ok(listing.filter(|listing| is_listed(&agent, listing)).map(|listing| of(&agent, &listing)))
}

fn is_listed(agent: &Agent, listing: &Listing) -> bool {
    agent.is_listed() && agent.state == AgentState::Active && listing.state == ListingState::Live
}

fn of(agent: &Agent, listing: &Listing) -> CatalogAgentInfo {
    CatalogAgentInfo {
        address: agent.address(),
        summary: read_summary(listing),
        created: agent.created_at,
        updated: listing.issued_at,
        score: 0,
    }
}
