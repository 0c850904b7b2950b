//! Sends messages to chats.

use std::{sync::Arc, time::Duration};

use plexus_domain::{
    Address, CallOptions, ChatId, Error as Refusal, MessageId, Principal, PrincipalId, RunId, UploadId,
    chat::{ChatKind, Title},
    chat_event::Event,
    message::{MessageState, TreeNode, path, visible},
    sanitized_text,
};
use plexus_store::{
    Conn, Tx,
    chats::{self, Chat},
    members::{self, Member},
    messages,
    messages::MessageHeader,
    principals,
    runs::{self as run_rows, Origin},
};
use tokio::{
    sync::broadcast::Receiver,
    time::{Instant, timeout_at},
};

use super::{
    check_may_post, membership, mentions, message_parts,
    post_message::{ChatRetention, PostMessage, insert_chat, lock, post_message},
    temporary,
};
use crate::{
    Caller, Error, Hub, Result,
    agents::{ResolvedAgent, guide_address, resolve_callable, resolve_callable_by_principal},
    caller::{Person, Requester, Scope},
    limits::Rate,
    quotas,
    streaming::{FrameKind, StreamFrame, Topic},
    uploads,
};

/// How long a message in a room waits for the end of an answer.
const MAX_WAIT: Duration = Duration::from_secs(60);

/// A message to be sent. The client chooses `id`, which makes sending idempotent.
#[derive(Clone, Debug)]
pub struct NewMessage {
    pub id: MessageId,
    pub position: MessagePosition,
    /// May be empty if there are files.
    pub text: String,
    /// Files of the caller that are not sent yet.
    pub uploads: Vec<UploadId>,
}

/// Position of a new message in the tree of its chat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessagePosition {
    After {
        /// The message that it replies to; none is the member's saved position.
        parent: Option<MessageId>,
        /// Whether it may begin another branch. Without it, a parent that has a reply already is a conflict.
        may_fork: bool,
    },
    /// An alternative to this message, which the caller wrote.
    InsteadOf(MessageId),
}

impl Default for MessagePosition {
    fn default() -> Self {
        Self::After { parent: None, may_fork: false }
    }
}

impl MessagePosition {
    /// Returns the position for the optional fields of a request.
    pub fn requested(parent: Option<MessageId>, may_fork: bool, edits: Option<MessageId>) -> Self {
        edits.map_or(Self::After { parent, may_fork }, Self::InsteadOf)
    }
}

/// What a new chat is.
#[derive(Clone, Copy, Debug, Default)]
pub struct ChatStart<'a> {
    /// The agent that takes the first message as it is. None: the agents mentioned at its start, else the guide.
    pub to: Option<&'a Address>,
    /// Whether the chat is in no list, and is deleted some time after its latest message.
    pub is_temporary: bool,
}

/// A message that was sent, with the runs that it started.
#[derive(Clone, Debug)]
pub struct Sent {
    pub chat: ChatId,
    pub message: MessageId,
    pub runs: Vec<RunId>,
}

/// Starts a chat with its first message. Idempotent by message id.
pub async fn start(hub: &Hub, caller: &Caller, chat: ChatStart<'_>, new: NewMessage) -> Result<Sent> {
    let person = caller.may(Scope::Chat)?;
    let text = acceptable(hub, caller, &new)?;
    let id = new.id;
    if let Some(sent) = sent_before(hub, person, id).await? {
        return Ok(sent);
    }
    match begin_chat(hub, person, chat, new, text).await {
        // The same message was sent twice concurrently, and the other request won the race.
        Err(Error::Refused(Refusal::Conflict { message })) => {
            sent_before(hub, person, id).await?.ok_or_else(|| Refusal::conflict(message).into())
        }
        done => done,
    }
}

/// Returns the chat that this message started before.
async fn sent_before(hub: &Hub, person: &Person, id: MessageId) -> Result<Option<Sent>> {
    let mut conn = hub.store().read().await?;
    let Some(known) = messages::find(&mut conn, id).await? else { return Ok(None) };
    membership(&mut conn, person, known.chat).await?;
    Ok(Some(Sent { chat: known.chat, message: id, runs: Vec::new() }))
}

/// Returns the title that a first message makes: of `rest`, its text without mentions, else of the whole text, else of its
/// first file.
pub(super) fn title_of(text: &str, rest: &str, first_file: &str) -> Title {
    let said = if rest.trim().is_empty() { text.trim() } else { rest };
    Title::from_message(if said.is_empty() { first_file } else { said })
}

async fn begin_chat(
    hub: &Hub,
    person: &Person,
    start: ChatStart<'_>,
    new: NewMessage,
    text: String,
) -> Result<Sent> {
    let id = new.id;
    let mut tx = hub.store().write().await?;
    let requester = Requester::from(person);
    let (mut agents, rest) = match start.to {
        Some(to) => (vec![resolve_callable(&mut tx, &requester, to).await?], text.as_str()),
        None => mentions::read(&mut tx, &requester, &text).await?,
    };
    if agents.is_empty() {
        agents.push(resolve_callable(&mut tx, &requester, &guide_address()).await?);
    }
    let files = uploads::take(hub, &mut tx, person, &new.uploads, &[]).await?;
    let first_file = files.first().and_then(|part| part.name.as_deref()).unwrap_or_default();
    let (title, retention) = match start.is_temporary {
        true => (temporary::title()?, temporary::retention(hub)),
        false => (title_of(&text, rest, first_file), ChatRetention::UntilDeleted),
    };
    quotas::check_chat(hub, &mut tx, &requester).await?;
    let chat = insert_chat(hub, &mut tx, person.principal, ChatKind::Direct, title, retention).await?;
    let parts = message_parts::text_and_files(text, files);
    let (parent, origin, continues, until) = (None, Origin::Page, None, None);
    let post = PostMessage {
        chat: &chat,
        tree: &[],
        parent,
        id,
        parts: &parts,
        attributes: None,
        origin,
        continues,
        until,
        options: CallOptions::default(),
        is_withheld: false,
    };
    let said = post_message(hub, &mut tx, &requester, post, &agents).await?;
    let sent = Sent { chat: chat.id, message: id, runs: said.runs() };
    said.commit_and_start(hub, &requester, tx).await?;
    Ok(sent)
}

/// Sends a message to an existing chat: to the agents mentioned at its start, else to those that answered last, else
/// to the guide. In a room, a message that begins with the name of a person and mentions no agent is for people only.
/// An archived chat is no longer archived. Idempotent by message id.
///
/// In a room, a message that is sent while an answer is written waits for its end: people do not wait for each other.
pub async fn send(hub: &Hub, caller: &Caller, chat: ChatId, new: NewMessage) -> Result<Sent> {
    let edited = match new.position {
        MessagePosition::InsteadOf(edited) => Some(edited),
        MessagePosition::After { .. } => None,
    };
    // An edit changes the text only.
    match send_with_files(hub, caller, chat, new.clone(), edited).await {
        Err(Error::Refused(Refusal::Conflict { .. })) if edited.is_none() && is_room(hub, chat).await? => {
            wait_turn(hub, caller, chat, new).await
        }
        sent => sent,
    }
}

/// Sends a message when the answers that are being written in the chat have ended. The conflict is reported after
/// [`MAX_WAIT`].
async fn wait_turn(hub: &Hub, caller: &Caller, chat: ChatId, new: NewMessage) -> Result<Sent> {
    let deadline = Instant::now() + MAX_WAIT;
    let channel = hub.live().channels.acquire(Topic::Chat(chat));
    let mut frames = channel.subscribe();
    hub.mirror().mirror_chat(hub, &channel).await?;
    loop {
        let sent = send_with_files(hub, caller, chat, new.clone(), None).await;
        let is_answering = !hub.live().open_messages(chat).is_empty();
        if !is_answering || !matches!(sent, Err(Error::Refused(Refusal::Conflict { .. }))) {
            return sent;
        }
        if timeout_at(deadline, wait_completed(&mut frames)).await.is_err() {
            return sent;
        }
    }
}

/// Waits until a message of the chat is complete. A lagging receiver may have missed that.
async fn wait_completed(frames: &mut Receiver<Arc<StreamFrame>>) {
    loop {
        match frames.recv().await {
            Ok(frame) => {
                if let FrameKind::Event { event: Event::MessageCompleted { .. }, .. } = frame.kind {
                    return;
                }
            }
            Err(_) => return,
        }
    }
}

async fn is_room(hub: &Hub, chat: ChatId) -> Result<bool> {
    let row = chats::find(&mut hub.store().read().await?, chat).await?;
    Ok(row.is_some_and(|row| row.kind == ChatKind::Room))
}

/// Sends a message with the files of the message `files_of` in the same chat, besides its own ones.
pub(super) async fn send_with_files(
    hub: &Hub,
    caller: &Caller,
    chat: ChatId,
    new: NewMessage,
    files_of: Option<MessageId>,
) -> Result<Sent> {
    let person = caller.may(Scope::Chat)?;
    let text = acceptable(hub, caller, &new)?;
    let mut tx = hub.store().write().await?;
    let row = lock(&mut tx, chat).await?;
    let member = membership(&mut tx, person, chat).await?;
    check_kind(&row)?;
    check_may_post(&member)?;
    let tree = messages::list_by_chat(&mut tx, chat).await?;
    if tree.iter().any(|known| known.id == new.id) {
        return Ok(Sent { chat, message: new.id, runs: Vec::new() });
    }
    let parent = parent_of(&tree, &member, in_room(&row, &tree, &member, new.position))?;
    let requester = Requester::from(person);
    let agents =
        recipients(&mut tx, &requester, &row, &text, default_responders(&tree, new.position, parent)).await?;
    let continues = waiting_run(&mut tx, &tree, parent, &agents).await?;
    let continues = continues.filter(|run| run.caller == person.principal);
    let kept = message_parts::files_of(&mut tx, files_of).await?;
    let files = uploads::take(hub, &mut tx, person, &new.uploads, &kept).await?;
    let parts = message_parts::text_and_files(text, files);
    let (id, origin, until) = (new.id, Origin::Page, None);
    let post = PostMessage {
        chat: &row,
        tree: &tree,
        parent,
        id,
        parts: &parts,
        attributes: None,
        origin,
        continues,
        until,
        options: CallOptions::default(),
        is_withheld: false,
    };
    let said = post_message(hub, &mut tx, &requester, post, &agents).await?;
    let sent = Sent { chat, message: new.id, runs: said.runs() };
    if row.archived_at.is_some() {
        chats::set_archived(&mut tx, chat, None).await?;
    }
    said.commit_and_start(hub, &requester, tx).await?;
    Ok(sent)
}

/// Returns the agents that a message in a chat is for; none if it is for people of a room. `before` are the agents
/// that answer a message without mentions.
async fn recipients(
    tx: &mut Tx,
    requester: &Requester,
    chat: &Chat,
    text: &str,
    before: Vec<PrincipalId>,
) -> Result<Vec<ResolvedAgent>> {
    let (people, rest) = match chat.kind {
        ChatKind::Room => mentions::read_people(&members::list_people(tx, chat.id).await?, text),
        ChatKind::Direct | ChatKind::Team | ChatKind::Api => (0, text),
    };
    let (mut agents, _) = mentions::read(tx, requester, rest).await?;
    if people > 0 {
        return Ok(agents);
    }
    if agents.is_empty() {
        for agent in without_imported(tx, before).await? {
            agents.push(resolve_callable_by_principal(tx, requester, agent).await?);
        }
    }
    if agents.is_empty() {
        agents.push(resolve_callable(tx, requester, &guide_address()).await?);
    }
    Ok(agents)
}

/// Returns the position of a message in a room: at the end of the branch, also if another person has posted since the
/// sender read the room.
fn in_room(
    chat: &Chat,
    tree: &[MessageHeader],
    member: &Member,
    position: MessagePosition,
) -> MessagePosition {
    let MessagePosition::After { parent: Some(parent), may_fork: false } = position else { return position };
    let (ChatKind::Room, Some(current)) = (chat.kind, member.current_message) else { return position };
    let nodes: Vec<_> = tree.iter().map(TreeNode::from).collect();
    let has_continued = visible(&nodes, current).contains(&parent);
    let parent = if has_continued { current } else { parent };
    MessagePosition::After { parent: Some(parent), may_fork: false }
}

/// Returns the parent of a message at this position, if the member may post there.
fn parent_of(
    tree: &[MessageHeader],
    member: &Member,
    position: MessagePosition,
) -> Result<Option<MessageId>> {
    match position {
        MessagePosition::InsteadOf(edited) => check_is_editable(tree, member, edited),
        MessagePosition::After { parent, may_fork } => {
            let parent = parent.or(member.current_message);
            check_parent(tree, parent)?;
            if !may_fork {
                check_is_last(tree, parent, member.current_message)?;
            }
            Ok(parent)
        }
    }
}

/// Returns the parent of a message that the member wrote and that has its answers.
fn check_is_editable(
    tree: &[MessageHeader],
    member: &Member,
    edited: MessageId,
) -> Result<Option<MessageId>> {
    let is_own = |header: &&MessageHeader| {
        header.id == edited && header.lane == 0 && header.author == member.principal
    };
    let Some(own) = tree.iter().find(is_own) else {
        return Err(Refusal::invalid("edits", "Only your own messages can be edited.").into());
    };
    let is_answered_now =
        |header: &MessageHeader| header.parent == Some(edited) && header.state == MessageState::Open;
    if tree.iter().any(is_answered_now) {
        return Err(Refusal::conflict("Its answer is still being written. Wait for it or stop it.").into());
    }
    Ok(own.parent)
}

/// Returns the agents that answer a message without mentions: those that answered the edited message, else
/// those that answered last.
fn default_responders(
    tree: &[MessageHeader],
    position: MessagePosition,
    parent: Option<MessageId>,
) -> Vec<PrincipalId> {
    let before = match position {
        MessagePosition::InsteadOf(edited) => mentions::responders_to(tree, edited),
        MessagePosition::After { .. } => Vec::new(),
    };
    if before.is_empty() { mentions::last_responders(tree, parent) } else { before }
}

/// Removes the authors of imported answers, which are no agents of this hub.
async fn without_imported(conn: &mut Conn, responders: Vec<PrincipalId>) -> Result<Vec<PrincipalId>> {
    let known = principals::list(conn, &responders).await?;
    let is_imported = |id: &PrincipalId| {
        known.iter().any(|(known, who)| known == id && matches!(who, Principal::Imported { .. }))
    };
    Ok(responders.into_iter().filter(|id| !is_imported(id)).collect())
}

/// Returns the run that waits for this message as its input.
async fn waiting_run(
    tx: &mut Tx,
    tree: &[MessageHeader],
    parent: Option<MessageId>,
    agents: &[ResolvedAgent],
) -> Result<Option<run_rows::Run>> {
    let (Some(parent), [asked_now]) = (parent, agents) else { return Ok(None) };
    if !asked_now.version.connector.may_require_input() {
        return Ok(None);
    }
    let asked = tree.iter().find(|header| header.id == parent).and_then(|header| header.run);
    let Some(run) = asked else { return Ok(None) };
    let run = run_rows::find(tx, run).await?;
    Ok(run.filter(|run| run.state.is_waiting() && run.agent == asked_now.agent.id))
}

fn acceptable(hub: &Hub, caller: &Caller, new: &NewMessage) -> Result<String> {
    let raw = new.text.as_str();
    let limit = hub.config().limits.max_message_bytes;
    if raw.len() > limit {
        let words = format!("A message has at most {} KiB. Send the rest in another.", limit / 1024);
        return Err(Refusal::too_large(words, limit as u64).into());
    }
    let text = sanitized_text::multi_line(raw);
    if text.trim().is_empty() && new.uploads.is_empty() {
        return Err(Refusal::invalid("text", "Write something first.").into());
    }
    hub.limits().take(Rate::Messages, &caller.key())?;
    Ok(text)
}

/// Rejects team chats: a team has its own turn policy.
pub(super) fn check_kind(chat: &Chat) -> Result<(), Refusal> {
    match chat.kind {
        ChatKind::Team => {
            Err(Refusal::conflict("This is a team, not a chat. Use its page or /api/v1/teams."))
        }
        _ => Ok(()),
    }
}

fn check_parent(tree: &[MessageHeader], parent: Option<MessageId>) -> Result<()> {
    let Some(parent) = parent else { return Ok(()) };
    match tree.iter().find(|header| header.id == parent).map(|header| header.state) {
        None => Err(Refusal::invalid("parent", "The parent message is not in this chat.").into()),
        Some(MessageState::Open) => {
            Err(Refusal::conflict("The previous answer is still being written. Wait for it or stop it.")
                .into())
        }
        Some(_) => Ok(()),
    }
}

/// Refuses a parent with a reply: the message would begin a branch, and hide everything after the parent.
///
/// The reply may be to another of several answers side by side, if the member is on that branch.
fn check_is_last(
    tree: &[MessageHeader],
    parent: Option<MessageId>,
    current: Option<MessageId>,
) -> Result<(), Refusal> {
    let Some(answer) = tree.iter().find(|header| Some(header.id) == parent) else { return Ok(()) };
    let nodes: Vec<_> = tree.iter().map(TreeNode::from).collect();
    let branch = current.map(|leaf| path(&nodes, leaf)).unwrap_or_default();
    let is_beside = |header: &MessageHeader| {
        answer.lane > 0 && header.lane > 0 && header.lane != answer.lane && header.parent == answer.parent
    };
    let is_reply = |header: &&MessageHeader| {
        let replies_to = tree.iter().find(|other| Some(other.id) == header.parent);
        let is_beside = branch.contains(&header.id) && replies_to.is_some_and(is_beside);
        header.parent == parent || (header.lane == 0 && is_beside)
    };
    match tree.iter().find(is_reply) {
        None => Ok(()),
        Some(_) => Err(Refusal::conflict(
            "The chat has continued after this message. See its newest messages, then send again.",
        )),
    }
}
