//! The interface between the hub and every kind of agent: `Connector`, `RunRequest`, `Output` and `ConnectorLimits`.

use std::{collections::HashMap, time::Duration};

use async_trait::async_trait;
use bytes::Bytes;
use plexus_domain::{
    Address, CallOptions, Digest, MessageAttributes, Metadata, Part, RunId,
    part::plain_text,
    run::{Failure, FailureClass, Usage},
    sanitized_text::one_line,
    team::AssignmentPrompt,
};
use serde::{Deserialize, Serialize};
use tokio::{pin, select, time};
use tokio_util::sync::CancellationToken;

use crate::{
    ApprovalPolicy,
    text_cutter::{AnswerCut, TextCutter},
};

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
    pub leave: ApprovalPolicy,
    /// Options of the call. [`run_connector`] enforces `stop` and `max_tokens`; tools and formats are for models.
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
            leave: ApprovalPolicy::unavailable(),
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
    /// Timeout from the call to the first byte of the answer.
    pub first_byte: Duration,
    /// Timeout between two pieces of the answer.
    pub idle: Duration,
    /// Timeout of the whole run.
    pub whole: Duration,
}

impl Default for ConnectorLimits {
    fn default() -> Self {
        Self {
            max_answer_bytes: 8 << 20,
            max_file_bytes: 16 << 20,
            first_byte: Duration::from_mins(1),
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

/// Grace period after `stop` in which a connector cancels its remote work and processes.
const WIND_DOWN: Duration = Duration::from_secs(5);

/// Runs `connector` within the size and time limits of the request.
pub async fn run_connector(
    connector: &dyn Connector,
    request: RunRequest,
    output: &mut dyn Output,
    stop: &CancellationToken,
) -> Result<RunEnd, Failure> {
    let limits = request.limits;
    let stop_run = stop.child_token();
    let max_tokens = request.options.max_tokens.filter(|_| !connector.counts_tokens());
    let mut output = LimitedOutput {
        output,
        limits,
        left: limits.max_answer_bytes,
        files_left: limits.max_file_bytes,
        pieces_left: MAX_PIECES,
        artifact: None,
        cutter: TextCutter::new(request.options.stop.clone(), max_tokens),
        stop_run: stop_run.clone(),
    };
    let end = run_in_time(connector, request, &mut output, stop, &stop_run).await;
    output.finish(end)
}

/// Runs `connector` until it ends, `stop` is cancelled, the answer is cut or the time is over.
async fn run_in_time(
    connector: &dyn Connector,
    request: RunRequest,
    output: &mut dyn Output,
    stop: &CancellationToken,
    stop_run: &CancellationToken,
) -> Result<RunEnd, Failure> {
    let whole = request.limits.whole;
    let run = connector.run(request, output, stop_run);
    pin!(run);
    let late = select! {
        biased;
        end = &mut run => return end,
        () = stop.cancelled() => None,
        // The answer was cut, which ends the run in the same way.
        () = stop_run.cancelled() => None,
        () = time::sleep(whole) => Some(too_long(whole)),
    };
    stop_run.cancel();
    let end = time::timeout(WIND_DOWN, run).await;
    match (late, end) {
        (Some(failure), _) => Err(failure),
        (None, Ok(end)) => end,
        (None, Err(_)) => Ok(RunEnd::Stopped),
    }
}

fn too_long(limit: Duration) -> Failure {
    let words = format!(
        "The agent exceeded the timeout of {} s. Ask for less at once, or try again.",
        limit.as_secs_f32()
    );
    Failure::new(FailureClass::TimedOut, words)
}

/// Output that enforces the size limits and forwards the rest.
struct LimitedOutput<'a> {
    output: &'a mut dyn Output,
    limits: ConnectorLimits,
    left: usize,
    files_left: usize,
    pieces_left: usize,
    /// Artifact of the most recent `artifact_text` call.
    artifact: Option<String>,
    cutter: TextCutter,
    /// Cancelled when the answer is cut.
    stop_run: CancellationToken,
}

/// Maximum number of parts, files and artifacts of one answer. Each costs memory regardless of its size.
const MAX_PIECES: usize = 10_000;

impl LimitedOutput<'_> {
    /// Returns the part of `delta` that belongs to the answer. Stops the run if the answer ends in it.
    fn cut(&mut self, delta: &str) -> String {
        let text = self.cutter.push(delta);
        if self.cutter.end().is_some() {
            self.stop_run.cancel();
        }
        text
    }

    /// Emits the text that was held back, where text of another kind or the end follows.
    fn flush(&mut self) -> Result<(), Failure> {
        let held = self.cutter.flush();
        if held.is_empty() {
            return Ok(());
        }
        match self.artifact.clone() {
            Some(artifact) => self.output.artifact_text(&artifact, None, &held),
            None => self.output.text(&held),
        }
    }

    /// Returns how the run ended, with a cut answer as a complete or a truncated one.
    fn finish(&mut self, end: Result<RunEnd, Failure>) -> Result<RunEnd, Failure> {
        self.flush()?;
        match (self.cutter.end(), end) {
            (Some(AnswerCut::Stop), Ok(RunEnd::Stopped | RunEnd::Completed | RunEnd::Truncated)) => {
                Ok(RunEnd::Completed)
            }
            (Some(AnswerCut::Length), Ok(RunEnd::Stopped | RunEnd::Completed)) => Ok(RunEnd::Truncated),
            (_, end) => end,
        }
    }

    fn take(&mut self, bytes: usize) -> Result<(), Failure> {
        self.left = self.left.checked_sub(bytes).ok_or_else(|| {
            let most = self.limits.max_answer_bytes;
            let words = format!("The answer exceeds the limit of {most} bytes.");
            Failure::new(FailureClass::TooLarge, words)
        })?;
        Ok(())
    }

    fn take_piece(&mut self) -> Result<(), Failure> {
        self.pieces_left = self.pieces_left.checked_sub(1).ok_or_else(|| {
            let words = format!("The answer exceeds the limit of {MAX_PIECES} parts.");
            Failure::new(FailureClass::TooLarge, words)
        })?;
        Ok(())
    }

    fn take_file(&mut self, bytes: usize) -> Result<(), Failure> {
        self.files_left = self.files_left.checked_sub(bytes).ok_or_else(|| {
            let most = self.limits.max_file_bytes;
            let words = format!("The files of the answer exceed the limit of {most} bytes.");
            Failure::new(FailureClass::TooLarge, words)
        })?;
        Ok(())
    }
}

impl Output for LimitedOutput<'_> {
    fn text(&mut self, delta: &str) -> Result<(), Failure> {
        self.take(delta.len())?;
        if self.cutter.is_idle() {
            return self.output.text(delta);
        }
        if self.artifact.is_some() {
            self.flush()?;
            self.artifact = None;
        }
        let text = self.cut(delta);
        if text.is_empty() { Ok(()) } else { self.output.text(&text) }
    }

    fn part(&mut self, part: Part) -> Result<(), Failure> {
        self.flush()?;
        if self.cutter.end().is_some() {
            return Ok(());
        }
        self.take_piece()?;
        self.take(serde_json::to_string(&part).map_or(0, |json| json.len()))?;
        self.output.part(part)
    }

    fn put(&mut self, place: Option<usize>, part: Part) -> Result<usize, Failure> {
        self.flush()?;
        self.take(serde_json::to_string(&part).map_or(0, |json| json.len()))?;
        self.output.put(place, part)
    }

    fn artifact_text(&mut self, artifact: &str, name: Option<&str>, delta: &str) -> Result<(), Failure> {
        if self.artifact.as_deref() != Some(artifact) {
            self.flush()?;
            self.take_piece()?;
            self.artifact = Some(artifact.to_owned());
        }
        self.take(delta.len())?;
        if self.cutter.is_idle() {
            return self.output.artifact_text(artifact, name, delta);
        }
        let text = self.cut(delta);
        if text.is_empty() { Ok(()) } else { self.output.artifact_text(artifact, name, &text) }
    }

    fn begin_artifact_text(
        &mut self,
        artifact: &str,
        name: Option<&str>,
        metadata: Option<Box<Metadata>>,
    ) -> Result<(), Failure> {
        self.flush()?;
        self.take_piece()?;
        self.take(serde_json::to_string(&metadata).map_or(0, |json| json.len()))?;
        self.output.begin_artifact_text(artifact, name, metadata)
    }

    fn discard_artifact(&mut self, artifact: &str) -> Result<(), Failure> {
        self.flush()?;
        self.output.discard_artifact(artifact)
    }

    fn file(&mut self, file: OutputFile) -> Result<(), Failure> {
        self.flush()?;
        if !file.continues {
            self.take_piece()?;
        }
        self.take_file(file.bytes.len())?;
        self.output.file(file)
    }

    fn begin_question(&mut self) {
        self.output.begin_question();
    }

    fn attributes(&mut self, attributes: &MessageAttributes) {
        self.output.attributes(attributes);
    }

    fn remote(&mut self, remote: RemoteConversation) {
        self.output.remote(remote);
    }

    fn usage(&mut self, usage: Usage) {
        self.output.usage(usage);
    }

    fn model_usage(&mut self, usage: &[ModelUsage]) {
        self.output.model_usage(usage);
    }

    fn status(&mut self, line: &str) {
        self.output.status(line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Recorder, ask};

    /// Repeats the question once per `!` in it. Then waits for `stop` if it contains `…`, or hangs if it
    /// contains `∞`.
    struct Parrot;

    #[async_trait]
    impl Connector for Parrot {
        async fn run(
            &self,
            request: RunRequest,
            output: &mut dyn Output,
            stop: &CancellationToken,
        ) -> Result<RunEnd, Failure> {
            let question = request.question();
            for _ in question.matches('!') {
                output.text(&question)?;
            }
            if question.contains('∞') {
                std::future::pending::<()>().await;
            }
            if question.contains('…') {
                stop.cancelled().await;
                output.text("bye")?;
                return Ok(RunEnd::Stopped);
            }
            Ok(RunEnd::Completed)
        }
    }

    async fn hear(question: &str, limits: ConnectorLimits, stop: bool) -> (Result<RunEnd, Failure>, String) {
        let mut heard = Recorder::default();
        let token = CancellationToken::new();
        if stop {
            token.cancel();
        }
        let end = run_connector(&Parrot, RunRequest { limits, ..ask(question) }, &mut heard, &token).await;
        (end, heard.text)
    }

    #[tokio::test(start_paused = true)]
    async fn what_ends_by_itself_is_not_touched() {
        assert_eq!(
            hear("hi!", ConnectorLimits::default(), true).await,
            (Ok(RunEnd::Completed), "hi!".to_owned())
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_stopped_run_may_say_goodbye_and_is_not_waited_for_long() {
        assert_eq!(
            hear("…", ConnectorLimits::default(), true).await,
            (Ok(RunEnd::Stopped), "bye".to_owned())
        );
        assert_eq!(hear("∞", ConnectorLimits::default(), true).await.0, Ok(RunEnd::Stopped));
    }

    #[tokio::test(start_paused = true)]
    async fn a_run_that_never_ends_is_ended() {
        for question in ["…", "∞"] {
            let failure = hear(question, ConnectorLimits::default(), false).await.0.unwrap_err();
            assert_eq!(failure.class, FailureClass::TimedOut);
            assert!(failure.message.contains("1800 s"), "{failure}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_that_is_too_large_keeps_what_fitted() {
        let limits = ConnectorLimits { max_answer_bytes: 7, ..ConnectorLimits::default() };
        let (end, text) = hear("a!!!", limits, false).await;
        assert_eq!(end.unwrap_err().class, FailureClass::TooLarge);
        assert_eq!(text, "a!!!");
    }
}
