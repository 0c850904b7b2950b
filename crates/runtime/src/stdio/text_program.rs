//! Connector for any program that reads a question from stdin and writes an answer to stdout.
//!
//! Without prompts the program is started for each question. Its output until it exits is the answer. With
//! prompts it keeps running: when its output ends with one of them, it waits for the user, whose next message
//! is its next input.

use std::{collections::HashMap, sync::Arc, time::Duration};

use async_trait::async_trait;
use parking_lot::Mutex;
use plexus_domain::run::{Failure, FailureClass};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    process::ChildStdin,
    select,
    time::{Instant, sleep},
};
use tokio_util::sync::CancellationToken;

use super::{ProgramSpec, Running, terminal_text::TerminalText};
use crate::{Connector, Output, RemoteConversation, RunEnd, RunRequest};

/// Maximum programs that wait for input, and how long they may wait.
const MAX_WAITING: usize = 16;
const MAX_WAIT: Duration = Duration::from_secs(30 * 60);
/// A prompt at the end of the output counts after this duration of silence.
const SILENCE: Duration = Duration::from_millis(300);
const READ_BYTES: usize = 8 << 10;

pub struct TextProgram {
    program: ProgramSpec,
    prompts: Vec<String>,
    waiting: Arc<Mutex<HashMap<String, SuspendedProgram>>>,
}

struct SuspendedProgram {
    running: Running,
    since: Instant,
}

/// Reason why reading the output ended.
enum ProgramOutcome {
    /// End of stdout.
    All,
    Prompt,
    Stopped,
}

impl TextProgram {
    pub fn new(program: ProgramSpec, prompts: Vec<String>) -> Self {
        let prompts = prompts.into_iter().filter(|prompt| !prompt.is_empty()).collect();
        Self { program, prompts, waiting: Arc::default() }
    }

    /// Returns the program that waits for this message, or starts a new one. Terminates programs whose wait
    /// has expired.
    fn take_up(&self, request: &RunRequest) -> Result<Running, Failure> {
        let known = request.remote.as_ref().and_then(|remote| remote.task.as_ref());
        let mut waiting = self.waiting.lock();
        waiting.retain(|_, one| one.since.elapsed() < MAX_WAIT);
        match known {
            Some(task) => waiting.remove(task).map(|one| one.running).ok_or_else(|| {
                let words = "The agent program exited after it asked. Send your request again in a new chat.";
                Failure::new(FailureClass::Refused, words)
            }),
            None => self.program.start(),
        }
    }

    fn keep(&self, task: String, running: Running) {
        let mut waiting = self.waiting.lock();
        while waiting.len() >= MAX_WAITING {
            let oldest = waiting.iter().min_by_key(|(_, one)| one.since).map(|(task, _)| task.clone());
            match oldest {
                Some(task) => drop(waiting.remove(&task)),
                None => break,
            }
        }
        waiting.insert(task, SuspendedProgram { running, since: Instant::now() });
    }

    async fn converse(
        &self,
        running: &mut Running,
        question: String,
        output: &mut dyn Output,
        stop: &CancellationToken,
    ) -> Result<ProgramOutcome, Failure> {
        let mut stdin = running.stdin.take();
        let ask = async {
            if let Some(stdin) = &mut stdin {
                write(stdin, &question).await;
            }
            // Only a program with prompts can receive further input, so stdin is closed otherwise.
            if self.prompts.is_empty() { None } else { stdin }
        };
        let Some(stdout) = &mut running.stdout else { return Ok(ProgramOutcome::All) };
        let mut text = TerminalText::default();
        let listen = async {
            let mut buffer = vec![0; READ_BYTES];
            let said = loop {
                let silence = if self.is_prompted(&text) { SILENCE } else { Duration::MAX };
                select! {
                    biased;
                    () = stop.cancelled() => return Ok(ProgramOutcome::Stopped),
                    read = stdout.read(&mut buffer) => match read {
                        Ok(0) | Err(_) => break ProgramOutcome::All,
                        Ok(count) => output.text(&text.take(&buffer[..count]))?,
                    },
                    () = sleep(silence) => break ProgramOutcome::Prompt,
                }
            };
            output.text(&text.rest())?;
            Ok(said)
        };
        // Read and write concurrently: a program may write before it has read all its input (deadlock).
        tokio::pin!(ask, listen);
        let (mut kept, mut asked) = (None, false);
        let said = loop {
            select! {
                biased;
                said = &mut listen => break said,
                stdin = &mut ask, if !asked => (kept, asked) = (stdin, true),
            }
        };
        running.stdin = kept;
        said
    }

    fn is_prompted(&self, text: &TerminalText) -> bool {
        self.prompts.iter().any(|prompt| text.tail().ends_with(prompt))
    }
}

#[async_trait]
impl Connector for TextProgram {
    async fn run(
        &self,
        request: RunRequest,
        output: &mut dyn Output,
        stop: &CancellationToken,
    ) -> Result<RunEnd, Failure> {
        let mut running = self.take_up(&request)?;
        // The context of an assignment is for agents that take conversations, not for the input of a program.
        match self.converse(&mut running, request.command(), output, stop).await? {
            // The program may run on after closing stdout.
            ProgramOutcome::All => select! {
                biased;
                () = stop.cancelled() => Ok(RunEnd::Stopped),
                ended = running.wait(&self.program) => ended.map(|()| RunEnd::Completed),
            },
            ProgramOutcome::Stopped => {
                running.end().await;
                Ok(RunEnd::Stopped)
            }
            ProgramOutcome::Prompt => {
                let task = request.run.to_string();
                self.keep(task.clone(), running);
                output.remote(RemoteConversation { task: Some(task), context: None });
                Ok(RunEnd::InputRequired)
            }
        }
    }
}

/// Writes the question. Errors are ignored: a program need not read its input.
async fn write(stdin: &mut ChildStdin, question: &str) {
    let _ = stdin.write_all(question.as_bytes()).await;
    let _ = stdin.write_all(b"\n").await;
    let _ = stdin.flush().await;
}

#[cfg(test)]
mod tests {
    use tokio::time::timeout;

    use super::*;
    use crate::testing::{ask, run, run_until_first_word};

    fn shell(script: &str) -> ProgramSpec {
        ProgramSpec::new(["sh", "-c", script].map(Into::into)).unwrap()
    }

    fn filter(script: &str) -> TextProgram {
        TextProgram::new(shell(script), Vec::new())
    }

    #[tokio::test]
    async fn any_filter_is_an_agent() {
        let (end, heard) = run(&filter("tr a-z A-Z"), ask("quiet, please")).await.unwrap();
        assert_eq!((end, heard.text.trim_end()), (RunEnd::Completed, "QUIET, PLEASE"));
        let (_, heard) =
            run(&filter(r"printf '\033[1mbold\033[0m \360\237\214\212'"), ask("x")).await.unwrap();
        assert_eq!(heard.text, "bold 🌊");
    }

    #[tokio::test]
    async fn what_fails_says_how() {
        let failure = run(&filter("echo out of tea >&2; exit 3"), ask("x")).await.unwrap_err();
        assert!(failure.message.contains("exit status: 3, saying: out of tea"), "{failure}");
        let absent = TextProgram::new(ProgramSpec::new(["/no/such/program".into()]).unwrap(), Vec::new());
        let failure = run(&absent, ask("x")).await.unwrap_err();
        assert_eq!(failure.class, FailureClass::Unreachable);
        assert!(failure.message.contains("/no/such/program"), "{failure}");
    }

    #[tokio::test]
    async fn a_stopped_program_ends_with_all_that_it_started() {
        let console = filter("(trap '' TERM; exec sleep 1000) & echo $!; wait");
        let (end, heard) = run_until_first_word(&console, ask("x")).await;
        assert_eq!(end, Ok(RunEnd::Stopped));
        let child: i32 = heard.text.trim().parse().unwrap();
        // A zombie process has an empty command line.
        let runs = || std::fs::read(format!("/proc/{child}/cmdline")).is_ok_and(|line| !line.is_empty());
        let gone = async {
            while runs() {
                tokio::task::yield_now().await;
            }
        };
        timeout(Duration::from_secs(10), gone).await.unwrap_or_else(|_| panic!("{child} still runs"));
    }

    #[tokio::test]
    async fn a_dialogue_goes_on_where_it_asked() {
        let console = TextProgram::new(
            shell("read goal; printf 'Doing %s. Continue? ' $goal; read word; echo $word!"),
            vec!["Continue?".into()],
        );
        let (end, heard) = run(&console, ask("tea")).await.unwrap();
        assert_eq!((end, heard.text.as_str()), (RunEnd::InputRequired, "Doing tea. Continue? "));
        let again = crate::RunRequest { remote: heard.remote, ..ask("yes") };
        let (end, heard) = run(&console, again.clone()).await.unwrap();
        assert_eq!((end, heard.text.as_str()), (RunEnd::Completed, "yes!\n"));
        let gone = run(&console, again).await.unwrap_err();
        assert_eq!(gone.class, FailureClass::Refused);
    }
}
