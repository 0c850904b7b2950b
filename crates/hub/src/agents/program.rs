//! Agents that are one of the operator's programs. Another description, or another program, is a version.

use plexus_domain::{Address, DraftId, Error as Refusal, Name, agent::Connector};
use plexus_store::{Tx, agents::Agent};
use serde::{Deserialize, Serialize};

use super::{
    about::About,
    draft::{self, What},
    endpoint::numbered,
    manage, publish,
    versions::{self, Pinned},
};
use crate::{
    Caller, Hub, Result,
    caller::{Person, Scope},
    config::Speaks,
    limits::Rate,
};

/// What a person fills in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Described {
    pub about: About,
    /// As the operator calls it.
    pub program: String,
}

impl Described {
    pub(super) fn connector(&self) -> Connector {
        Connector::Process { program: self.program.clone() }
    }
}

/// The programs that the caller may make agents of, or give to agents as tools.
pub fn programs(hub: &Hub, caller: &Caller, speaks: Speaks) -> Result<Vec<String>> {
    Ok(hub.outbound().programs().names(caller.may(Scope::Agents)?, speaks))
}

/// Begins the registration of a new agent; what is left is to publish it.
pub async fn describe(hub: &Hub, caller: &Caller, name: &str, filled: Described) -> Result<DraftId> {
    let person = caller.may(Scope::Agents)?;
    let name: Name = name.trim().parse()?;
    draft::begin_named(hub, person, name, What::Process(checked(hub, person, filled)?)).await
}

/// What an agent is made of now, for those who may change it; none where it is something else.
pub async fn described(hub: &Hub, caller: &Caller, address: &Address) -> Result<Option<Described>> {
    let person = caller.may(Scope::Agents)?;
    let mut conn = hub.store().snapshot().await?;
    let agent = manage::owned(&mut conn, person, address).await?;
    let (version, card) = manage::current(&mut conn, &agent).await?;
    let Connector::Process { program } = version.connector else { return Ok(None) };
    Ok(Some(Described { about: About::of(&card), program }))
}

/// Changes it: the agent's next run uses the new version. Nothing changed is no new version.
pub async fn rewrite(hub: &Hub, caller: &Caller, address: &Address, filled: Described) -> Result<()> {
    let person = caller.may(Scope::Agents)?;
    hub.limits().take(Rate::Changes, &caller.key())?;
    let filled = checked(hub, person, filled)?;
    let mut tx = hub.store().write().await?;
    let agent = manage::owned(&mut tx, person, address).await?;
    let (version, card) = manage::current(&mut tx, &agent).await?;
    let elsewhere = || Refusal::conflict("This agent is no program of this hub.");
    let Connector::Process { program } = version.connector else { return Err(elsewhere().into()) };
    if (Described { about: About::of(&card), program }) == filled {
        return Ok(());
    }
    publish::check_programs(hub, agent.visibility, &filled.connector())?;
    let (number, card) = numbered(hub, &mut tx, &agent, &filled.about).await?;
    let pinned = Pinned { card: &card, connector: filled.connector(), secret: None, wanted: &number };
    manage::replace(hub, tx, &agent, pinned, &[]).await
}

/// The first version.
pub(super) async fn add(hub: &Hub, tx: &mut Tx, agent: &Agent, filled: &Described) -> Result<()> {
    let (number, card) = numbered(hub, tx, agent, &filled.about).await?;
    let pinned = Pinned { card: &card, connector: filled.connector(), secret: None, wanted: &number };
    versions::add(hub, tx, agent.id, pinned).await?;
    Ok(())
}

/// Clean and within bounds, and a program that the person may use.
fn checked(hub: &Hub, person: &Person, filled: Described) -> Result<Described> {
    let known = hub.outbound().programs().names(person, Speaks::Acp);
    if known.is_empty() {
        let words = "This hub has no program that you may use. Its operator lists them in plexus.toml.";
        return Err(Refusal::unavailable(words).into());
    }
    if !known.contains(&filled.program) {
        return Err(Refusal::invalid("program", "Choose one of the programs in the list.").into());
    }
    Ok(Described { about: filled.about.checked()?, ..filled })
}
