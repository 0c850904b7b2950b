//! Agents that are suggested for a new chat.

use std::collections::HashSet;

use plexus_domain::{AgentId, agent::Visibility, page::PageSize};
use plexus_store::{
    Conn,
    agents::{self, Agent, AgentState},
    namespaces, runs,
};

use super::queries::{ChatRecipient, described};
use crate::{
    Caller, Hub, Result,
    agents::{guide_address, is_visible_to, models_owner, stars},
    caller::{Person, Scope},
};

/// Agents that are suggested for a new chat. Each agent is in one list only.
pub struct SuggestedAgents {
    /// The caller's own, newest first.
    pub own: Vec<ChatRecipient>,
    /// Agents that the caller used and neither owns nor starred, latest use first.
    pub recent: Vec<ChatRecipient>,
    /// Newest star first.
    pub starred: Vec<ChatRecipient>,
    /// The hub's other agents: models that people talk to, then those that are built in.
    pub builtin: Vec<ChatRecipient>,
}

/// Maximum number of own and of starred agents.
const MAX_AGENTS: u16 = 20;
const MAX_RECENT: usize = 5;
/// Latest used agents that are looked at: some are owned, starred or deleted.
const MAX_USED: i64 = 40;

/// Returns the agents to suggest to the caller.
pub async fn suggested(hub: &Hub, caller: &Caller) -> Result<SuggestedAgents> {
    let person = caller.may(Scope::Read)?;
    let mut conn = hub.store().snapshot().await?;
    let mut known = HashSet::new();
    let mut is_new = |agent: &Agent| agent.state == AgentState::Active && known.insert(agent.id);
    let own =
        agents::page_by_namespace(&mut conn, person.namespace, None, PageSize::new(MAX_AGENTS)?).await?;
    let own: Vec<Agent> = own.into_iter().filter(&mut is_new).collect();
    let starred = stars::list(&mut conn, person).await?;
    let starred: Vec<Agent> = starred.into_iter().filter(&mut is_new).take(usize::from(MAX_AGENTS)).collect();
    let recent = used(&mut conn, person).await?;
    let recent: Vec<Agent> = recent.into_iter().filter(&mut is_new).take(MAX_RECENT).collect();
    let mut builtin = Vec::new();
    for owner in [models_owner(), guide_address().owner] {
        if let Some(owner) = namespaces::by_name(&mut conn, &owner).await? {
            builtin.extend(agents::list_by_namespace(&mut conn, owner.id).await?);
        }
    }
    builtin.retain(|agent| agent.visibility == Visibility::Public && is_new(agent));
    Ok(SuggestedAgents {
        own: all_described(&mut conn, own).await?,
        recent: all_described(&mut conn, recent).await?,
        starred: all_described(&mut conn, starred).await?,
        builtin: all_described(&mut conn, builtin).await?,
    })
}

/// Returns the agents that the caller used and may still see, latest use first.
async fn used(conn: &mut Conn, person: &Person) -> Result<Vec<Agent>> {
    let ids = runs::list_agents_of(conn, person.principal, MAX_USED).await?;
    let place = |agent: AgentId| ids.iter().position(|id| *id == agent);
    let mut found = agents::list(conn, &ids).await?;
    found.sort_by_key(|agent| place(agent.id));
    let mut used = Vec::with_capacity(found.len());
    for agent in found {
        if is_visible_to(conn, Some(person), &agent).await? {
            used.push(agent);
        }
    }
    Ok(used)
}

async fn all_described(conn: &mut Conn, all: Vec<Agent>) -> Result<Vec<ChatRecipient>> {
    let mut recipients = Vec::with_capacity(all.len());
    for agent in &all {
        recipients.push(described(conn, agent).await?);
    }
    Ok(recipients)
}
