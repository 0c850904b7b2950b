//! Creates a task from a program's request: validates it and writes message, run and chat in one transaction.

use std::time::Duration;

use plexus_domain::{
    CallOptions, ChatId, Error as Refusal, MessageAttributes, MessageId, Principal, PrincipalId, RunId,
    Timestamp,
    chat::{ChatKind, Title},
    message::{MessageState, TreeNode, path},
    part::plain_text,
    run::Usage,
};
use plexus_store::{
    Tx, caller_contexts, chats,
    chats::Chat,
    members, messages,
    messages::{MessageHeader, NewMessage},
    principals, runs,
    runs::Run,
};

use super::{
    AuthorizedAgent, CallRequest, Task, conversation_matching,
    repeated_message::{find_repeated, own_id},
    task, webhooks,
};
use crate::{
    Hub, Result, blobs,
    chats::{
        check_may_post, membership,
        post_message::{ChatRetention, PostMessage, PostedMessage, insert_chat, lock, post_message},
    },
    error::conflict,
    federation, quotas, teams,
};

/// Retention of chats that programs start, in days after the last call.
const RETENTION_DAYS: i64 = 30;
/// The same for anonymous callers and for answers that are not stored, in milliseconds.
const ANONYMOUS_RETENTION_MILLIS: i64 = 60 * 60 * 1_000;
/// The same for users of hubs on probation, in milliseconds: these users cost nothing to invent (Sybil
/// attack).
const PROBATION_RETENTION_MILLIS: i64 = DAY;
/// Minimum extension that is written. It limits the writes of `expires_at`, so that not every call causes
/// one.
const RETENTION_REFRESH: Duration = Duration::from_secs(60 * 60);
const ANONYMOUS_RETENTION_REFRESH: Duration = Duration::from_secs(60);
const DAY: i64 = 24 * 60 * 60 * 1_000;

/// Result of writing a call.
pub(super) enum CreatedCall {
    /// Idempotent retry: this message id created the run before.
    Before(RunId),
    New(Box<PendingCall>),
}

/// A call whose transaction is not committed yet, with the task as it will be after the commit.
pub(super) struct PendingCall {
    pub tx: Tx,
    pub said: PostedMessage,
    pub task: Task,
    pub chat: ChatId,
}

/// Writes the rows of a call. `files` are the staged files of the call.
///
/// The caller of this function holds `files` until the transaction has ended, so that no sweep deletes them.
pub(super) async fn write(
    hub: &Hub,
    authorized: &AuthorizedAgent,
    call: &CallRequest,
    files: Option<&blobs::StagedFiles<'_>>,
) -> Result<CreatedCall> {
    teams::ensure_may_launch(
        &authorized.caller,
        &authorized.reached.version.connector,
        call.origin,
        &call.parts,
    )?;
    let mut tx = hub.store().write().await?;
    if let Some(remote_user) = &authorized.requester.remote_user {
        // Row lock against a race: a concurrent block rule waits for this transaction, then cancels the run.
        federation::ensure_not_blocked(hub, &mut tx, remote_user.hub).await?;
    }
    if let Some(run) = find_repeated(&mut tx, authorized, call).await? {
        return Ok(CreatedCall::Before(run));
    }
    if let Some(files) = files {
        files.record(&mut tx).await?;
    }
    let place = place(hub, &mut tx, authorized, call).await?;
    // Again under the lock of the chat: the same message may have arrived twice at once. A UUID is unique by itself.
    if own_id(call).is_none()
        && let Some(run) = find_repeated(&mut tx, authorized, call).await?
    {
        return Ok(CreatedCall::Before(run));
    }
    if !call.is_withheld {
        keep(hub, &mut tx, authorized, call, &place.chat).await?;
    }
    let id = message_id(hub, &mut tx, call).await?;
    let continued = place.continues.as_ref().map(|run| run.id);
    let post = PostMessage {
        chat: &place.chat,
        tree: &place.tree,
        parent: place.parent,
        id,
        parts: &call.parts,
        attributes: attributes(call),
        origin: call.origin,
        continues: place.continues,
        until: call.timeout.map(|timeout| hub.env().now() + timeout.min(hub.config().limits.whole)),
        options: options(hub, &mut tx, authorized, call).await?,
        is_withheld: call.is_withheld,
    };
    let mut said =
        post_message(hub, &mut tx, &authorized.requester, post, std::slice::from_ref(&authorized.reached))
            .await?;
    conversation_matching::note(hub, &mut tx, authorized, call, id).await?;
    if let Some(webhook_request) = call.push.clone() {
        webhooks::keep(hub, &mut tx, authorized, &mut said, webhook_request).await?;
    }
    let task = begun(hub, &mut tx, call, &place.chat, continued, &said).await?;
    Ok(CreatedCall::New(Box::new(PendingCall { tx, said, task, chat: place.chat.id })))
}

/// Builds the task as it will be after the commit: with this message, and with an empty answer.
async fn begun(
    hub: &Hub,
    tx: &mut Tx,
    call: &CallRequest,
    chat: &Chat,
    continued: Option<RunId>,
    said: &PostedMessage,
) -> Result<Task> {
    let job = said.first().ok_or_else(|| Refusal::conflict("This agent is not available."))?;
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
        is_truncated: false,
        is_withheld: call.is_withheld,
        waits: None,
        messages: said.messages().cloned().collect(),
        seq: chat.last_seq,
    })
}

/// Returns the options of the run. The agent gets its own ids of the tasks that the message refers to.
async fn options(
    hub: &Hub,
    tx: &mut Tx,
    authorized: &AuthorizedAgent,
    call: &CallRequest,
) -> Result<CallOptions> {
    let mut options = call.options.clone();
    let ids = options.forwarded.iter_mut().flat_map(|forwarded| &mut forwarded.message.reference_task_ids);
    for id in ids {
        let Ok(run) = id.parse() else { continue };
        if let Ok(run) = task::find(hub, tx, authorized, run).await
            && let Some(remote) = run.remote_task
        {
            *id = remote;
        }
    }
    Ok(options)
}

/// Returns the attributes of the message to be stored.
fn attributes(call: &CallRequest) -> Option<Box<MessageAttributes>> {
    MessageAttributes { id: call.message_id.clone(), ..call.attributes.clone() }.non_empty()
}

/// Returns the caller's id if it is an unused UUID, else a new id.
async fn message_id(hub: &Hub, tx: &mut Tx, call: &CallRequest) -> Result<MessageId> {
    match own_id(call) {
        Some(id) if messages::find(tx, id).await?.is_none() => Ok(id),
        _ => Ok(hub.env().id(MessageId::new)),
    }
}

/// Position of a message: its chat, its parent, and the run that it continues.
struct ThreadPosition {
    chat: Chat,
    /// The messages that the chat has already.
    tree: Vec<MessageHeader>,
    parent: Option<MessageId>,
    continues: Option<Run>,
}

/// Returns the position of a message, if the caller may post there.
async fn place(
    hub: &Hub,
    tx: &mut Tx,
    authorized: &AuthorizedAgent,
    call: &CallRequest,
) -> Result<ThreadPosition> {
    let position = find_place(hub, tx, authorized, call).await?;
    if position.chat.kind != ChatKind::Room {
        return Ok(position);
    }
    let gone = || Refusal::not_found("Chat not found.");
    let person = authorized.requester.person.as_ref().ok_or_else(gone)?;
    check_may_post(&membership(tx, person, position.chat.id).await?)?;
    if position.continues.as_ref().is_some_and(|run| run.caller != person.principal) {
        let words = "This task waits for a reply of the user who started it.";
        return Err(Refusal::forbidden(words).into());
    }
    Ok(position)
}

async fn find_place(
    hub: &Hub,
    tx: &mut Tx,
    authorized: &AuthorizedAgent,
    call: &CallRequest,
) -> Result<ThreadPosition> {
    if let Some(task) = call.task {
        return of_task(hub, tx, authorized, call, task).await;
    }
    if let Some(answer) = call.after {
        return after_answer(hub, tx, authorized, call, answer).await;
    }
    if let Some(answer) = conversation_matching::find(hub, tx, authorized, call).await? {
        return on_from(tx, authorized, &answer).await;
    }
    let known = match &call.context {
        Some(name) => known_chat(tx, authorized, name).await?,
        None => None,
    };
    match known {
        Some(chat) => in_chat(hub, tx, authorized, chat).await,
        None => in_new_chat(hub, tx, authorized, call).await,
    }
}

/// Returns the position of a reply to a task that waits for its caller.
async fn of_task(
    hub: &Hub,
    tx: &mut Tx,
    authorized: &AuthorizedAgent,
    call: &CallRequest,
    id: RunId,
) -> Result<ThreadPosition> {
    let found = task::find(hub, tx, authorized, id).await?;
    let chat = lock(tx, found.chat).await?;
    // Re-read under the chat lock: only now is the state of the run stable (TOCTOU).
    let run = task::find(hub, tx, authorized, id).await?;
    let context = task::context(tx, &run).await?;
    if call.context.as_ref().is_some_and(|name| *name != context && *name != run.chat.to_string()) {
        let words =
            format!("The task belongs to the context {context}. Leave contextId out, or send this one.");
        return Err(Refusal::invalid("message.contextId", words).into());
    }
    if run.state.is_terminal() {
        let words = format!("The task has ended ({}). Start a new task in the same context.", run.state);
        return Err(Refusal::conflict(words).into());
    }
    if !run.state.is_waiting() {
        return Err(Refusal::conflict("The task is in progress and accepts no message now.").into());
    }
    let tree = messages::list_by_chat(tx, chat.id).await?;
    let parent = last_of_run(&tree, id);
    Ok(ThreadPosition { chat, tree, parent, continues: Some(run) })
}

/// Returns the position after an answer that the caller names. Fails if the answer is not visible to it.
async fn after_answer(
    hub: &Hub,
    tx: &mut Tx,
    authorized: &AuthorizedAgent,
    call: &CallRequest,
    answer: MessageId,
) -> Result<ThreadPosition> {
    let gone = || Refusal::not_found("Answer not found.");
    let found = messages::find(tx, answer).await?.ok_or_else(gone)?;
    if task::find(hub, tx, authorized, found.run.ok_or_else(gone)?).await?.is_withheld {
        return Err(gone().into());
    }
    if found.state == MessageState::Open {
        return Err(Refusal::conflict("That answer is still being written. Wait until it ends.").into());
    }
    let place = on_from(tx, authorized, &found).await?;
    if call.before.is_empty() {
        return Ok(place);
    }
    let parent = write_before(hub, tx, authorized, call, &place.chat, place.parent).await?;
    let (chat, tree) = numbered(tx, place.chat.id).await?;
    Ok(ThreadPosition { chat, tree, parent, continues: place.continues })
}

/// Returns the position after an answer. The run of the answer is resumed if it waits for input.
async fn on_from(
    tx: &mut Tx,
    authorized: &AuthorizedAgent,
    answer: &MessageHeader,
) -> Result<ThreadPosition> {
    let chat = lock(tx, answer.chat).await?;
    let tree = messages::list_by_chat(tx, chat.id).await?;
    let waiting = runs::find_input_required(tx, chat.id, authorized.reached.agent.id).await?;
    let continues = waiting.filter(|run| Some(run.id) == answer.run);
    Ok(ThreadPosition { chat, tree, parent: Some(answer.id), continues })
}

/// Finds a chat by context id: one that the caller chose, or the id of a chat of which it is a member.
async fn known_chat(tx: &mut Tx, authorized: &AuthorizedAgent, name: &str) -> Result<Option<ChatId>> {
    if let Some(chat) =
        caller_contexts::find(tx, authorized.requester.principal, authorized.reached.agent.id, name).await?
    {
        return Ok(Some(chat));
    }
    if let Ok(chat) = name.parse::<ChatId>() {
        let member = members::find(tx, chat, authorized.requester.principal).await?;
        if member.is_some_and(|member| member.left_at.is_none()) {
            return Ok(Some(chat));
        }
    }
    // Anonymous callers share one principal, so their context ids must be unguessable.
    if authorized.is_anonymous() && name.parse::<ChatId>().is_err() {
        let words = "Without an account the id of a context is a UUID. Send one, or leave contextId out and send the \
                     one that the answer has.";
        return Err(Refusal::invalid("message.contextId", words).into());
    }
    Ok(None)
}

/// Returns the position in a chat: in the caller's latest task that waits for input, if the agent has one there,
/// else after the caller's current message.
async fn in_chat(
    hub: &Hub,
    tx: &mut Tx,
    authorized: &AuthorizedAgent,
    chat: ChatId,
) -> Result<ThreadPosition> {
    let chat = lock(tx, chat).await?;
    let tree = messages::list_by_chat(tx, chat.id).await?;
    if let Some(waiting) = runs::find_input_required(tx, chat.id, authorized.reached.agent.id).await?
        && task::find(hub, tx, authorized, waiting.id).await.is_ok()
    {
        let parent = last_of_run(&tree, waiting.id);
        return Ok(ThreadPosition { chat, tree, parent, continues: Some(waiting) });
    }
    let member = members::find(tx, chat.id, authorized.requester.principal).await?;
    let parent = member.and_then(|member| member.current_message).and_then(|leaf| last_closed(&tree, leaf));
    Ok(ThreadPosition { chat, tree, parent, continues: None })
}

fn last_of_run(tree: &[MessageHeader], run: RunId) -> Option<MessageId> {
    tree.iter().rev().find(|header| header.run == Some(run)).map(|header| header.id)
}

/// Returns the last finished message on the path to `leaf`. An unfinished answer cannot have replies, so the
/// new message becomes its sibling.
fn last_closed(tree: &[MessageHeader], leaf: MessageId) -> Option<MessageId> {
    let nodes: Vec<_> = tree.iter().map(TreeNode::from).collect();
    let is_open =
        |id: &MessageId| tree.iter().any(|header| header.id == *id && header.state == MessageState::Open);
    path(&nodes, leaf).into_iter().rev().find(|id| !is_open(id))
}

async fn in_new_chat(
    hub: &Hub,
    tx: &mut Tx,
    authorized: &AuthorizedAgent,
    call: &CallRequest,
) -> Result<ThreadPosition> {
    let caller = authorized.requester.principal;
    let title = Title::from_message(&plain_text(&call.parts));
    quotas::check_chat(hub, tx, &authorized.requester).await?;
    let chat = insert_chat(
        hub,
        tx,
        caller,
        ChatKind::Api,
        title,
        ChatRetention::Until(keep_until(hub, authorized, call)),
    )
    .await?;
    if let Some(name) = &call.context {
        let taken = || Refusal::conflict("Another call is creating this context. Send the message again.");
        conflict(
            caller_contexts::insert(tx, caller, authorized.reached.agent.id, name, chat.id).await,
            taken,
        )?;
    }
    let parent = write_before(hub, tx, authorized, call, &chat, None).await?;
    if call.before.is_empty() {
        return Ok(ThreadPosition { chat, tree: Vec::new(), parent, continues: None });
    }
    let (chat, tree) = numbered(tx, chat.id).await?;
    Ok(ThreadPosition { chat, tree, parent, continues: None })
}

/// Reloads a chat and its messages after earlier messages were inserted, which advances its sequence number.
async fn numbered(tx: &mut Tx, chat: ChatId) -> Result<(Chat, Vec<MessageHeader>)> {
    Ok((lock(tx, chat).await?, messages::list_by_chat(tx, chat).await?))
}

/// Extends the retention of a chat to that of a new one. Writes at most once an hour, or a minute for
/// anonymous callers.
async fn keep(
    hub: &Hub,
    tx: &mut Tx,
    authorized: &AuthorizedAgent,
    call: &CallRequest,
    chat: &Chat,
) -> Result<()> {
    let until = keep_until(hub, authorized, call);
    let refresh = if authorized.is_anonymous() { ANONYMOUS_RETENTION_REFRESH } else { RETENTION_REFRESH };
    if chat.expires_at.is_some_and(|kept| until.since(kept) > refresh) {
        chats::set_expires_at(tx, chat.id, until).await?;
    }
    Ok(())
}

fn keep_until(hub: &Hub, authorized: &AuthorizedAgent, call: &CallRequest) -> Timestamp {
    let kept = match &authorized.requester.remote_user {
        Some(remote_user) if remote_user.is_newcomer => PROBATION_RETENTION_MILLIS,
        _ if authorized.is_anonymous() || call.is_withheld => ANONYMOUS_RETENTION_MILLIS,
        _ => RETENTION_DAYS * DAY,
    };
    Timestamp::from_millis(hub.env().now().millis() + kept)
}

/// Stores the earlier conversation that the caller sent, below `parent`. Returns its last message.
async fn write_before(
    hub: &Hub,
    tx: &mut Tx,
    authorized: &AuthorizedAgent,
    call: &CallRequest,
    chat: &Chat,
    mut parent: Option<MessageId>,
) -> Result<Option<MessageId>> {
    if call.before.is_empty() {
        return Ok(parent);
    }
    let who = Principal::Agent { agent: authorized.reached.agent.id };
    let agent = principals::ensure(tx, &who, hub.env().id(PrincipalId::new)).await?;
    for before in &call.before {
        quotas::check_bytes(hub, tx, &authorized.requester, &before.parts).await?;
        let id = hub.env().id(MessageId::new);
        let (author, lane) = if before.by_agent { (agent, 1) } else { (authorized.requester.principal, 0) };
        let new = NewMessage {
            attributes: None,
            id,
            chat: chat.id,
            parent,
            lane,
            author,
            run: None,
            state: MessageState::Done,
            created_at: hub.env().now(),
            parts: &before.parts,
        };
        messages::insert(tx, &new).await?;
        parent = Some(id);
    }
    Ok(parent)
}
