//! A run as its caller may see it.

use plexus_domain::{
    Address, Content, Digest, Error as Refusal, MessageId, Part, Principal, PrincipalId, RunId, RunState,
    Timestamp,
    message::{Message, MessageState},
    run::{Failure, Usage},
};
use plexus_store::{
    Conn, chats, contexts, members, messages,
    messages::Header,
    principals,
    runs::{self, Run},
};

use super::Door;
use crate::{Hub, Result, views};

/// How long a stranger may ask for what it holds the id of, counted from the last step of the run.
const STRANGERS_MEMORY: std::time::Duration = std::time::Duration::from_secs(60 * 60);

/// A run with what was said in it.
#[derive(Clone, Debug)]
pub struct Task {
    pub id: RunId,
    /// The caller's own name for the conversation.
    pub context: String,
    /// Whose messages are the agent's; all others are the caller's.
    pub agent: PrincipalId,
    pub state: RunState,
    pub state_at: Timestamp,
    pub failure: Option<Failure>,
    pub usage: Usage,
    /// What it does, in one line, where it waits for its turn.
    pub waits: Option<String>,
    /// Oldest first, the question included. An open one carries the text that is there so far.
    pub messages: Vec<Message>,
    /// The chat's number that this is up to.
    pub(super) seq: i64,
}

impl Task {
    pub fn as_run(&self) -> plexus_a2a::task::Run<'_> {
        plexus_a2a::task::Run {
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

    /// Nobody works on it now: it has ended, or it waits for its caller.
    pub const fn is_settled(&self) -> bool {
        self.state.is_terminal() || self.state.is_waiting()
    }

    pub fn agents_messages(&self) -> impl Iterator<Item = &Message> {
        self.messages.iter().filter(|message| message.author == self.agent)
    }
}

/// Where whoever may see a task gets a file that it shows.
pub(super) fn file_url(hub: &Hub, agent: &Address, run: RunId, blob: &Digest) -> String {
    let Address { owner, name, .. } = agent;
    format!("{}a2a/{owner}/{name}/files/{run}/{blob}", hub.config().public_url)
}

/// A task of the caller's with this agent. Somebody else's looks the same as one that does not exist.
pub async fn get(hub: &Hub, door: &Door, id: RunId) -> Result<Task> {
    let mut conn = hub.store().snapshot().await?;
    let run = find(hub, &mut conn, door, id).await?;
    load(hub, &mut conn, run).await
}

/// The run, if it is one that the caller may see at this door.
pub(super) async fn find(hub: &Hub, conn: &mut Conn, door: &Door, id: RunId) -> Result<Run> {
    let gone = || Refusal::not_found("There is no such task, or it is not yours.");
    let run =
        runs::find(conn, id).await?.filter(|run| run.agent == door.reached.agent.id).ok_or_else(gone)?;
    let is_callers = run.caller == door.asker.principal;
    let held = if door.is_stranger() {
        is_callers && hub.env().now().since(run.state_at) < STRANGERS_MEMORY
    } else if is_callers {
        true
    } else {
        let member = members::find(conn, run.chat, door.asker.principal).await?;
        member.is_some_and(|member| member.left_at.is_none())
    };
    if held { Ok(run) } else { Err(gone().into()) }
}

/// The task of a run that was seen before.
pub(super) async fn reload(hub: &Hub, conn: &mut Conn, id: RunId) -> Result<Task> {
    let run = runs::find(conn, id).await?;
    let run = run.ok_or_else(|| Refusal::not_found("The task is gone: its chat was deleted."))?;
    load(hub, conn, run).await
}

pub(super) async fn load(hub: &Hub, conn: &mut Conn, run: Run) -> Result<Task> {
    let seq = chats::find(conn, run.chat).await?.map_or(0, |chat| chat.last_seq);
    let agent = principals::id_of(conn, &Principal::Agent { agent: run.agent }).await?;
    let agent = agent.ok_or_else(|| Refusal::not_found("The agent of this task is gone."))?;
    let context = context(conn, &run).await?;
    let headers = messages::list_by_run(conn, run.id).await?;
    let mut messages = messages::load(conn, &with_question(&headers, agent)).await?;
    let mut waits = None;
    for message in messages.iter_mut().filter(|message| message.state == MessageState::Open) {
        if run.state == RunState::Queued {
            waits = hub.live().status(message.id);
        }
        message.parts = views::parts_so_far(hub, conn, message.id, &run).await?;
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
        waits,
        messages,
        seq,
    })
}

/// A file can be had once its message is finished, and only then is it known by what it came to.
fn hide_unfinished(part: &mut Part) {
    if matches!(part.content, Content::File { .. }) {
        part.content = Content::Text { text: String::new() };
    }
}

/// The name that the caller gave the conversation, else the chat's own.
pub(super) async fn context(conn: &mut Conn, run: &Run) -> Result<String> {
    let named = contexts::name_of(conn, run.caller, run.agent, run.chat).await?;
    Ok(named.unwrap_or_else(|| run.chat.to_string()))
}

/// What the run wrote or was told, and before it the question that it began with.
fn with_question(headers: &[Header], agent: PrincipalId) -> Vec<MessageId> {
    let first = headers.first().filter(|first| first.author == agent);
    let question = first.and_then(|first| first.parent);
    question.into_iter().chain(headers.iter().map(|header| header.id)).collect()
}
