//! Who may talk to an agent.

use plexus_a2a::Card;
use plexus_domain::{
    Address, Error as Refusal, PrincipalId,
    agent::{Access, Visibility},
};
use plexus_store::{
    Conn,
    agents::{self, Agent, AgentState},
    cards,
    grants::{self, Target},
    namespaces,
    versions::{self, Version},
};

use super::{
    credentials::{is_lacking, lacking},
    proofs::check_proved,
};
use crate::{
    Result,
    caller::{Asker, Person},
};

/// An agent that somebody may talk to, with the version that answers.
#[derive(Clone, Debug)]
pub struct Reached {
    pub agent: Agent,
    pub version: Version,
    /// Who it is among those who speak, where that is known.
    pub principal: Option<PrincipalId>,
}

/// The agent at `address`, if the asker may talk to it. One they may not know of looks as if it did not exist.
pub(crate) async fn reach(conn: &mut Conn, asker: &Asker, address: &Address) -> Result<Reached> {
    let missing = || missing(address);
    let found = agents::at(conn, address).await?;
    check(conn, asker, found.ok_or_else(missing)?).await
}

/// The agent that spoke before as `principal`, if the asker may talk to it still.
pub(crate) async fn reach_again(conn: &mut Conn, asker: &Asker, principal: PrincipalId) -> Result<Reached> {
    let gone = || Refusal::conflict("The agent of this chat is gone. Address another one with @owner/name.");
    let found = agents::by_principal(conn, principal).await?;
    let reached = check(conn, asker, found.ok_or_else(gone)?).await?;
    Ok(Reached { principal: Some(principal), ..reached })
}

fn missing(address: &Address) -> Refusal {
    Refusal::invalid("text", format!("There is no agent {address} here that you can talk to."))
}

/// Whether the agent's access lets the person in; `mine` says that they act for its owner.
pub(super) async fn lets_in(conn: &mut Conn, asker: &Asker, agent: &Agent, mine: bool) -> Result<bool> {
    Ok(match agent.access {
        Access::Open => true,
        Access::Accounts => asker.person.is_some() || (asker.guest.is_some() && takes_guests(agent)),
        Access::Listed => mine || grants::exists(conn, Target::Agent(agent.id), asker.principal).await?,
        Access::Owner => mine,
    })
}

/// Whoever may find the agent on another hub signs in there. What this hub carries itself is not passed on.
fn takes_guests(agent: &Agent) -> bool {
    agent.visibility == Visibility::Federated && agent.namespace.is_some()
}

/// Whether the person acts for the agent's owner.
pub(crate) async fn owns(conn: &mut Conn, person: &Person, agent: &Agent) -> Result<bool> {
    let Some(namespace) = agent.namespace else { return Ok(false) };
    Ok(namespaces::role_of(conn, namespace, person.account).await?.is_some())
}

/// The same for somebody who may not be known.
pub(crate) async fn manages(conn: &mut Conn, person: Option<&Person>, agent: &Agent) -> Result<bool> {
    match person {
        Some(person) => owns(conn, person, agent).await,
        None => Ok(false),
    }
}

async fn check(conn: &mut Conn, asker: &Asker, agent: Agent) -> Result<Reached> {
    let address = crate::views::address(&agent);
    let mine = asks_whose_it_is(&agent) && manages(conn, asker.person.as_ref(), &agent).await?;
    if !is_known(&agent, mine) {
        return Err(missing(&address).into());
    }
    if agent.state == AgentState::Paused && agent.namespace.is_none() {
        // Its hub, or the rules of this one, keep it from being shown.
        return Err(missing(&address).into());
    }
    if agent.state == AgentState::Paused {
        return Err(
            Refusal::conflict(format!("{address} is paused by its owner and does not answer now.")).into()
        );
    }
    if !lets_in(conn, asker, &agent, mine).await? {
        return Err(match asker.person {
            Some(_) => Refusal::forbidden(format!("{address} answers only those whom its owner has named.")),
            None => {
                Refusal::unauthenticated(format!("{address} answers people with an account here. Sign in."))
            }
        }
        .into());
    }
    let silent = || Refusal::conflict(format!("{address} has no version that answers."));
    let version = versions::current(conn, agent.id).await?.ok_or_else(silent)?;
    if version.connector.called().is_some() {
        check_remote(conn, asker, &agent, &version).await?;
    }
    Ok(Reached { agent, version, principal: None })
}

/// Whether somebody may know of an agent; `mine` says that they act for its owner.
pub(super) const fn is_known(agent: &Agent, mine: bool) -> bool {
    let is_gone = matches!(agent.state, AgentState::Deleted | AgentState::Hidden);
    !is_gone && (mine || !matches!(agent.visibility, Visibility::Private))
}

/// Whether it matters who owns the agent: whoever is signed in may talk to most.
fn asks_whose_it_is(agent: &Agent) -> bool {
    agent.visibility == Visibility::Private || matches!(agent.access, Access::Listed | Access::Owner)
}

/// What an agent elsewhere needs before it is called: proof for its address, and what it asks to be shown.
async fn check_remote(conn: &mut Conn, asker: &Asker, agent: &Agent, version: &Version) -> Result<()> {
    check_proved(conn, asker, agent, version).await?;
    let body = cards::find(conn, &version.card).await?;
    let Some(card) = body.and_then(|body| Card::read(&body).card) else { return Ok(()) };
    if is_lacking(conn, asker, agent, version, &card).await? {
        return Err(lacking(agent).into());
    }
    Ok(())
}
