//! Access control: which callers may see and call an agent.

use plexus_a2a::Card;
use plexus_domain::{
    Address, AgentId, Error as Refusal, Principal, PrincipalId,
    agent::{AgentAccess, Visibility},
};
use plexus_store::{
    Conn,
    agent_versions::{self, Version},
    agents::{self, Agent, AgentState},
    cards, grants, namespaces, principals,
};

use super::{
    credentials::{lacking, needs_credentials},
    origin_verification::check_proved,
};
use crate::{
    Error, Hub, Result,
    bus::AccessChange,
    caller::{self, Person, QuotaSubject, Requester},
};

/// Agent that a caller may call, with its current version.
#[derive(Clone, Debug)]
pub struct ResolvedAgent {
    pub agent: Agent,
    pub version: Version,
    /// Principal of the agent, if known.
    pub principal: Option<PrincipalId>,
}

/// Resolves the agent at `address` for a caller. Agents that the caller may not see are reported as missing.
pub(crate) async fn resolve_callable(
    conn: &mut Conn,
    requester: &Requester,
    address: &Address,
) -> Result<ResolvedAgent> {
    let missing = || missing(address);
    let found = agents::at(conn, address).await?;
    check(conn, requester, found.ok_or_else(missing)?).await
}

/// Resolves the agent behind `principal`, which answered before, if the caller may still call it.
pub(crate) async fn resolve_callable_by_principal(
    conn: &mut Conn,
    requester: &Requester,
    principal: PrincipalId,
) -> Result<ResolvedAgent> {
    let Some(found) = agents::by_principal(conn, principal).await? else {
        let words = match principals::find(conn, principal).await? {
            Some(Principal::Imported { .. }) => "This answer was imported. Choose an agent to ask instead.",
            _ => "The agent of this chat was deleted. Address another agent with @owner/name.",
        };
        return Err(Refusal::conflict(words).into());
    };
    let reached = check(conn, requester, found).await?;
    Ok(ResolvedAgent { principal: Some(principal), ..reached })
}

fn missing(address: &Address) -> Refusal {
    Refusal::invalid("text", format!("Agent {address} not found."))
}

/// Returns whether the agent's access setting admits the caller. `mine`: the caller acts for its owner.
pub(super) async fn access_allows(
    conn: &mut Conn,
    requester: &Requester,
    agent: &Agent,
    mine: bool,
) -> Result<bool> {
    Ok(match agent.access {
        AgentAccess::Open => true,
        AgentAccess::Accounts => {
            requester.person.is_some() || (requester.remote_user.is_some() && accepts_remote_users(agent))
        }
        AgentAccess::Listed => mine || grants::exists(conn, agent.id, requester.principal).await?,
        AgentAccess::Owner => mine,
    })
}

/// Returns whether remote users are accepted: only for this hub's own agents with federated visibility.
/// Replicated agents are not offered to other hubs.
fn accepts_remote_users(agent: &Agent) -> bool {
    agent.visibility == Visibility::Federated && agent.namespace.is_some()
}

/// Returns whether the user acts for the agent's owner.
pub(crate) async fn owns(conn: &mut Conn, person: &Person, agent: &Agent) -> Result<bool> {
    let Some(namespace) = agent.namespace else { return Ok(false) };
    Ok(namespaces::role_of(conn, namespace, person.account).await?.is_some())
}

/// Same for a caller that may be anonymous.
pub(crate) async fn manages(conn: &mut Conn, person: Option<&Person>, agent: &Agent) -> Result<bool> {
    match person {
        Some(person) => owns(conn, person, agent).await,
        None => Ok(false),
    }
}

async fn check(conn: &mut Conn, requester: &Requester, agent: Agent) -> Result<ResolvedAgent> {
    let address = agent.address();
    let person = requester.person.as_ref();
    let mine = asks_whose_it_is(&agent) && manages(conn, person, &agent).await?;
    if !is_visible(conn, person, &agent, mine).await? {
        return Err(missing(&address).into());
    }
    if agent.state == AgentState::Paused && agent.namespace.is_none() {
        // Hidden by the engine or by a rule of this hub.
        return Err(missing(&address).into());
    }
    if agent.state == AgentState::Paused {
        return Err(Refusal::conflict(format!("{address} is paused by its owner.")).into());
    }
    if !access_allows(conn, requester, &agent, mine).await? {
        return Err(match requester.person {
            Some(_) => Refusal::forbidden(format!("{address} is restricted to its owner.")),
            None => Refusal::unauthenticated(format!("{address} requires an account on this hub. Sign in.")),
        }
        .into());
    }
    let silent = || Refusal::conflict(format!("{address} has no usable version."));
    let version = agent_versions::current(conn, agent.id).await?.ok_or_else(silent)?;
    if version.connector.remote_url().is_some() {
        check_remote(conn, requester, &agent, &version).await?;
    }
    Ok(ResolvedAgent { agent, version, principal: None })
}

/// Returns whether a caller may see the agent. `mine`: the caller acts for its owner.
pub(super) async fn is_visible(
    conn: &mut Conn,
    person: Option<&Person>,
    agent: &Agent,
    mine: bool,
) -> Result<bool> {
    if matches!(agent.state, AgentState::Deleted | AgentState::Hidden) {
        return Ok(false);
    }
    if mine {
        return Ok(true);
    }
    match (agent.is_restricted(), person) {
        (true, Some(person)) => Ok(grants::exists(conn, agent.id, person.principal).await?),
        (true, None) => Ok(false),
        (false, _) => Ok(agent.visibility != Visibility::Private),
    }
}

/// Same, and finds out whether the caller acts for the owner.
pub(crate) async fn is_visible_to(conn: &mut Conn, person: Option<&Person>, agent: &Agent) -> Result<bool> {
    if is_visible(conn, person, agent, false).await? {
        return Ok(true);
    }
    let mine = manages(conn, person, agent).await?;
    is_visible(conn, person, agent, mine).await
}

/// Returns the restricted agents that a user may see.
pub(crate) async fn restricted_for(conn: &mut Conn, person: Option<&Person>) -> Result<Vec<AgentId>> {
    let Some(person) = person else { return Ok(Vec::new()) };
    Ok(agents::list_restricted(conn, person.namespace, person.principal).await?)
}

/// Fails if the agent does not admit the requester any more. Its state does not matter: active runs continue
/// when an agent is paused.
pub(crate) async fn ensure_access(conn: &mut Conn, requester: &Requester, agent: AgentId) -> Result<()> {
    let gone = || Refusal::not_found("Agent not found.");
    let agent = agents::find(conn, agent).await?.ok_or_else(gone)?;
    let mine = asks_whose_it_is(&agent) && manages(conn, requester.person.as_ref(), &agent).await?;
    let is_private = agent.visibility == Visibility::Private && !agent.is_restricted();
    if (is_private && !mine) || !access_allows(conn, requester, &agent, mine).await? {
        return Err(gone().into());
    }
    Ok(())
}

/// Announces that the access to an agent was narrowed: ends the subscriptions and the runs of callers that it
/// does not admit any more. Call it after the commit.
pub(super) async fn revoke_streams(hub: &Hub, agent: AgentId) -> Result<()> {
    hub.live().access.notify(AccessChange::Agent(agent));
    cancel_revoked_runs(hub, agent).await
}

/// Cancels the runs of this instance for callers that the agent does not admit any more.
pub(crate) async fn cancel_revoked_runs(hub: &Hub, id: AgentId) -> Result<()> {
    let mut conn = hub.store().read().await?;
    let Some(agent) = agents::find(&mut conn, id).await? else { return Ok(()) };
    for subject in hub.run_registry().subjects_of(id) {
        let admitted = match subject {
            QuotaSubject::Account(account) => match caller::find_person(&mut conn, account).await? {
                Some(person) => match ensure_access(&mut conn, &Requester::from(&person), id).await {
                    Ok(()) => true,
                    Err(Error::Refused(_)) => false,
                    Err(fault) => return Err(fault),
                },
                None => false,
            },
            QuotaSubject::Hub(_) | QuotaSubject::Newcomers => {
                agent.access >= AgentAccess::Accounts && accepts_remote_users(&agent)
            }
            QuotaSubject::Anonymous => {
                agent.access == AgentAccess::Open && agent.visibility != Visibility::Private
            }
        };
        if !admitted {
            hub.run_registry().cancel_runs_for(id, subject);
        }
    }
    Ok(())
}

/// Returns whether ownership matters for the decision. Saves a query for most agents.
fn asks_whose_it_is(agent: &Agent) -> bool {
    agent.visibility == Visibility::Private
        || matches!(agent.access, AgentAccess::Listed | AgentAccess::Owner)
}

/// Checks the requirements of a remote call: verified origin, and credentials if required.
async fn check_remote(
    conn: &mut Conn,
    requester: &Requester,
    agent: &Agent,
    version: &Version,
) -> Result<()> {
    check_proved(conn, requester, agent, version).await?;
    let body = cards::find(conn, &version.card).await?;
    let Some(card) = body.and_then(|body| Card::read(&body).card) else { return Ok(()) };
    if needs_credentials(conn, requester, agent, version, &card).await? {
        return Err(lacking(agent).into());
    }
    Ok(())
}
