//! Run of a connector within the size and time limits of its request.

use std::time::Duration;

use plexus_domain::{
    MessageAttributes, Metadata, Part,
    run::{Failure, FailureClass, Usage},
};
use tokio::{pin, select, time};
use tokio_util::sync::CancellationToken;

use crate::{
    Connector, ConnectorLimits, ModelUsage, Output, OutputFile, Redact, RemoteConversation, RunEnd,
    RunRequest,
    redact::RedactedText,
    text_cutter::{AnswerCut, TextCutter},
};

/// Grace period after `stop` in which a connector cancels its remote work and processes.
const WIND_DOWN: Duration = Duration::from_secs(5);

/// Runs `connector` within the size and time limits of the request. Its secrets are removed from its output and failures.
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
        artifact_name: None,
        counted: None,
        redact: connector.redact(),
        redacted: RedactedText::default(),
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
    /// Artifact of the most recent text; `None` for text of the answer itself.
    artifact: Option<String>,
    artifact_name: Option<String>,
    /// Artifact that was counted as a piece last.
    counted: Option<String>,
    redact: Redact,
    redacted: RedactedText,
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
        let held = self.redacted.flush();
        if !held.is_empty() {
            let text = self.cut(&held);
            self.emit(&text)?;
        }
        let held = self.cutter.flush();
        self.emit(&held)
    }

    /// Emits text of the current artifact, or of the answer itself.
    fn emit(&mut self, text: &str) -> Result<(), Failure> {
        match &self.artifact {
            _ if text.is_empty() => Ok(()),
            Some(artifact) => self.output.artifact_text(artifact, self.artifact_name.as_deref(), text),
            None => self.output.text(text),
        }
    }

    /// Emits the next text of the current artifact, or of the answer itself, as far as nothing of it is held back.
    fn say(&mut self, delta: &str) -> Result<(), Failure> {
        let text = self.redacted.push(&self.redact, delta);
        if self.cutter.is_idle() {
            return self.emit(&text);
        }
        let text = self.cut(&text);
        self.emit(&text)
    }

    /// Returns how the run ended, with a cut answer as a complete or a truncated one.
    fn finish(&mut self, end: Result<RunEnd, Failure>) -> Result<RunEnd, Failure> {
        let end = self.redact.end(end);
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
        if self.artifact.is_some() {
            self.flush()?;
            self.artifact = None;
        }
        self.say(delta)
    }

    fn reclassify_text_as_reasoning(&mut self) -> Result<(), Failure> {
        self.flush()?;
        self.output.reclassify_text_as_reasoning()
    }

    fn part(&mut self, part: Part) -> Result<(), Failure> {
        self.flush()?;
        if self.cutter.end().is_some() {
            return Ok(());
        }
        self.take_piece()?;
        self.take(serde_json::to_string(&part).map_or(0, |json| json.len()))?;
        self.output.part(self.redact.value(part))
    }

    fn put(&mut self, place: Option<usize>, part: Part) -> Result<usize, Failure> {
        self.flush()?;
        self.take(serde_json::to_string(&part).map_or(0, |json| json.len()))?;
        self.output.put(place, self.redact.value(part))
    }

    fn artifact_text(&mut self, artifact: &str, name: Option<&str>, delta: &str) -> Result<(), Failure> {
        if self.artifact.as_deref() != Some(artifact) {
            self.flush()?;
            self.artifact = Some(artifact.to_owned());
            self.artifact_name = None;
        }
        if self.counted.as_deref() != Some(artifact) {
            self.take_piece()?;
            self.counted = Some(artifact.to_owned());
        }
        self.take(delta.len())?;
        if let Some(name) = name {
            self.artifact_name = Some(self.redact.answer(name).into_owned());
        }
        self.say(delta)
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
        let name = name.map(|name| self.redact.answer(name));
        self.output.begin_artifact_text(artifact, name.as_deref(), self.redact.value(metadata))
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
        let redacted = |text: Option<String>| text.map(|text| self.redact.answer(&text).into_owned());
        let (name, media_type) = (redacted(file.name), redacted(file.media_type));
        let metadata = self.redact.value(file.metadata);
        self.output.file(OutputFile { name, media_type, metadata, ..file })
    }

    fn begin_question(&mut self) {
        self.output.begin_question();
    }

    fn attributes(&mut self, attributes: &MessageAttributes) {
        self.output.attributes(&self.redact.value(attributes.clone()));
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
        self.output.status(&self.redact.error(line));
    }
}

#[cfg(test)]
mod tests {
    use async_trait::async_trait;

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

    /// Says its secret in text, in parts, in an artifact and in its failure.
    struct Indiscreet;

    const SECRET: &str = "sk-4fJ9xQz7aLmN0p";

    #[async_trait]
    impl Connector for Indiscreet {
        async fn run(
            &self,
            _: RunRequest,
            output: &mut dyn Output,
            _: &CancellationToken,
        ) -> Result<RunEnd, Failure> {
            output.text(&format!("It is {}", &SECRET[..5]))?;
            output.text(&SECRET[5..])?;
            output.text(" and sk-4")?;
            output.part(Part::text(format!("x{SECRET}")))?;
            output.artifact_text("a", Some(SECRET), &SECRET[..9])?;
            output.artifact_text("a", None, &SECRET[9..])?;
            output.status(SECRET);
            Err(Failure::new(FailureClass::Refused, format!("Bad key {}…", &SECRET[..12])))
        }

        fn redact(&self) -> Redact {
            Redact::of(&crate::Secret::new(SECRET))
        }
    }

    #[tokio::test]
    async fn secrets_of_a_connector_are_in_nothing_that_it_emits() {
        let mut heard = Recorder::default();
        let end = run_connector(&Indiscreet, ask("?"), &mut heard, &CancellationToken::new()).await;
        assert_eq!(end.unwrap_err().message, "Bad key [redacted]…");
        assert_eq!(heard.text, "It is [redacted] and sk-4");
        assert_eq!(heard.parts, [Part::text("x[redacted]")]);
        let name = Some("[redacted]".to_owned());
        assert_eq!(heard.artifacts, [("a".to_owned(), name, "[redacted]".to_owned())]);
        assert_eq!(heard.status, ["[redacted]"]);
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_that_is_too_large_keeps_what_fitted() {
        let limits = ConnectorLimits { max_answer_bytes: 7, ..ConnectorLimits::default() };
        let (end, text) = hear("a!!!", limits, false).await;
        assert_eq!(end.unwrap_err().class, FailureClass::TooLarge);
        assert_eq!(text, "a!!!");
    }
}
