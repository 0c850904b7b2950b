//! A process in a group of its own, so that what it starts ends with it.

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

/// Between being asked to end and being ended.
const GRACE: Duration = Duration::from_secs(2);

/// Dropped, the process is killed with all that is in its group.
#[derive(Debug)]
pub(crate) struct Group(Child);

/// The standard streams of the process that leads a group.
pub(crate) struct Streams {
    pub stdin: ChildStdin,
    pub stdout: ChildStdout,
    pub stderr: ChildStderr,
}

impl Group {
    /// `command` says everything but the standard streams.
    pub fn start(command: &mut Command) -> io::Result<(Self, Streams)> {
        let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = piped.process_group(0).kill_on_drop(true).spawn()?;
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let group = Self(child);
        match (stdin, stdout, stderr) {
            (Some(stdin), Some(stdout), Some(stderr)) => Ok((group, Streams { stdin, stdout, stderr })),
            _ => Err(io::Error::other("it has no standard streams")),
        }
    }

    pub async fn wait(&mut self) -> io::Result<ExitStatus> {
        self.0.wait().await
    }

    /// Asks all of it to end, and ends what does not.
    pub async fn end(mut self) {
        let Some(leader) = self.leader() else { return };
        signal(leader, Signal::TERM);
        let _ = timeout(GRACE, self.0.wait()).await;
        // The leader may have gone before the others, and with it the number that dropping goes by.
        kill(leader);
    }

    /// A process that has been waited for has no number any more.
    pub fn leader(&self) -> Option<Pid> {
        self.0.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?))
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if let Some(leader) = self.leader() {
            kill(leader);
        }
    }
}

pub(super) fn kill(leader: Pid) {
    signal(leader, Signal::KILL);
}

/// The group may have ended in this moment.
fn signal(leader: Pid, signal: Signal) {
    let _ = kill_process_group(leader, signal);
}
