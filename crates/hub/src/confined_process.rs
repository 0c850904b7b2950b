//! Processes that decode hostile files: the program of this hub, which first gives up every right but to read its input
//! and to write its output (see `plexus_server`'s command `extract-text`).

use std::{process::Command, time::Duration};

use plexus_domain::Error as Refusal;
use plexus_runtime::child_process::{ChildProcess, ProcessSpec};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    time::timeout,
};

use crate::{Hub, Result};

/// Exit code of a process that could not give up its rights, and therefore did nothing.
pub const UNCONFINED_EXIT: u8 = 70;

/// How a kind of process is run.
pub(crate) struct ConfinedCommand {
    /// Subcommand of the `plexus` program.
    pub name: &'static str,
    /// Maximum memory. The process limits itself to less; this holds if it cannot.
    pub memory_bytes: u64,
    pub output_bytes: u64,
    pub timeout: Duration,
}

impl ConfinedCommand {
    /// Gives the process its input and returns its output. The output is empty if the process was killed for its use of
    /// time or memory.
    pub async fn run(&self, hub: &Hub, input: &[u8]) -> Result<Vec<u8>> {
        if let Ok(output) = timeout(self.timeout, self.run_to_end(hub, input)).await {
            return output;
        }
        tracing::warn!(command = self.name, "confined process: timed out");
        Ok(Vec::new())
    }

    async fn run_to_end(&self, hub: &Hub, input: &[u8]) -> Result<Vec<u8>> {
        let mut command = Command::new(&hub.config().extractor_program);
        // The process needs nothing of the hub's environment, which may hold secrets.
        command.arg(self.name).env_clear().current_dir("/");
        let started = ProcessSpec::new(command, "/").within(self.memory_bytes).start();
        let ChildProcess { mut stdin, stdout, mut process } =
            started.map_err(|failure| anyhow::anyhow!("confined process: {failure:?}"))?;
        let write = async move {
            // A process that was killed does not read its input: its output tells.
            let _ = stdin.write_all(input).await;
            drop(stdin);
        };
        let read = async move {
            let mut output = Vec::new();
            stdout.take(self.output_bytes).read_to_end(&mut output).await.map(|_| output)
        };
        let ((), output) = tokio::join!(write, read);
        let output = output.map_err(anyhow::Error::new)?;
        if output.is_empty() {
            let (ending, stderr) = (process.ending().await, process.complaints());
            if ending.ends_with(&format!("exit code {UNCONFINED_EXIT}")) {
                tracing::error!(command = self.name, stderr, "confined process: not run");
                let words = "This hub cannot read such files: its system does not let it confine the program that \
                             reads them. The operator finds the cause in the log.";
                return Err(Refusal::unavailable(words).into());
            }
            tracing::warn!(command = self.name, ending, stderr, "confined process: no output");
        }
        Ok(output)
    }
}
