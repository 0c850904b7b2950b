//! Creates a run: its rows, in the transaction of the message that requests it, and the input of its worker.

use std::collections::HashMap;

use plexus_domain::{
    CallOptions, ChatId, Error as Refusal, MessageId, Part, PrincipalId, RunId, RunState, Timestamp,
    chat_event::Event,
    fair_scheduler::CallerQuota,
    message::{Message, MessageState, TreeNode, visible},
};
use plexus_runtime::RemoteConversation;
use plexus_store::{
    Tx,
    agent_versions::Version,
    agents::Agent,
    parts, runs,
    runs::{NewRun, Origin, Run, RunTransition},
};

use super::registry::{RunInfo, RunSlot};
use crate::{
    Hub, Result,
    agents::ResolvedAgent,
    caller::Requester,
    chats::ChatChangeSet,
    message_views,
    views::{MessageView, RunView},
};

/// Specification of a run to be created.
pub struct NewRunSpec {
    pub chat: ChatId,
    /// The message to answer.
    pub question: MessageId,
    pub lane: i32,
    /// The message id of the calling program.
    pub called: Option<String>,
    /// Earlier alternatives of the answer.
    pub beside: Vec<MessageId>,
    /// Messages that are visible to the agent, the question last.
    pub seen: MessageAuthors,
    /// Parts of the question; none for a retry, which reads them from the store.
    pub words: Option<Vec<Part>>,
    pub reached: ResolvedAgent,
    /// Principal of the agent.
    pub author: PrincipalId,
    /// The protocol edge that the request came from.
    pub origin: Origin,
    /// A run that waits for input, and receives it with this message.
    pub continues: Option<Run>,
    /// When the caller stops waiting for the answer, if that is known.
    pub until: Option<Timestamp>,
    pub options: CallOptions,
    /// True if the answer is not returned after this call.
    pub is_withheld: bool,
}

/// Messages with their authors.
pub type MessageAuthors = Vec<(MessageId, PrincipalId)>;
/// Contents of messages with their authors.
pub type SpokenParts = Vec<(PrincipalId, Vec<Part>)>;

/// The part of the conversation that is visible to the agent.
pub enum VisibleHistory {
    Read(SpokenParts),
    /// For a queued run, which reads these messages when it is admitted.
    Unread(MessageAuthors),
}

/// Input of the worker of a run whose rows are written.
pub struct RunJob {
    pub run: RunId,
    pub chat: ChatId,
    pub question: MessageId,
    /// The message id of the calling program.
    pub called: Option<String>,
    pub queued: Timestamp,
    /// `Queued` while it waits for a slot, else `Working`.
    pub state: RunState,
    /// The answer to be written; empty at first.
    pub answer: Message,
    pub agent: Agent,
    pub version: Version,
    pub requester: Requester,
    pub history: VisibleHistory,
    /// The agent's own task or context at its server, when a run that waited for input is resumed.
    pub task: Option<RemoteConversation>,
    /// When the caller stops waiting for the answer, if that is known.
    pub until: Option<Timestamp>,
    pub options: CallOptions,
    pub slot: RunSlot,
}

/// Acquires a slot or a place in the queue, and adds the run and its empty answer to the change set.
pub(crate) async fn create(
    hub: &Hub,
    tx: &mut Tx,
    change_set: &mut ChatChangeSet,
    requester: &Requester,
    ask: NewRunSpec,
) -> Result<RunJob> {
    let ResolvedAgent { agent, version, .. } = ask.reached.clone();
    let run = ask.continues.as_ref().map_or_else(|| hub.env().id(RunId::new), |run| run.id);
    let (chat, who, from) = (ask.chat, requester.who(), requester.home());
    let about = RunInfo { run, chat, who, from, agent: agent.id, home: agent.hub };
    let slot = hub.run_registry().acquire_slot(about, share(hub, requester))?;
    let view = match &ask.continues {
        Some(waiting) => resume(hub, tx, waiting).await?,
        None => insert(hub, change_set, requester, &ask, run, slot.is_queued()),
    };
    let (queued, state, chat, question) = (view.queued, view.state, ask.chat, ask.question);
    let answer = open_answer(hub, run, &ask);
    let history = history(tx, requester, &ask, slot.is_queued()).await?;
    let (called, until, options) = (ask.called, ask.until, ask.options);
    let alternatives = ask.beside.into_iter().chain([answer.id]).collect();
    let author = message_views::author(tx, ask.author).await?;
    let (message, open) = (answer.clone(), Vec::new());
    change_set.add_message(MessageView {
        message,
        author,
        run: Some(view),
        alternatives,
        open,
        status: None,
        mentioned: Vec::new(),
    });
    change_set.record(Event::RunUpdated { run, state, failure: None });
    let task =
        ask.continues.map(|run| RemoteConversation { task: run.remote_task, context: run.remote_context });
    let requester = requester.clone();
    Ok(RunJob {
        run,
        chat,
        question,
        called,
        queued,
        state,
        answer,
        agent,
        version,
        requester,
        history,
        task,
        until,
        options,
        slot,
    })
}

/// Returns the messages that are visible to the agent answering `question`, with their authors.
pub(crate) fn visible_messages(
    tree: impl Iterator<Item = (TreeNode, PrincipalId)>,
    question: MessageId,
) -> MessageAuthors {
    let (nodes, authors): (Vec<TreeNode>, HashMap<MessageId, PrincipalId>) =
        tree.map(|(node, author)| (node, (node.id, author))).unzip();
    visible(&nodes, question).into_iter().map(|id| (id, authors[&id])).collect()
}

/// Returns the conversation up to the question. Uses the parts at hand to save a read of the question.
async fn history(
    tx: &mut Tx,
    requester: &Requester,
    ask: &NewRunSpec,
    waits: bool,
) -> Result<VisibleHistory> {
    if waits {
        return Ok(VisibleHistory::Unread(ask.seen.clone()));
    }
    let (Some(words), Some((_, before))) = (&ask.words, ask.seen.split_last()) else {
        return Ok(VisibleHistory::Read(parts::list_parts_of_run(tx, &ask.seen).await?));
    };
    let mut said = parts::list_parts_of_run(tx, before).await?;
    said.push((requester.principal, words.clone()));
    Ok(VisibleHistory::Read(said))
}

/// Returns the limits on working and queued runs of a requester.
pub(super) fn share(hub: &Hub, requester: &Requester) -> CallerQuota {
    let limits = hub.config().limits;
    let working =
        if requester.person.is_some() { limits.max_runs_per_account } else { limits.max_runs_anonymous };
    CallerQuota { working, waiting: limits.max_queued_runs_per_account }
}

fn open_answer(hub: &Hub, run: RunId, ask: &NewRunSpec) -> Message {
    Message {
        id: hub.env().id(MessageId::new),
        seq: 0,
        parent: Some(ask.question),
        lane: ask.lane,
        author: ask.author,
        run: Some(run),
        state: MessageState::Open,
        created: hub.env().now(),
        parts: Vec::new(),
        attributes: None,
    }
}

fn insert(
    hub: &Hub,
    change_set: &mut ChatChangeSet,
    requester: &Requester,
    ask: &NewRunSpec,
    id: RunId,
    waits: bool,
) -> RunView {
    let new = NewRun {
        id,
        chat: ask.chat,
        agent: ask.reached.agent.id,
        version: ask.reached.version.id,
        caller: requester.principal,
        origin: ask.origin,
        instance: Some(hub.process()),
        state: if waits { RunState::Queued } else { RunState::Working },
        queued_at: hub.env().now(),
        options: ask.options.clone(),
        is_withheld: ask.is_withheld,
    };
    let view = RunView::begun(new.id, new.caller, new.state, new.queued_at);
    change_set.begin(new);
    view
}

async fn resume(hub: &Hub, tx: &mut Tx, run: &Run) -> Result<RunView> {
    let step = RunTransition {
        from: run.state,
        to: RunState::Working,
        at: hub.env().now(),
        failure: None,
        usage: None,
    };
    if !runs::set_state(tx, run.id, &step).await? {
        return Err(Refusal::conflict("This run has already ended. Ask again.").into());
    }
    runs::set_process(tx, run.id, Some(hub.process())).await?;
    Ok(RunView { state: RunState::Working, ..RunView::from(run) })
}
