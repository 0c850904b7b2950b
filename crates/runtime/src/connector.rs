//! The interface between the hub and every kind of agent: `Connector`, `RunRequest`, `Output` and `ConnectorLimits`.

use std::{collections::HashMap, time::Duration};

use async_trait::async_trait;
use bytes::Bytes;
use plexus_domain::{
    Address, CallOptions, Digest, MessageAttributes, Metadata, Part, RunId,
    part::plain_text,
    run::{Failure, Usage},
    sanitized_text::one_line,
    team::AssignmentPrompt,
};
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use crate::{ApprovalPolicy, Redact};

/// Implementation that runs an agent: does one agent's work for one request.
#[async_trait]
pub trait Connector: Send + Sync {
    /// Runs the agent until its run ends. When `stop` is cancelled, cancels the remote work and processes
    /// that it started and returns [`RunEnd::Stopped`]. Output that was already emitted stays. An error of
    /// `output` also ends the run: clean up the same way and return that error.
    async fn run(
        &self,
        request: RunRequest,
        output: &mut dyn Output,
        stop: &CancellationToken,
    ) -> Result<RunEnd, Failure>;

    /// Cancels a remote task that waits for input, because that input will not come. By default does nothing:
    /// most connectors hold no state for a waiting task.
    async fn give_up(&self, _waits: &RemoteConversation) {}

    /// Returns the secrets of the connector, which [`run_connector`](crate::run_connector) removes from its output and its
    /// failures. By default it has none.
    fn redact(&self) -> Redact {
        Redact::default()
    }

    /// Returns true if the connector enforces `max_tokens` itself, with the real number of tokens.
    fn counts_tokens(&self) -> bool {
        false
    }
}

/// Work for a connector: a conversation, its files and the limits of the run.
#[derive(Clone, Debug)]
pub struct RunRequest {
    pub run: RunId,
    /// Conversation, oldest message first. The last turn is the message to answer.
    pub turns: Vec<ConversationTurn>,
    /// Contents of the files in the last turn, and for models of earlier turns, by digest. Empty if the connector takes no
    /// files.
    pub files: HashMap<Digest, Bytes>,
    /// Message id that the calling program gave to the last turn, if the caller is a program.
    pub called: Option<String>,
    /// Set when the run continues a conversation that a remote agent stores. `None` sends the earlier turns
    /// as text.
    pub remote: Option<RemoteConversation>,
    pub limits: ConnectorLimits,
    /// Asks the requester to approve tool calls.
    pub approval_policy: ApprovalPolicy,
    /// Options of the call. [`run_connector`](crate::run_connector) enforces `stop` and `max_tokens`; tools and formats are for models.
    pub options: CallOptions,
}

impl RunRequest {
    /// Creates the request of a single message that the hub itself sends: without files, approvals and options.
    pub fn of_message(run: RunId, speaker: String, text: String, limits: ConnectorLimits) -> Self {
        let turn =
            ConversationTurn { speaker: TurnRole::Person { name: speaker }, parts: vec![Part::text(text)] };
        Self {
            run,
            turns: vec![turn],
            files: HashMap::new(),
            called: None,
            remote: None,
            limits,
            approval_policy: ApprovalPolicy::unavailable(),
            options: CallOptions::default(),
        }
    }

    /// Returns the words of the turn to answer without the context of an assignment, for agents that take commands.
    pub fn command(&self) -> String {
        let is_context = |part: &&Part| part.name.as_deref() == Some(AssignmentPrompt::CONTEXT_NAME);
        let parts = self.turns.last().map(|turn| turn.parts.as_slice()).unwrap_or_default();
        let parts: Vec<Part> = parts.iter().filter(|part| !is_context(part)).cloned().collect();
        plain_text(&parts)
    }

    /// Returns the context of an assignment: results that it builds on, and the goal. Empty if there is none.
    pub fn context(&self) -> &str {
        let is_context = |part: &&Part| part.name.as_deref() == Some(AssignmentPrompt::CONTEXT_NAME);
        let parts = self.turns.last().map(|turn| turn.parts.as_slice()).unwrap_or_default();
        parts.iter().find(is_context).and_then(Part::as_text).unwrap_or_default()
    }

    /// Returns whether the turn to answer is an assignment of a team. Its first part has a title.
    pub fn is_assignment(&self) -> bool {
        let first = self.turns.last().and_then(|turn| turn.parts.first());
        first.is_some_and(|part| part.name.is_some())
    }

    /// Returns the plain text of the turn to answer.
    pub fn question(&self) -> String {
        self.turns.last().map(|turn| plain_text(&turn.parts)).unwrap_or_default()
    }
}

/// One message of the conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConversationTurn {
    pub speaker: TurnRole,
    pub parts: Vec<Part>,
}

/// Role of the author of a turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum TurnRole {
    /// The agent that this request is sent to.
    Me,
    Person {
        name: String,
    },
    /// Another agent in the same chat.
    Agent {
        address: Address,
    },
}

/// Ids by which a remote agent identifies this conversation (A2A task id and context id).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RemoteConversation {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
}

/// Size and time limits of one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConnectorLimits {
    /// Maximum total bytes of all text and data.
    pub max_answer_bytes: usize,
    /// Maximum total bytes of all files.
    pub max_file_bytes: usize,
    /// Timeout between two pieces of the answer. Counts from its first byte: an agent may think as long as its run may take.
    pub idle: Duration,
    /// Timeout of the whole run.
    pub whole: Duration,
}

impl Default for ConnectorLimits {
    fn default() -> Self {
        Self {
            max_answer_bytes: 8 << 20,
            max_file_bytes: 16 << 20,
            idle: Duration::from_mins(1),
            whole: Duration::from_mins(30),
        }
    }
}

/// Receives the streamed output of an agent.
///
/// Called synchronously on the hot path: no queue lies between an upstream token and its subscribers. An
/// error (the answer is too large) must end the run with that error.
pub trait Output: Send {
    /// Appends to the text of the answer (Markdown).
    fn text(&mut self, delta: &str) -> Result<(), Failure>;

    /// Turns the text that was emitted since the last part into reasoning: what came was no part of the answer.
    /// Implementations that cannot leave it as it is (the default).
    fn reclassify_text_as_reasoning(&mut self) -> Result<(), Failure> {
        Ok(())
    }

    /// Emits a complete part. Text that follows starts a new part.
    fn part(&mut self, part: Part) -> Result<(), Failure>;

    /// Emits a complete part, or replaces the part emitted earlier at index `place`. Returns the index of the
    /// part. Implementations that cannot replace a part emit it again (the default).
    fn put(&mut self, place: Option<usize>, part: Part) -> Result<usize, Failure> {
        self.part(part)?;
        Ok(place.unwrap_or_default())
    }

    /// Appends to the text of a named artifact.
    fn artifact_text(&mut self, artifact: &str, name: Option<&str>, delta: &str) -> Result<(), Failure>;

    /// Begins a part of its own with this metadata for the text of a named artifact that follows. The default ignores
    /// it.
    fn begin_artifact_text(
        &mut self,
        _artifact: &str,
        _name: Option<&str>,
        _metadata: Option<Box<Metadata>>,
    ) -> Result<(), Failure> {
        Ok(())
    }

    /// Discards what was emitted of an artifact: its new content follows. Implementations that cannot discard
    /// it keep both, with a blank line between (the default).
    fn discard_artifact(&mut self, artifact: &str) -> Result<(), Failure> {
        self.artifact_text(artifact, None, "\n\n")
    }

    /// Emits a file with its bytes. Implementations that store files override this. The default emits a note
    /// that the file was not stored.
    fn file(&mut self, file: OutputFile) -> Result<(), Failure> {
        let name = one_line(file.name.as_deref().unwrap_or("without a name"));
        let note = format!(
            "The agent sent a file ({name}, {} bytes) that is not stored on this hub.",
            file.bytes.len()
        );
        self.part(Part::text(note))
    }

    /// Announces that what follows outside of artifacts is a question. Implementations that stream answers hold it
    /// back until the run ends. The default ignores it.
    fn begin_question(&mut self) {}

    /// Reports the attributes of the answer so far. Replaces the previous report. The default ignores them.
    fn attributes(&mut self, _attributes: &MessageAttributes) {}

    /// Reports the remote agent's ids of this conversation as soon as they are known.
    fn remote(&mut self, remote: RemoteConversation);

    /// Reports the total usage of the run so far. Replaces the previous report.
    fn usage(&mut self, usage: Usage);

    /// Reports the usage of each model that the run has used so far. Replaces the previous report. The default ignores
    /// it.
    fn model_usage(&mut self, _usage: &[ModelUsage]) {}

    /// Shows one line about the current activity of the agent. Replaces the previous line.
    fn status(&mut self, line: &str);
}

/// Usage of one model in a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelUsage {
    /// Name of the model's server.
    pub provider: String,
    /// Name of the model on its server.
    pub model: String,
    pub usage: Usage,
}

/// File from an agent, or the next piece of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputFile {
    pub artifact: Option<String>,
    pub name: Option<String>,
    pub media_type: Option<String>,
    pub metadata: Option<Box<Metadata>>,
    pub bytes: Bytes,
    /// The bytes continue the last file of this artifact.
    pub continues: bool,
}

/// How a run ended without a failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunEnd {
    Completed,
    /// The answer was cut at a length limit.
    Truncated,
    /// The text is a question. The next message continues the run.
    InputRequired,
    /// The agent needs credentials that the hub does not have.
    AuthRequired,
    Rejected {
        reason: String,
    },
    /// `stop` was cancelled.
    Stopped,
}
