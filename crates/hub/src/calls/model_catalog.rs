//! Model catalogue: the agents that are listed to a program which asks for available models.

use std::collections::HashSet;

use plexus_domain::{Address, AgentId, Timestamp, agent::AgentAccess, page::PageSize};
use plexus_search::{PageStart, Query, Sort};
use plexus_store::{
    Conn,
    agents::{self, Agent, AgentState},
    runs,
};

use crate::{
    Caller, Error, Hub, Result,
    agents::{resolve_callable, restricted_for, stars},
    caller::{Person, Requester, Scope},
};

/// An agent in the model catalogue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CatalogAgent {
    pub address: Address,
    pub created: Timestamp,
}

const MAX_ITEMS: usize = 500;
const MAX_RECENT: i64 = 100;
/// Pages of 100 of the most used agents.
const PAGES: usize = 3;

/// Lists the agents that would answer the caller: its own, starred, those that name the caller, recently called, and the most used here.
pub async fn list_callable_agents(hub: &Hub, caller: &Caller) -> Result<Vec<CatalogAgent>> {
    let known = caller.person.as_ref().map(|_| caller.may(Scope::Chat).or_else(|_| caller.may(Scope::Read)));
    let person = known.transpose()?;
    let most_used = most_used(hub).await?;
    let mut conn = hub.store().snapshot().await?;
    let mut found = Vec::new();
    if let Some(person) = person {
        found.extend(agents::list_by_namespace(&mut conn, person.namespace).await?);
        found.extend(stars::list(&mut conn, person).await?);
        let granted = restricted_for(&mut conn, Some(person)).await?;
        found.extend(in_order(&mut conn, &granted).await?);
        let recent = runs::list_agents_of(&mut conn, person.principal, MAX_RECENT).await?;
        found.extend(in_order(&mut conn, &recent).await?);
    }
    found.extend(in_order(&mut conn, &most_used).await?);
    let mut seen = HashSet::new();
    found.retain(|agent| agent.state == AgentState::Active && seen.insert(agent.id));
    let mut offered = Vec::new();
    for agent in found {
        if offered.len() < MAX_ITEMS && answers(&mut conn, person, &agent).await? {
            offered.push(CatalogAgent { address: agent.address(), created: agent.created_at });
        }
    }
    Ok(offered)
}

async fn answers(conn: &mut Conn, person: Option<&Person>, agent: &Agent) -> Result<bool> {
    let Some(person) = person else { return Ok(agent.access == AgentAccess::Open) };
    match resolve_callable(conn, &Requester::from(person), &agent.address()).await {
        Ok(_) => Ok(true),
        Err(Error::Refused(_)) => Ok(false),
        Err(fault) => Err(fault),
    }
}

async fn most_used(hub: &Hub) -> Result<Vec<AgentId>> {
    let mut found = Vec::new();
    for page in 0..PAGES {
        let size = PageSize::new(100)?;
        let query = Query { sort: Sort::Used, start: PageStart::Page(page), size, ..Query::default() };
        let index = hub.index().clone();
        let hits = tokio::task::spawn_blocking(move || index.search(&query)).await.map_err(Error::fault)?;
        let hits = hits.map_err(Error::fault)?;
        found.extend(hits.rows.iter().map(|hit| hit.agent));
        if hits.last.is_none() {
            break;
        }
    }
    Ok(found)
}

async fn in_order(conn: &mut Conn, ids: &[AgentId]) -> Result<Vec<Agent>> {
    let mut known = agents::list(conn, ids).await?;
    known.sort_by_key(|agent| ids.iter().position(|id| *id == agent.id));
    Ok(known)
}
