//! Asking an agent for something.

use std::time::Duration;

use plexus_domain::{
    ChatId, Content, Error as Refusal, MessageId, Part, Principal, PrincipalId, RunId, Timestamp,
    chat::{ChatKind, Title},
    message::{MessageState, Node, path},
    part::plain_text,
    run::Usage,
    text,
};
use plexus_store::{
    Tx, chats,
    chats::Chat,
    contexts, members, messages,
    messages::{Header, NewMessage},
    principals, runs,
    runs::{Origin, Run},
};

use super::{Door, Task, history, push, task};
use crate::{
    Hub, Result, blobs,
    blobs::NewBlob,
    chats::saying::{Said, Saying, insert_chat, lock, say},
    error::conflict,
    federation, quotas, teams,
};

/// What a program asks.
#[derive(Clone, Debug)]
pub struct Call {
    pub origin: Origin,
    /// The caller's name for the conversation; none begins a new one.
    pub context: Option<String>,
    /// The task that this message goes on with.
    pub task: Option<RunId>,
    /// The id that the caller gave the message. Sending a UUID twice asks once.
    pub message_id: Option<String>,
    /// The answer that this message goes on from.
    pub after: Option<MessageId>,
    /// What was said before, oldest first, by callers that keep the conversation themselves. A conversation that this
    /// names goes on where it was; what is new of it is written down.
    pub before: Vec<Before>,
    pub parts: Vec<Part>,
    /// The bytes of the files among the parts.
    pub files: Vec<NewBlob>,
    /// Who else is to be told of the task as it goes on.
    pub push: Option<push::Wish>,
    /// How long the caller waits for the answer; none for as long as the hub does.
    pub waits: Option<Duration>,
}

impl Call {
    /// What begins a conversation.
    pub const fn new(origin: Origin, parts: Vec<Part>) -> Self {
        Self {
            origin,
            context: None,
            task: None,
            message_id: None,
            after: None,
            before: Vec::new(),
            parts,
            files: Vec::new(),
            push: None,
            waits: None,
        }
    }
}

#[derive(Clone, Debug)]
pub struct Before {
    /// The agent said it; else the caller.
    pub by_agent: bool,
    pub parts: Vec<Part>,
}

/// Chats that programs begin are kept this long after the last call.
const KEPT_DAYS: i64 = 30;
const KEPT_FOR_STRANGERS: i64 = 60 * 60 * 1_000;
/// People of hubs on probation cost nothing to invent.
const KEPT_FOR_NEWCOMERS: i64 = DAY;
/// The time is written no more often than this: a call must not become a write of it each time.
const KEPT_ANEW: Duration = Duration::from_secs(60 * 60);
const KEPT_ANEW_FOR_STRANGERS: Duration = Duration::from_secs(60);
const DAY: i64 = 24 * 60 * 60 * 1_000;
const MOST_PARTS: usize = 256;
const MOST_BEFORE: usize = 1_000;
const MOST_PARTS_BEFORE: usize = 2_000;
const CONTEXT_BYTES: usize = 256;

/// A call in the store.
pub(super) enum Written {
    /// This message began a run before.
    Before(RunId),
    New(Box<New>),
}

/// What is not committed yet; the task is as it will be then.
pub(super) struct New {
    pub tx: Tx,
    pub said: Said,
    pub task: Task,
    pub chat: ChatId,
}

/// `files` are those of the call; whoever calls this holds them until the transaction has ended.
pub(super) async fn write(
    hub: &Hub,
    door: &Door,
    call: &Call,
    files: Option<&blobs::Written<'_>>,
) -> Result<Written> {
    teams::check(&door.caller, &door.reached.version.connector, call.origin, &call.parts)?;
    let mut tx = hub.store().write().await?;
    if let Some(guest) = &door.asker.guest {
        // A rule that comes now waits for this transaction, and ends the run that it begins.
        federation::still_lets_in(hub, &mut tx, guest.hub).await?;
    }
    if let Some(run) = asked_before(&mut tx, door, call).await? {
        return Ok(Written::Before(run));
    }
    if let Some(files) = files {
        files.record(&mut tx).await?;
    }
    let place = place(hub, &mut tx, door, call).await?;
    keep(hub, &mut tx, door, &place.chat).await?;
    let id = message_id(hub, &mut tx, call).await?;
    let continued = place.continues.as_ref().map(|run| run.id);
    let saying = Saying {
        chat: &place.chat,
        tree: &place.tree,
        parent: place.parent,
        id,
        parts: &call.parts,
        called: call.message_id.as_deref(),
        origin: call.origin,
        continues: place.continues,
        until: call.waits.map(|waits| hub.env().now() + waits.min(hub.config().limits.whole)),
    };
    let mut said = say(hub, &mut tx, &door.asker, saying, std::slice::from_ref(&door.reached)).await?;
    history::note(hub, &mut tx, door, call, id).await?;
    if let Some(wish) = call.push.clone() {
        push::keep(hub, &mut tx, door, &mut said, wish).await?;
    }
    let task = begun(hub, &mut tx, call, &place.chat, continued, &said).await?;
    Ok(Written::New(Box::new(New { tx, said, task, chat: place.chat.id })))
}

/// The task as it stands when the transaction is committed: with what is asked now, and an answer in which nothing is
/// said yet.
async fn begun(
    hub: &Hub,
    tx: &mut Tx,
    call: &Call,
    chat: &Chat,
    continued: Option<RunId>,
    said: &Said,
) -> Result<Task> {
    let job = said.first().ok_or_else(|| Refusal::conflict("Nobody answers here."))?;
    if let Some(run) = continued {
        let mut task = task::reload(hub, tx, run).await?;
        task.messages.extend(said.messages().cloned());
        return Ok(task);
    }
    Ok(Task {
        id: job.run,
        context: call.context.clone().unwrap_or_else(|| chat.id.to_string()),
        agent: job.answer.author,
        state: job.state,
        state_at: job.queued,
        failure: None,
        usage: Usage::default(),
        waits: None,
        messages: said.messages().cloned().collect(),
        seq: chat.last_seq,
    })
}

pub(super) fn acceptable(hub: &Hub, mut call: Call) -> Result<Call, Refusal> {
    let limit = hub.config().limits.max_message_bytes;
    let said = call.before.iter().flat_map(|before| &before.parts).chain(&call.parts);
    if said.map(size).sum::<usize>() > limit {
        let words = format!("A message has at most {} KiB. Send the rest in another.", limit / 1024);
        return Err(Refusal::too_large(words, limit as u64));
    }
    let parts_before = call.before.iter().map(|before| before.parts.len()).sum::<usize>();
    if call.parts.len() > MOST_PARTS || call.before.len() > MOST_BEFORE || parts_before > MOST_PARTS_BEFORE {
        return Err(Refusal::invalid("message.parts", format!("Send at most {MOST_PARTS} parts.")));
    }
    if call.context.as_ref().is_some_and(|name| name.is_empty() || name.len() > CONTEXT_BYTES) {
        let words = format!("The id of a context has 1 to {CONTEXT_BYTES} bytes.");
        return Err(Refusal::invalid("message.contextId", words));
    }
    call.parts.iter_mut().chain(call.before.iter_mut().flat_map(|before| &mut before.parts)).for_each(clean);
    call.parts.retain(|part| part.as_text().is_none_or(|text| !text.trim().is_empty()));
    if call.parts.is_empty() {
        return Err(Refusal::invalid("message.parts", "The message says nothing. Send at least one part."));
    }
    Ok(call)
}

fn size(part: &Part) -> usize {
    match &part.content {
        Content::Text { text } | Content::Reasoning { text } => text.len(),
        Content::Link { url } => url.len(),
        Content::Data { data } => data.to_string().len(),
        Content::File { size, .. } => usize::try_from(*size).unwrap_or(usize::MAX),
        Content::Tool(_) | Content::Approval { .. } => 0,
    }
}

fn clean(part: &mut Part) {
    if let Content::Text { text } = &mut part.content {
        *text = text::multi_line(text);
    }
}

/// The run that this very message began, when it is sent again.
async fn asked_before(tx: &mut Tx, door: &Door, call: &Call) -> Result<Option<RunId>> {
    let Some(id) = own_id(call) else { return Ok(None) };
    let Some(known) = messages::find(tx, id).await? else { return Ok(None) };
    if known.author != door.asker.principal || door.is_stranger() {
        return Ok(None);
    }
    let answers = messages::list_by_chat(tx, known.chat).await?;
    let answer = answers.iter().find(|header| header.parent == Some(id) && header.run.is_some());
    let Some(run) = known.run.or_else(|| answer.and_then(|answer| answer.run)) else { return Ok(None) };
    let run = runs::find(tx, run).await?.filter(|run| run.agent == door.reached.agent.id);
    Ok(run.map(|run| run.id))
}

fn own_id(call: &Call) -> Option<MessageId> {
    call.message_id.as_deref()?.parse().ok()
}

/// The caller's own id where it is a UUID that nobody used; else a new one.
async fn message_id(hub: &Hub, tx: &mut Tx, call: &Call) -> Result<MessageId> {
    match own_id(call) {
        Some(id) if messages::find(tx, id).await?.is_none() => Ok(id),
        _ => Ok(hub.env().id(MessageId::new)),
    }
}

/// Where a message belongs.
struct Place {
    chat: Chat,
    /// What was said before.
    tree: Vec<Header>,
    parent: Option<MessageId>,
    continues: Option<Run>,
}

async fn place(hub: &Hub, tx: &mut Tx, door: &Door, call: &Call) -> Result<Place> {
    if let Some(task) = call.task {
        return of_task(hub, tx, door, call, task).await;
    }
    if let Some(answer) = call.after {
        return after_answer(hub, tx, door, call, answer).await;
    }
    if let Some(answer) = history::find(hub, tx, door, call).await? {
        return on_from(tx, door, &answer).await;
    }
    let known = match &call.context {
        Some(name) => known_chat(tx, door, name).await?,
        None => None,
    };
    match known {
        Some(chat) => in_chat(tx, door, chat).await,
        None => in_new_chat(hub, tx, door, call).await,
    }
}

/// Goes on with a task that waits for its caller.
async fn of_task(hub: &Hub, tx: &mut Tx, door: &Door, call: &Call, id: RunId) -> Result<Place> {
    let found = task::find(hub, tx, door, id).await?;
    let chat = lock(tx, found.chat).await?;
    // The state counts that the run has once nobody else can change the chat.
    let run = task::find(hub, tx, door, id).await?;
    let context = task::context(tx, &run).await?;
    if call.context.as_ref().is_some_and(|name| *name != context && *name != run.chat.to_string()) {
        let words =
            format!("The task belongs to the context {context}. Leave contextId out, or send this one.");
        return Err(Refusal::invalid("message.contextId", words).into());
    }
    if run.state.is_terminal() {
        let words = format!("The task has ended ({}). Begin another one in the same context.", run.state);
        return Err(Refusal::conflict(words).into());
    }
    if !run.state.is_waiting() {
        return Err(Refusal::conflict("The task is being worked on and takes no message now.").into());
    }
    let tree = messages::list_by_chat(tx, chat.id).await?;
    let parent = tree.iter().rev().find(|header| header.run == Some(id)).map(|header| header.id);
    Ok(Place { chat, tree, parent, continues: Some(run) })
}

/// Goes on from an answer that the caller was given and names.
async fn after_answer(hub: &Hub, tx: &mut Tx, door: &Door, call: &Call, answer: MessageId) -> Result<Place> {
    let gone = || Refusal::not_found("There is no such answer, or it is not yours.");
    let found = messages::find(tx, answer).await?.ok_or_else(gone)?;
    task::find(hub, tx, door, found.run.ok_or_else(gone)?).await?;
    if found.state == MessageState::Open {
        return Err(Refusal::conflict("That answer is still being written. Wait for its end.").into());
    }
    let place = on_from(tx, door, &found).await?;
    if call.before.is_empty() {
        return Ok(place);
    }
    let parent = write_before(hub, tx, door, call, &place.chat, place.parent).await?;
    let (chat, tree) = numbered(tx, place.chat.id).await?;
    Ok(Place { chat, tree, parent, continues: place.continues })
}

/// The place behind an answer. A run that asked something with it goes on.
async fn on_from(tx: &mut Tx, door: &Door, answer: &Header) -> Result<Place> {
    let chat = lock(tx, answer.chat).await?;
    let tree = messages::list_by_chat(tx, chat.id).await?;
    let waiting = runs::waiting(tx, chat.id, door.reached.agent.id).await?;
    let continues = waiting.filter(|run| Some(run.id) == answer.run);
    Ok(Place { chat, tree, parent: Some(answer.id), continues })
}

/// The chat behind a name that the caller gave or was given.
async fn known_chat(tx: &mut Tx, door: &Door, name: &str) -> Result<Option<ChatId>> {
    if let Some(chat) = contexts::find(tx, door.asker.principal, door.reached.agent.id, name).await? {
        return Ok(Some(chat));
    }
    if let Ok(chat) = name.parse::<ChatId>() {
        let member = members::find(tx, chat, door.asker.principal).await?;
        if member.is_some_and(|member| member.left_at.is_none()) {
            return Ok(Some(chat));
        }
    }
    // Strangers are one caller to the store, so a name of theirs must be one that nobody guesses.
    if door.is_stranger() && name.parse::<ChatId>().is_err() {
        let words = "Without an account the id of a context is a UUID. Send one, or leave contextId out and send the \
                     one that the answer has.";
        return Err(Refusal::invalid("message.contextId", words).into());
    }
    Ok(None)
}

async fn in_chat(tx: &mut Tx, door: &Door, chat: ChatId) -> Result<Place> {
    let chat = lock(tx, chat).await?;
    let member = members::find(tx, chat.id, door.asker.principal).await?;
    let tree = messages::list_by_chat(tx, chat.id).await?;
    let parent = member.and_then(|member| member.leaf).and_then(|leaf| last_closed(&tree, leaf));
    Ok(Place { chat, tree, parent, continues: None })
}

/// An answer that is still being written cannot be answered: the message goes beside it.
fn last_closed(tree: &[Header], leaf: MessageId) -> Option<MessageId> {
    let nodes: Vec<_> = tree.iter().map(Node::from).collect();
    let is_open =
        |id: &MessageId| tree.iter().any(|header| header.id == *id && header.state == MessageState::Open);
    path(&nodes, leaf).into_iter().rev().find(|id| !is_open(id))
}

async fn in_new_chat(hub: &Hub, tx: &mut Tx, door: &Door, call: &Call) -> Result<Place> {
    let caller = door.asker.principal;
    let title = Title::from_message(&plain_text(&call.parts));
    quotas::check_chat(hub, tx, &door.asker).await?;
    let chat = insert_chat(hub, tx, caller, ChatKind::Api, title, Some(keep_until(hub, door))).await?;
    if let Some(name) = &call.context {
        let taken = || Refusal::conflict("This context is being begun by another call. Send it again.");
        conflict(contexts::insert(tx, caller, door.reached.agent.id, name, chat.id).await, taken)?;
    }
    let parent = write_before(hub, tx, door, call, &chat, None).await?;
    if call.before.is_empty() {
        return Ok(Place { chat, tree: Vec::new(), parent, continues: None });
    }
    let (chat, tree) = numbered(tx, chat.id).await?;
    Ok(Place { chat, tree, parent, continues: None })
}

/// A chat once what was said before has taken numbers in it.
async fn numbered(tx: &mut Tx, chat: ChatId) -> Result<(Chat, Vec<Header>)> {
    Ok((lock(tx, chat).await?, messages::list_by_chat(tx, chat).await?))
}

/// Keeps a chat from now on as long as a new one. Written at most once an hour.
async fn keep(hub: &Hub, tx: &mut Tx, door: &Door, chat: &Chat) -> Result<()> {
    let until = keep_until(hub, door);
    let anew = if door.is_stranger() { KEPT_ANEW_FOR_STRANGERS } else { KEPT_ANEW };
    if chat.keep_until.is_some_and(|kept| until.since(kept) > anew) {
        chats::set_keep_until(tx, chat.id, until).await?;
    }
    Ok(())
}

fn keep_until(hub: &Hub, door: &Door) -> Timestamp {
    let kept = match &door.asker.guest {
        Some(guest) if guest.is_newcomer => KEPT_FOR_NEWCOMERS,
        _ if door.is_stranger() => KEPT_FOR_STRANGERS,
        _ => KEPT_DAYS * DAY,
    };
    Timestamp::from_millis(hub.env().now().millis() + kept)
}

/// What was said so far, as the caller tells it, behind `parent`; answers the last message.
async fn write_before(
    hub: &Hub,
    tx: &mut Tx,
    door: &Door,
    call: &Call,
    chat: &Chat,
    mut parent: Option<MessageId>,
) -> Result<Option<MessageId>> {
    if call.before.is_empty() {
        return Ok(parent);
    }
    let who = Principal::Agent { agent: door.reached.agent.id };
    let agent = principals::ensure(tx, &who, hub.env().id(PrincipalId::new)).await?;
    for before in &call.before {
        quotas::check_bytes(hub, tx, &door.asker, &before.parts).await?;
        let id = hub.env().id(MessageId::new);
        let (author, lane) = if before.by_agent { (agent, 1) } else { (door.asker.principal, 0) };
        let new = NewMessage {
            id,
            chat: chat.id,
            parent,
            lane,
            author,
            run: None,
            state: MessageState::Done,
            created: hub.env().now(),
            parts: &before.parts,
        };
        messages::insert(tx, &new).await?;
        parent = Some(id);
    }
    Ok(parent)
}
