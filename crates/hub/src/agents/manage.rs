//! Settings of an agent that its owner can change.

use plexus_a2a::{Card, card::Severity};
use plexus_domain::{
    Address, Error as Refusal,
    account::Role,
    agent::{AgentAccess, Connector, Visibility},
};
use plexus_store::{
    Conn, Tx, accounts,
    accounts::AccountState,
    agent_versions as version_rows,
    agent_versions::Version,
    agents::{self, Agent, AgentState},
    cards, grants,
    grants::GrantedUser,
    knowledge::{self, KnowledgeFile},
    origin_verifications as rows,
    origin_verifications::ProofMethod,
};
use url::Url;

use super::{
    access::{is_visible_to, owns, revoke_streams},
    origin_verification::{self, OriginVerification, VerificationStatus},
    passage_embeddings::{self, VectorCoverage},
    publish, register_a2a,
    versions::{self, NewVersion},
    withdraw,
};
use crate::{
    Caller, Error, Hub, Result, admin,
    bus::ClusterNotice,
    caller::{Person, Scope},
    federation,
    limits::Rate,
    listings,
};

/// Settings of an agent, for its owner.
pub struct AgentSettings {
    pub visibility: Visibility,
    pub access: AgentAccess,
    pub paused: bool,
    pub can_federate: bool,
    /// True if it has instructions, a request or a program description that can be edited.
    pub editable: bool,
    /// True if it has an external card that can be fetched again.
    pub refreshable: bool,
    pub origins: Vec<OriginVerification>,
    /// Why other hubs do not get the agent although it is federated.
    pub publication_problem: Option<String>,
    /// Users that [`AgentAccess::Listed`] admits.
    pub users: Vec<GrantedUser>,
    /// Files that it answers from. `None` if it is not a model with instructions.
    pub files: Option<Vec<KnowledgeFile>>,
    /// How many passages of its files have vectors. `None` without an embeddings model.
    pub vectors: Option<VectorCoverage>,
    /// Whether users who may use it may copy it.
    pub allows_copies: bool,
}

/// Result of fetching a card again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CardRefresh {
    Same,
    NewVersion,
}

pub async fn managed(hub: &Hub, caller: &Caller, address: &Address) -> Result<AgentSettings> {
    let person = caller.may(Scope::Agents)?;
    let mut conn = hub.store().snapshot().await?;
    let agent = agent_owned_by(&mut conn, person, address).await?;
    let (version, _) = current(&mut conn, &agent).await?;
    let token = origin_verification::token(&mut conn, agent.id).await?;
    let known = rows::list_by_agent(&mut conn, agent.id).await?;
    let users = grants::list_users(&mut conn, agent.id).await?;
    let files = match version.connector {
        Connector::Llm { .. } => Some(knowledge::list(&mut conn, agent.id).await?),
        _ => None,
    };
    let vectors = passage_embeddings::coverage(hub, &mut conn, agent.id).await?;
    let allows_copies = agents::allows_copies(&mut conn, agent.id).await?;
    Ok(AgentSettings {
        vectors,
        allows_copies,
        users,
        files,
        visibility: agent.visibility,
        access: agent.access,
        paused: agent.state == AgentState::Paused,
        can_federate: publish::can_federate(&version.connector),
        editable: matches!(
            version.connector,
            Connector::Llm { .. } | Connector::Http { .. } | Connector::Process { .. }
        ),
        refreshable: matches!(version.connector, Connector::A2a { .. }),
        origins: known
            .iter()
            .map(|proof| {
                origin_verification::describe(&proof.origin, origin_verification::read(proof), &token)
            })
            .collect(),
        publication_problem: federation::publication_problem(hub, &mut conn, &agent).await?,
    })
}

/// Sets visibility and access. `None` leaves a value unchanged.
pub async fn set_visibility_and_access(
    hub: &Hub,
    caller: &Caller,
    address: &Address,
    visibility: Option<Visibility>,
    access: Option<AgentAccess>,
) -> Result<()> {
    let (mut tx, agent) = change(hub, caller, address).await?;
    publish::check_reach(visibility.unwrap_or(agent.visibility), access.unwrap_or(agent.access))?;
    if let Some(visibility) = visibility {
        let (version, _) = current(&mut tx, &agent).await?;
        publish::check_visibility(hub, visibility, &version.connector)?;
        agents::set_visibility(&mut tx, agent.id, visibility).await?;
    }
    if let Some(access) = access {
        agents::set_access(&mut tx, agent.id, access).await?;
    }
    tell(hub, tx, &agent).await?;
    revoke_streams(hub, agent.id).await
}

/// Pauses or resumes the agent. Active runs are not affected.
pub async fn set_paused(hub: &Hub, caller: &Caller, address: &Address, paused: bool) -> Result<()> {
    let (mut tx, agent) = change(hub, caller, address).await?;
    if !paused && let Some(reason) = agents::moderation_reason(&mut tx, agent.id).await? {
        let words = format!(
            "The administrators of this hub paused {address}. Reason: \u{201c}{reason}\u{201d}. Ask them to \
             resume it."
        );
        return Err(Refusal::forbidden(words).into());
    }
    let state = if paused { AgentState::Paused } else { AgentState::Active };
    agents::set_state(&mut tx, agent.id, state).await?;
    tell(hub, tx, &agent).await
}

/// Deletes the agent permanently. Chats retain its messages, and its address is not reused.
pub async fn delete(hub: &Hub, caller: &Caller, address: &Address) -> Result<()> {
    let (mut tx, agent) = change(hub, caller, address).await?;
    withdraw(hub, &mut tx, &agent).await?;
    tx.commit().await?;
    hub.attachments().close(agent.id);
    hub.cluster_notifier().enqueue(ClusterNotice::Withdrawn(agent.id));
    hub.wake_index_worker();
    Ok(())
}

/// Fetches the card again. A changed card becomes a new version, and new origins start unverified.
pub async fn refresh(hub: &Hub, caller: &Caller, address: &Address) -> Result<CardRefresh> {
    let person = caller.may(Scope::Agents)?;
    hub.limits().take(Rate::Fetches, &caller.key())?;
    let mut conn = hub.store().read().await?;
    let agent = agent_owned_by(&mut conn, person, address).await?;
    let (version, before) = current(&mut conn, &agent).await?;
    let Connector::A2a { card_url, .. } = &version.connector else { return Err(nothing_to_fetch().into()) };
    let outbound = hub.outbound().anyone(is_administrators(&mut conn, &agent).await?);
    drop(conn);
    let url: Url = card_url.parse().map_err(Error::fault)?;
    let found = outbound.fetch_card(&url).await.map_err(|failure| Refusal::conflict(failure.message))?;
    let (card, _) = register_a2a::read_card(&outbound, &found.body).await.map_err(|problems| {
        let words = problems.iter().filter(|problem| problem.severity == Severity::Error);
        let words: Vec<String> =
            words.map(|problem| format!("{}: {}", problem.pointer, problem.message)).collect();
        Refusal::conflict(format!("The agent card at {} is no longer valid. {}", found.url, words.join(" ")))
    })?;
    if card.digest() == version.card {
        listings::mark_online(hub, agent.id).await?;
        return Ok(CardRefresh::Same);
    }
    replace_card(hub, &agent, &version, &before, &card, card_url).await?;
    listings::mark_online(hub, agent.id).await?;
    Ok(CardRefresh::NewVersion)
}

async fn replace_card(
    hub: &Hub,
    agent: &Agent,
    before: &Version,
    old: &Card,
    card: &Card,
    card_url: &str,
) -> Result<()> {
    let tx = hub.store().write().await?;
    let same_place = old.best_interface().map(|interface| interface.url.origin())
        == card.best_interface().map(|interface| interface.url.origin());
    let pinned = NewVersion {
        card: &card.source,
        connector: versions::connector(card, card_url)?,
        // Credentials for one origin must not be sent to another.
        secret: before.secret.filter(|_| same_place),
        wanted: &card.version,
    };
    replace(hub, tx, agent, pinned, &origin_verification::origins(card)).await
}

/// Adds a version that is called at the origins `named`. Origins that are new must be verified.
pub(super) async fn replace(
    hub: &Hub,
    mut tx: Tx,
    agent: &Agent,
    pinned: NewVersion<'_>,
    named: &[String],
) -> Result<()> {
    versions::add(hub, &mut tx, agent.id, pinned).await?;
    let known = rows::list_by_agent(&mut tx, agent.id).await?;
    for proof in known.iter().filter(|proof| !named.contains(&proof.origin)) {
        rows::delete(&mut tx, agent.id, &proof.origin).await?;
    }
    for origin in named.iter().filter(|origin| !known.iter().any(|proof| proof.origin == **origin)) {
        origin_verification::put(hub, &mut tx, agent.id, origin, &VerificationStatus::Unchecked).await?;
    }
    tell(hub, tx, agent).await
}

/// Verifies each origin again. Origins trusted by an administrator are skipped.
pub async fn verify_origins(
    hub: &Hub,
    caller: &Caller,
    address: &Address,
) -> Result<Vec<OriginVerification>> {
    let person = caller.may(Scope::Agents)?;
    hub.limits().take(Rate::Fetches, &caller.key())?;
    let mut conn = hub.store().read().await?;
    let agent = agent_owned_by(&mut conn, person, address).await?;
    let token = origin_verification::token(&mut conn, agent.id).await?;
    let known = rows::list_by_agent(&mut conn, agent.id).await?;
    let outbound = hub.outbound().anyone(is_administrators(&mut conn, &agent).await?);
    drop(conn);
    let mut found = Vec::new();
    for proof in known {
        let trusted = proof.method == ProofMethod::TrustedOrigin && proof.holds();
        let status = match trusted {
            true => origin_verification::read(&proof),
            false => origin_verification::check(hub, &outbound, &proof.origin, &token).await,
        };
        found.push(origin_verification::describe(&proof.origin, status, &token));
    }
    let (mut tx, agent) = change(hub, caller, address).await?;
    for proof in found.iter().filter(|proof| !proof.status.is_trusted()) {
        if rows::find(&mut tx, agent.id, &proof.origin).await?.is_some() {
            origin_verification::put(hub, &mut tx, agent.id, &proof.origin, &proof.status).await?;
        }
    }
    tell(hub, tx, &agent).await?;
    Ok(found)
}

/// Marks an origin of an agent as trusted. Only for administrators.
pub async fn trust_origin(hub: &Hub, caller: &Caller, address: &Address, origin: &str) -> Result<()> {
    let person = caller.require(Role::Admin)?;
    let mut tx = hub.store().write().await?;
    let agent = at(&mut tx, address).await?;
    let unknown = || Refusal::invalid("origin", "The agent card does not contain this address.");
    rows::find(&mut tx, agent.id, origin).await?.ok_or_else(unknown)?;
    admin::trust_origin_of(hub, &mut tx, person, origin).await?;
    tell(hub, tx, &agent).await
}

/// Begins a transaction for a change by the owner, and returns it with the agent.
pub(super) async fn change(hub: &Hub, caller: &Caller, address: &Address) -> Result<(Tx, Agent)> {
    let person = caller.may(Scope::Agents)?;
    hub.limits().take(Rate::AgentChanges, &caller.key())?;
    let mut tx = hub.store().write().await?;
    let agent = agent_owned_by(&mut tx, person, address).await?;
    Ok((tx, agent))
}

async fn tell(hub: &Hub, mut tx: Tx, agent: &Agent) -> Result<()> {
    listings::publish(hub, &mut tx, agent.id).await?;
    tx.commit().await?;
    hub.wake_index_worker();
    Ok(())
}

/// Returns the agent if the user acts for its owner; otherwise an error.
pub(crate) async fn agent_owned_by(conn: &mut Conn, person: &Person, address: &Address) -> Result<Agent> {
    let agent = agent_visible_to(conn, person, address).await?;
    if owns(conn, person, &agent).await? {
        return Ok(agent);
    }
    Err(Refusal::forbidden(format!("You are not allowed to change {address}.")).into())
}

/// Returns the agent if the user may see it; otherwise an error.
pub(super) async fn agent_visible_to(conn: &mut Conn, person: &Person, address: &Address) -> Result<Agent> {
    let agent = at(conn, address).await?;
    // The owner also sees it while its account is hidden.
    if !is_visible_to(conn, Some(person), &agent).await? && !owns(conn, person, &agent).await? {
        return Err(missing(address).into());
    }
    Ok(agent)
}

async fn at(conn: &mut Conn, address: &Address) -> Result<Agent> {
    let found = agents::at(conn, address).await?;
    let is_there = |agent: &Agent| match agent.state {
        AgentState::Deleted => false,
        AgentState::Active => true,
        AgentState::Paused | AgentState::Hidden => agent.namespace.is_some(),
    };
    Ok(found.filter(is_there).ok_or_else(|| missing(address))?)
}

fn missing(address: &Address) -> Refusal {
    Refusal::not_found(format!("Agent {address} not found."))
}

fn nothing_to_fetch() -> Refusal {
    Refusal::conflict("This agent runs on this hub and has no remote card.")
}

/// Returns the version that new runs use, and its card.
pub(super) async fn current(conn: &mut Conn, agent: &Agent) -> Result<(Version, Card)> {
    let missing = |what| Error::Fault(anyhow::anyhow!("agent {} has no {what}", agent.id));
    let version = version_rows::current(conn, agent.id).await?.ok_or_else(|| missing("version"))?;
    let body = cards::find(conn, &version.card).await?.ok_or_else(|| missing("card"))?;
    let card = Card::read(&body).card.ok_or_else(|| missing("readable card"))?;
    Ok((version, card))
}

/// Returns whether the agent belongs to the personal namespace of an active administrator.
pub(crate) async fn is_administrators(conn: &mut Conn, agent: &Agent) -> Result<bool> {
    let Some(namespace) = agent.namespace else { return Ok(false) };
    let owner = accounts::by_namespace(conn, namespace).await?;
    Ok(owner.is_some_and(|owner| owner.role == Role::Admin && owner.state == AccountState::Active))
}
