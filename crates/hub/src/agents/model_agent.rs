//! Agents that consist of a model and instructions. Each change of the instructions is a new version.

use plexus_a2a::Card;
use plexus_domain::{
    Address, DraftId, Error as Refusal, Name, SecretId,
    agent::{AnswerLimits, Connector, ModelParameters, ToolServerLocation, ToolSource},
    sanitized_text,
};
use plexus_runtime::mcp_client::{self, McpSession};
use plexus_store::{Conn, Tx, agent_versions::Version, agents::Agent};
use serde::{Deserialize, Serialize};

use super::{
    http_endpoint::numbered,
    manage,
    profile::AgentProfile,
    publish, register_a2a,
    registration_draft::{self, DraftSecret, DraftTarget, RegistrationStep, Written},
    tool_credentials::{self, ForServer, ToolKeys},
    versions::{self, NewVersion},
};
use crate::{
    Caller, Error, Hub, Result,
    caller::{Person, Scope},
    config::ProgramProtocol,
    limits::Rate,
    listings, model_providers,
    model_providers::ModelNeeds,
    runs,
};

const MAX_INSTRUCTIONS: usize = 32_000;
/// Maximum characters of the error that names all tools of a server.
const MAX_OMITTED_CHARS: usize = 2_000;
/// Maximum number of MCP servers of one agent.
const MAX_SERVERS: usize = 8;

/// Model agent form. Empty `starters` and `tags` are ignored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelAgentForm {
    pub title: String,
    pub summary: String,
    pub instructions: String,
    pub model: String,
    pub starters: Vec<String>,
    pub tags: Vec<String>,
    /// MCP servers whose tools the model may call.
    #[serde(default)]
    pub tools: Vec<ToolSource>,
    #[serde(default)]
    pub budget: AnswerLimits,
    /// Whether images are sent to the model.
    #[serde(default)]
    pub reads_images: bool,
    #[serde(default)]
    pub parameters: ModelParameters,
}

impl ModelAgentForm {
    fn about(&self) -> AgentProfile {
        AgentProfile {
            title: self.title.clone(),
            summary: self.summary.clone(),
            starters: self.starters.clone(),
            tags: self.tags.clone(),
        }
    }

    const fn needs(&self) -> ModelNeeds {
        ModelNeeds { images: self.reads_images, tools: !self.tools.is_empty() }
    }

    pub(super) fn connector(&self) -> Connector {
        Connector::Llm {
            model: self.model.clone(),
            instructions: self.instructions.clone(),
            starters: self.starters.clone(),
            tools: self.tools.clone(),
            budget: self.budget,
            reads_images: self.reads_images,
            parameters: self.parameters,
        }
    }
}

/// Model agent that the caller may edit.
pub(super) struct Owned {
    pub agent: Agent,
    pub version: Version,
    pub written: ModelAgentForm,
    pub keys: ToolKeys,
}

impl Owned {
    pub async fn at(hub: &Hub, conn: &mut Conn, person: &Person, address: &Address) -> Result<Self> {
        let agent = manage::agent_owned_by(conn, person, address).await?;
        let (version, card) = manage::current(conn, &agent).await?;
        let written = read(&version.connector, &card).ok_or_else(elsewhere)?;
        let keys = ToolKeys::of(hub, conn, agent.id, version.secret).await?;
        Ok(Self { agent, version, written, keys })
    }
}

/// Creates a registration draft, with the credentials `given` for its tool servers.
/// The remaining step is to publish.
pub async fn write(
    hub: &Hub,
    caller: &Caller,
    name: &str,
    filled: ModelAgentForm,
    given: &[ForServer],
) -> Result<DraftId> {
    let person = caller.may(Scope::Agents)?;
    let name: Name = name.trim().parse()?;
    let keys = ToolKeys::default().with(&filled.tools, given)?;
    let (filled, omitted_tools) = checked(hub, caller, filled, &keys).await?;
    let mut tx = hub.store().write().await?;
    register_a2a::ensure_name_free(&mut tx, person, &name).await?;
    let written = Written { filled, credentials: None, omitted_tools };
    let id =
        registration_draft::begin(hub, &mut tx, person, DraftTarget::Llm(written), RegistrationStep::Publish)
            .await?;
    let mut draft = registration_draft::load(hub, &mut tx, person, id).await?;
    draft.data.name = Some(name);
    let sealed = keys.seal(hub, draft.data.agent)?;
    if let DraftTarget::Llm(written) = &mut draft.data.what {
        written.credentials = sealed.map(|sealed| DraftSecret::new(true, &sealed));
    }
    draft.save(hub, &mut tx, person).await?;
    tx.commit().await?;
    Ok(id)
}

/// Returns the current form of an agent that the caller may edit.
pub async fn instructions(hub: &Hub, caller: &Caller, address: &Address) -> Result<ModelAgentForm> {
    let person = caller.may(Scope::Agents)?;
    let mut conn = hub.store().snapshot().await?;
    Ok(Owned::at(hub, &mut conn, person, address).await?.written)
}

/// Changes the form; the next run uses it. An unchanged form adds no version. Credentials of tool
/// servers are not part of a version.
pub async fn rewrite(
    hub: &Hub,
    caller: &Caller,
    address: &Address,
    filled: ModelAgentForm,
    given: &[ForServer],
) -> Result<()> {
    let person = caller.may(Scope::Agents)?;
    hub.limits().take(Rate::AgentChanges, &caller.key())?;
    let mut conn = hub.store().snapshot().await?;
    let Owned { written: before, keys, .. } = Owned::at(hub, &mut conn, person, address).await?;
    drop(conn);
    let keys = keys.moved(&before.tools, &filled.tools).with(&filled.tools, given)?;
    let (filled, _) = checked(hub, caller, filled, &keys).await?;
    let mut tx = hub.store().write().await?;
    let Owned { agent, version, written: before, keys } = Owned::at(hub, &mut tx, person, address).await?;
    let keys = keys.moved(&before.tools, &filled.tools).with(&filled.tools, given)?;
    let secret = keys.keep(hub, &mut tx, person, &agent, version.secret).await?;
    if before == filled {
        return Ok(tx.commit().await?);
    }
    publish::check_programs(hub, agent.visibility, &filled.connector())?;
    add_version(hub, &mut tx, &agent, &filled, secret).await?;
    listings::publish(hub, &mut tx, agent.id).await?;
    tx.commit().await?;
    hub.wake_index_worker();
    Ok(())
}

/// Adds the first version.
pub(super) async fn add(
    hub: &Hub,
    tx: &mut Tx,
    person: &Person,
    agent: &Agent,
    written: &Written,
) -> Result<()> {
    let kept = written.credentials.as_ref();
    let secret = tool_credentials::take_up(hub, tx, person, agent.id, kept).await?;
    add_version(hub, tx, agent, &written.filled, secret).await
}

pub(super) async fn add_version(
    hub: &Hub,
    tx: &mut Tx,
    agent: &Agent,
    filled: &ModelAgentForm,
    secret: Option<SecretId>,
) -> Result<()> {
    // Instructions are private, so the public card does not contain them.
    let (number, card) = numbered(hub, tx, agent, &filled.about(), filled.reads_images).await?;
    let pinned = NewVersion { card: &card, connector: filled.connector(), secret, wanted: &number };
    versions::add(hub, tx, agent.id, pinned).await?;
    Ok(())
}

/// Returns the form of a version; `None` if it is not a model with instructions.
pub(super) fn read(connector: &Connector, card: &Card) -> Option<ModelAgentForm> {
    let Connector::Llm { model, instructions, starters, tools, budget, reads_images, parameters } = connector
    else {
        return None;
    };
    let AgentProfile { title, summary, tags, .. } = AgentProfile::of(card);
    Some(ModelAgentForm {
        title,
        summary,
        instructions: instructions.clone(),
        model: model.clone(),
        starters: starters.clone(),
        tags,
        tools: tools.clone(),
        budget: *budget,
        reads_images: *reads_images,
        parameters: *parameters,
    })
}

pub(super) fn elsewhere() -> Refusal {
    Refusal::conflict("This agent has no instructions: it runs elsewhere or is built in.")
}

/// Validates the form. The model and the tool servers must be available. Returns the tools that cannot be used
/// as well.
async fn checked(
    hub: &Hub,
    caller: &Caller,
    filled: ModelAgentForm,
    keys: &ToolKeys,
) -> Result<(ModelAgentForm, Vec<String>)> {
    let filled = cleaned(filled)?;
    let omitted = check_tools(hub, caller, &filled.tools, keys).await?;
    model_providers::check_usable(hub, caller.may(Scope::Agents)?, &filled.model, filled.needs()).await?;
    Ok((filled, omitted))
}

/// Validates the text of the form.
pub(super) fn cleaned(filled: ModelAgentForm) -> Result<ModelAgentForm, Refusal> {
    let AgentProfile { title, summary, starters, tags } = filled.about().checked()?;
    let (instructions, model) = (block(&filled.instructions)?, filled.model.trim().to_owned());
    Ok(ModelAgentForm { title, summary, instructions, model, starters, tags, ..filled })
}

/// Checks that the owner may use the model of an agent that was not written in its form.
pub(super) async fn check_model(hub: &Hub, person: &Person, form: &ModelAgentForm) -> Result<()> {
    let model = &form.model;
    let missing = || {
        let words = format!("This hub does not have the model “{model}”. Choose one of its models.");
        Refusal::invalid("model", words)
    };
    let checked = model_providers::check_usable(hub, person, model, form.needs()).await;
    checked.map_err(|error| match error {
        Error::Refused(Refusal::Invalid { field, .. }) if field == "model" => missing().into(),
        error => error,
    })
}

/// Checks that each tool server is reachable and has tools. Returns the tools that cannot be used, each with the
/// reason.
async fn check_tools(
    hub: &Hub,
    caller: &Caller,
    tools: &[ToolSource],
    keys: &ToolKeys,
) -> Result<Vec<String>> {
    check_tool_programs(hub, caller.may(Scope::Agents)?, tools)?;
    let mut omitted = Vec::new();
    for source in tools {
        omitted.extend(check_server(hub, caller, source, keys, "tools").await?);
    }
    Ok(omitted)
}

/// Checks the number of servers, and that those that are programs exist on this hub.
pub(super) fn check_tool_programs(hub: &Hub, person: &Person, tools: &[ToolSource]) -> Result<(), Refusal> {
    let wrong = |words: String| Refusal::invalid("tools", words);
    if tools.len() > MAX_SERVERS {
        return Err(wrong(format!("Attach at most {MAX_SERVERS} servers.")));
    }
    let programs = hub.outbound().programs().names(person, ProgramProtocol::Mcp);
    for source in tools {
        if let ToolServerLocation::Program(name) = &source.place
            && !programs.contains(name)
        {
            let words = format!("MCP server “{name}” not found. The operator of this hub can add one.");
            return Err(wrong(words));
        }
    }
    Ok(())
}

/// Checks that the server is reachable, accepts its credentials and has tools that can be used. Returns those
/// that cannot, each with the reason. Errors are reported for `field`.
pub(super) async fn check_server(
    hub: &Hub,
    caller: &Caller,
    source: &ToolSource,
    keys: &ToolKeys,
    field: &str,
) -> Result<Vec<String>> {
    const MEND: &str = "Enter a token or key that it accepts.";
    let wrong = |words: String| Refusal::invalid(field, words);
    let person = caller.may(Scope::Agents)?;
    let outbound = register_a2a::outbound(hub, person);
    let server = runs::tool_server(hub, Some(person), &outbound, source, keys, MEND)?.server;
    hub.limits().take(Rate::Fetches, &caller.key())?;
    let _place = mcp_client::places([&server]).await.map_err(|failure| wrong(failure.message))?;
    let session = Box::pin(McpSession::open(&server)).await.map_err(|failure| wrong(failure.message))?;
    let list = Box::pin(session.tools()).await.map_err(|failure| wrong(failure.message))?;
    let name = server.name();
    let omitted: Vec<String> =
        list.omitted.iter().map(|tool| format!("{name}/{}: {}.", tool.name, tool.reason)).collect();
    match (list.tools.is_empty(), omitted.is_empty()) {
        (false, _) => Ok(omitted),
        (true, true) => Err(wrong(format!("{} has no tools.", source.place)).into()),
        (true, false) => {
            let words = format!("{} has no tools that can be used. {}", source.place, omitted.join(" "));
            Err(wrong(sanitized_text::ellipsize(&words, MAX_OMITTED_CHARS)).into())
        }
    }
}

fn block(raw: &str) -> Result<String, Refusal> {
    let clean = sanitized_text::multi_line(raw).trim().to_owned();
    if (1..=MAX_INSTRUCTIONS).contains(&clean.chars().count()) {
        return Ok(clean);
    }
    Err(Refusal::invalid("instructions", "Write instructions of 1 to 32,000 characters."))
}
