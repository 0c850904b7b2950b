//! Agents that are local programs, connected over stdio.

mod json_lines;
mod lenient;
mod terminal_text;
mod text_program;

use std::{ffi::OsString, time::Duration};

use futures::StreamExt as _;
use plexus_domain::{
    run::{Failure, FailureClass},
    sanitized_text::{ellipsize, one_line},
};
use tokio::{
    process::{ChildStderr, ChildStdin, ChildStdout, Command},
    task::JoinHandle,
    time,
};

use tokio_util::codec::{AnyDelimiterCodec, FramedRead};

use self::lenient::Lenient;
pub use self::{
    json_lines::{Lines, read_frames},
    terminal_text::TerminalText,
    text_program::TextProgram,
};
use crate::{
    child_process::{ProcessGroup, StdioStreams},
    outbound::without_code,
};

/// Maximum bytes of a stderr line.
const LINE: usize = 16 << 10;
/// Maximum wait for the rest of stderr after the program has exited.
const GRACE: Duration = Duration::from_secs(2);
/// Maximum characters of the last stderr line in a failure.
const COMPLAINT_CHARS: usize = 300;

/// Command line of a program.
#[derive(Clone, Debug)]
pub struct ProgramSpec {
    command: OsString,
    arguments: Vec<OsString>,
}

impl ProgramSpec {
    /// Creates a program from its command and arguments. Returns `None` if `line` is empty.
    pub fn new(line: impl IntoIterator<Item = OsString>) -> Option<Self> {
        let mut words = line.into_iter();
        let command = words.next()?;
        Some(Self { command, arguments: words.collect() })
    }

    /// Returns the display name for messages.
    pub fn name(&self) -> String {
        self.command.to_string_lossy().into_owned()
    }

    fn start(&self) -> Result<Running, Failure> {
        let mut command = Command::new(&self.command);
        let (group, StdioStreams { stdin, stdout, stderr }) =
            ProcessGroup::start(command.args(&self.arguments))
                .map_err(|error| self.failed(&format!("could not be started: {}", without_code(&error))))?;
        let last_words = tokio::spawn(last_words(stderr));
        Ok(Running { stdin: Some(stdin), stdout: Some(stdout), group, last_words })
    }

    fn failed(&self, what: &str) -> Failure {
        let words = format!("The agent program ({}) {what}.", one_line(&self.name()));
        Failure::new(FailureClass::Unreachable, words)
    }
}

/// Running program, killed with its children on drop.
struct Running {
    stdin: Option<ChildStdin>,
    stdout: Option<ChildStdout>,
    group: ProcessGroup,
    last_words: JoinHandle<String>,
}

impl Running {
    async fn end(mut self) {
        drop(self.stdin.take());
        self.group.end().await;
    }

    /// Waits for the program to exit. Fails if its exit status is not success.
    async fn wait(mut self, program: &ProgramSpec) -> Result<(), Failure> {
        let status = self.group.wait().await;
        let status =
            status.map_err(|error| program.failed(&format!("was lost: {}", without_code(&error))))?;
        if status.success() {
            return Ok(());
        }
        // Children of the program may keep its stderr open.
        let words =
            time::timeout(GRACE, &mut self.last_words).await.ok().and_then(Result::ok).unwrap_or_default();
        let said = if words.is_empty() { String::new() } else { format!(", saying: {words}") };
        let failure = program.failed(&format!("ended with {status}{said}"));
        Err(Failure::new(FailureClass::Refused, failure.message))
    }
}

/// Returns the last line of stderr. All lines are written to the log for the operator.
async fn last_words(stderr: ChildStderr) -> String {
    let codec = AnyDelimiterCodec::new_with_max_length(b"\r\n".to_vec(), Vec::new(), LINE);
    let mut lines = FramedRead::new(stderr, Lenient(codec));
    let mut last = String::new();
    while let Some(Ok(line)) = lines.next().await {
        let line = String::from_utf8_lossy(&line);
        let line = ellipsize(&one_line(&anstream::adapter::strip_str(&line).to_string()), COMPLAINT_CHARS);
        if !line.is_empty() {
            tracing::info!(target: "plexus_program", "{line}");
            last = line;
        }
    }
    last
}
