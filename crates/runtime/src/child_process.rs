//! Local programs that the hub talks to over stdio. The caller decides how they start: directly or in a
//! sandbox.

mod disk;
mod memory_watch;
mod process_group;

use std::{
    path::{Path, PathBuf},
    process::ExitStatus,
    sync::{Arc, OnceLock},
    time::Duration,
};

use parking_lot::Mutex;
use plexus_domain::run::{Failure, FailureClass};
use tokio::{
    io::{AsyncRead, AsyncReadExt as _},
    process::{ChildStdin, ChildStdout, Command},
    time::timeout,
};
use tokio_util::sync::CancellationToken;

pub use self::disk::Total;
pub(crate) use self::process_group::{ProcessGroup, StdioStreams};
use crate::outbound::without_code;

/// Bytes of the latest stderr output that are stored.
const COMPLAINTS_BYTES: usize = 4 << 10;
/// Maximum wait for a program to exit after it closed stdout, and for its children to close stderr.
const LAST_BREATH: Duration = Duration::from_secs(1);

/// Process that is ready to start.
#[derive(Debug)]
pub struct ProcessSpec {
    command: Command,
    /// Working folder, as the program sees it.
    folder: PathBuf,
    memory: Option<u64>,
    /// Folder to watch, as the hub sees it, with its quota.
    disk: Option<(PathBuf, Total)>,
}

impl ProcessSpec {
    /// `command` must be complete except for the standard streams.
    pub fn new(command: std::process::Command, folder: impl Into<PathBuf>) -> Self {
        Self { command: command.into(), folder: folder.into(), memory: None, disk: None }
    }

    /// Sets a memory limit in bytes. The program is killed once its processes together exceed it.
    #[must_use]
    pub fn within(mut self, memory: u64) -> Self {
        self.memory = Some(memory);
        self
    }

    /// Sets a disk quota. The program is killed once `folder` exceeds `total`.
    #[must_use]
    pub fn filling(mut self, folder: &Path, total: Total) -> Self {
        self.disk = Some((folder.to_owned(), total));
        self
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Starts the process. It is killed when the returned value is dropped.
    pub fn start(mut self) -> Result<ChildProcess, Failure> {
        let (group, StdioStreams { stdin, stdout, stderr }) = ProcessGroup::start(&mut self.command)
            .map_err(|error| {
                let what = self.command.as_std().get_program().to_string_lossy().into_owned();
                Failure::new(
                    FailureClass::Unreachable,
                    format!("{what} cannot be started: {}.", without_code(&error)),
                )
            })?;
        let complaints = StderrTail::default();
        tokio::spawn(complaints.clone().listen(stderr));
        let process = Process { group, complaints, verdict: Arc::default() };
        if let (Some(most), Some(leader)) = (self.memory, process.group.leader()) {
            let verdict = Arc::clone(&process.verdict);
            tokio::spawn(async move {
                if memory_watch::grows_beyond(leader, most).await {
                    let _ = verdict
                        .set(format!("was ended, since it took more than {} MiB of memory,", most >> 20));
                    process_group::kill(leader);
                }
            });
        }
        if let (Some((folder, total)), Some(leader)) = (self.disk, process.group.leader()) {
            let verdict = Arc::clone(&process.verdict);
            tokio::spawn(async move {
                if let Some(excess) = disk::outgrows(leader, folder, total).await {
                    let _ = verdict.set(format!("was ended, since its folder {excess},"));
                    process_group::kill(leader);
                }
            });
        }
        Ok(ChildProcess { stdin, stdout, process })
    }
}

/// Running process with its standard streams.
#[derive(Debug)]
pub struct ChildProcess {
    pub stdin: ChildStdin,
    pub stdout: ChildStdout,
    pub process: Process,
}

/// Running process group, killed on drop.
#[derive(Debug)]
pub struct Process {
    group: ProcessGroup,
    complaints: StderrTail,
    /// Reason why the hub killed it.
    verdict: Arc<OnceLock<String>>,
}

impl Process {
    /// Waits for the process to exit after it closed its output, and describes how it ended, to follow "the
    /// program". After that, `complaints` is complete.
    pub async fn ending(&mut self) -> String {
        let status = timeout(LAST_BREATH, self.group.wait()).await;
        if status.is_ok() {
            let _ = timeout(LAST_BREATH, self.complaints.read.cancelled()).await;
        }
        match (self.verdict.get(), status) {
            (Some(verdict), _) => verdict.clone(),
            (None, Ok(Ok(status))) => in_words(status),
            (None, Ok(Err(_)) | Err(_)) => "closed its output".to_owned(),
        }
    }

    /// Returns the last stderr output. Only for the operator: it may contain secrets.
    pub fn complaints(&self) -> String {
        String::from_utf8_lossy(&self.complaints.kept.lock()).trim().to_owned()
    }
}

fn in_words(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt as _;
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("ended with exit code {code}"),
        (None, Some(signal)) => format!("was ended by signal {signal}"),
        (None, None) => "ended".to_owned(),
    }
}

#[derive(Clone, Debug, Default)]
struct StderrTail {
    kept: Arc<Mutex<Vec<u8>>>,
    /// Cancelled once stderr is read to its end.
    read: CancellationToken,
}

impl StderrTail {
    /// Reads stderr to its end, so that the pipe never blocks the program.
    async fn listen(self, mut stream: impl AsyncRead + Unpin) {
        let _read = self.read.drop_guard();
        let mut piece = [0; 1 << 10];
        while let Ok(bytes @ 1..) = stream.read(&mut piece).await {
            let mut kept = self.kept.lock();
            kept.extend_from_slice(&piece[..bytes]);
            let extra = kept.len().saturating_sub(COMPLAINTS_BYTES);
            kept.drain(..extra);
        }
    }
}
