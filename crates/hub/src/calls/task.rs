//! A run as its caller sees it: an A2A task.

use plexus_domain::{
    Address, Digest, Error as Refusal, MessageId, Part, PartBody, Principal, PrincipalId, RunId, RunState,
    Timestamp,
    chat::ChatKind,
    message::{Message, MessageState},
    run::{Failure, Usage},
};
use plexus_store::{
    Conn, caller_contexts, chats, members, messages,
    messages::MessageHeader,
    principals,
    runs::{self, Run},
};

use super::AuthorizedAgent;
use crate::{Hub, Result, message_views};

/// How long an anonymous caller may read a task whose id it holds, since the last state change of the run.
const STRANGERS_MEMORY: std::time::Duration = std::time::Duration::from_secs(60 * 60);

/// A run with its messages.
#[derive(Clone, Debug)]
pub struct Task {
    pub id: RunId,
    /// The caller's context id, else the id of the chat.
    pub context: String,
    /// Principal of the agent. All other messages are the caller's.
    pub agent: PrincipalId,
    pub state: RunState,
    pub state_at: Timestamp,
    pub failure: Option<Failure>,
    pub usage: Usage,
    /// True if the answer was cut at a length limit.
    pub is_truncated: bool,
    /// True if the caller asked not to store the answer, or deleted it.
    pub is_withheld: bool,
    /// Status line of a queued run.
    pub waits: Option<String>,
    /// Oldest first, including the question. An open message has the text so far.
    pub messages: Vec<Message>,
    /// The sequence number of the chat up to which this state is complete.
    pub(super) seq: i64,
}

impl Task {
    pub fn as_run(&self) -> plexus_a2a::task::CallerRun<'_> {
        plexus_a2a::task::CallerRun {
            id: self.id,
            context: &self.context,
            agent: self.agent,
            state: self.state,
            state_at: self.state_at,
            failure: self.failure.as_ref(),
            waits: self.waits.as_deref(),
            messages: &self.messages,
        }
    }

    /// Returns whether the run is idle: it has ended, or it waits for its caller.
    pub const fn is_settled(&self) -> bool {
        self.state.is_terminal() || self.state.is_waiting()
    }

    pub fn agents_messages(&self) -> impl Iterator<Item = &Message> {
        self.messages.iter().filter(|message| message.author == self.agent)
    }
}

/// Returns the download URL of a file of a task. Downloads are authorized by access to the task.
pub(super) fn file_url(hub: &Hub, agent: &Address, run: RunId, blob: &Digest) -> String {
    let Address { owner, name, .. } = agent;
    format!("{}a2a/{owner}/{name}/files/{run}/{blob}", hub.config().public_url)
}

/// Returns a task of the caller with this agent. Tasks of other callers are reported as missing.
pub async fn get(hub: &Hub, authorized: &AuthorizedAgent, id: RunId) -> Result<Task> {
    let mut conn = hub.store().snapshot().await?;
    let run = find(hub, &mut conn, authorized, id).await?;
    load(hub, &mut conn, run).await
}

/// Returns the run if it belongs to this agent and the caller may read it.
pub(super) async fn find(hub: &Hub, conn: &mut Conn, authorized: &AuthorizedAgent, id: RunId) -> Result<Run> {
    let gone = || Refusal::not_found("Task not found.");
    let run = runs::find(conn, id)
        .await?
        .filter(|run| run.agent == authorized.reached.agent.id)
        .ok_or_else(gone)?;
    let is_callers = run.caller == authorized.requester.principal;
    let held = if authorized.is_anonymous() {
        is_callers && hub.env().now().since(run.state_at) < STRANGERS_MEMORY
    } else {
        may_read(conn, authorized, &run, is_callers).await?
    };
    if held { Ok(run) } else { Err(gone().into()) }
}

/// A caller that was removed from the chat has lost its tasks there. A room shows each member its own tasks only,
/// because the holder of a task may cancel it, reply to it and add webhooks.
async fn may_read(
    conn: &mut Conn,
    authorized: &AuthorizedAgent,
    run: &Run,
    is_callers: bool,
) -> Result<bool> {
    let Some(member) = members::find(conn, run.chat, authorized.requester.principal).await? else {
        // The callers of the runs of a team are no members.
        return Ok(is_callers);
    };
    if member.left_at.is_some() {
        return Ok(false);
    }
    if is_callers {
        return Ok(true);
    }
    Ok(chats::find(conn, run.chat).await?.is_some_and(|chat| chat.kind != ChatKind::Room))
}

/// Reloads the task of a run without authorisation: the caller of this function did that before.
pub(super) async fn reload(hub: &Hub, conn: &mut Conn, id: RunId) -> Result<Task> {
    let run = runs::find(conn, id).await?;
    let run = run.ok_or_else(|| Refusal::not_found("Task not found: its chat was deleted."))?;
    load(hub, conn, run).await
}

pub(super) async fn load(hub: &Hub, conn: &mut Conn, run: Run) -> Result<Task> {
    let seq = chats::find(conn, run.chat).await?.map_or(0, |chat| chat.last_seq);
    let agent = principals::id_of(conn, &Principal::Agent { agent: run.agent }).await?;
    let agent = agent.ok_or_else(|| Refusal::not_found("The agent of this task was deleted."))?;
    let context = context(conn, &run).await?;
    let headers = messages::list_by_run(conn, run.id).await?;
    let mut messages = messages::load(conn, &with_question(&headers, agent)).await?;
    let mut waits = None;
    for message in messages.iter_mut().filter(|message| message.state == MessageState::Open) {
        if run.state == RunState::Queued {
            waits = hub.live().status(message.id);
        }
        message.parts = message_views::parts_so_far(hub, conn, message.id, &run).await?;
        message.parts.iter_mut().for_each(hide_unfinished);
    }
    Ok(Task {
        id: run.id,
        context,
        agent,
        state: run.state,
        state_at: run.state_at,
        failure: run.failure(),
        usage: run.usage(),
        is_truncated: run.is_truncated,
        is_withheld: run.is_withheld,
        waits,
        messages,
        seq,
    })
}

/// Blanks a file of an unfinished message: it is not stored yet, and its digest is not final.
fn hide_unfinished(part: &mut Part) {
    if matches!(part.content, PartBody::File { .. }) {
        part.content = PartBody::Text { text: String::new() };
    }
}

/// Returns the caller's context id, else the id of the chat.
pub(super) async fn context(conn: &mut Conn, run: &Run) -> Result<String> {
    let named = caller_contexts::name_of(conn, run.caller, run.agent, run.chat).await?;
    Ok(named.unwrap_or_else(|| run.chat.to_string()))
}

/// Returns the messages of the run, preceded by the question that started it.
fn with_question(headers: &[MessageHeader], agent: PrincipalId) -> Vec<MessageId> {
    let first = headers.first().filter(|first| first.author == agent);
    let question = first.and_then(|first| first.parent);
    question.into_iter().chain(headers.iter().map(|header| header.id)).collect()
}
