//! Copies a model agent into the namespace of the caller.

use plexus_domain::{Address, Error as Refusal, agent::Connector, knowledge::Passage};
use plexus_store::{
    Conn,
    agent_versions::Version,
    agents::{self, Agent, AgentState},
    knowledge as rows,
    knowledge::{FilePassage, KnowledgeFile},
};

use super::{
    access::{access_allows, owns},
    agent_export::ExportedTool,
    export::has_credentials,
    import::{self, CreatedModelAgent, NewModelAgent},
    knowledge::NewKnowledgeFile,
    manage::{agent_visible_to, change, current},
    model_agent,
    tool_credentials::ToolKeys,
};
use crate::{
    Caller, Hub, Result,
    caller::{Person, Requester, Scope},
};

/// Returns whether the user may copy the agent. `mine`: the user acts for its owner. Others may if they may use it and
/// its owner `allows` copies.
pub(super) async fn may_copy(
    conn: &mut Conn,
    person: Option<&Person>,
    agent: &Agent,
    version: Option<&Version>,
    mine: bool,
    allows: bool,
) -> Result<bool> {
    let is_model = version.is_some_and(|version| matches!(version.connector, Connector::Llm { .. }));
    let Some(person) = person.filter(|_| is_model) else { return Ok(false) };
    if mine {
        return Ok(true);
    }
    if agent.state != AgentState::Active || !allows {
        return Ok(false);
    }
    access_allows(conn, &Requester::from(person), agent, false).await
}

/// Sets whether users who may use a model agent of the caller may copy it.
pub async fn set_allows_copies(hub: &Hub, caller: &Caller, address: &Address, allowed: bool) -> Result<()> {
    let (mut tx, agent) = change(hub, caller, address).await?;
    let (version, _) = current(&mut tx, &agent).await?;
    if allowed && !matches!(version.connector, Connector::Llm { .. }) {
        return Err(model_agent::elsewhere().into());
    }
    agents::set_allows_copies(&mut tx, agent.id, allowed).await?;
    Ok(tx.commit().await?)
}

/// Creates a private agent of the caller with the instructions, settings and knowledge files of the agent at
/// `address`, without credentials.
pub async fn copy_agent(
    hub: &Hub,
    caller: &Caller,
    address: &Address,
    name: &str,
) -> Result<CreatedModelAgent> {
    let person = caller.may(Scope::Agents)?;
    import::take_registration(hub, caller)?;
    let mut conn = hub.store().snapshot().await?;
    let agent = agent_visible_to(&mut conn, person, address).await?;
    let mine = owns(&mut conn, person, &agent).await?;
    let (version, card) = current(&mut conn, &agent).await?;
    let allows = agents::allows_copies(&mut conn, agent.id).await?;
    if !may_copy(&mut conn, Some(person), &agent, Some(&version), mine, allows).await? {
        let words =
            format!("{address} cannot be copied: its owner does not allow it, or it has no instructions.");
        return Err(Refusal::forbidden(words).into());
    }
    let keys = ToolKeys::of(hub, &mut conn, agent.id, version.secret).await?;
    let files = rows::list(&mut conn, agent.id).await?;
    let passages = rows::passages(&mut conn, agent.id).await?;
    drop(conn);
    let mut form = model_agent::read(&version.connector, &card).ok_or_else(model_agent::elsewhere)?;
    let is_keyed = |place: String| has_credentials(&keys, &place);
    let needs_credentials = form.tools.iter().any(|source| is_keyed(source.place.to_string()));
    // The query of a URL may be a key.
    form.tools = form
        .tools
        .iter()
        .map(|source| ExportedTool::new(source, false).source())
        .collect::<Result<_, _>>()?;
    let files = files.into_iter().map(|file| new_file(file, &passages)).collect();
    let address = import::create(hub, caller, name, NewModelAgent { form, files }).await?;
    Ok(CreatedModelAgent { address, needs_credentials })
}

fn new_file(file: KnowledgeFile, passages: &[FilePassage]) -> NewKnowledgeFile {
    let own = passages.iter().filter(|passage| passage.file == file.name);
    let passages =
        own.map(|passage| Passage { place: passage.place.clone(), text: passage.text.clone() }).collect();
    NewKnowledgeFile { name: file.name, bytes: file.bytes, passages }
}
