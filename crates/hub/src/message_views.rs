//! Read model of messages: rows combined with the text of messages that are still being written.

use std::{collections::HashMap, iter};

use plexus_domain::{
    Address, MessageId, Part, PrincipalId, RunId, RunState, Timestamp,
    message::{Message, MessageState, TreeNode, alternatives},
    run::{Failure, FailureClass, Usage},
};
use plexus_store::{
    Conn, agents, messages,
    principals::{self, NamedPrincipal},
    runs,
    runs::Run,
    stream_journal,
};
use serde_json::Value;

use crate::{
    Hub, Result,
    caller::Requester,
    chats,
    listings::ListingSummary,
    streaming::{OpenMessage, Snapshot},
};

/// A message as the site and the API show it.
#[derive(Clone, Debug)]
pub struct MessageView {
    pub message: Message,
    pub author: Author,
    pub run: Option<RunView>,
    /// The alternatives at its place in the tree, itself included, oldest first.
    pub alternatives: Vec<MessageId>,
    /// The parts so far of a message that is still being written.
    pub open: Vec<Snapshot>,
    /// One line on what its agent is doing, while the message is being written.
    pub status: Option<String>,
    /// Other agents of the chat that a finished answer mentions.
    pub mentioned: Vec<Address>,
}

/// The author of a message, as shown to readers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Author {
    Person {
        /// Names are not unique: pseudonyms of remote users may equal names of accounts.
        id: PrincipalId,
        name: String,
    },
    Agent {
        /// Seed of the agent's identicon.
        seed: String,
        /// Title on its card; its name if it has none.
        name: String,
        address: Address,
    },
    /// An assistant of another service, whose messages were imported.
    Imported {
        /// Service and model.
        label: String,
    },
    /// A principal whose account or agent was deleted.
    Gone,
}

/// A run as shown with the message that it writes.
#[derive(Clone, Debug)]
pub struct RunView {
    pub id: RunId,
    /// The requester, who may stop it.
    pub caller: PrincipalId,
    pub state: RunState,
    pub failure: Option<Failure>,
    pub usage: Usage,
    pub queued: Timestamp,
    pub ended: Option<Timestamp>,
    /// True if the answer was cut at a length limit.
    pub is_truncated: bool,
}

impl RunView {
    /// Returns the view of a run that was just created.
    pub fn begun(id: RunId, caller: PrincipalId, state: RunState, queued: Timestamp) -> Self {
        let usage = Usage::default();
        Self { id, caller, state, failure: None, usage, queued, ended: None, is_truncated: false }
    }
}

impl From<&Run> for RunView {
    fn from(run: &Run) -> Self {
        let class = run.error_class.unwrap_or(FailureClass::Internal);
        Self {
            id: run.id,
            caller: run.caller,
            state: run.state,
            failure: run.error.as_ref().map(|message| Failure::new(class, message.clone())),
            usage: Usage { tokens_in: run.tokens_in, tokens_out: run.tokens_out, cost_micro: run.cost_micro },
            queued: run.queued_at,
            ended: run.ended_at,
            is_truncated: run.is_truncated,
        }
    }
}

/// Loads the messages of `wanted` that exist, in the order of `wanted`. `tree` is the chat's message tree.
pub(crate) async fn load(
    hub: &Hub,
    conn: &mut Conn,
    tree: &[TreeNode],
    wanted: &[MessageId],
) -> Result<Vec<MessageView>> {
    let messages = messages::load(conn, wanted).await?;
    let authors = authors(conn, messages.iter().map(|message| message.author)).await?;
    let ids: Vec<RunId> = messages.iter().filter_map(|message| message.run).collect();
    let runs: HashMap<_, _> = runs::list(conn, &ids).await?.into_iter().map(|run| (run.id, run)).collect();
    let mut mentions = mentions(conn, &messages, &runs).await?;
    let mut views = HashMap::new();
    for message in messages {
        let run = message.run.and_then(|run| runs.get(&run));
        let open = match message.state {
            MessageState::Open => so_far(hub, conn, message.id, run).await?,
            _ => Vec::new(),
        };
        let view = MessageView {
            author: authors.get(&message.author).cloned().unwrap_or(Author::Gone),
            run: run.map(RunView::from),
            alternatives: alternatives(tree, message.id),
            open,
            status: hub.live().status(message.id),
            mentioned: mentions.remove(&message.id).unwrap_or_default(),
            message,
        };
        views.insert(view.message.id, view);
    }
    Ok(wanted.iter().filter_map(|id| views.remove(id)).collect())
}

/// Returns the agents that the answers among these messages of one chat mention. Reads the agents of the chat only if there
/// is an address in one of them.
async fn mentions(
    conn: &mut Conn,
    messages: &[Message],
    runs: &HashMap<RunId, Run>,
) -> Result<HashMap<MessageId, Vec<Address>>> {
    let answers = messages.iter().filter(|message| chats::is_answer(message));
    let found: Vec<_> = answers.map(|answer| (answer, chats::addresses_in(&answer.parts))).collect();
    let first = found.iter().find(|(_, addresses)| !addresses.is_empty());
    let run = first.and_then(|(answer, _)| runs.get(&answer.run?));
    let Some(chat) = run.map(|run| run.chat) else { return Ok(HashMap::new()) };
    let members = chats::agent_members(conn, chat).await?;
    let of = |(answer, addresses): (&Message, _)| {
        (answer.id, chats::mentioned_agents(&members, answer.author, addresses))
    };
    Ok(found.into_iter().map(of).collect())
}

/// Returns the parts of an open message so far: from memory if this instance writes it, else from the stream
/// journal.
async fn so_far(hub: &Hub, conn: &mut Conn, message: MessageId, run: Option<&Run>) -> Result<Vec<Snapshot>> {
    if let Some(snapshots) = hub.live().snapshot(message) {
        return Ok(snapshots);
    }
    match run {
        Some(run) => Ok(replay_journal(conn, message, run).await?.snapshot()),
        None => Ok(Vec::new()),
    }
}

/// Returns the parts so far of a message of this run that is still being written.
pub(crate) async fn parts_so_far(
    hub: &Hub,
    conn: &mut Conn,
    message: MessageId,
    run: &Run,
) -> Result<Vec<Part>> {
    if let Some(parts) = hub.live().parts(message) {
        return Ok(parts);
    }
    Ok(replay_journal(conn, message, run).await?.parts())
}

/// Replays an open message from the stream journal of the instance that runs it.
pub(crate) async fn replay_journal(conn: &mut Conn, message: MessageId, run: &Run) -> Result<OpenMessage> {
    let pieces = match run.instance {
        Some(process) => stream_journal::list_by_message(conn, process, message).await?,
        None => Vec::new(),
    };
    Ok(OpenMessage::replayed(run.chat, message, &pieces))
}

/// Loads the display names of these principals.
pub(crate) async fn authors(
    conn: &mut Conn,
    wanted: impl Iterator<Item = PrincipalId>,
) -> Result<HashMap<PrincipalId, Author>> {
    let mut ids: Vec<PrincipalId> = wanted.collect();
    ids.sort_unstable();
    ids.dedup();
    let known = principals::list_named(conn, &ids).await?;
    Ok(known.into_iter().map(|principal| (principal.id, Author::from(principal))).collect())
}

/// Loads the display name of a principal.
pub(crate) async fn author(conn: &mut Conn, id: PrincipalId) -> Result<Author> {
    Ok(authors(conn, iter::once(id)).await?.remove(&id).unwrap_or(Author::Gone))
}

/// Display name of an anonymous caller.
const UNKNOWN_NAME: &str = "Unknown user";

/// Returns the title in the summary of a listing.
fn title(summary: Value) -> Option<String> {
    let summary: ListingSummary = serde_json::from_value(summary).ok()?;
    Some(summary.title).filter(|title| !title.is_empty())
}

impl From<NamedPrincipal> for Author {
    fn from(principal: NamedPrincipal) -> Self {
        if let Some(label) = principal.label {
            return Self::Imported { label };
        }
        let id = principal.id;
        match (principal.agent, principal.owner, principal.name, principal.pseudonym) {
            (Some(agent), Some(owner), Some(name), _) => Self::Agent {
                seed: principal.listing_id.unwrap_or_else(|| agent.to_string()),
                name: principal.summary.and_then(title).unwrap_or_else(|| name.to_string()),
                address: Address { owner, name, hub: principal.home },
            },
            (_, _, Some(name), _) => Self::Person { id, name: name.to_string() },
            (.., Some(pseudonym)) => Self::Person { id, name: pseudonym },
            _ if principal.anonymous => Self::Person { id, name: UNKNOWN_NAME.to_owned() },
            _ => Self::Gone,
        }
    }
}

impl From<&Requester> for Author {
    fn from(requester: &Requester) -> Self {
        let name = match (&requester.person, &requester.remote_user) {
            (Some(person), _) => person.name.as_str(),
            (None, Some(remote_user)) => &remote_user.pseudonym,
            (None, None) => UNKNOWN_NAME,
        };
        Self::Person { id: requester.principal, name: name.to_owned() }
    }
}

impl From<&agents::Agent> for Author {
    fn from(agent: &agents::Agent) -> Self {
        Self::Agent { seed: identicon_seed(agent), name: agent.name.to_string(), address: address(agent) }
    }
}

/// Returns the seed of an agent's identicon: its listing id, which does not change when keys are rotated.
pub(crate) fn identicon_seed(agent: &agents::Agent) -> String {
    agent.listing_id.clone().unwrap_or_else(|| agent.id.to_string())
}

/// Returns the full address of an agent.
pub(crate) fn address(agent: &agents::Agent) -> Address {
    Address { owner: agent.owner.clone(), name: agent.name.clone(), hub: agent.home.clone() }
}
