//! Creates a model agent from an exported one.

use plexus_domain::{
    Address, AgentId, Error as Refusal, Name,
    agent::{AgentAccess, Visibility},
};
use tokio::task::spawn_blocking;

use super::{
    agent_export::AgentExport,
    knowledge::{self, NewKnowledgeFile},
    model_agent::{self, ModelAgentForm},
    publish, register_a2a,
};
use crate::{
    Caller, Hub, Result,
    caller::Scope,
    keys::AgentIdentity,
    limits::{Rate, WHOLE_HUB},
    listings, quotas,
};

/// Choices that replace those of the document.
#[derive(Clone, Debug, Default)]
pub struct ImportChoices {
    /// Name in the agent's address. Empty: as in the document.
    pub name: String,
    /// Model of this hub. Empty: as in the document.
    pub model: String,
}

/// New model agent of the caller.
#[derive(Clone, Debug)]
pub struct CreatedModelAgent {
    pub address: Address,
    /// Whether a tool server needs credentials.
    pub needs_credentials: bool,
}

/// Content of a new model agent.
pub(super) struct NewModelAgent {
    pub form: ModelAgentForm,
    pub files: Vec<NewKnowledgeFile>,
}

/// Creates a private agent of the caller from a document. Its tool servers are not called: they may need credentials
/// that their owner enters afterwards.
pub async fn import_agent(
    hub: &Hub,
    caller: &Caller,
    bytes: Vec<u8>,
    choices: ImportChoices,
) -> Result<CreatedModelAgent> {
    caller.may(Scope::Agents)?;
    take_registration(hub, caller)?;
    let read = spawn_blocking(move || read(&bytes));
    let (document, mut new) = read.await.map_err(anyhow::Error::new)??;
    if !choices.model.is_empty() {
        new.form.model = choices.model;
    }
    let name = if choices.name.trim().is_empty() { &document.name } else { &choices.name };
    let address = create(hub, caller, name, new).await?;
    let needs_credentials = document.tools.iter().any(|tool| tool.needs_credentials);
    Ok(CreatedModelAgent { address, needs_credentials })
}

pub(super) fn take_registration(hub: &Hub, caller: &Caller) -> Result<()> {
    hub.limits().take(Rate::Registrations, &caller.key())?;
    Ok(hub.limits().take(Rate::RegistrationsTotal, WHOLE_HUB)?)
}

fn read(bytes: &[u8]) -> Result<(AgentExport, NewModelAgent), Refusal> {
    let mut document = AgentExport::read(bytes)?;
    let mut files: Vec<NewKnowledgeFile> = Vec::with_capacity(document.files.len());
    for file in document.files.drain(..) {
        let file = NewKnowledgeFile::read(&file.name, file.text.as_bytes())?;
        if files.iter().any(|known| known.name == file.name) {
            let words = format!("The file has two knowledge files {}. Rename one.", file.name);
            return Err(Refusal::invalid("file", words));
        }
        knowledge::check_limits(&files.iter().map(|known| known.bytes).collect::<Vec<_>>(), &file)?;
        files.push(file);
    }
    let form = model_agent::cleaned(document.form()?)?;
    Ok((document, NewModelAgent { form, files }))
}

/// Creates a private agent in the namespace of the caller, with its files, in one transaction.
pub(super) async fn create(hub: &Hub, caller: &Caller, name: &str, new: NewModelAgent) -> Result<Address> {
    let person = caller.may(Scope::Agents)?;
    let name: Name = name.trim().parse()?;
    let NewModelAgent { form, files } = new;
    model_agent::check_model(hub, person, &form).await?;
    model_agent::check_tool_programs(hub, person, &form.tools)?;
    let mut tx = hub.store().write().await?;
    register_a2a::ensure_name_free(&mut tx, person, &name).await?;
    quotas::check_agent(hub, &mut tx, person).await?;
    let id = hub.env().id(AgentId::new);
    let identity = AgentIdentity::derive(hub, &mut tx, hub.env().now()).await?;
    let reach = (Visibility::Private, AgentAccess::Accounts);
    let agent = publish::insert_agent(hub, &mut tx, person, id, &identity, &name, reach).await?;
    model_agent::add_version(hub, &mut tx, &agent, &form, None).await?;
    for file in &files {
        knowledge::insert(hub, &mut tx, id, file).await?;
    }
    listings::publish(hub, &mut tx, id).await?;
    tx.commit().await?;
    hub.wake_index_worker();
    hub.knowledge().embeddings().wake();
    Ok(Address::local(person.name.clone(), name))
}
