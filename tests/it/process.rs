//! Fixture: the `plexus` program as a child process that tests can kill.

use std::{
    path::{Path, PathBuf},
    process::{Output, Stdio},
    time::Duration,
};

use plexus_store::testing::prepare_sqlite;
use reqwest::StatusCode;
use tokio::{
    io::{AsyncBufReadExt as _, BufReader, Lines},
    process::{Child, ChildStdout, Command},
    time::timeout,
};

use crate::{
    client::{Client, PASSWORD},
    namespace::Namespace,
};

/// Timeout for starting and stopping, generous for slow machines.
const TIMEOUT: Duration = Duration::from_secs(60);

pub struct Process {
    pub origin: String,
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Process {
    /// Serves the data folder and waits until the hub is ready.
    pub async fn serve(folder: &Path) -> Self {
        Self::serve_with(folder, &[]).await
    }

    /// Does the same, on Postgres if its URL is given.
    pub async fn serve_on(folder: &Path, database: Option<&str>) -> Self {
        let process = Self::spawn(folder, &[], database).await;
        process.until_ready().await;
        process
    }

    /// Does the same, with flags and a database.
    pub async fn serve_as(folder: &Path, flags: &[&str], database: Option<&str>) -> Self {
        let process = Self::spawn(folder, flags, database).await;
        process.until_ready().await;
        process
    }

    /// Does the same, with flags.
    pub async fn serve_with(folder: &Path, flags: &[&str]) -> Self {
        let process = Self::start(folder, flags).await;
        process.until_ready().await;
        process
    }

    /// Waits until the search index is complete.
    pub async fn until_ready(&self) {
        let client = Client::new(&self.origin);
        let ready = async { while client.get("/readyz").await.status != StatusCode::OK {} };
        timeout(TIMEOUT, ready).await.expect("it is ready in time");
    }

    /// Serves the data folder without waiting for the search index.
    pub async fn start(folder: &Path, flags: &[&str]) -> Self {
        Self::spawn(folder, flags, None).await
    }

    /// Starts a conformance hub.
    pub async fn conformance(folder: &Path) -> Self {
        let mut command = command(folder);
        command.args(["conformance", "--listen", "127.0.0.1:0"]);
        Self::run(command).await
    }

    async fn spawn(folder: &Path, flags: &[&str], database: Option<&str>) -> Self {
        if database.is_none() {
            prepare_sqlite(folder).await;
        }
        let mut command = command(folder);
        command.args([&["serve", "--listen", "127.0.0.1:0"], flags].concat());
        command.envs(database.map(|url| ("DATABASE_URL", url)));
        Self::run(command).await
    }

    /// Serves the data folder as a process that may open this number of files.
    pub async fn serve_with_open_files(folder: &Path, files: u64) -> Self {
        prepare_sqlite(folder).await;
        let mut command = furnished(Command::new("prlimit"), folder);
        command.env("PATH", std::env::var("PATH").unwrap_or_default());
        command.arg(format!("--nofile={files}:{files}")).arg(program());
        command.args(["serve", "--listen", "127.0.0.1:0"]);
        let process = Self::run(command).await;
        process.until_ready().await;
        process
    }

    /// Serves the data folder in a network namespace, at its address.
    pub async fn serve_within(namespace: &Namespace, folder: &Path, flags: &[&str]) -> Self {
        let mut command = furnished(namespace.command(&program()), folder);
        let listen = format!("{}:0", namespace.address);
        // `ip` is searched for in PATH.
        command.env("PATH", std::env::var("PATH").unwrap_or_default());
        command.args([&["serve", "--listen", &listen], flags].concat());
        let process = Self::run(command).await;
        process.until_ready().await;
        process
    }

    /// Runs a serving command and waits until the hub is ready.
    pub async fn serve_by(command: Command) -> Self {
        let process = Self::run(command).await;
        process.until_ready().await;
        process
    }

    async fn run(mut command: Command) -> Self {
        let mut child = command.spawn().expect("the program starts");
        let mut lines = BufReader::new(child.stdout.take().expect("its output is piped")).lines();
        let first = timeout(TIMEOUT, lines.next_line()).await.expect("it starts in time").expect("text");
        let first = first.expect("it says where it serves");
        let url = first.strip_prefix("Plexus serves on ").expect("where it serves");
        Self { origin: url.trim_end_matches('/').to_owned(), child, lines }
    }

    /// Signs up with the administrator link that the hub printed.
    pub async fn administrator(&mut self, name: &str) -> Client {
        let link = self.link().await;
        let token = link.rsplit_once('=').expect("a link with a token").1;
        let client = Client::new(&self.origin);
        let fields = [("name", name), ("password", PASSWORD), ("admin", token)];
        client.post("/signup", &fields).await.expect(StatusCode::SEE_OTHER);
        client
    }

    /// Returns the administrator link that the hub printed.
    pub async fn link(&mut self) -> String {
        let line = self.line().await;
        line.split_once(": ").map(|(_, link)| link.to_owned()).expect("a link")
    }

    /// Returns the next line of output.
    pub async fn line(&mut self) -> String {
        let line = timeout(TIMEOUT, self.lines.next_line()).await.expect("in time").expect("text");
        line.expect("another line")
    }

    /// Kills the process without a clean shutdown.
    pub async fn kill(mut self) {
        self.child.kill().await.expect("it can be killed");
    }

    /// Sends SIGTERM, as a supervisor does.
    pub fn terminate(&self) {
        self.signal("-TERM");
    }

    /// Suspends the process (SIGSTOP), to simulate a hanging instance.
    pub fn freeze(&self) {
        self.signal("-STOP");
    }

    pub fn thaw(&self) {
        self.signal("-CONT");
    }

    /// Sends SIGTERM to the traced child. The tracer exits with it.
    pub fn terminate_child(&self) {
        let id = self.child.id().expect("it runs");
        let children =
            std::fs::read_to_string(format!("/proc/{id}/task/{id}/children")).expect("its children");
        send("-TERM", children.trim());
    }

    /// Returns the CPU time used. Linux counts in hundredths of a second here (proc_pid_stat(5)).
    pub fn cpu_time(&self) -> Duration {
        let id = self.child.id().expect("it runs");
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).expect("it runs on Linux");
        let fields: Vec<&str> = stat.rsplit_once(')').expect("a name").1.split_whitespace().collect();
        let hundredths = |field: usize| fields[field].parse::<u64>().expect("a number");
        Duration::from_millis((hundredths(11) + hundredths(12)) * 10)
    }

    /// Returns the resident memory in bytes (proc_pid_status(5)).
    pub fn resident_memory(&self) -> u64 {
        self.memory("VmRSS:")
    }

    /// Returns the largest resident memory since it was reset, in bytes.
    pub fn peak_memory(&self) -> u64 {
        self.memory("VmHWM:")
    }

    pub fn reset_peak_memory(&self) {
        let id = self.child.id().expect("it runs");
        std::fs::write(format!("/proc/{id}/clear_refs"), "5").expect("it runs as the same user");
    }

    fn memory(&self, field: &str) -> u64 {
        let id = self.child.id().expect("it runs");
        let status = std::fs::read_to_string(format!("/proc/{id}/status")).expect("it runs on Linux");
        let line = status.lines().find_map(|line| line.strip_prefix(field)).expect("the field");
        line.trim().trim_end_matches(" kB").parse::<u64>().expect("a number") << 10
    }

    fn signal(&self, signal: &str) {
        send(signal, &self.child.id().expect("it runs").to_string());
    }

    /// Waits for the exit and returns the exit code.
    pub async fn ended(mut self) -> i32 {
        let status = timeout(TIMEOUT, self.child.wait()).await.expect("it ends in time").expect("a status");
        status.code().expect("it ended by itself")
    }
}

fn send(signal: &str, process: &str) {
    let sent = std::process::Command::new("kill").args([signal, process]).status().expect("kill");
    assert!(sent.success());
}

/// Runs a command to its end.
pub async fn plexus(folder: &Path, arguments: &[&str]) -> Output {
    let output = command(folder).args(arguments).output();
    timeout(TIMEOUT, output).await.expect("it ends in time").expect("the program starts")
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("text")
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("text")
}

/// Returns a `plexus` command with only the settings of the test.
pub fn command(folder: &Path) -> Command {
    furnished(Command::new(program()), folder)
}

/// Returns `plexus` under `strace`, which logs the system calls relevant for durability to `file`. Returns
/// `None` if this process may not trace.
pub fn traced(folder: &Path, file: &Path) -> Option<Command> {
    const CALLS: &str = "trace=fsync,fdatasync,pwrite64,write,writev,sendto,sendmsg";
    let may = std::process::Command::new("strace").args(["-f", "-o", "/dev/null", "true"]).output();
    if !may.expect("strace is installed; `scripts/setup test` does it").status.success() {
        return None;
    }
    let mut command = furnished(Command::new("strace"), folder);
    command.env("PATH", std::env::var("PATH").unwrap_or_default());
    command.args(["-f", "-y", "-s", "32", "-e", CALLS, "-o"]).arg(file).arg("--").arg(program());
    Some(command)
}

fn furnished(mut command: Command, folder: &Path) -> Command {
    command
        .env_clear()
        // No hub listens there: a command must not find the hub of another test.
        .env("PLEXUS_LISTEN", "127.0.0.1:9")
        .env("PLEXUS_DATA_DIR", folder.join("data"))
        .env("PLEXUS_RATE_LIMIT_SCALE", "1000")
        .env("PLEXUS_QUOTA_AGENTS", "100000")
        .env("PLEXUS_QUOTA_VERSIONS", "100000")
        .env("PLEXUS_MAX_RUNS_PER_ACCOUNT", "64")
        .env("PLEXUS_LOG", "error")
        // The tests kill processes but do not simulate power loss.
        .env("PLEXUS_SQLITE_DURABILITY", "crash")
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    command
}

/// Returns the path of the program: `PLEXUS_BINARY` (an absolute path, such as that of a release build), or the
/// one next to the folder of the test programs.
pub fn program() -> PathBuf {
    if let Some(program) = std::env::var_os("PLEXUS_BINARY") {
        return program.into();
    }
    let tests = std::env::current_exe().expect("this program has a path");
    let folder = tests.ancestors().nth(2).expect("target/debug");
    let program = folder.join("plexus");
    assert!(program.exists(), "{} is missing; build it with `make build`", program.display());
    program
}
