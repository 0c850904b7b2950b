//! Runs: one agent's work on a request until a terminal state.

use std::collections::HashMap;

use plexus_domain::{
    AgentId, CallOptions, ChatId, PrincipalId, ProcessId, RunId, RunState, Timestamp, VersionId,
    page::PageSize,
    run::{Failure, FailureClass, Usage},
};
use serde_json::json;
use sqlx::{QueryBuilder, query, query_as, query_scalar};

use crate::{
    Conn, Result, Tx,
    batch::StatementBatch,
    conn::{execute, on},
    sql_in_list,
    sql_types::{SqlType, clean, record, word_enum},
};

word_enum! {
    /// Interface through which the request came.
    pub enum Origin {
        Page = "page",
        Api = "api",
        A2a = "a2a",
        Mcp = "mcp",
        OpenAi = "openai",
        Rpc = "rpc",
        /// Assigned by a team.
        Team = "team",
        /// Started by the hub itself, for example by its built-in agents.
        Hub = "hub",
    }
}

record! {
    pub struct Run {
        pub id: RunId,
        pub chat: ChatId,
        pub agent: AgentId,
        pub version: VersionId,
        pub caller: PrincipalId,
        pub origin: Origin,
        pub state: RunState,
        pub state_at: Timestamp,
        /// Instance that works on the run; `None` if it has none.
        pub instance: Option<ProcessId>,
        pub remote_task: Option<String>,
        pub remote_context: Option<String>,
        pub queued_at: Timestamp,
        pub started_at: Option<Timestamp>,
        pub ended_at: Option<Timestamp>,
        pub tokens_in: u64,
        pub tokens_out: u64,
        pub cost_micro: u64,
        pub error_class: Option<FailureClass>,
        pub error: Option<String>,
        /// [`CallOptions`] as JSON; `None` if the call sets none, and once the run has ended.
        pub options: Option<String>,
        /// True if the answer was cut at a length limit.
        pub is_truncated: bool,
        /// True if the caller asked not to store the answer, or deleted it.
        pub is_withheld: bool,
    }
}

impl Run {
    pub fn failure(&self) -> Option<Failure> {
        Some(Failure::new(self.error_class?, self.error.clone().unwrap_or_default()))
    }

    /// Returns the options of the call that created the run.
    pub fn call_options(&self) -> CallOptions {
        let stored = self.options.as_deref().and_then(|options| serde_json::from_str(options).ok());
        stored.unwrap_or_default()
    }

    pub const fn cursor(&self) -> Cursor {
        (self.state_at, self.id)
    }

    pub const fn usage(&self) -> Usage {
        Usage { tokens_in: self.tokens_in, tokens_out: self.tokens_out, cost_micro: self.cost_micro }
    }
}

/// A run to be inserted, in state queued or working.
#[derive(Clone, Debug)]
pub struct NewRun {
    pub id: RunId,
    pub chat: ChatId,
    pub agent: AgentId,
    pub version: VersionId,
    pub caller: PrincipalId,
    pub origin: Origin,
    pub instance: Option<ProcessId>,
    pub state: RunState,
    pub queued_at: Timestamp,
    pub options: CallOptions,
    /// True if the answer is not returned after this call.
    pub is_withheld: bool,
}

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "select id, chat, agent, version, caller, origin, state, state_at, instance, remote_task, remote_context, \
             queued_at, started_at, ended_at, tokens_in, tokens_out, cost_micro, error_class, error, options, is_truncated, \
             is_withheld from runs ",
            $rest
        )
    };
}

pub async fn insert(tx: &mut Tx, new: &NewRun) -> Result<()> {
    let mut batch = StatementBatch::of(tx);
    add(&mut batch, new);
    batch.execute(tx).await.map(drop)
}

pub(crate) fn add(batch: &mut StatementBatch, new: &NewRun) {
    let started = (new.state == RunState::Working).then_some(new.queued_at);
    let text = "insert into runs (id, chat, agent, version, caller, origin, state, state_at, instance, \
                queued_at, started_at, tokens_in, tokens_out, cost_micro, options, is_withheld) \
                values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $8, $10, 0, 0, 0, $11, $12)";
    let options = (!new.options.is_default()).then(|| json!(new.options).to_string());
    batch
        .add(text)
        .bind(new.id.uuid())
        .bind(new.chat.uuid())
        .bind(new.agent.uuid())
        .bind(new.version.uuid())
        .bind(new.caller.uuid())
        .bind(new.origin.as_str())
        .bind(new.state.as_str())
        .bind(new.queued_at.millis())
        .bind(new.instance.to_column())
        .bind(started.to_column())
        .bind(options.as_deref().map(clean))
        .bind(new.is_withheld);
}

pub async fn find(conn: &mut Conn, id: RunId) -> Result<Option<Run>> {
    on!(conn, c => query_as(select!("where id = $1")).bind(id.uuid()).fetch_optional(c))
}

/// Returns the runs in `wanted` that exist, in no particular order.
pub async fn list(conn: &mut Conn, wanted: &[RunId]) -> Result<Vec<Run>> {
    let wanted: Vec<_> = wanted.iter().map(|id| id.uuid()).collect();
    let mut found = Vec::with_capacity(wanted.len());
    for chunk in wanted.chunks(sql_in_list::CHUNK) {
        found.extend(on!(conn, c => {
            let mut query = QueryBuilder::new(select!("where id in "));
            sql_in_list::push_list(&mut query, chunk);
            async move { query.build_query_as().fetch_all(c).await }
        })?);
    }
    Ok(found)
}

/// Lists the runs of a chat, in the order in which they were queued.
pub async fn list_by_chat(conn: &mut Conn, chat: ChatId) -> Result<Vec<Run>> {
    let text = select!("where chat = $1 order by queued_at, id");
    on!(conn, c => query_as(text).bind(chat.uuid()).fetch_all(c))
}

/// Lists the latest runs of an agent, newest first.
pub async fn list_by_agent(conn: &mut Conn, agent: AgentId, limit: i64) -> Result<Vec<Run>> {
    let text = select!("where agent = $1 order by queued_at desc, id desc limit $2");
    on!(conn, c => query_as(text).bind(agent.uuid()).bind(limit).fetch_all(c))
}

/// Outcomes of an agent's runs. Cancelled and unfinished runs are not counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunTally {
    pub completed: u32,
    pub failed: u32,
}

/// Counts outcomes by agent, over runs queued since `since`. Agents without outcomes are omitted.
pub async fn tally(
    conn: &mut Conn,
    wanted: &[AgentId],
    since: Timestamp,
) -> Result<HashMap<AgentId, RunTally>> {
    const TEXT: &str = "select agent, sum(case when state = 'completed' then 1 else 0 end), \
                        sum(case when state = 'completed' then 0 else 1 end) from runs \
                        where state in ('completed', 'failed', 'rejected') and queued_at >= ";
    let wanted: Vec<_> = wanted.iter().map(|id| id.uuid()).collect();
    let mut tallies = HashMap::with_capacity(wanted.len());
    for chunk in wanted.chunks(sql_in_list::CHUNK) {
        let found: Vec<(uuid::Uuid, i64, i64)> = on!(conn, c => {
            let mut query = QueryBuilder::new(TEXT);
            query.push_bind(since.millis()).push(" and agent in ");
            sql_in_list::push_list(&mut query, chunk);
            query.push(" group by agent");
            async move { query.build_query_as().fetch_all(c).await }
        })?;
        let count = |sum: i64| u32::try_from(sum).unwrap_or(u32::MAX);
        tallies.extend(found.into_iter().map(|(agent, completed, failed)| {
            (AgentId::from_uuid(agent), RunTally { completed: count(completed), failed: count(failed) })
        }));
    }
    Ok(tallies)
}

/// Counts all runs by agent that were queued since `since`, in any state. Agents without runs are omitted.
pub async fn count_by_agent(
    conn: &mut Conn,
    wanted: &[AgentId],
    since: Timestamp,
) -> Result<HashMap<AgentId, u64>> {
    let wanted: Vec<_> = wanted.iter().map(|id| id.uuid()).collect();
    let mut counts = HashMap::with_capacity(wanted.len());
    for chunk in wanted.chunks(sql_in_list::CHUNK) {
        let found: Vec<(uuid::Uuid, i64)> = on!(conn, c => {
            let mut query = QueryBuilder::new("select agent, count(*) from runs where queued_at >= ");
            query.push_bind(since.millis()).push(" and agent in ");
            sql_in_list::push_list(&mut query, chunk);
            query.push(" group by agent");
            async move { query.build_query_as().fetch_all(c).await }
        })?;
        counts
            .extend(found.into_iter().map(|(agent, runs)| (AgentId::from_uuid(agent), runs.unsigned_abs())));
    }
    Ok(counts)
}

record! {
    /// Sums over the runs of an agent in a chat.
    #[derive(Copy)]
    pub struct ChatAgentUse {
        pub agent: AgentId,
        pub answers: u64,
        pub tokens: u64,
    }
}

/// Sums the runs of each agent in a chat that were queued since `since`. Agents without runs are omitted.
pub async fn list_use_by_chat(conn: &mut Conn, chat: ChatId, since: Timestamp) -> Result<Vec<ChatAgentUse>> {
    let text = "select agent, count(*) as answers, cast(sum(tokens_in + tokens_out) as bigint) as tokens from runs \
                where chat = $1 and queued_at >= $2 group by agent";
    on!(conn, c => query_as(text).bind(chat.uuid()).bind(since.millis()).fetch_all(c))
}

/// Lists the agents with runs since `since`, in no particular order. It is compared with the creation time in the
/// run ids.
pub async fn list_agents_since(conn: &mut Conn, since: Timestamp) -> Result<Vec<AgentId>> {
    let text = "select distinct agent from runs where id >= $1";
    let first = RunId::new(since, &[0; 10]).uuid();
    let found: Vec<uuid::Uuid> = on!(conn, c => query_scalar(text).bind(first).fetch_all(c))?;
    Ok(found.into_iter().map(AgentId::from_uuid).collect())
}

/// Filter of a caller's runs with one agent.
#[derive(Clone, Copy, Debug)]
pub struct RunFilter {
    pub caller: PrincipalId,
    pub agent: AgentId,
    pub chat: Option<ChatId>,
    pub state: Option<RunState>,
    /// Excludes runs whose state changed before this time.
    pub since: Option<Timestamp>,
}

/// Pagination cursor of a run list: position of the last run of a page.
pub type Cursor = (Timestamp, RunId);

/// Lists the matching runs, latest state change first, without those in chats that the caller has left.
pub async fn list_by_caller(
    conn: &mut Conn,
    wanted: &RunFilter,
    after: Option<Cursor>,
    size: PageSize,
) -> Result<Vec<Run>> {
    let (at, id) = after.unwrap_or((Timestamp::from_millis(i64::MAX), RunId::from_uuid(uuid::Uuid::max())));
    let text = select!(
        "where caller = $1 and agent = $2 and ($3 is null or chat = $3) and ($4 is null or state = $4) \
         and state_at >= $5 and (state_at < $6 or (state_at = $6 and id < $7)) \
         and not exists (select 1 from chat_members m where m.chat = runs.chat and m.principal = $1 \
         and m.left_at is not null) \
         order by state_at desc, id desc limit $8"
    );
    on!(conn, c => query_as(text)
        .bind(wanted.caller.uuid())
        .bind(wanted.agent.uuid())
        .bind(wanted.chat.to_column())
        .bind(wanted.state.map(RunState::as_str))
        .bind(wanted.since.map_or(i64::MIN, Timestamp::millis))
        .bind(at.millis())
        .bind(id.uuid())
        .bind(i64::from(size.rows()))
        .fetch_all(c))
}

pub async fn count_by_caller(conn: &mut Conn, wanted: &RunFilter) -> Result<u64> {
    let text = "select count(*) from runs where caller = $1 and agent = $2 and ($3 is null or chat = $3) \
                and ($4 is null or state = $4) and state_at >= $5 \
                and not exists (select 1 from chat_members m where m.chat = runs.chat and m.principal = $1 \
                and m.left_at is not null)";
    let count: i64 = on!(conn, c => query_scalar(text)
        .bind(wanted.caller.uuid())
        .bind(wanted.agent.uuid())
        .bind(wanted.chat.to_column())
        .bind(wanted.state.map(RunState::as_str))
        .bind(wanted.since.map_or(i64::MIN, Timestamp::millis))
        .fetch_one(c))?;
    Ok(u64::try_from(count).unwrap_or(0))
}

/// Lists the agents that a caller has called, latest call first.
pub async fn list_agents_of(conn: &mut Conn, caller: PrincipalId, limit: i64) -> Result<Vec<AgentId>> {
    let text = "select agent from runs where caller = $1 group by agent order by max(queued_at) desc, agent limit $2";
    let found: Vec<uuid::Uuid> =
        on!(conn, c => query_scalar(text).bind(caller.uuid()).bind(limit).fetch_all(c))?;
    Ok(found.into_iter().map(AgentId::from_uuid).collect())
}

/// Returns the run of this agent in this chat that waits for input or authentication; of several, the latest.
pub async fn find_input_required(conn: &mut Conn, chat: ChatId, agent: AgentId) -> Result<Option<Run>> {
    let text = select!(
        "where chat = $1 and agent = $2 and state in ('input_required', 'auth_required') \
         order by state_at desc, id desc limit 1"
    );
    on!(conn, c => query_as(text).bind(chat.uuid()).bind(agent.uuid()).fetch_optional(c))
}

/// Lists the queued and working runs of an instance.
pub async fn list_unfinished(conn: &mut Conn, process: ProcessId) -> Result<Vec<Run>> {
    let text = select!("where instance = $1 and state in ('queued', 'working') order by queued_at, id");
    on!(conn, c => query_as(text).bind(process.uuid()).fetch_all(c))
}

/// Lists the orphaned runs: queued or working, but their instance was deleted.
pub async fn list_orphaned(conn: &mut Conn) -> Result<Vec<Run>> {
    let text = select!("where instance is null and state in ('queued', 'working') order by queued_at, id");
    on!(conn, c => query_as(text).fetch_all(c))
}

/// Returns the chats in `wanted` with a queued or working run.
pub async fn list_busy(conn: &mut Conn, wanted: &[ChatId]) -> Result<Vec<ChatId>> {
    let wanted: Vec<_> = wanted.iter().map(|id| id.uuid()).collect();
    let mut busy = Vec::new();
    for chunk in wanted.chunks(sql_in_list::CHUNK) {
        let found: Vec<uuid::Uuid> = on!(conn, c => {
            let mut query = QueryBuilder::new(
                "select distinct chat from runs where state in ('queued', 'working') and chat in ",
            );
            sql_in_list::push_list(&mut query, chunk);
            async move { query.build_query_scalar().fetch_all(c).await }
        })?;
        busy.extend(found.into_iter().map(ChatId::from_uuid));
    }
    Ok(busy)
}

/// Returns the chats in `wanted` where this member's current message is an answer that waits for a reply.
pub async fn list_chats_with_question(
    conn: &mut Conn,
    wanted: &[ChatId],
    member: PrincipalId,
) -> Result<Vec<ChatId>> {
    let wanted: Vec<_> = wanted.iter().map(|id| id.uuid()).collect();
    let mut asking = Vec::new();
    for chunk in wanted.chunks(sql_in_list::CHUNK) {
        let found: Vec<uuid::Uuid> = on!(conn, c => {
            let mut query = QueryBuilder::new(
                "select chat_members.chat from chat_members \
                 join messages on messages.id = chat_members.current_message \
                 join runs on runs.id = messages.run \
                 where runs.state in ('input_required', 'auth_required') and runs.caller = chat_members.principal \
                 and chat_members.principal = ",
            );
            query.push_bind(member.uuid()).push(" and chat_members.chat in ");
            sql_in_list::push_list(&mut query, chunk);
            async move { query.build_query_scalar().fetch_all(c).await }
        })?;
        asking.extend(found.into_iter().map(ChatId::from_uuid));
    }
    Ok(asking)
}

/// State transition of a run.
#[derive(Clone, Copy, Debug)]
pub struct RunTransition<'a> {
    /// Expected state: the one on which the decision for this transition was based.
    pub from: RunState,
    pub to: RunState,
    pub at: Timestamp,
    pub failure: Option<&'a Failure>,
    /// Usage so far; `None` leaves it unchanged.
    pub usage: Option<Usage>,
}

/// Applies a transition. Returns false and changes nothing if the run is not in state `from` (compare and
/// set).
pub async fn set_state(tx: &mut Tx, id: RunId, step: &RunTransition<'_>) -> Result<bool> {
    take_step(tx, id, None, step).await
}

/// [`set_state`] by an instance. Also returns false if another instance has taken over the run.
pub async fn set_state_by(
    tx: &mut Tx,
    process: ProcessId,
    id: RunId,
    step: &RunTransition<'_>,
) -> Result<bool> {
    take_step(tx, id, Some(process), step).await
}

async fn take_step(tx: &mut Tx, id: RunId, by: Option<ProcessId>, step: &RunTransition<'_>) -> Result<bool> {
    let started = (step.to == RunState::Working).then_some(step.at);
    let ended = step.to.is_terminal().then_some(step.at);
    let text = "update runs set state = $3, state_at = $4, started_at = coalesce(started_at, $5), \
                ended_at = $6, error_class = $7, error = $8, tokens_in = coalesce($9, tokens_in), \
                tokens_out = coalesce($10, tokens_out), cost_micro = coalesce($11, cost_micro), \
                options = case when $6 is null then options end \
                where id = $1 and state = $2 and ($12 is null or instance = $12)";
    let changed = execute!(
        tx,
        query(text)
            .bind(id.uuid())
            .bind(step.from.as_str())
            .bind(step.to.as_str())
            .bind(step.at.millis())
            .bind(started.to_column())
            .bind(ended.to_column())
            .bind(step.failure.map(|failure| failure.class.as_str()))
            .bind(step.failure.map(|failure| clean(&failure.message)))
            .bind(step.usage.map(|usage| usage.tokens_in.to_column()))
            .bind(step.usage.map(|usage| usage.tokens_out.to_column()))
            .bind(step.usage.map(|usage| usage.cost_micro.to_column()))
            .bind(by.to_column())
    )?;
    Ok(changed > 0)
}

/// Sets the instance that works on the run.
pub async fn set_process(tx: &mut Tx, id: RunId, process: Option<ProcessId>) -> Result<bool> {
    let text = "update runs set instance = $2 where id = $1";
    Ok(execute!(tx, query(text).bind(id.uuid()).bind(process.to_column()))? > 0)
}

/// Moves a run from one instance to another. Returns false if another instance was faster or the run has
/// ended.
pub async fn claim(tx: &mut Tx, id: RunId, from: Option<ProcessId>, to: ProcessId) -> Result<bool> {
    let text = "update runs set instance = $3 where id = $1 and state in ('queued', 'working') \
                and (instance = $2 or (instance is null and $2 is null))";
    Ok(execute!(tx, query(text).bind(id.uuid()).bind(from.to_column()).bind(to.uuid()))? > 0)
}

/// Sets the task id and context id of the remote agent.
pub async fn set_remote(tx: &mut Tx, id: RunId, task: Option<&str>, context: Option<&str>) -> Result<bool> {
    let text = "update runs set remote_task = $2, remote_context = $3 where id = $1";
    Ok(execute!(tx, query(text).bind(id.uuid()).bind(task.map(clean)).bind(context.map(clean)))? > 0)
}

/// Records that the answer was cut at a length limit.
pub async fn set_truncated(tx: &mut Tx, id: RunId) -> Result<bool> {
    let text = "update runs set is_truncated = $2 where id = $1";
    Ok(execute!(tx, query(text).bind(id.uuid()).bind(true))? > 0)
}

/// Withholds the answer of a run from its caller.
pub async fn set_withheld(tx: &mut Tx, id: RunId) -> Result<bool> {
    let text = "update runs set is_withheld = $2 where id = $1";
    Ok(execute!(tx, query(text).bind(id.uuid()).bind(true))? > 0)
}

/// Requests the cancellation of a run by the instance that works on it; idempotent.
pub async fn request_cancel(tx: &mut Tx, id: RunId) -> Result<()> {
    let text = "insert into run_cancel_requests (run) values ($1) on conflict (run) do nothing";
    execute!(tx, query(text).bind(id.uuid()))?;
    Ok(())
}

/// Removes and returns the cancel requests for runs of an instance, and those for runs that have ended.
pub async fn take_cancel_requests(tx: &mut Tx, process: ProcessId) -> Result<Vec<RunId>> {
    let text = "delete from run_cancel_requests where run in \
                (select id from runs where id in (select run from run_cancel_requests) \
                and (instance = $1 or state not in ('queued', 'working'))) returning run";
    let taken: Vec<uuid::Uuid> = on!(tx, c => query_scalar(text).bind(process.uuid()).fetch_all(c))?;
    Ok(taken.into_iter().map(RunId::from_uuid).collect())
}
