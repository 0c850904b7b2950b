//! Moderation of agents: list, pause, resume, unlist and delete the agents of all owners.

use plexus_domain::{
    Address, AgentId, Error as Refusal, Timestamp, account::Role, agent::Visibility, sanitized_text,
};
use plexus_store::{
    Conn, Tx, admin,
    agents::{self, Agent, AgentState},
    featured_agents, namespaces,
    namespaces::NamespaceKind,
};
use serde_json::json;

use super::TODAY;
use crate::{
    Caller, Hub, Result,
    agents::withdraw,
    audit::{AuditActor, AuditEvent, write_audit},
    caller::Person,
    listings::{ListingSummary, publish},
    paging::{Page, slice},
};

const REASON_MAX: usize = 200;

/// An agent in the administrators' list.
pub struct AgentRow {
    pub id: AgentId,
    /// Seed of the agent's identicon.
    pub seed: String,
    pub title: String,
    pub address: Address,
    pub protocol: String,
    pub visibility: Visibility,
    pub paused: bool,
    /// All origins that the hub calls are verified, or there are none.
    pub proved: bool,
    pub last_answered: Option<Timestamp>,
    pub runs_today: u64,
    pub failed_today: u64,
    /// Whether the caller may unlist, delete and feature it.
    pub can_withdraw: bool,
    pub is_featured: bool,
}

/// A moderation action on an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentModeration {
    /// The agent cannot be called until it is resumed.
    Pause,
    Resume,
    /// The agent is not found by search any more; it can still be called by address.
    Unlist,
    /// The agent is deleted, and its address is never reused.
    Withdraw,
}

impl AgentModeration {
    const fn action(self) -> &'static str {
        match self {
            Self::Pause => "agent.pause",
            Self::Resume => "agent.resume",
            Self::Unlist => "agent.unlist",
            Self::Withdraw => "agent.withdraw",
        }
    }

    const fn needs(self) -> Role {
        match self {
            Self::Pause | Self::Resume => Role::Moderator,
            Self::Unlist | Self::Withdraw => Role::Admin,
        }
    }
}

/// Lists agents whose address contains `words`, the newest first.
pub async fn list_agents(hub: &Hub, caller: &Caller, words: &str, page: u32) -> Result<Page<AgentRow>> {
    let person = caller.require(Role::Moderator)?;
    let mut conn = hub.store().snapshot().await?;
    let total = admin::count_agents(&mut conn, words.trim()).await?;
    let since = hub.env().now() - TODAY;
    let rows = admin::agents(&mut conn, words.trim(), since, slice(page, total)).await?;
    let featured = featured_agents::list(&mut conn).await?;
    let row =
        |found: admin::AgentRow| AgentRow { is_featured: featured.contains(&found.id), ..row(person, found) };
    Ok(Page { rows: rows.into_iter().map(row).collect(), total })
}

fn row(person: &Person, row: admin::AgentRow) -> AgentRow {
    let summary: ListingSummary =
        row.summary.and_then(|json| serde_json::from_value(json).ok()).unwrap_or_default();
    let elsewhere = row.connector.as_ref().is_some_and(|connector| connector.remote_url().is_some());
    AgentRow {
        seed: row.listing_id.unwrap_or_else(|| row.id.to_string()),
        title: if summary.title.is_empty() { row.name.to_string() } else { summary.title },
        protocol: summary.protocol,
        paused: row.state == AgentState::Paused,
        proved: !elsewhere || (row.unproved == 0 && summary.verified),
        last_answered: summary.online_at,
        can_withdraw: person.role == Role::Admin,
        is_featured: false,
        id: row.id,
        address: Address::local(row.owner, row.name),
        visibility: row.visibility,
        runs_today: row.runs,
        failed_today: row.failed,
    }
}

/// Performs a moderation action and writes an audit entry. All actions except resuming require a reason.
pub async fn act_on_agent(
    hub: &Hub,
    caller: &Caller,
    id: AgentId,
    act: AgentModeration,
    reason: &str,
    request: &str,
) -> Result<()> {
    caller.require(act.needs())?;
    let reason = sanitized_text::ellipsize(&sanitized_text::one_line(reason), REASON_MAX);
    if reason.is_empty() && act != AgentModeration::Resume {
        return Err(Refusal::invalid("reason", "Enter a reason.").into());
    }
    let mut tx = hub.store().write().await?;
    let found = agents::find(&mut tx, id).await?;
    let agent = found.filter(|agent| agent.state != AgentState::Deleted && agent.namespace.is_some());
    let agent = agent.ok_or_else(|| Refusal::not_found("Agent not found."))?;
    apply(hub, &mut tx, &agent, act).await?;
    // The owner cannot resume an agent that moderators have paused.
    match act {
        AgentModeration::Pause => agents::set_moderation_reason(&mut tx, id, Some(&reason)).await?,
        AgentModeration::Resume => agents::set_moderation_reason(&mut tx, id, None).await?,
        AgentModeration::Unlist | AgentModeration::Withdraw => {}
    }
    let (action, change) = (act.action(), json!({ "reason": reason }));
    write_audit(
        hub,
        &mut tx,
        AuditEvent { by: AuditActor::of(caller)?, action, target: target(id), change, request },
    )
    .await?;
    tx.commit().await?;
    hub.wake_index_worker();
    Ok(())
}

async fn apply(hub: &Hub, tx: &mut Tx, agent: &Agent, act: AgentModeration) -> Result<()> {
    match act {
        AgentModeration::Pause if agent.state == AgentState::Paused => {
            return Err(Refusal::conflict("This agent is already paused.").into());
        }
        AgentModeration::Resume if agent.state == AgentState::Active => {
            return Err(Refusal::conflict("This agent is not paused.").into());
        }
        AgentModeration::Unlist if !agent.visibility.is_listed() => {
            return Err(Refusal::conflict("This agent is already unlisted.").into());
        }
        AgentModeration::Withdraw if is_built_in(tx, agent).await? => {
            let words = "The hub’s own agents cannot be deleted. Pause it instead.";
            return Err(Refusal::conflict(words).into());
        }
        AgentModeration::Withdraw => return withdraw(hub, tx, agent).await,
        AgentModeration::Pause => agents::set_state(tx, agent.id, AgentState::Paused).await?,
        AgentModeration::Resume => agents::set_state(tx, agent.id, AgentState::Active).await?,
        AgentModeration::Unlist => agents::set_visibility(tx, agent.id, Visibility::Unlisted).await?,
    };
    publish(hub, tx, agent.id).await
}

async fn is_built_in(conn: &mut Conn, agent: &Agent) -> Result<bool> {
    let Some(namespace) = agent.namespace else { return Ok(false) };
    let owner = namespaces::find(conn, namespace).await?;
    Ok(owner.is_some_and(|owner| owner.kind == NamespaceKind::System))
}

fn target(agent: AgentId) -> String {
    format!("agent:{agent}")
}
