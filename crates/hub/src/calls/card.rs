//! The card of an agent, as this hub serves it to programs.

use plexus_a2a::{
    Card,
    card::{Serving, serve, sign},
    wire::v1::AgentCard,
};
use plexus_domain::{
    Address, Error as Refusal, HubRowId,
    agent::{Access, Visibility},
};
use plexus_store::{
    Conn,
    agents::{self, Agent, AgentState},
    cards, versions,
};

use crate::{Caller, Error, Hub, Result, agents::manages, keys};

/// The signed card of an agent that the caller may know of. Its key signs it where the hub holds that key.
pub async fn card(hub: &Hub, caller: &Caller, address: &Address) -> Result<AgentCard> {
    let missing = || Refusal::not_found(format!("There is no agent {address} here."));
    let mut conn = hub.store().snapshot().await?;
    let found = agents::by_address(&mut conn, HubRowId::SELF, &address.owner, &address.name).await?;
    let agent = found.filter(|_| address.hub.is_none()).ok_or_else(missing)?;
    if !is_shown(&mut conn, caller, &agent).await? {
        return Err(missing().into());
    }
    let version = versions::current(&mut conn, agent.id).await?.ok_or_else(missing)?;
    let body = cards::find(&mut conn, &version.card).await?.ok_or_else(missing)?;
    let said = Card::read(&body).card.ok_or_else(missing)?;
    let mut served = serve(&said, serving(hub, &agent, version.semver)?);
    if let Some(key) = keys::agent_key(hub, &mut conn, agent.id).await? {
        sign(&mut served, &key).map_err(Error::fault)?;
    }
    Ok(served)
}

async fn is_shown(conn: &mut Conn, caller: &Caller, agent: &Agent) -> Result<bool> {
    if matches!(agent.state, AgentState::Deleted | AgentState::Hidden) {
        return Ok(false);
    }
    Ok(agent.visibility != Visibility::Private || manages(conn, caller.person.as_ref(), agent).await?)
}

fn serving(hub: &Hub, agent: &Agent, version: String) -> Result<Serving> {
    let public = &hub.config().public_url;
    let at = |path: String| public.join(&path).map_err(Error::fault);
    let (owner, name) = (&agent.owner, &agent.name);
    Ok(Serving {
        address: crate::views::address(agent).to_string(),
        version,
        base: at(format!("a2a/{owner}/{name}/"))?,
        provider: (owner.to_string(), at(format!("@{owner}"))?),
        page: at(format!("@{owner}/{name}"))?,
        open: agent.access == Access::Open,
        push: false,
    })
}
