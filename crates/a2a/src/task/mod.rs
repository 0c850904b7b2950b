//! A run, told as an A2A task.
//!
//! The task's id is the run's id. Where the pieces of a run go:
//!
//! - What the agent says itself is one artifact whose id is the run's id: the parts, outside of any named artifact,
//!   of the last message in which it said something. Results belong in artifacts (specification 1.0 section 3.7),
//!   and only artifacts can be streamed in pieces. A new message of the agent replaces the artifact.
//! - Parts with an artifact name form the artifact of that id, over all messages of the run.
//! - A question (`input required`, `auth required`, `rejected`) is also the status message, where callers look for
//!   it; a failure's words are the status message, too.
//! - The history has every message that another one follows: the caller's, and what the agent asked.
//! - Tools used and thoughts on the way stay in the hub.

mod artifact;
mod feed;

use plexus_domain::{
    Content, Part, PrincipalId, RunId, RunState, Timestamp,
    message::{Message, MessageState},
    run::Failure,
};

pub use self::feed::{Change, Feed, Gap};
use crate::{
    client::{self, BlobUrl},
    wire::v1::{self, Role, Task, TaskStatus},
};

/// A run as its caller may see it.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    pub id: RunId,
    /// The caller's own name for the conversation.
    pub context: &'a str,
    /// Whose messages are the agent's; all others are the caller's.
    pub agent: PrincipalId,
    pub state: RunState,
    pub state_at: Timestamp,
    pub failure: Option<&'a Failure>,
    /// What is to be said of a run that waits for its turn.
    pub waits: Option<&'a str>,
    /// The run's messages, oldest first. An open one carries the text that is there so far.
    pub messages: &'a [Message],
}

impl Run<'_> {
    /// The task as it stands.
    pub fn to_task(&self, blob_url: &BlobUrl<'_>) -> Task {
        Task {
            id: self.id.to_string(),
            context_id: Some(self.context.to_owned()),
            status: self.to_status(blob_url),
            artifacts: artifact::all(self, blob_url),
            history: self.history(blob_url),
            metadata: None,
        }
    }

    /// The state with the question or the failure that belongs to it.
    pub fn to_status(&self, blob_url: &BlobUrl<'_>) -> TaskStatus {
        let question = || self.last_word().and_then(|message| self.say(message, blob_url));
        let message = match self.state {
            RunState::InputRequired | RunState::AuthRequired => question(),
            RunState::Rejected => question().or_else(|| self.excuse()),
            RunState::Failed => self.excuse(),
            RunState::Queued => self.waits.map(|line| self.place(note(self.id, line))),
            _ => None,
        };
        TaskStatus { state: self.state.into(), message, timestamp: Some(self.state_at.to_rfc3339()) }
    }

    /// Why the run failed or was rejected.
    fn excuse(&self) -> Option<v1::Message> {
        let failure = self.failure?;
        let id = format!("{}-failure", self.id);
        Some(self.place(v1::Message::new(id, Role::Agent, vec![v1::Part::text(&failure.message)])))
    }

    fn history(&self, blob_url: &BlobUrl<'_>) -> Vec<v1::Message> {
        let followed = self.messages.len() - usize::from(self.last_word().is_some());
        self.messages[..followed].iter().filter_map(|message| self.say(message, blob_url)).collect()
    }

    /// The last message, if it is the agent's.
    fn last_word(&self) -> Option<&Message> {
        self.messages.last().filter(|message| self.is_agents(message))
    }

    fn is_agents(&self, message: &Message) -> bool {
        message.author == self.agent
    }

    /// A message on the wire; none if nothing in it is for the caller.
    fn say(&self, message: &Message, blob_url: &BlobUrl<'_>) -> Option<v1::Message> {
        let role = if self.is_agents(message) { Role::Agent } else { Role::User };
        let is_said = |part: &&Part| role == Role::User || part.artifact.is_none();
        let said = parts(message).iter().filter(is_said).filter_map(|part| client::send(part, blob_url));
        let said: Vec<_> = said.collect();
        (!said.is_empty()).then(|| self.place(v1::Message::new(message.id.to_string(), role, said)))
    }

    fn place(&self, message: v1::Message) -> v1::Message {
        v1::Message {
            context_id: Some(self.context.to_owned()),
            task_id: Some(self.id.to_string()),
            ..message
        }
    }
}

/// One line on a run that nothing was said in yet.
fn note(run: RunId, line: &str) -> v1::Message {
    v1::Message::new(format!("{run}-waits"), Role::Agent, vec![v1::Part::text(line)])
}

/// What a message has to say; a deleted one says nothing.
fn parts(message: &Message) -> &[Part] {
    if message.state == MessageState::Deleted { &[] } else { &message.parts }
}

/// Whether callers are told of a part at all. A text that nothing was written to yet is none.
fn is_told(part: &Part) -> bool {
    match &part.content {
        Content::Text { text } => !text.is_empty(),
        Content::Tool(_) | Content::Reasoning { .. } => false,
        Content::Data { .. } | Content::File { .. } | Content::Link { .. } | Content::Approval { .. } => true,
    }
}
