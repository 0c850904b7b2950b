//! Beginning a run: rows in the transaction of the message that asks for it.

use std::collections::HashMap;

use plexus_domain::{
    ChatId, Error as Refusal, MessageId, Part, PrincipalId, RunId, RunState, Timestamp,
    event::Event,
    message::{Message, MessageState, Node, visible},
    schedule::Share,
};
use plexus_runtime::Remote;
use plexus_store::{
    Tx,
    agents::Agent,
    parts, runs,
    runs::{NewRun, Origin, Run, Step},
    versions::Version,
};

use super::running::{About, Place};
use crate::{
    Hub, Result,
    agents::Reached,
    caller::Asker,
    chats::Telling,
    views::{Author, MessageView, RunView},
};

/// What an agent is asked to do.
pub struct Ask {
    pub chat: ChatId,
    /// The message to answer.
    pub question: MessageId,
    pub lane: i32,
    /// What the program that asks calls the message.
    pub called: Option<String>,
    /// Earlier answers in the same place.
    pub beside: Vec<MessageId>,
    /// What the agent may see, the question last.
    pub seen: Seen,
    /// What the question says, where it is asked for the first time.
    pub words: Option<Vec<Part>>,
    pub reached: Reached,
    /// The agent as a principal.
    pub author: PrincipalId,
    /// Through which door it came.
    pub origin: Origin,
    /// The run that asked something and now has its answer.
    pub continues: Option<Run>,
    /// When whoever asks stops waiting, if that is known.
    pub until: Option<Timestamp>,
}

/// Messages, and who wrote each.
pub type Seen = Vec<(MessageId, PrincipalId)>;
/// What was said, and by whom.
pub type Said = Vec<(PrincipalId, Vec<Part>)>;

/// What the agent may see of the conversation.
pub enum History {
    Read(Said),
    /// Of a run that waits for its turn, which reads these messages then.
    Unread(Seen),
}

/// A run whose rows are written: what the worker needs to know.
pub struct Job {
    pub run: RunId,
    pub chat: ChatId,
    pub question: MessageId,
    /// What the program that asks calls it.
    pub called: Option<String>,
    pub queued: Timestamp,
    /// `Queued` while it waits for its turn, else `Working`.
    pub state: RunState,
    /// The answer to be written, empty as it begins.
    pub answer: Message,
    pub agent: Agent,
    pub version: Version,
    pub asker: Asker,
    pub history: History,
    /// The agent asked for this: its own task goes on.
    pub task: Option<Remote>,
    /// When whoever asked stops waiting, if that is known.
    pub until: Option<Timestamp>,
    pub place: Place,
}

pub(crate) async fn begin(
    hub: &Hub,
    tx: &mut Tx,
    telling: &mut Telling,
    asker: &Asker,
    ask: Ask,
) -> Result<Job> {
    let Reached { agent, version, .. } = ask.reached.clone();
    let run = ask.continues.as_ref().map_or_else(|| hub.env().id(RunId::new), |run| run.id);
    let (chat, who, from) = (ask.chat, asker.who(), asker.home());
    let about = About { run, chat, who, from, agent: agent.id, home: agent.hub };
    let place = hub.running().enter(about, share(hub, asker))?;
    let view = match &ask.continues {
        Some(waiting) => resume(hub, tx, waiting).await?,
        None => insert(hub, telling, asker, &ask, run, place.waits()),
    };
    let (queued, state, chat, question) = (view.queued, view.state, ask.chat, ask.question);
    let answer = open_answer(hub, run, &ask);
    let history = history(tx, asker, &ask, place.waits()).await?;
    let (called, until) = (ask.called, ask.until);
    let alternatives = ask.beside.into_iter().chain([answer.id]).collect();
    let (message, author, open) = (answer.clone(), Author::from(&agent), Vec::new());
    telling.say(MessageView { message, author, run: Some(view), alternatives, open, status: None });
    telling.record(Event::Run { run, state, failure: None });
    let task = ask.continues.map(|run| Remote { task: run.remote_task, context: run.remote_context });
    let asker = asker.clone();
    Ok(Job {
        run,
        chat,
        question,
        called,
        queued,
        state,
        answer,
        agent,
        version,
        asker,
        history,
        task,
        until,
        place,
    })
}

/// What whoever answers `question` may see, of messages and who wrote each.
pub(crate) fn seen(tree: impl Iterator<Item = (Node, PrincipalId)>, question: MessageId) -> Seen {
    let (nodes, authors): (Vec<Node>, HashMap<MessageId, PrincipalId>) =
        tree.map(|(node, author)| (node, (node.id, author))).unzip();
    visible(&nodes, question).into_iter().map(|id| (id, authors[&id])).collect()
}

/// What was said up to the question and with it. The writer has it at hand, which a reader would look for anew.
async fn history(tx: &mut Tx, asker: &Asker, ask: &Ask, waits: bool) -> Result<History> {
    if waits {
        return Ok(History::Unread(ask.seen.clone()));
    }
    let (Some(words), Some((_, before))) = (&ask.words, ask.seen.split_last()) else {
        return Ok(History::Read(parts::list_said(tx, &ask.seen).await?));
    };
    let mut said = parts::list_said(tx, before).await?;
    said.push((asker.principal, words.clone()));
    Ok(History::Read(said))
}

/// What somebody may have at once.
pub(super) fn share(hub: &Hub, asker: &Asker) -> Share {
    let limits = hub.config().limits;
    let working = if asker.person.is_some() { limits.runs_per_account } else { limits.runs_of_strangers };
    Share { working, waiting: limits.waiting_per_account }
}

fn open_answer(hub: &Hub, run: RunId, ask: &Ask) -> Message {
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
    }
}

fn insert(hub: &Hub, telling: &mut Telling, asker: &Asker, ask: &Ask, id: RunId, waits: bool) -> RunView {
    let new = NewRun {
        id,
        chat: ask.chat,
        agent: ask.reached.agent.id,
        version: ask.reached.version.id,
        caller: asker.principal,
        origin: ask.origin,
        parent: None,
        assignment: None,
        process: Some(hub.process()),
        state: if waits { RunState::Queued } else { RunState::Working },
        queued: hub.env().now(),
    };
    let view = RunView::begun(new.id, new.state, new.queued);
    telling.begin(new);
    view
}

async fn resume(hub: &Hub, tx: &mut Tx, run: &Run) -> Result<RunView> {
    let step =
        Step { from: run.state, to: RunState::Working, at: hub.env().now(), failure: None, usage: None };
    if !runs::set_state(tx, run.id, &step).await? {
        return Err(Refusal::conflict("This run has ended in the meantime. Ask again.").into());
    }
    runs::set_process(tx, run.id, Some(hub.process())).await?;
    Ok(RunView { state: RunState::Working, ..RunView::from(run) })
}
