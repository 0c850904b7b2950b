//! Agents that are programs on this machine, spoken to over their standard streams.

mod console;
mod lenient;
mod lines;
mod plain;

use std::{ffi::OsString, time::Duration};

use futures::StreamExt as _;
use plexus_domain::{
    run::{Failure, FailureClass},
    text::{one_line, shorten},
};
use tokio::{
    process::{ChildStderr, ChildStdin, ChildStdout, Command},
    task::JoinHandle,
    time,
};

use tokio_util::codec::{AnyDelimiterCodec, FramedRead};

use self::lenient::Lenient;
pub use self::{
    console::Console,
    lines::{Lines, told},
    plain::Plain,
};
use crate::program::{Group, Streams};

/// Bytes of a line of its complaints.
const LINE: usize = 16 << 10;
/// For the last words of a program that has ended.
const GRACE: Duration = Duration::from_secs(2);
/// How much of what a program complained about last reaches people.
const COMPLAINT_CHARS: usize = 300;

/// How a program is started.
#[derive(Clone, Debug)]
pub struct Program {
    command: OsString,
    arguments: Vec<OsString>,
}

impl Program {
    /// The command and its arguments; none where there is no command.
    pub fn new(line: impl IntoIterator<Item = OsString>) -> Option<Self> {
        let mut words = line.into_iter();
        let command = words.next()?;
        Some(Self { command, arguments: words.collect() })
    }

    /// What it is called in messages.
    pub fn name(&self) -> String {
        self.command.to_string_lossy().into_owned()
    }

    fn start(&self) -> Result<Running, Failure> {
        let mut command = Command::new(&self.command);
        let (group, Streams { stdin, stdout, stderr }) = Group::start(command.args(&self.arguments))
            .map_err(|error| self.failed(&format!("could not be started: {error}")))?;
        let last_words = tokio::spawn(last_words(stderr));
        Ok(Running { stdin: Some(stdin), stdout: Some(stdout), group, last_words })
    }

    fn failed(&self, what: &str) -> Failure {
        let words = format!("The program behind this agent ({}) {what}.", one_line(&self.name()));
        Failure::new(FailureClass::Unreachable, words)
    }
}

/// A program that runs. Dropped, it is killed with all that it started.
struct Running {
    stdin: Option<ChildStdin>,
    stdout: Option<ChildStdout>,
    group: Group,
    last_words: JoinHandle<String>,
}

impl Running {
    async fn end(mut self) {
        drop(self.stdin.take());
        self.group.end().await;
    }

    /// Waits until it has ended by itself; a failure where it says that it failed.
    async fn wait(mut self, program: &Program) -> Result<(), Failure> {
        let status = self.group.wait().await;
        let status = status.map_err(|error| program.failed(&format!("was lost: {error}")))?;
        if status.success() {
            return Ok(());
        }
        // What it started may hold its streams open.
        let words =
            time::timeout(GRACE, &mut self.last_words).await.ok().and_then(Result::ok).unwrap_or_default();
        let said = if words.is_empty() { String::new() } else { format!(", saying: {words}") };
        let failure = program.failed(&format!("ended with {status}{said}"));
        Err(Failure::new(FailureClass::Refused, failure.message))
    }
}

/// The last line of what it complains about. All of it goes to the log for whoever runs it.
async fn last_words(stderr: ChildStderr) -> String {
    let codec = AnyDelimiterCodec::new_with_max_length(b"\r\n".to_vec(), Vec::new(), LINE);
    let mut lines = FramedRead::new(stderr, Lenient(codec));
    let mut last = String::new();
    while let Some(Ok(line)) = lines.next().await {
        let line = String::from_utf8_lossy(&line);
        let line = shorten(&one_line(&anstream::adapter::strip_str(&line).to_string()), COMPLAINT_CHARS);
        if !line.is_empty() {
            tracing::info!(target: "plexus_program", "{line}");
            last = line;
        }
    }
    last
}
