//! Featured agents of the home page: those that administrators chose, else some that run on this hub.

use plexus_a2a::Card;
use plexus_domain::{
    AgentId,
    agent::{AgentAccess, Connector},
    page::PageSize,
};
use plexus_search::{Query, Sort};
use plexus_store::{
    Conn, agent_versions,
    agents::{self, Agent, AgentState},
    cards, featured_agents,
};

use super::search::search;
use crate::{
    Caller, Error, Hub, Result,
    agents::{resolve_callable, rows, starters},
    listings::online_since,
    views::AgentListRow,
};

/// Maximum number of featured agents, so that the home page stays short.
pub const MAX_FEATURED: u16 = 6;
/// Maximum number of starters of an agent on the home page.
const MAX_HOME_STARTERS: usize = 2;
/// Connectors whose agents run on this hub and need no connection to answer.
const HOSTED: [&str; 2] = ["llm", "process"];

/// An agent on the home page with example messages.
pub struct FeaturedAgent {
    pub row: AgentListRow,
    /// Empty if the caller may not use the agent.
    pub starters: Vec<String>,
}

/// Returns the featured agents. Agents that are paused or not listed are left out.
pub(super) async fn featured(hub: &Hub, caller: &Caller) -> Result<Vec<FeaturedAgent>> {
    let chosen = featured_agents::list(&mut hub.store().read().await?).await?;
    let mut featured = described(hub, caller, &chosen).await?;
    if featured.is_empty() {
        featured = described(hub, caller, &by_default(hub).await?).await?;
    }
    Ok(featured)
}

/// Returns hosted agents that answered lately, the most used first, and the hub's own agents.
async fn by_default(hub: &Hub) -> Result<Vec<AgentId>> {
    let query = |kind: &str| Query {
        kind: Some(kind.to_owned()),
        here: Some(true),
        sort: Sort::Used,
        size: PageSize::new(MAX_FEATURED).unwrap_or(PageSize::DEFAULT),
        ..Query::default()
    };
    let mut found = Vec::new();
    for kind in HOSTED {
        let answering = Query { online_since: Some(online_since(hub)), ..query(kind) };
        found.extend(search(hub, answering).await?.rows);
    }
    let builtin = search(hub, query(Connector::BUILTIN_KIND)).await?.rows;
    found.truncate(usize::from(MAX_FEATURED).saturating_sub(builtin.len()));
    found.extend(builtin);
    Ok(found.into_iter().map(|row| row.agent).take(usize::from(MAX_FEATURED)).collect())
}

async fn described(hub: &Hub, caller: &Caller, ids: &[AgentId]) -> Result<Vec<FeaturedAgent>> {
    let mut conn = hub.store().snapshot().await?;
    let found = agents::list(&mut conn, ids).await?;
    let is_shown = |agent: &&Agent| agent.is_listed() && agent.state == AgentState::Active;
    let shown: Vec<&Agent> =
        ids.iter().filter_map(|id| found.iter().find(|agent| agent.id == *id)).filter(is_shown).collect();
    let ids: Vec<AgentId> = shown.iter().map(|agent| agent.id).collect();
    let mut featured = Vec::new();
    for (row, agent) in rows(&mut conn, &ids, hub.env().now()).await?.into_iter().zip(shown) {
        let mut starters = match may_call(&mut conn, caller, agent, &row).await? {
            true => starters_of(&mut conn, agent).await?,
            false => Vec::new(),
        };
        starters.truncate(MAX_HOME_STARTERS);
        featured.push(FeaturedAgent { row, starters });
    }
    Ok(featured)
}

async fn may_call(conn: &mut Conn, caller: &Caller, agent: &Agent, row: &AgentListRow) -> Result<bool> {
    let Some(person) = &caller.person else { return Ok(agent.access == AgentAccess::Open) };
    match resolve_callable(conn, &person.into(), &row.address).await {
        Ok(_) => Ok(true),
        Err(Error::Refused(_)) => Ok(false),
        Err(fault) => Err(fault),
    }
}

async fn starters_of(conn: &mut Conn, agent: &Agent) -> Result<Vec<String>> {
    let Some(version) = agent_versions::current(conn, agent.id).await? else { return Ok(Vec::new()) };
    let card = cards::find(conn, &version.card).await?.and_then(|bytes| Card::read(&bytes).card);
    Ok(card.as_ref().map(starters).unwrap_or_default())
}
