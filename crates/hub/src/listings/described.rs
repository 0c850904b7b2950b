//! Agents as catalogs of other standards describe them: what everybody may find, all of it at once.

use std::collections::HashMap;

use plexus_domain::{Address, AgentId, HubRowId, Timestamp};
use plexus_search::{Query, Scored};
use plexus_store::{
    agents::{self, Agent, AgentState},
    listings::{self, Listing, ListingState},
};

use super::{Summary, read_summary};
use crate::{Caller, Error, Hub, Result, limits::Rate, views};

/// An agent that a search found, and how well it fits: 0 to 100.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Matched {
    pub agent: AgentId,
    pub score: u8,
}

/// What is known of an agent.
#[derive(Clone, Debug)]
pub struct Described {
    pub address: Address,
    pub summary: Summary,
    pub created: Timestamp,
    pub updated: Timestamp,
    pub score: u8,
}

const BEST: f32 = 100.0;

/// All of this hub's own that is found, as far as lists reach.
pub async fn matched(hub: &Hub, caller: &Caller, query: Query) -> Result<Vec<Matched>> {
    hub.limits().take(Rate::Catalogs, &caller.key())?;
    matching(hub, Query { here: Some(true), ..query }).await
}

/// All that is found.
pub(crate) async fn matching(hub: &Hub, query: Query) -> Result<Vec<Matched>> {
    let index = hub.index().clone();
    let found = tokio::task::spawn_blocking(move || index.matching(&query)).await.map_err(Error::fault)?;
    Ok(shares(&found.map_err(Error::fault)?))
}

/// How well each fits, measured by the best.
pub(crate) fn shares(found: &[Scored]) -> Vec<Matched> {
    let best = found.iter().map(|found| found.score).fold(f32::MIN_POSITIVE, f32::max);
    found.iter().map(|found| Matched { agent: found.agent, score: share(found.score / best) }).collect()
}

/// The share of the best, in hundredths.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is within 0 and 100")]
fn share(of_best: f32) -> u8 {
    (of_best * BEST).clamp(0.0, BEST).round() as u8
}

/// What is known of those that are still there, in the same order.
pub async fn described(hub: &Hub, found: &[Matched]) -> Result<Vec<Described>> {
    let ids: Vec<AgentId> = found.iter().map(|found| found.agent).collect();
    let mut conn = hub.store().snapshot().await?;
    let agents: HashMap<_, _> =
        agents::list(&mut conn, &ids).await?.into_iter().map(|agent| (agent.id, agent)).collect();
    let listings: HashMap<_, _> =
        listings::list(&mut conn, &ids).await?.into_iter().map(|listing| (listing.agent, listing)).collect();
    let one = |found: &Matched| {
        let (agent, listing) = (agents.get(&found.agent)?, listings.get(&found.agent)?);
        is_listed(agent, listing).then(|| Described { score: found.score, ..of(agent, listing) })
    };
    Ok(found.iter().filter_map(one).collect())
}

/// The agent at an address, if everybody may find it.
pub async fn describe(hub: &Hub, address: &Address) -> Result<Option<Described>> {
    let mut conn = hub.store().snapshot().await?;
    let found = agents::by_address(&mut conn, HubRowId::SELF, &address.owner, &address.name).await?;
    let Some(agent) = found else { return Ok(None) };
    let listing = listings::find(&mut conn, agent.id).await?;
    Ok(listing.filter(|listing| is_listed(&agent, listing)).map(|listing| of(&agent, &listing)))
}

fn is_listed(agent: &Agent, listing: &Listing) -> bool {
    agent.visibility.is_listed() && agent.state == AgentState::Active && listing.state == ListingState::Live
}

fn of(agent: &Agent, listing: &Listing) -> Described {
    Described {
        address: views::address(agent),
        summary: read_summary(listing),
        created: agent.created,
        updated: listing.issued,
        score: 0,
    }
}
