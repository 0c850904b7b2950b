//! Maps a run to an A2A task. The task id is the run id.
//!
//! - The agent's main answer is one artifact whose id is the run id. It holds the parts, outside of any named
//!   artifact, of the last message with such parts. A new message of the agent replaces it. Results belong in
//!   artifacts (specification 1.0 section 3.7), and only artifacts can be streamed in chunks.
//! - Parts with an artifact name form the artifact of that id, over all messages of the run.
//! - A question or refusal (`input required`, `auth required`, `rejected`) is the status message and no
//!   artifact. So is the text of a failure.
//! - The history holds the caller's messages, and the agent's questions once they are not the status message.
//! - Tool calls and reasoning are not sent to callers.

mod artifact;
mod event_projection;

use plexus_domain::{
    Part, PartBody, PrincipalId, RunId, RunState, Timestamp,
    message::{Message, MessageState},
    run::Failure,
};

pub use self::event_projection::{MissingText, RunChange, TaskEventProjector};
use crate::{
    client::{self, BlobUrl},
    wire::{
        Metadata,
        v1::{self, Role, Task, TaskStatus},
    },
};

/// A run as visible to its caller.
#[derive(Clone, Copy, Debug)]
pub struct CallerRun<'a> {
    pub id: RunId,
    /// The caller's context id of the conversation.
    pub context: &'a str,
    /// The agent. Messages of all other authors count as the caller's.
    pub agent: PrincipalId,
    pub state: RunState,
    pub state_at: Timestamp,
    pub failure: Option<&'a Failure>,
    /// Status text of a queued run.
    pub waits: Option<&'a str>,
    /// Messages of the run, oldest first. An open message holds its text so far.
    pub messages: &'a [Message],
}

impl CallerRun<'_> {
    /// Returns the current task.
    pub fn to_task(&self, blob_url: &BlobUrl<'_>) -> Task {
        Task {
            id: self.id.to_string(),
            context_id: Some(self.context.to_owned()),
            status: self.to_status(blob_url),
            artifacts: artifact::all(self, blob_url),
            history: self.history(blob_url),
            metadata: self.metadata(),
        }
    }

    /// Returns the metadata that the agent gave its task.
    fn metadata(&self) -> Option<Metadata> {
        let given = self.last_word()?.attributes.as_deref()?;
        client::non_empty(given.task_metadata.clone())
    }

    /// Returns the state with the question or failure text that belongs to it.
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

    /// Returns the failure text of a failed or rejected run.
    fn excuse(&self) -> Option<v1::Message> {
        let failure = self.failure?;
        let id = format!("{}-failure", self.id);
        Some(self.place(v1::Message::new(id, Role::Agent, vec![v1::Part::text(&failure.message)])))
    }

    fn history(&self, blob_url: &BlobUrl<'_>) -> Vec<v1::Message> {
        let in_status = if self.is_refused_or_waits() { self.last_word() } else { None };
        let is_told = |message: &&Message| {
            !self.is_agents(message)
                || self.is_question(message) && in_status.is_none_or(|status| status.id != message.id)
        };
        self.messages.iter().filter(is_told).filter_map(|message| self.say(message, blob_url)).collect()
    }

    /// Returns true if a message of the agent is a question or a refusal instead of an answer.
    pub fn is_question(&self, message: &Message) -> bool {
        let later = self.messages.iter().skip_while(|other| other.id != message.id).skip(1);
        let is_followed = later.into_iter().any(|other| !self.is_agents(other));
        // A run that was stopped while it waited keeps its finished question.
        let was_waiting =
            matches!(self.state, RunState::Stopped | RunState::Failed) && message.state == MessageState::Done;
        is_followed || was_waiting || self.is_refused_or_waits()
    }

    fn is_refused_or_waits(&self) -> bool {
        self.state.is_waiting() || self.state == RunState::Rejected
    }

    /// Returns the last message if the agent wrote it.
    fn last_word(&self) -> Option<&Message> {
        self.messages.last().filter(|message| self.is_agents(message))
    }

    fn is_agents(&self, message: &Message) -> bool {
        message.author == self.agent
    }

    /// Converts a message to the wire format. `None` if nothing in it is visible to the caller. A question that the
    /// agent asked in artifacts only is said in the message as well.
    fn say(&self, message: &Message, blob_url: &BlobUrl<'_>) -> Option<v1::Message> {
        let role = if self.is_agents(message) { Role::Agent } else { Role::User };
        let is_asked_in_artifacts = || {
            self.is_question(message) && artifact::visible_parts(message).all(|part| part.artifact.is_some())
        };
        let has_all = role == Role::User || is_asked_in_artifacts();
        let is_said = |part: &&Part| has_all || part.artifact.is_none();
        let said = parts(message).iter().filter(is_said).filter_map(|part| client::send(part, blob_url));
        let said: Vec<_> = said.collect();
        (!said.is_empty()).then(|| self.place(with_attributes(message, role, said)))
    }

    fn place(&self, message: v1::Message) -> v1::Message {
        v1::Message {
            context_id: Some(self.context.to_owned()),
            task_id: Some(self.id.to_string()),
            ..message
        }
    }
}

/// Builds a message with its attributes. It has the id that its sender gave it.
fn with_attributes(message: &Message, role: Role, parts: Vec<v1::Part>) -> v1::Message {
    let given = message.attributes.as_deref().cloned().unwrap_or_default();
    let id = given.id.unwrap_or_else(|| message.id.to_string());
    v1::Message {
        metadata: client::non_empty(given.metadata),
        extensions: given.extensions,
        reference_task_ids: given.reference_task_ids,
        ..v1::Message::new(id, role, parts)
    }
}

/// Returns the status update of a run that works, with what the agent is doing. `number` distinguishes it from the
/// earlier ones of the run.
pub fn progress(
    run: RunId,
    context: &str,
    at: Timestamp,
    number: u64,
    line: &str,
) -> v1::TaskStatusUpdateEvent {
    let message = v1::Message {
        context_id: Some(context.to_owned()),
        task_id: Some(run.to_string()),
        ..v1::Message::new(format!("{run}-status-{number}"), Role::Agent, vec![v1::Part::text(line)])
    };
    v1::TaskStatusUpdateEvent {
        task_id: run.to_string(),
        context_id: context.to_owned(),
        status: TaskStatus {
            state: RunState::Working.into(),
            message: Some(message),
            timestamp: Some(at.to_rfc3339()),
        },
        metadata: None,
    }
}

/// Returns the status message of a queued run.
fn note(run: RunId, line: &str) -> v1::Message {
    v1::Message::new(format!("{run}-waits"), Role::Agent, vec![v1::Part::text(line)])
}

/// Returns the parts of a message; none if it was deleted.
fn parts(message: &Message) -> &[Part] {
    if message.state == MessageState::Deleted { &[] } else { &message.parts }
}

/// Returns true if callers may see the part. An empty text part is not sent.
fn is_told(part: &Part) -> bool {
    match &part.content {
        PartBody::Text { text } => !text.is_empty(),
        PartBody::Tool(_) | PartBody::Reasoning { .. } => false,
        PartBody::Data { .. }
        | PartBody::File { .. }
        | PartBody::Link { .. }
        | PartBody::Approval { .. }
        | PartBody::Question { .. } => true,
    }
}
