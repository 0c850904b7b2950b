//! A hub as a process of its own, with a data folder of its own.

use std::{
    net::{SocketAddr, TcpListener},
    path::PathBuf,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::Context as _;
use tempfile::TempDir;

use crate::http::{Connection, get};

const PATIENCE: Duration = Duration::from_secs(60);

pub struct Hub {
    pub address: SocketAddr,
    /// From starting the process to the first page.
    pub started_in: Duration,
    process: Child,
    _folder: TempDir,
}

impl Hub {
    /// Starts a hub on `folder` and waits for its first page.
    pub async fn start(folder: TempDir) -> anyhow::Result<Self> {
        let address = free_address()?;
        let begun = Instant::now();
        let process = Command::new(binary())
            .arg("serve")
            .env("PLEXUS_LISTEN", address.to_string())
            .env("PLEXUS_DATA_DIR", folder.path())
            .env("PLEXUS_LIMITS_SCALE", "100000")
            .env("PLEXUS_LOG", "warn")
            .stdout(Stdio::null())
            .spawn()
            .with_context(|| format!("starting {}: `make release` makes it", binary().display()))?;
        let mut hub = Self { address, started_in: Duration::ZERO, process, _folder: folder };
        while hub.first_page().await.is_err() {
            anyhow::ensure!(begun.elapsed() < PATIENCE, "the hub showed no page within a minute");
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        hub.started_in = begun.elapsed();
        Ok(hub)
    }

    async fn first_page(&self) -> anyhow::Result<()> {
        let (status, _) = Connection::open(self.address).await?.ask(&get(self.address, "/")).await?;
        anyhow::ensure!(status == 200, "the first page answered {status}");
        Ok(())
    }

    /// Resident memory in MiB.
    pub fn memory_mib(&self) -> anyhow::Result<f64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.process.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("no VmRSS")?;
        let kib: f64 = line.trim().trim_end_matches(" kB").trim().parse()?;
        Ok(kib / 1024.0)
    }
}

impl Drop for Hub {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn binary() -> PathBuf {
    std::env::var_os("PLEXUS_BENCH_BINARY")
        .map_or_else(|| PathBuf::from("target/release/plexus"), PathBuf::from)
}

fn free_address() -> anyhow::Result<SocketAddr> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?)
}
