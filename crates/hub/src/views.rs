//! Messages, runs and agents as pages and protocols show them.

use plexus_domain::{
    Address, AgentId, MessageId, Part, PrincipalId, RunId, RunState, Timestamp,
    message::Message,
    run::{Failure, FailureClass, Usage},
};
use plexus_store::{agents, principals::NamedPrincipal, runs::Run};
use serde::Deserialize;
use serde_json::Value;

use crate::caller::Requester;

/// Agent in a list.
#[derive(Clone, Debug)]
pub struct AgentListRow {
    pub agent: AgentId,
    /// Seed from which its icon is drawn.
    pub seed: String,
    pub address: Address,
    /// Name that the agent's hub gives itself; not verified. `None` for agents of this hub.
    pub hub_name: Option<String>,
    pub title: String,
    pub summary: String,
    pub tags: Vec<String>,
    pub protocol: String,
    pub kind: String,
    pub verified: bool,
    pub online: bool,
    /// True if callers need no account.
    pub is_open: bool,
    pub online_at: Option<Timestamp>,
}

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

/// The state of one part of a message that is being written.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    pub message: MessageId,
    pub part: usize,
    /// Markdown blocks that are final, in order.
    pub closed: Vec<ClosedBlock>,
    /// The text after the closed blocks.
    pub tail: String,
    /// A part that is not streamed text.
    pub whole: Option<Part>,
}

/// A final markdown block, and the byte offset of its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClosedBlock {
    pub end: usize,
    pub text: Box<str>,
}

impl Snapshot {
    /// Returns the byte offset of `tail`.
    pub fn start(&self) -> usize {
        self.closed.last().map_or(0, |block| block.end)
    }

    /// Creates the snapshot of a part that is not streamed text.
    pub const fn whole(message: MessageId, part: usize, whole: Part) -> Self {
        Self { message, part, closed: Vec::new(), tail: String::new(), whole: Some(whole) }
    }
}

/// Display name of an anonymous caller.
const UNKNOWN_NAME: &str = "Unknown user";

/// The part of the summary of a listing that names the author.
#[derive(Deserialize)]
struct SummaryTitle {
    title: String,
}

/// Returns the title in the summary of a listing.
fn title(summary: Value) -> Option<String> {
    let SummaryTitle { title } = serde_json::from_value(summary).ok()?;
    Some(title).filter(|title| !title.is_empty())
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
        Self::Agent { seed: agent.identicon_seed(), name: agent.name.to_string(), address: agent.address() }
    }
}
