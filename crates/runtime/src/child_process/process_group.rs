//! Process group: a process and its children, killed together.

use std::{
    io,
    process::{ExitStatus, Stdio},
    time::Duration,
};

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::{
    process::{Child, ChildStderr, ChildStdin, ChildStdout, Command},
    time::timeout,
};

/// Time between SIGTERM and SIGKILL.
const GRACE: Duration = Duration::from_secs(2);

/// Process group, killed on drop.
#[derive(Debug)]
pub(crate) struct ProcessGroup(Child);

/// Standard streams of the group leader.
pub(crate) struct StdioStreams {
    pub stdin: ChildStdin,
    pub stdout: ChildStdout,
    pub stderr: ChildStderr,
}

impl ProcessGroup {
    /// `command` must be complete except for the standard streams.
    pub fn start(command: &mut Command) -> io::Result<(Self, StdioStreams)> {
        let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = piped.process_group(0).kill_on_drop(true).spawn()?;
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let group = Self(child);
        match (stdin, stdout, stderr) {
            (Some(stdin), Some(stdout), Some(stderr)) => Ok((group, StdioStreams { stdin, stdout, stderr })),
            _ => Err(io::Error::other("it has no standard streams")),
        }
    }

    pub async fn wait(&mut self) -> io::Result<ExitStatus> {
        self.0.wait().await
    }

    /// Sends SIGTERM to the group, waits up to `GRACE` for the leader, then kills the rest.
    pub async fn end(mut self) {
        let Some(leader) = self.leader() else { return };
        signal(leader, Signal::TERM);
        let _ = timeout(GRACE, self.0.wait()).await;
        // Kill by the stored id: once the leader has been reaped, `drop` no longer knows it.
        kill(leader);
    }

    /// Returns the process id of the leader, or `None` once it was reaped.
    pub fn leader(&self) -> Option<Pid> {
        self.0.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?))
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        if let Some(leader) = self.leader() {
            kill(leader);
        }
    }
}

pub(super) fn kill(leader: Pid) {
    signal(leader, Signal::KILL);
}

/// Signals the group. An error means that it has just ended.
fn signal(leader: Pid, signal: Signal) {
    let _ = kill_process_group(leader, signal);
}
