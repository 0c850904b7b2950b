//! Last registration step: sets visibility and access, and creates the agent.

use plexus_domain::{
    Address, AgentId, DraftId, Error as Refusal, HubRowId, Name, Principal, PrincipalId,
    agent::{AgentAccess, Connector, Visibility},
};
use plexus_store::{
    Conn, Tx,
    agents::{self, Agent, AgentState},
    principals,
};

use super::{
    attached, draft_secrets, http_endpoint, model_agent, origin_verification, program_agent, register_a2a,
    registration_draft,
    registration_draft::{A2aDraft, DraftTarget, RegistrationDraft, RegistrationKind, RegistrationStep},
    versions::{self, NewVersion},
};
use crate::{
    Caller, Error, Hub, Result,
    caller::{Person, Scope},
    error::conflict,
    keys::AgentIdentity,
    limits::{Rate, WHOLE_HUB},
    listings, quotas,
};

/// View of the publish step.
pub struct PublishStep {
    pub seed: String,
    pub title: String,
    pub address: Address,
    pub proved: bool,
    pub way: RegistrationKind,
    pub can_federate: bool,
    /// Tools of MCP servers that are not offered to the model, each with the reason.
    pub omitted_tools: Vec<String>,
}

/// Registered agent.
pub struct RegisteredAgent {
    pub seed: String,
    pub title: String,
    pub address: Address,
    pub proved: bool,
    pub visibility: Visibility,
}

pub async fn publish_step(hub: &Hub, caller: &Caller, id: DraftId) -> Result<PublishStep> {
    let person = caller.may(Scope::Agents)?;
    let mut conn = hub.store().read().await?;
    let draft =
        registration_draft::load(hub, &mut conn, person, id).await?.reached(RegistrationStep::Publish)?;
    Ok(PublishStep {
        seed: draft.seed(),
        title: draft.title()?,
        address: draft.address(person).ok_or_else(nameless)?,
        proved: is_proved(&mut conn, &draft).await?,
        way: draft.way(),
        can_federate: can_federate(&connector(&draft)?),
        omitted_tools: omitted_tools(&draft),
    })
}

fn omitted_tools(draft: &RegistrationDraft) -> Vec<String> {
    match &draft.data.what {
        DraftTarget::Llm(written) => written.omitted_tools.clone(),
        _ => Vec::new(),
    }
}

/// Registers the agent. Idempotent: a repeated request returns the same address.
pub async fn publish(
    hub: &Hub,
    caller: &Caller,
    id: DraftId,
    visibility: Visibility,
    access: AgentAccess,
) -> Result<Address> {
    let person = caller.may(Scope::Agents)?;
    hub.limits().take(Rate::Registrations, &caller.key())?;
    hub.limits().take(Rate::RegistrationsTotal, WHOLE_HUB)?;
    let mut tx = hub.store().write().await?;
    let mut draft =
        registration_draft::load(hub, &mut tx, person, id).await?.reached(RegistrationStep::Publish)?;
    let address = draft.address(person).ok_or_else(nameless)?;
    if draft.step == RegistrationStep::Done {
        return Ok(address);
    }
    check_visibility(hub, visibility, &connector(&draft)?)?;
    check_reach(visibility, access)?;
    register_a2a::ensure_name_free(&mut tx, person, &address.name).await?;
    quotas::check_agent(hub, &mut tx, person).await?;
    insert(hub, &mut tx, person, &draft, &address.name, visibility, access).await?;
    listings::publish(hub, &mut tx, draft.data.agent).await?;
    draft.step = RegistrationStep::Done;
    draft.save(hub, &mut tx, person).await?;
    tx.commit().await?;
    hub.wake_index_worker();
    if is_seen(&draft)
        && let Err(error) = listings::mark_online(hub, draft.data.agent).await
    {
        tracing::warn!(%error, "agent status: online not recorded");
    }
    Ok(address)
}

pub async fn done(hub: &Hub, caller: &Caller, id: DraftId) -> Result<RegisteredAgent> {
    let person = caller.may(Scope::Agents)?;
    let mut conn = hub.store().read().await?;
    let draft =
        registration_draft::load(hub, &mut conn, person, id).await?.reached(RegistrationStep::Done)?;
    let agent = agents::find(&mut conn, draft.data.agent).await?.ok_or_else(nameless)?;
    Ok(RegisteredAgent {
        seed: agent.identicon_seed(),
        title: draft.title()?,
        address: agent.address(),
        proved: is_proved(&mut conn, &draft).await?,
        visibility: agent.visibility,
    })
}

fn nameless() -> Error {
    Error::Fault(anyhow::anyhow!("a registration went past the choice of a name without one"))
}

/// Returns whether the agent is known to be online: its card was fetched, or its test call succeeded.
fn is_seen(draft: &RegistrationDraft) -> bool {
    match &draft.data.what {
        DraftTarget::A2a(_) => true,
        DraftTarget::Http(prepared) => prepared.tried.as_ref().is_some_and(|tried| tried.failed.is_none()),
        DraftTarget::Llm(_) | DraftTarget::Process(_) | DraftTarget::Attached(_) => false,
    }
}

async fn is_proved(conn: &mut Conn, draft: &RegistrationDraft) -> Result<bool> {
    origin_verification::all_proved(conn, draft.checks()).await
}

fn connector(draft: &RegistrationDraft) -> Result<Connector> {
    match &draft.data.what {
        DraftTarget::A2a(remote) => versions::connector(&remote.read()?, &remote.card_url),
        DraftTarget::Llm(written) => Ok(written.filled.connector()),
        DraftTarget::Process(described) => Ok(described.connector()),
        DraftTarget::Http(prepared) => Ok(Connector::Http { request: Box::new(prepared.template.clone()) }),
        DraftTarget::Attached(_) => Ok(Connector::Attached),
    }
}

/// Returns whether the agent can be published to other hubs. They call it through this hub, so it may be at a
/// private address. Every hub has the built-in agents.
pub(super) const fn can_federate(connector: &Connector) -> bool {
    !matches!(connector, Connector::Builtin { .. })
}

/// Fails if the operator does not allow this visibility for a program that the agent runs.
pub(super) fn check_programs(
    hub: &Hub,
    visibility: Visibility,
    connector: &Connector,
) -> Result<(), Refusal> {
    let programs = hub.outbound().programs();
    connector.programs().try_for_each(|program| programs.check_visibility(program, visibility))
}

pub(super) fn check_visibility(
    hub: &Hub,
    visibility: Visibility,
    connector: &Connector,
) -> Result<(), Refusal> {
    check_programs(hub, visibility, connector)?;
    if visibility == Visibility::Federated && !can_federate(connector) {
        let words = "Built-in agents are not published to other hubs: every hub has them.";
        return Err(Refusal::invalid("visibility", words));
    }
    Ok(())
}

/// Fails for an agent that is published to other hubs but restricted to named users.
pub(super) fn check_reach(visibility: Visibility, access: AgentAccess) -> Result<(), Refusal> {
    if visibility == Visibility::Federated && access == AgentAccess::Listed {
        let words = "An agent that is public everywhere cannot be restricted to users you name: other hubs do not \
                     know the users of this hub. Choose another visibility, or another access.";
        return Err(Refusal::invalid("access", words));
    }
    Ok(())
}

async fn insert(
    hub: &Hub,
    tx: &mut Tx,
    person: &Person,
    draft: &RegistrationDraft,
    name: &Name,
    visibility: Visibility,
    access: AgentAccess,
) -> Result<()> {
    let reach = (visibility, access);
    let agent = insert_agent(hub, tx, person, draft.data.agent, &draft.identity(hub)?, name, reach).await?;
    match &draft.data.what {
        DraftTarget::A2a(remote) => insert_remote(hub, tx, person, agent.id, remote).await,
        DraftTarget::Llm(written) => model_agent::add(hub, tx, person, &agent, written).await,
        DraftTarget::Http(prepared) => http_endpoint::add(hub, tx, person, &agent, prepared).await,
        DraftTarget::Process(described) => program_agent::add(hub, tx, &agent, described).await,
        DraftTarget::Attached(about) => attached::add(hub, tx, &agent, about).await,
    }
}

/// Inserts the agent with its keys and its principal, without a version.
pub(super) async fn insert_agent(
    hub: &Hub,
    tx: &mut Tx,
    person: &Person,
    id: AgentId,
    identity: &AgentIdentity,
    name: &Name,
    (visibility, access): (Visibility, AgentAccess),
) -> Result<Agent> {
    let agent = Agent {
        id,
        hub: HubRowId::SELF,
        home: None,
        owner: person.name.clone(),
        name: name.clone(),
        listing_id: Some(identity.listing.to_string()),
        namespace: Some(person.namespace),
        visibility,
        access,
        state: AgentState::Active,
        created_at: hub.env().now(),
    };
    conflict(agents::insert(tx, &agent).await, register_a2a::taken)?;
    identity.keep(hub, tx, id, person.namespace).await?;
    principals::ensure(tx, &Principal::Agent { agent: id }, hub.env().id(PrincipalId::new)).await?;
    Ok(agent)
}

async fn insert_remote(
    hub: &Hub,
    tx: &mut Tx,
    person: &Person,
    id: AgentId,
    remote: &A2aDraft,
) -> Result<()> {
    let card = remote.read()?;
    let secret = draft_secrets::transfer_secret(hub, tx, person, id, remote.credentials.as_ref()).await?;
    let connector = versions::connector(&card, &remote.card_url)?;
    let pinned = NewVersion { card: remote.card.as_bytes(), connector, secret, wanted: &card.version };
    versions::add(hub, tx, id, pinned).await?;
    draft_secrets::put_checks(hub, tx, person, id, &remote.checks).await
}
