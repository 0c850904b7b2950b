//! Beginning a run: rows in the transaction of the message that asks for it.

use plexus_domain::{
    ChatId, Error as Refusal, MessageId, Principal, PrincipalId, RunId, RunState, event::Event,
    message::MessageState,
};
use plexus_runtime::Remote;
use plexus_store::{
    Tx,
    agents::Agent,
    messages, principals, runs,
    runs::{NewRun, Origin, Run, Step},
    versions,
    versions::Version,
};

use super::running::{About, Place};
use crate::{Hub, Result, caller::Asker, chats::Telling};

/// What an agent is asked to do.
pub struct Ask {
    pub chat: ChatId,
    /// The message to answer.
    pub question: MessageId,
    pub lane: i32,
    pub agent: Agent,
    /// Through which door it came.
    pub origin: Origin,
    /// The run that asked something and now has its answer.
    pub continues: Option<Run>,
}

/// A run whose rows are written: what the worker needs to know.
pub struct Job {
    pub run: RunId,
    pub chat: ChatId,
    pub question: MessageId,
    /// The answer to be written.
    pub message: MessageId,
    pub agent: Agent,
    pub version: Version,
    pub asker: Asker,
    /// The agent asked for this: its own task goes on.
    pub task: Option<Remote>,
    pub place: Place,
}

pub(crate) async fn begin(
    hub: &Hub,
    tx: &mut Tx,
    telling: &mut Telling,
    asker: &Asker,
    ask: Ask,
) -> Result<Job> {
    let version = versions::current(tx, ask.agent.id).await?;
    let version = version.ok_or_else(|| Refusal::conflict("This agent has no version that answers."))?;
    let who = Principal::Agent { agent: ask.agent.id };
    let author = principals::ensure(tx, &who, hub.env().id(PrincipalId::new)).await?;
    let run = match &ask.continues {
        Some(run) => resume(hub, tx, run).await?,
        None => insert(hub, tx, asker, &ask, &version).await?,
    };
    let limits = hub.config().limits;
    let most = if asker.person.is_some() { limits.runs_per_account } else { limits.runs_of_strangers };
    let about = About { run, chat: ask.chat, account: asker.account(), agent: ask.agent.id };
    let place = hub.running().enter(about, most)?;
    let message = hub.env().id(MessageId::new);
    let answer = messages::NewMessage {
        id: message,
        chat: ask.chat,
        parent: Some(ask.question),
        lane: ask.lane,
        author,
        run: Some(run),
        state: MessageState::Open,
        created: hub.env().now(),
        parts: &[],
    };
    messages::insert(tx, &answer).await?;
    telling.record(Event::Message { message, run: Some(run) });
    telling.record(Event::Run { run, state: RunState::Working, failure: None });
    let task = ask.continues.map(|run| Remote { task: run.remote_task, context: run.remote_context });
    let (chat, question, agent) = (ask.chat, ask.question, ask.agent);
    Ok(Job { run, chat, question, message, agent, version, asker: asker.clone(), task, place })
}

async fn insert(hub: &Hub, tx: &mut Tx, asker: &Asker, ask: &Ask, version: &Version) -> Result<RunId> {
    let run = hub.env().id(RunId::new);
    let new = NewRun {
        id: run,
        chat: ask.chat,
        agent: ask.agent.id,
        version: version.id,
        caller: asker.principal,
        origin: ask.origin,
        parent: None,
        assignment: None,
        process: Some(hub.process()),
        queued: hub.env().now(),
    };
    runs::insert(tx, &new).await?;
    step(hub, tx, run, RunState::Queued).await?;
    Ok(run)
}

async fn resume(hub: &Hub, tx: &mut Tx, run: &Run) -> Result<RunId> {
    step(hub, tx, run.id, run.state).await?;
    runs::set_process(tx, run.id, Some(hub.process())).await?;
    Ok(run.id)
}

async fn step(hub: &Hub, tx: &mut Tx, run: RunId, from: RunState) -> Result<()> {
    let step = Step { from, to: RunState::Working, at: hub.env().now(), failure: None };
    if runs::set_state(tx, run, &step).await? {
        return Ok(());
    }
    Err(Refusal::conflict("This run has ended in the meantime. Ask again.").into())
}
