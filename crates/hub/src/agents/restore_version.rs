//! Publishes the content of an earlier version of a model agent again.

use plexus_a2a::Card;
use plexus_domain::{Address, Error as Refusal, VersionId};
use plexus_store::{Conn, agent_versions as rows, agents::Agent, cards};

use super::{
    manage::{self, agent_owned_by},
    model_agent::{self, ModelAgentForm},
    publish,
};
use crate::{Caller, Hub, Result, caller::Scope, listings};

/// Publishes the content of `version` as a new version. Knowledge files and credentials are not part of a version, so
/// they stay as they are.
pub async fn restore_version(
    hub: &Hub,
    caller: &Caller,
    address: &Address,
    version: VersionId,
) -> Result<()> {
    let person = caller.may(Scope::Agents)?;
    let mut conn = hub.store().snapshot().await?;
    let agent = agent_owned_by(&mut conn, person, address).await?;
    let filled = earlier(&mut conn, &agent, version).await?;
    drop(conn);
    // Models and programs of this hub may be gone since then.
    model_agent::check_model(hub, person, &filled).await?;
    model_agent::check_tool_programs(hub, person, &filled.tools)?;
    let (mut tx, agent) = manage::change(hub, caller, address).await?;
    let (current, card) = manage::current(&mut tx, &agent).await?;
    if model_agent::read(&current.connector, &card).as_ref() == Some(&filled) {
        let words = "The current version has the same content. Restore another one, or edit the agent.";
        return Err(Refusal::conflict(words).into());
    }
    publish::check_programs(hub, agent.visibility, &filled.connector())?;
    model_agent::add_version(hub, &mut tx, &agent, &filled, current.secret).await?;
    listings::publish(hub, &mut tx, agent.id).await?;
    tx.commit().await?;
    hub.wake_index_worker();
    Ok(())
}

async fn earlier(conn: &mut Conn, agent: &Agent, version: VersionId) -> Result<ModelAgentForm> {
    let missing = || Refusal::not_found("This agent has no such version. Reload the page.");
    let version = rows::find(conn, version).await?.filter(|version| version.agent == agent.id);
    let version = version.ok_or_else(missing)?;
    let card = cards::find(conn, &version.card).await?.and_then(|body| Card::read(&body).card);
    Ok(model_agent::read(&version.connector, &card.ok_or_else(missing)?)
        .ok_or_else(model_agent::elsewhere)?)
}
