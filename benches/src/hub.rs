//! A hub as a child process with a data folder of its own.

use std::{
    net::{SocketAddr, TcpListener},
    path::PathBuf,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::Context as _;
use tempfile::TempDir;

use crate::{
    http::{Connection, get},
    process,
};

const TIMEOUT: Duration = Duration::from_secs(60);

pub struct Hub {
    pub address: SocketAddr,
    /// Time from process start to the first page.
    pub started_in: Duration,
    process: Child,
    folder: Option<TempDir>,
    settings: Vec<Setting>,
}

/// Environment variable of the hub.
pub type Setting = (&'static str, String);

impl Hub {
    /// Starts a hub on `folder` and waits for its first page.
    pub async fn start(folder: TempDir) -> anyhow::Result<Self> {
        Self::with_settings(folder, Vec::new()).await
    }

    pub async fn with_settings(folder: TempDir, settings: Vec<Setting>) -> anyhow::Result<Self> {
        let address = free_address()?;
        let mut command = Command::new(binary());
        command
            .arg("serve")
            .env("PLEXUS_LISTEN", address.to_string())
            .env("PLEXUS_DATA_DIR", folder.path())
            .env("PLEXUS_RATE_LIMIT_SCALE", "100000")
            .env("PLEXUS_QUOTA_BYTES", "1 TiB")
            .env("PLEXUS_QUOTA_BYTES_ANONYMOUS", "1 TiB")
            .env("PLEXUS_QUOTA_CHATS", "1000000000")
            .env("PLEXUS_QUOTA_AGENTS", "1000000")
            .env("PLEXUS_QUOTA_VERSIONS", "1000000")
            .env("PLEXUS_MAX_RUNS_PER_AGENT", "100000")
            .env("PLEXUS_MAX_RUNS_PER_ACCOUNT", "100000")
            .env("PLEXUS_LOG", "warn")
            .envs(settings.iter().cloned());
        Self::spawn(command, address, Some(folder), settings).await
    }

    /// Starts a hub in conformance mode, which has an agent that answers with a message without a task.
    pub async fn for_kits() -> anyhow::Result<Self> {
        let address = free_address()?;
        let mut command = Command::new(binary());
        command.args(["conformance", "--listen", &address.to_string()]);
        Self::spawn(command, address, None, Vec::new()).await
    }

    async fn spawn(
        mut command: Command,
        address: SocketAddr,
        folder: Option<TempDir>,
        settings: Vec<Setting>,
    ) -> anyhow::Result<Self> {
        let begun = Instant::now();
        let process = command.stdout(Stdio::null()).spawn();
        let process =
            process.with_context(|| format!("starting {}: `make release` makes it", binary().display()))?;
        let mut hub = Self { address, started_in: Duration::ZERO, process, folder, settings };
        while hub.first_page().await.is_err() {
            anyhow::ensure!(begun.elapsed() < TIMEOUT, "the hub showed no page within a minute");
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        hub.started_in = begun.elapsed();
        Ok(hub)
    }

    /// Restarts the hub as a new process, at another address.
    pub async fn again(mut self) -> anyhow::Result<Self> {
        self.end();
        let folder = self.folder.take().context("a hub without a folder")?;
        Self::with_settings(folder, std::mem::take(&mut self.settings)).await
    }

    async fn first_page(&self) -> anyhow::Result<()> {
        let (status, _) = Connection::open(self.address).await?.ask(&get(self.address, "/")).await?;
        anyhow::ensure!(status == 200, "the first page answered {status}");
        Ok(())
    }

    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// Returns the resident memory in MiB.
    pub fn memory_mib(&self) -> anyhow::Result<f64> {
        Ok(process::memory_kib(self.id())? / 1024.0)
    }

    fn end(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Drop for Hub {
    fn drop(&mut self) {
        self.end();
    }
}

/// Returns the measured program.
pub fn binary() -> PathBuf {
    std::env::var_os("PLEXUS_BENCH_BINARY")
        .map_or_else(|| PathBuf::from("target/release/plexus"), PathBuf::from)
}

fn free_address() -> anyhow::Result<SocketAddr> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?)
}
