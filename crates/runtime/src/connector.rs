//! The one interface between the hub and whatever answers a message.

use std::{collections::HashMap, time::Duration};

use async_trait::async_trait;
use bytes::Bytes;
use plexus_domain::{
    Address, Digest, Part, RunId,
    part::plain_text,
    run::{Failure, FailureClass, Usage},
    text::one_line,
};
use serde::{Deserialize, Serialize};
use tokio::{pin, select, time};
use tokio_util::sync::CancellationToken;

use crate::Leave;

/// One agent's work on one request.
#[async_trait]
pub trait Connector: Send + Sync {
    /// Works until an end. When `stop` is cancelled it ends what it started elsewhere and returns
    /// [`End::Stopped`]; what it gave to `output` stays. An error of `output` is passed on the same way.
    async fn run(
        &self,
        request: Request,
        output: &mut dyn Output,
        stop: &CancellationToken,
    ) -> Result<End, Failure>;

    /// Tells the agent that nobody goes on with what it asked about. Most keep nothing of a question that waits.
    async fn give_up(&self, _waits: &Remote) {}
}

#[derive(Clone, Debug)]
pub struct Request {
    pub run: RunId,
    /// Oldest first; the last is what to answer.
    pub turns: Vec<Turn>,
    /// The files among its parts.
    pub files: HashMap<Digest, Bytes>,
    /// What the program that asks calls that message, where a program asks.
    pub called: Option<String>,
    /// Set when a remote agent's own conversation goes on; none sends the turns before the last as text.
    pub remote: Option<Remote>,
    pub limits: Limits,
    /// Whom to ask before something that needs leave.
    pub leave: Leave,
}

impl Request {
    /// The text of the turn to answer.
    pub fn question(&self) -> String {
        self.turns.last().map(|turn| plain_text(&turn.parts)).unwrap_or_default()
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Turn {
    pub speaker: Speaker,
    pub parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Speaker {
    /// The agent that is asked.
    Me,
    Person {
        name: String,
    },
    /// Another agent of the same chat.
    Agent {
        address: Address,
    },
}

/// What a remote agent calls this conversation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Remote {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Of all text and data together.
    pub max_answer_bytes: usize,
    /// Of all files together.
    pub max_file_bytes: usize,
    /// From the call to the first byte of the answer.
    pub first_byte: Duration,
    /// Between two pieces of the answer.
    pub idle: Duration,
    /// Of the run.
    pub whole: Duration,
}

impl Default for Limits {
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

/// Takes what an agent says, as it says it.
///
/// Called on the hot path, synchronously: no queue lies between an upstream token and its readers. An error
/// (the answer is too large) ends the run with it.
pub trait Output: Send {
    /// The next piece of the answer's own text (markdown).
    fn text(&mut self, delta: &str) -> Result<(), Failure>;

    /// A whole part. Text that follows it begins a new part.
    fn part(&mut self, part: Part) -> Result<(), Failure>;

    /// A whole part, in place of one that was put at `place` before; the answer is its place. Whoever cannot take
    /// anything back shows it again.
    fn put(&mut self, place: Option<usize>, part: Part) -> Result<usize, Failure> {
        self.part(part)?;
        Ok(place.unwrap_or_default())
    }

    /// The next piece of the text of a named artifact.
    fn artifact_text(&mut self, artifact: &str, name: Option<&str>, delta: &str) -> Result<(), Failure>;

    /// A file that came as bytes. Whoever keeps files overrides this; others are told what they miss.
    fn file(&mut self, file: File) -> Result<(), Failure> {
        let name = one_line(file.name.as_deref().unwrap_or("without a name"));
        let note =
            format!("The agent sent a file ({name}, {} bytes) that is not kept here.", file.bytes.len());
        self.part(Part::text(note))
    }

    /// What the remote agent calls this conversation, told as soon as it is known.
    fn remote(&mut self, remote: Remote);

    /// What the run used so far; a later call replaces an earlier one.
    fn usage(&mut self, usage: Usage);

    /// One line on what the agent is doing; a later line replaces an earlier one.
    fn status(&mut self, line: &str);
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    pub artifact: Option<String>,
    pub name: Option<String>,
    pub media_type: Option<String>,
    pub bytes: Bytes,
    /// These bytes follow those of the last file of this artifact.
    pub continues: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    Completed,
    /// The text is a question; the next message continues the run.
    InputRequired,
    /// The agent wants credentials that the hub does not hold.
    AuthRequired,
    Rejected {
        reason: String,
    },
    /// `stop` was cancelled.
    Stopped,
}

/// How long a connector may take to end what it started elsewhere, once it is told to stop.
const WIND_DOWN: Duration = Duration::from_secs(5);

/// Runs `connector` within the size and time that the request allows.
pub async fn perform(
    connector: &dyn Connector,
    request: Request,
    output: &mut dyn Output,
    stop: &CancellationToken,
) -> Result<End, Failure> {
    let limits = request.limits;
    let mut output = Capped {
        output,
        limits,
        left: limits.max_answer_bytes,
        files_left: limits.max_file_bytes,
        pieces_left: MOST_PIECES,
        artifact: None,
    };
    let stop_run = stop.child_token();
    let run = connector.run(request, &mut output, &stop_run);
    pin!(run);
    let late = select! {
        biased;
        end = &mut run => return end,
        () = stop.cancelled() => None,
        () = time::sleep(limits.whole) => Some(too_long(limits.whole)),
    };
    stop_run.cancel();
    let end = time::timeout(WIND_DOWN, run).await;
    match (late, end) {
        (Some(failure), _) => Err(failure),
        (None, Ok(end)) => end,
        (None, Err(_)) => Ok(End::Stopped),
    }
}

fn too_long(limit: Duration) -> Failure {
    let words = format!(
        "The agent was still working after {} s, the longest this hub waits. Ask for less at once, or try again.",
        limit.as_secs_f32()
    );
    Failure::new(FailureClass::TimedOut, words)
}

/// Passes on what fits.
struct Capped<'a> {
    output: &'a mut dyn Output,
    limits: Limits,
    left: usize,
    files_left: usize,
    pieces_left: usize,
    /// The artifact that was written to last.
    artifact: Option<String>,
}

/// Parts, files and artifacts of one answer. Each costs memory however little it holds.
const MOST_PIECES: usize = 10_000;

impl Capped<'_> {
    fn take(&mut self, bytes: usize) -> Result<(), Failure> {
        self.left = self.left.checked_sub(bytes).ok_or_else(|| {
            let most = self.limits.max_answer_bytes;
            let words = format!("The answer grew beyond {most} bytes, the most this hub takes.");
            Failure::new(FailureClass::TooLarge, words)
        })?;
        Ok(())
    }

    fn take_piece(&mut self) -> Result<(), Failure> {
        self.pieces_left = self.pieces_left.checked_sub(1).ok_or_else(|| {
            let words = format!("The answer has more than {MOST_PIECES} parts, the most this hub takes.");
            Failure::new(FailureClass::TooLarge, words)
        })?;
        Ok(())
    }

    fn take_file(&mut self, bytes: usize) -> Result<(), Failure> {
        self.files_left = self.files_left.checked_sub(bytes).ok_or_else(|| {
            let most = self.limits.max_file_bytes;
            let words =
                format!("The files of the answer are more than {most} bytes, the most this hub takes.");
            Failure::new(FailureClass::TooLarge, words)
        })?;
        Ok(())
    }
}

impl Output for Capped<'_> {
    fn text(&mut self, delta: &str) -> Result<(), Failure> {
        self.take(delta.len())?;
        self.output.text(delta)
    }

    fn part(&mut self, part: Part) -> Result<(), Failure> {
        self.take_piece()?;
        self.take(serde_json::to_string(&part).map_or(0, |json| json.len()))?;
        self.output.part(part)
    }

    fn put(&mut self, place: Option<usize>, part: Part) -> Result<usize, Failure> {
        self.take(serde_json::to_string(&part).map_or(0, |json| json.len()))?;
        self.output.put(place, part)
    }

    fn artifact_text(&mut self, artifact: &str, name: Option<&str>, delta: &str) -> Result<(), Failure> {
        if self.artifact.as_deref() != Some(artifact) {
            self.take_piece()?;
            self.artifact = Some(artifact.to_owned());
        }
        self.take(delta.len())?;
        self.output.artifact_text(artifact, name, delta)
    }

    fn file(&mut self, file: File) -> Result<(), Failure> {
        if !file.continues {
            self.take_piece()?;
        }
        self.take_file(file.bytes.len())?;
        self.output.file(file)
    }

    fn remote(&mut self, remote: Remote) {
        self.output.remote(remote);
    }

    fn usage(&mut self, usage: Usage) {
        self.output.usage(usage);
    }

    fn status(&mut self, line: &str) {
        self.output.status(line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Recorder, ask};

    /// Says the question again for each `!` in it, then works until it is stopped (`…`), or for ever (`∞`).
    struct Parrot;

    #[async_trait]
    impl Connector for Parrot {
        async fn run(
            &self,
            request: Request,
            output: &mut dyn Output,
            stop: &CancellationToken,
        ) -> Result<End, Failure> {
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
                return Ok(End::Stopped);
            }
            Ok(End::Completed)
        }
    }

    async fn hear(question: &str, limits: Limits, stop: bool) -> (Result<End, Failure>, String) {
        let mut heard = Recorder::default();
        let token = CancellationToken::new();
        if stop {
            token.cancel();
        }
        let end = perform(&Parrot, Request { limits, ..ask(question) }, &mut heard, &token).await;
        (end, heard.text)
    }

    #[tokio::test(start_paused = true)]
    async fn what_ends_by_itself_is_not_touched() {
        assert_eq!(hear("hi!", Limits::default(), true).await, (Ok(End::Completed), "hi!".to_owned()));
    }

    #[tokio::test(start_paused = true)]
    async fn a_stopped_run_may_say_goodbye_and_is_not_waited_for_long() {
        assert_eq!(hear("…", Limits::default(), true).await, (Ok(End::Stopped), "bye".to_owned()));
        assert_eq!(hear("∞", Limits::default(), true).await.0, Ok(End::Stopped));
    }

    #[tokio::test(start_paused = true)]
    async fn a_run_that_never_ends_is_ended() {
        for question in ["…", "∞"] {
            let failure = hear(question, Limits::default(), false).await.0.unwrap_err();
            assert_eq!(failure.class, FailureClass::TimedOut);
            assert!(failure.message.contains("1800 s"), "{failure}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_that_is_too_large_keeps_what_fitted() {
        let limits = Limits { max_answer_bytes: 7, ..Limits::default() };
        let (end, text) = hear("a!!!", limits, false).await;
        assert_eq!(end.unwrap_err().class, FailureClass::TooLarge);
        assert_eq!(text, "a!!!");
    }
}
