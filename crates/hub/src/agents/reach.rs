//! Who may talk to an agent.

use plexus_a2a::Card;
use plexus_domain::{
    Address, AgentId, Error as Refusal, HubRowId,
    agent::{Access, Connector, Visibility},
};
use plexus_store::{
    Conn,
    agents::{self, Agent, AgentState},
    cards,
    grants::{self, Target},
    namespaces, versions,
};

use super::{
    credentials::{is_lacking, lacking},
    proofs::check_proved,
};
use crate::{
    Result,
    caller::{Asker, Person},
};

/// The agent at `address`, if the asker may talk to it. One they may not know of looks as if it did not exist.
pub(crate) async fn reach(conn: &mut Conn, asker: &Asker, address: &Address) -> Result<Agent> {
    let missing = || missing(address);
    if address.hub.is_some() {
        return Err(missing().into());
    }
    let found = agents::by_address(conn, HubRowId::SELF, &address.owner, &address.name).await?;
    let agent = found.ok_or_else(missing)?;
    check(conn, asker, &agent).await?;
    Ok(agent)
}

pub(crate) async fn reach_by_id(conn: &mut Conn, asker: &Asker, id: AgentId) -> Result<Agent> {
    let gone = || Refusal::conflict("The agent of this chat is gone. Address another one with @owner/name.");
    let agent = agents::find(conn, id).await?.ok_or_else(gone)?;
    check(conn, asker, &agent).await?;
    Ok(agent)
}

fn missing(address: &Address) -> Refusal {
    Refusal::invalid("text", format!("There is no agent {address} here that you can talk to."))
}

/// Whether the agent's access lets the person in; `mine` says that they act for its owner.
pub(super) async fn lets_in(conn: &mut Conn, asker: &Asker, agent: &Agent, mine: bool) -> Result<bool> {
    Ok(match agent.access {
        Access::Open => true,
        Access::Accounts => asker.person.is_some(),
        Access::Listed => mine || grants::exists(conn, Target::Agent(agent.id), asker.principal).await?,
        Access::Owner => mine,
    })
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

async fn check(conn: &mut Conn, asker: &Asker, agent: &Agent) -> Result<()> {
    let address = crate::views::address(agent);
    let mine = manages(conn, asker.person.as_ref(), agent).await?;
    let is_gone = matches!(agent.state, AgentState::Deleted | AgentState::Hidden);
    if is_gone || (agent.visibility == Visibility::Private && !mine) {
        return Err(missing(&address).into());
    }
    if agent.state == AgentState::Paused {
        return Err(
            Refusal::conflict(format!("{address} is paused by its owner and does not answer now.")).into()
        );
    }
    if !lets_in(conn, asker, agent, mine).await? {
        return Err(match asker.person {
            Some(_) => Refusal::forbidden(format!("{address} answers only those whom its owner has named.")),
            None => {
                Refusal::unauthenticated(format!("{address} answers people with an account here. Sign in."))
            }
        }
        .into());
    }
    check_remote(conn, asker, agent).await
}

/// What an agent elsewhere needs before it is called: proof for its address, and what it asks to be shown.
async fn check_remote(conn: &mut Conn, asker: &Asker, agent: &Agent) -> Result<()> {
    let current = versions::current(conn, agent.id).await?;
    let Some(version) = current.filter(|version| matches!(version.connector, Connector::A2a { .. })) else {
        return Ok(());
    };
    check_proved(conn, asker, agent, &version).await?;
    let body = cards::find(conn, &version.card).await?;
    let Some(card) = body.and_then(|body| Card::read(&body).card) else { return Ok(()) };
    if is_lacking(conn, asker, agent, &version, &card).await? {
        return Err(lacking(agent).into());
    }
    Ok(())
}
