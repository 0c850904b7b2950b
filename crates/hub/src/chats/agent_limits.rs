//! The agents of a chat, and how much the owner of the chat lets each of them answer in a day.

use plexus_domain::{
    Address, ChatId, Error as Refusal, Timestamp,
    chat::{ChatKind, DailyLimit, DailyLimitUnit},
};
use plexus_store::{
    Conn,
    chat_agent_limits::{self, ChatAgentLimit},
    chats::Chat,
    runs::{self as run_rows, ChatAgentUse},
};

use super::{
    agent_members::{AgentMember, agent_members},
    check_owner, membership,
    people::check_may_have_people,
    post_message::lock,
};
use crate::{Caller, Hub, Result, agents::ResolvedAgent, caller::Scope, limits};

const DAY_MILLIS: u64 = 24 * 3_600 * 1_000;

/// An agent of a chat, with its limit and the sums of the current UTC day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChatAgent {
    pub address: Address,
    /// Title on its card; its name if it has none.
    pub name: String,
    pub limit: Option<DailyLimit>,
    /// Answers that began today.
    pub answers: u64,
    /// Tokens of the answers that ended.
    pub tokens: u64,
}

impl ChatAgent {
    /// Returns the limit if it is reached.
    pub fn reached(&self) -> Option<DailyLimit> {
        self.limit.filter(|limit| limit.is_reached(self.answers, self.tokens))
    }
}

/// Lists the agents of a chat of the caller, in the order in which they joined.
pub async fn list_agents(hub: &Hub, caller: &Caller, chat: ChatId) -> Result<Vec<ChatAgent>> {
    let person = caller.may(Scope::Read)?;
    let mut conn = hub.store().snapshot().await?;
    membership(&mut conn, person, chat).await?;
    of_chat(hub, &mut conn, chat).await
}

/// Lists the agents whose limit in a chat of the caller is reached.
pub async fn list_exhausted_agents(hub: &Hub, caller: &Caller, chat: ChatId) -> Result<Vec<ChatAgent>> {
    let person = caller.may(Scope::Read)?;
    let mut conn = hub.store().read().await?;
    membership(&mut conn, person, chat).await?;
    if chat_agent_limits::list_by_chat(&mut conn, chat).await?.is_empty() {
        return Ok(Vec::new());
    }
    let mut agents = of_chat(hub, &mut conn, chat).await?;
    agents.retain(|agent| agent.reached().is_some());
    Ok(agents)
}

async fn of_chat(hub: &Hub, conn: &mut Conn, chat: ChatId) -> Result<Vec<ChatAgent>> {
    let members = agent_members(conn, chat).await?;
    let limits = chat_agent_limits::list_by_chat(conn, chat).await?;
    let used = run_rows::list_use_by_chat(conn, chat, today(hub)).await?;
    let agent = |AgentMember { agent, address, name, .. }| {
        let limit = limits.iter().find(|limit| limit.agent == agent).and_then(daily_limit);
        let sums = used.iter().find(|used| used.agent == agent);
        let (answers, tokens) = sums.map_or((0, 0), |sums| (sums.answers, sums.tokens));
        ChatAgent { address, name, limit, answers, tokens }
    };
    Ok(members.into_iter().map(agent).collect())
}

/// Sets or removes the limit of an agent in a chat that the caller owns.
pub async fn set_agent_limit(
    hub: &Hub,
    caller: &Caller,
    chat: ChatId,
    address: &Address,
    limit: Option<DailyLimit>,
) -> Result<()> {
    let person = caller.may(Scope::Chat)?;
    let mut tx = hub.store().write().await?;
    let row = lock(&mut tx, chat).await?;
    let member = membership(&mut tx, person, chat).await?;
    check_owner(&member, "Only the owner of this chat can limit its agents.")?;
    check_may_have_people(&row)?;
    let member = agent_members(&mut tx, chat).await?.into_iter().find(|member| member.address == *address);
    let missing = || Refusal::not_found(format!("{address} is no agent of this chat."));
    let agent = member.ok_or_else(missing)?.agent;
    match limit {
        Some(limit) => {
            let (unit, amount) = (limit.unit(), limit.amount());
            chat_agent_limits::put(&mut tx, &ChatAgentLimit { chat, agent, unit, amount }).await?;
        }
        None => {
            chat_agent_limits::delete(&mut tx, chat, agent).await?;
        }
    }
    tx.commit().await?;
    Ok(())
}

/// Refuses another answer of an agent whose limit in the chat is reached. The chat row must be locked.
pub(super) async fn check_agent_limits(
    hub: &Hub,
    conn: &mut Conn,
    chat: &Chat,
    agents: &[ResolvedAgent],
) -> Result<()> {
    if !matches!(chat.kind, ChatKind::Direct | ChatKind::Room) {
        return Ok(());
    }
    let limits = chat_agent_limits::list_by_chat(conn, chat.id).await?;
    if limits.is_empty() {
        return Ok(());
    }
    let used = run_rows::list_use_by_chat(conn, chat.id, today(hub)).await?;
    for reached in agents {
        let limit = limits.iter().find(|limit| limit.agent == reached.agent.id).and_then(daily_limit);
        let sums = used.iter().find(|used| used.agent == reached.agent.id);
        if let (Some(limit), Some(sums)) = (limit, sums)
            && limit.is_reached(sums.answers, sums.tokens)
        {
            return Err(refusal(hub, &reached.agent.address(), limit, sums).into());
        }
    }
    Ok(())
}

/// Returns the limit of a row; none if a version of the hub with other bounds wrote it.
fn daily_limit(row: &ChatAgentLimit) -> Option<DailyLimit> {
    DailyLimit::new(row.unit, row.amount).ok()
}

fn today(hub: &Hub) -> Timestamp {
    Timestamp::of_day(hub.env().now().day())
}

fn refusal(hub: &Hub, agent: &Address, limit: DailyLimit, used: &ChatAgentUse) -> Refusal {
    limits::refused("chat_agent");
    let past = u64::try_from(hub.env().now().since(today(hub)).as_millis()).unwrap_or(0);
    let retry_after_ms = DAY_MILLIS.saturating_sub(past).max(1);
    let (done, unit) = match limit.unit() {
        DailyLimitUnit::Answers => (used.answers, "answers"),
        DailyLimitUnit::Tokens => (used.tokens, "tokens"),
    };
    let wait = limits::wait_in_words(retry_after_ms);
    let message = format!(
        "The owner of this chat lets {agent} use {} {unit} a day here, and it has used {done}. Ask another agent. \
         Try again in {wait}.",
        limit.amount()
    );
    Refusal::RateLimited { message, retry_after_ms }
}
