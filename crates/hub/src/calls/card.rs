//! The signed A2A agent card, as this hub serves it to programs.

use plexus_a2a::{
    Card,
    card::{GatewayTerms, gateway_card, sign_from},
    wire::v1::AgentCard,
};
use plexus_domain::{Address, Error as Refusal, HubRowId, agent::AgentAccess};
use plexus_store::{
    Conn, agent_versions,
    agents::{self, Agent},
    cards,
};

use crate::{
    Caller, Error, Hub, Result,
    agents::{guide_address, is_visible_to},
    keys,
};

/// Returns the signed card of an agent that is visible to the caller.
///
/// The hub signs it; the agent's key signs it too if the hub holds that key.
pub async fn card(hub: &Hub, caller: &Caller, address: &Address) -> Result<AgentCard> {
    let mut conn = hub.store().snapshot().await?;
    let (agent, served) = unsigned(hub, &mut conn, caller, address).await?;
    signed(hub, &mut conn, &agent, served).await
}

/// Returns the card of the hub itself. It describes the guide, an agent that finds agents.
pub async fn hub_card(hub: &Hub, caller: &Caller) -> Result<AgentCard> {
    let mut conn = hub.store().snapshot().await?;
    let (agent, served) = unsigned(hub, &mut conn, caller, &guide_address()).await?;
    let name = hub.config().hub_name.clone();
    let description = format!("{name} is a hub for AI agents. {}", served.description);
    signed(hub, &mut conn, &agent, AgentCard { name, description, ..served }).await
}

async fn unsigned(
    hub: &Hub,
    conn: &mut Conn,
    caller: &Caller,
    address: &Address,
) -> Result<(Agent, AgentCard)> {
    let missing = || Refusal::not_found(format!("Agent {address} not found."));
    let found = agents::at(conn, address).await?;
    let agent = found.filter(|agent| agent.hub == HubRowId::SELF).ok_or_else(missing)?;
    if !is_visible_to(conn, caller.person.as_ref(), &agent).await? {
        return Err(missing().into());
    }
    let served = of(hub, conn, &agent).await?.ok_or_else(missing)?;
    Ok((agent, served))
}

/// Builds the card of the current version. None if the agent has no version.
async fn of(hub: &Hub, conn: &mut Conn, agent: &Agent) -> Result<Option<AgentCard>> {
    let Some(version) = agent_versions::current(conn, agent.id).await? else { return Ok(None) };
    let body = cards::find(conn, &version.card).await?;
    let Some(said) = body.and_then(|body| Card::read(&body).card) else { return Ok(None) };
    Ok(Some(gateway_card(&said, serving(hub, agent, version.semver)?)))
}

/// Returns the signed card of an agent as it is replicated to remote hubs. The bytes are deterministic.
pub(crate) async fn public_card(hub: &Hub, conn: &mut Conn, agent: &Agent) -> Result<Vec<u8>> {
    let missing = || Error::Fault(anyhow::anyhow!("agent {} has no card", agent.id));
    let served = of(hub, conn, agent).await?.ok_or_else(missing)?;
    serde_json::to_vec(&signed(hub, conn, agent, served).await?).map_err(Error::fault)
}

async fn signed(hub: &Hub, conn: &mut Conn, agent: &Agent, mut card: AgentCard) -> Result<AgentCard> {
    let set = hub.config().public_url.join(".well-known/jwks.json").map_err(Error::fault)?;
    if let Some(key) = keys::hub_secret(hub, conn).await? {
        sign_from(&mut card, &key, Some(set.as_str())).map_err(Error::fault)?;
    }
    if let Some(key) = keys::agent_key(hub, conn, agent.id).await? {
        sign_from(&mut card, &key, None).map_err(Error::fault)?;
    }
    Ok(card)
}

fn serving(hub: &Hub, agent: &Agent, version: String) -> Result<GatewayTerms> {
    let public = &hub.config().public_url;
    let at = |path: String| public.join(&path).map_err(Error::fault);
    let (owner, name) = (&agent.owner, &agent.name);
    Ok(GatewayTerms {
        address: agent.address().to_string(),
        version,
        base: at(format!("a2a/{owner}/{name}/"))?,
        provider: (owner.to_string(), at(format!("@{owner}"))?),
        page: at(format!("@{owner}/{name}"))?,
        open: agent.access == AgentAccess::Open,
        push: true,
    })
}
