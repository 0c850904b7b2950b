//! Read models of agents and of the agents in a namespace.

use std::collections::HashMap;

use plexus_a2a::Card;
use plexus_domain::{Address, AgentId, Name, PrincipalId, Timestamp, agent::AgentAccess, page::PageSize};
use plexus_store::{
    Conn,
    accounts::{self, AccountState},
    agent_versions,
    agent_versions::Version,
    agents::{self, Agent, AgentState},
    cards, listings, namespaces,
    namespaces::NamespaceKind,
    origin_verifications,
    origin_verifications::Proof,
    runs, stars,
};

use super::{
    access::{access_allows, is_visible, manages, restricted_for},
    copy::may_copy,
    credentials::needs_credentials,
};
use crate::{
    Caller, Hub, Result,
    caller::{Person, Requester, Scope},
    federation,
    listings::{ListingSummary, count_uses, read_summary},
    views::AgentListRow,
};

/// Agent as shown to one viewer.
pub struct AgentView {
    pub agent: Agent,
    pub address: Address,
    /// Name that the agent's hub gives itself; not verified. `None` for agents of this hub.
    pub hub_name: Option<String>,
    pub seed: String,
    pub summary: ListingSummary,
    pub is_online: bool,
    pub card: Option<Card>,
    /// Newest first. The first version that is not yanked is the current one.
    pub versions: Vec<Version>,
    pub proofs: Vec<Proof>,
    pub can_manage: bool,
    /// Whether the viewer may copy it.
    pub can_copy: bool,
    /// Whether users who may use it may copy it.
    pub allows_copies: bool,
    pub callable: CallableState,
    pub last_run: Option<Timestamp>,
    /// Number of users who starred it.
    pub stars: u64,
    /// Whether the viewer starred it; `None` for anonymous viewers.
    pub starred: Option<bool>,
}

/// Whether the viewer can call the agent, or why not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallableState {
    Yes,
    SignIn,
    /// The viewer has to enter credentials.
    NeedsCredentials,
    /// Control of this origin is not verified, so the hub calls it for its owner only.
    Unproved {
        origin: String,
    },
    NotAllowed,
    Paused,
}

/// Namespace and its agents as shown to one viewer.
pub struct OwnerView {
    pub name: Name,
    pub kind: NamespaceKind,
    pub since: Timestamp,
    pub own: bool,
    pub agents: Vec<AgentListRow>,
}

/// Returns the agent at `address`; `None` if it does not exist or the caller may not see it.
pub async fn get(hub: &Hub, caller: &Caller, address: &Address) -> Result<Option<AgentView>> {
    let mut conn = hub.store().snapshot().await?;
    let found = agents::at(&mut conn, address).await?;
    let is_there = |agent: &Agent| match agent.state {
        AgentState::Active => true,
        // A replicated agent is paused while it is hidden.
        AgentState::Paused => agent.namespace.is_some(),
        AgentState::Hidden | AgentState::Deleted => false,
    };
    let Some(agent) = found.filter(is_there) else { return Ok(None) };
    let person = caller.person.as_ref();
    let can_manage = manages(&mut conn, person, &agent).await?;
    if !is_visible(&mut conn, person, &agent, can_manage).await? {
        return Ok(None);
    }
    let versions = agent_versions::list_by_agent(&mut conn, agent.id).await?;
    let current = versions.iter().find(|version| version.yanked_reason.is_none());
    let body = match current {
        Some(version) => cards::find(&mut conn, &version.card).await?,
        None => None,
    };
    let card = body.and_then(|body| Card::read(&body).card);
    let proofs = origin_verifications::list_by_agent(&mut conn, agent.id).await?;
    let callable = callable(&mut conn, person, &agent, current, card.as_ref(), &proofs, can_manage).await?;
    let allows_copies = agents::allows_copies(&mut conn, agent.id).await?;
    let can_copy = may_copy(&mut conn, person, &agent, current, can_manage, allows_copies).await?;
    let mut summary = summary(&mut conn, &agent, current, card.as_ref()).await?;
    summary.uses = count_uses(&mut conn, agent.id, hub.env().now()).await?;
    let last_run = runs::list_by_agent(&mut conn, agent.id, 1).await?.first().and_then(|run| run.ended_at);
    let stars = stars::count_by_agent(&mut conn, agent.id).await?;
    let starred = match person {
        Some(person) => Some(stars::exists(&mut conn, person.account, agent.id).await?),
        None => None,
    };
    let hub_name = federation::hub_names(&mut conn, [agent.hub]).await?.remove(&agent.hub);
    Ok(Some(AgentView {
        hub_name,
        address: agent.address(),
        seed: agent.identicon_seed(),
        is_online: summary.is_online(hub.env().now()),
        summary,
        card,
        versions,
        proofs,
        can_manage,
        can_copy,
        allows_copies,
        callable,
        last_run,
        stars,
        starred,
        agent,
    }))
}

/// Returns a namespace with its agents: all for its members, otherwise the publicly listed ones and those that
/// name the caller.
pub async fn get_namespace(hub: &Hub, caller: &Caller, name: &Name) -> Result<Option<OwnerView>> {
    let mut conn = hub.store().snapshot().await?;
    let found = namespaces::by_name(&mut conn, name).await?;
    let Some(namespace) = found.filter(|namespace| namespace.retired_at.is_none()) else { return Ok(None) };
    let holder = accounts::by_namespace(&mut conn, namespace.id).await?;
    if holder.is_some_and(|account| account.state != AccountState::Active) {
        return Ok(None);
    }
    let own = match &caller.person {
        Some(person) => namespaces::role_of(&mut conn, namespace.id, person.account).await?.is_some(),
        None => false,
    };
    let now = hub.env().now();
    let mut rows = Vec::new();
    let granted = restricted_for(&mut conn, caller.person.as_ref()).await?;
    for agent in agents::list_by_namespace(&mut conn, namespace.id).await? {
        if own || agent.is_listed() || granted.contains(&agent.id) {
            rows.push(row(&mut conn, &agent, now).await?);
        }
    }
    Ok(Some(OwnerView {
        name: namespace.name,
        kind: namespace.kind,
        since: namespace.created_at,
        own,
        agents: rows,
    }))
}

/// Returns a page of the caller's own agents, newest first, and the cursor of the next page.
pub async fn list_own(
    hub: &Hub,
    caller: &Caller,
    after: Option<AgentId>,
    size: PageSize,
) -> Result<(Vec<AgentListRow>, Option<AgentId>)> {
    let person = caller.may(Scope::Read)?;
    let now = hub.env().now();
    let mut conn = hub.store().snapshot().await?;
    let agents = agents::page_by_namespace(&mut conn, person.namespace, after, size).await?;
    let full = agents.len() == usize::from(size.rows());
    let mut rows = Vec::with_capacity(agents.len());
    for agent in &agents {
        rows.push(row(&mut conn, agent, now).await?);
    }
    Ok((rows, agents.last().filter(|_| full).map(|last| last.id)))
}

/// Returns the rows of these agents in the given order. Deleted agents are skipped.
pub(crate) async fn rows(conn: &mut Conn, wanted: &[AgentId], now: Timestamp) -> Result<Vec<AgentListRow>> {
    let found = agents::list(conn, wanted).await?;
    let mut found: HashMap<AgentId, Agent> = found.into_iter().map(|agent| (agent.id, agent)).collect();
    let mut rows = Vec::with_capacity(wanted.len());
    for agent in wanted.iter().filter_map(|id| found.remove(id)) {
        rows.push(row(conn, &agent, now).await?);
    }
    Ok(rows)
}

pub(super) async fn row(conn: &mut Conn, agent: &Agent, now: Timestamp) -> Result<AgentListRow> {
    let summary = summary(conn, agent, None, None).await?;
    Ok(AgentListRow {
        hub_name: federation::hub_names(conn, [agent.hub]).await?.remove(&agent.hub),
        agent: agent.id,
        is_open: agent.access == AgentAccess::Open,
        seed: agent.identicon_seed(),
        address: agent.address(),
        online: summary.is_online(now),
        title: summary.title,
        summary: summary.summary,
        tags: summary.tags,
        protocol: summary.protocol,
        kind: summary.kind,
        verified: summary.verified,
        online_at: summary.online_at,
    })
}

async fn summary(
    conn: &mut Conn,
    agent: &Agent,
    version: Option<&Version>,
    card: Option<&Card>,
) -> Result<ListingSummary> {
    if let Some(listing) = listings::find(conn, agent.id).await? {
        return Ok(read_summary(&listing));
    }
    Ok(match (card, version) {
        (Some(card), Some(version)) => ListingSummary::new(card, &version.connector, false),
        _ => ListingSummary { title: agent.name.to_string(), ..ListingSummary::default() },
    })
}

async fn callable(
    conn: &mut Conn,
    person: Option<&Person>,
    agent: &Agent,
    version: Option<&Version>,
    card: Option<&Card>,
    proofs: &[Proof],
    mine: bool,
) -> Result<CallableState> {
    if person.is_none() && agent.access != AgentAccess::Open {
        return Ok(CallableState::SignIn);
    }
    // Open access does not depend on the principal.
    let requester = person.map_or_else(
        || Requester::anonymous(PrincipalId::new(Timestamp::from_millis(0), &[0; 10])),
        Requester::from,
    );
    if agent.state == AgentState::Paused {
        return Ok(CallableState::Paused);
    }
    let elsewhere = version.is_some_and(|version| version.connector.remote_url().is_some());
    // Endpoints of replicated agents are verified at call time.
    let proofs = if agent.home.is_some() { &[] } else { proofs };
    if let Some(unproved) = proofs.iter().find(|proof| elsewhere && !mine && !proof.holds()) {
        return Ok(CallableState::Unproved { origin: unproved.origin.clone() });
    }
    if !access_allows(conn, &requester, agent, mine).await? {
        return Ok(CallableState::NotAllowed);
    }
    let lacking = match version.zip(card) {
        Some((version, card)) if elsewhere => {
            needs_credentials(conn, &requester, agent, version, card).await?
        }
        _ => false,
    };
    Ok(if lacking { CallableState::NeedsCredentials } else { CallableState::Yes })
}
