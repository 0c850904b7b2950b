//! Starred agents of a user.

use std::collections::HashMap;

use plexus_domain::{Address, AgentId, Error as Refusal, HubRowId, Timestamp, page::PageSize};
use plexus_store::{
    Conn, accounts,
    agents::{self, Agent},
    stars::{self, Star},
};

use super::{access::is_visible_to, view::row};
use crate::{
    Caller, Hub, Result,
    caller::{Person, Scope},
    limits::Rate,
    quotas,
    views::AgentListRow,
};

/// Page cursor of starred agents: the last star of a page.
pub type StarCursor = (Timestamp, AgentId);

/// Stars an agent that the caller may see. Idempotent: an existing star stays unchanged.
pub async fn star(hub: &Hub, caller: &Caller, address: &Address) -> Result<()> {
    let person = caller.may(Scope::Agents)?;
    hub.limits().take(Rate::Stars, &caller.key())?;
    let mut tx = hub.store().write().await?;
    let found = at(&mut tx, address).await?;
    let Some(agent) = known(&mut tx, person, found).await? else { return Err(missing(address).into()) };
    accounts::lock(&mut tx, person.account).await?;
    let star = Star { agent: agent.id, starred_at: hub.env().now() };
    if stars::insert(&mut tx, person.account, &star).await? {
        quotas::check_stars(hub, &mut tx, person).await?;
    }
    tx.commit().await?;
    Ok(())
}

/// Removes the caller's star, also from an agent that they may not see any more.
pub async fn unstar(hub: &Hub, caller: &Caller, address: &Address) -> Result<()> {
    let person = caller.may(Scope::Agents)?;
    hub.limits().take(Rate::Stars, &caller.key())?;
    let mut tx = hub.store().write().await?;
    let agent = at(&mut tx, address).await?.ok_or_else(|| missing(address))?;
    let had = stars::delete(&mut tx, person.account, agent.id).await?;
    if !had && known(&mut tx, person, Some(agent)).await?.is_none() {
        return Err(missing(address).into());
    }
    tx.commit().await?;
    Ok(())
}

/// Returns a page of the caller's starred agents, newest star first, and the cursor of the next page.
pub async fn starred(
    hub: &Hub,
    caller: &Caller,
    after: Option<StarCursor>,
    size: PageSize,
) -> Result<(Vec<AgentListRow>, Option<StarCursor>)> {
    let person = caller.may(Scope::Read)?;
    let now = hub.env().now();
    let mut conn = hub.store().snapshot().await?;
    let mut all = given(&mut conn, person).await?;
    all.retain(|(place, _)| after.is_none_or(|after| *place < after));
    let full = all.len() > usize::from(size.rows());
    all.truncate(usize::from(size.rows()));
    let mut rows = Vec::with_capacity(all.len());
    for (_, agent) in &all {
        rows.push(row(&mut conn, agent, now).await?);
    }
    Ok((rows, all.last().filter(|_| full).map(|(place, _)| *place)))
}

/// Returns the starred agents that the user may see, newest star first.
pub(crate) async fn list(conn: &mut Conn, person: &Person) -> Result<Vec<Agent>> {
    Ok(given(conn, person).await?.into_iter().map(|(_, agent)| agent).collect())
}

/// Returns all of them: a quota bounds their number.
async fn given(conn: &mut Conn, person: &Person) -> Result<Vec<(StarCursor, Agent)>> {
    let stars = stars::list_by_account(conn, person.account).await?;
    let ids: Vec<AgentId> = stars.iter().map(|star| star.agent).collect();
    let found = agents::list(conn, &ids).await?;
    let mut found: HashMap<AgentId, Agent> = found.into_iter().map(|agent| (agent.id, agent)).collect();
    let mut given = Vec::with_capacity(stars.len());
    for star in stars {
        let agent = known(conn, person, found.remove(&star.agent)).await?;
        given.extend(agent.map(|agent| ((star.starred_at, star.agent), agent)));
    }
    Ok(given)
}

async fn at(conn: &mut Conn, address: &Address) -> Result<Option<Agent>> {
    Ok(agents::at(conn, address).await?.filter(|agent| agent.hub == HubRowId::SELF))
}

async fn known(conn: &mut Conn, person: &Person, found: Option<Agent>) -> Result<Option<Agent>> {
    let Some(agent) = found else { return Ok(None) };
    Ok(is_visible_to(conn, Some(person), &agent).await?.then_some(agent))
}

fn missing(address: &Address) -> Refusal {
    Refusal::not_found(format!("Agent {address} not found."))
}
