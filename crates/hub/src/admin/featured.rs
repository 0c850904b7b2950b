//! Choice of the featured agents, which the home page shows first.

use plexus_domain::{Address, AgentId, Error as Refusal};
use plexus_store::{
    Tx,
    agents::{self, Agent, AgentState},
    featured_agents,
};
use serde_json::json;

use crate::{Hub, Result, audit::Administrator, directory::MAX_FEATURED};

/// Features an agent, or stops featuring it. An agent must be listed to be featured.
pub async fn set_featured(hub: &Hub, by: Administrator<'_>, id: AgentId, is_featured: bool) -> Result<()> {
    by.check()?;
    let mut tx = hub.store().write().await?;
    let agent = existing(agents::find(&mut tx, id).await?)?;
    change(hub, &mut tx, by, &agent, is_featured).await?;
    Ok(tx.commit().await?)
}

/// Features agents and stops featuring others, for the operator. Returns the addresses of all featured agents.
pub async fn change_featured_by_operator(
    hub: &Hub,
    added: &[Address],
    removed: &[Address],
) -> Result<Vec<Address>> {
    let mut tx = hub.store().write().await?;
    let changes = removed.iter().map(|address| (address, false));
    for (address, is_featured) in changes.chain(added.iter().map(|address| (address, true))) {
        let agent = existing(agents::at(&mut tx, address).await?)?;
        change(hub, &mut tx, Administrator::CommandLine, &agent, is_featured).await?;
    }
    let featured = featured_agents::list(&mut tx).await?;
    let found = agents::list(&mut tx, &featured).await?;
    tx.commit().await?;
    let address =
        |id: &AgentId| found.iter().find(|agent| agent.id == *id).map(plexus_store::agents::Agent::address);
    Ok(featured.iter().filter_map(address).collect())
}

fn existing(agent: Option<Agent>) -> Result<Agent, Refusal> {
    agent
        .filter(|agent| agent.state != AgentState::Deleted)
        .ok_or_else(|| Refusal::not_found("Agent not found."))
}

async fn change(
    hub: &Hub,
    tx: &mut Tx,
    by: Administrator<'_>,
    agent: &Agent,
    is_featured: bool,
) -> Result<()> {
    let (action, is_new) = if is_featured {
        if !agent.is_listed() {
            let words = "Only public agents can be featured. Change the visibility of this one first.";
            return Err(Refusal::conflict(words).into());
        }
        ("agent.feature", featured_agents::insert(tx, agent.id, hub.env().now()).await?)
    } else {
        ("agent.unfeature", featured_agents::delete(tx, agent.id).await?)
    };
    if !is_new {
        let words =
            if is_featured { "This agent is already featured." } else { "This agent is not featured." };
        return Err(Refusal::conflict(words).into());
    }
    if featured_agents::list(tx).await?.len() > usize::from(MAX_FEATURED) {
        let words =
            format!("At most {MAX_FEATURED} agents can be featured. Stop featuring another one first.");
        return Err(Refusal::conflict(words).into());
    }
    by.write_audit(hub, tx, action, format!("agent:{}", agent.id), json!({})).await
}
