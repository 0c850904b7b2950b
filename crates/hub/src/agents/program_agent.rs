//! Agents that run one of the operator's programs. Each change of the profile or program is a new version.

use plexus_domain::{Address, DraftId, Error as Refusal, Name, agent::Connector};
use plexus_store::{Tx, agents::Agent};
use serde::{Deserialize, Serialize};

use super::{
    http_endpoint::numbered,
    manage,
    profile::AgentProfile,
    publish,
    registration_draft::{self, DraftTarget},
    versions::{self, NewVersion},
};
use crate::{
    Caller, Hub, Result,
    caller::{Person, Scope},
    config::ProgramProtocol,
    limits::Rate,
};

/// Program agent form.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramAgentForm {
    pub about: AgentProfile,
    /// Program name in the operator's configuration.
    pub program: String,
}

impl ProgramAgentForm {
    pub(super) fn connector(&self) -> Connector {
        Connector::Process { program: self.program.clone() }
    }
}

/// Returns the programs that the caller may use as agents, or as tools of agents.
pub fn programs(hub: &Hub, caller: &Caller, protocol: ProgramProtocol) -> Result<Vec<String>> {
    Ok(hub.outbound().programs().names(caller.may(Scope::Agents)?, protocol))
}

/// Creates the registration draft of a new agent. The only remaining step is to publish it.
pub async fn describe(hub: &Hub, caller: &Caller, name: &str, filled: ProgramAgentForm) -> Result<DraftId> {
    let person = caller.may(Scope::Agents)?;
    let name: Name = name.trim().parse()?;
    registration_draft::begin_named(hub, person, name, DraftTarget::Process(checked(hub, person, filled)?))
        .await
}

/// Returns the current form of an agent that the caller may edit; `None` if it is no program agent.
pub async fn described(hub: &Hub, caller: &Caller, address: &Address) -> Result<Option<ProgramAgentForm>> {
    let person = caller.may(Scope::Agents)?;
    let mut conn = hub.store().snapshot().await?;
    let agent = manage::agent_owned_by(&mut conn, person, address).await?;
    let (version, card) = manage::current(&mut conn, &agent).await?;
    let Connector::Process { program } = version.connector else { return Ok(None) };
    Ok(Some(ProgramAgentForm { about: AgentProfile::of(&card), program }))
}

/// Changes the form; the next run uses it. An unchanged form adds no version.
pub async fn rewrite(hub: &Hub, caller: &Caller, address: &Address, filled: ProgramAgentForm) -> Result<()> {
    let person = caller.may(Scope::Agents)?;
    hub.limits().take(Rate::AgentChanges, &caller.key())?;
    let filled = checked(hub, person, filled)?;
    let mut tx = hub.store().write().await?;
    let agent = manage::agent_owned_by(&mut tx, person, address).await?;
    let (version, card) = manage::current(&mut tx, &agent).await?;
    let elsewhere = || Refusal::conflict("This agent is not a program of this hub.");
    let Connector::Process { program } = version.connector else { return Err(elsewhere().into()) };
    if (ProgramAgentForm { about: AgentProfile::of(&card), program }) == filled {
        return Ok(());
    }
    publish::check_programs(hub, agent.visibility, &filled.connector())?;
    let (number, card) = numbered(hub, &mut tx, &agent, &filled.about, false).await?;
    let pinned = NewVersion { card: &card, connector: filled.connector(), secret: None, wanted: &number };
    manage::replace(hub, tx, &agent, pinned, &[]).await
}

/// Adds the first version.
pub(super) async fn add(hub: &Hub, tx: &mut Tx, agent: &Agent, filled: &ProgramAgentForm) -> Result<()> {
    let (number, card) = numbered(hub, tx, agent, &filled.about, false).await?;
    let pinned = NewVersion { card: &card, connector: filled.connector(), secret: None, wanted: &number };
    versions::add(hub, tx, agent.id, pinned).await?;
    Ok(())
}

/// Validates the form. The user must be allowed to use the program.
fn checked(hub: &Hub, person: &Person, filled: ProgramAgentForm) -> Result<ProgramAgentForm> {
    let known = hub.outbound().programs().names(person, ProgramProtocol::Acp);
    if known.is_empty() {
        let words = "No program is available to you. The operator lists programs in plexus.toml.";
        return Err(Refusal::unavailable(words).into());
    }
    if !known.contains(&filled.program) {
        return Err(Refusal::invalid("program", "Choose one of the programs in the list.").into());
    }
    Ok(ProgramAgentForm { about: filled.about.checked()?, ..filled })
}
