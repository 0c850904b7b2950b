//! Child processes that run a server of this program.

use std::{
    io::{BufRead as _, BufReader},
    net::SocketAddr,
    process::{Child, Command, Stdio},
};

use anyhow::Context as _;
use axum::{Router, serve::ListenerExt as _};
use tokio::net::TcpListener;

use crate::print;

pub struct Part {
    pub address: SocketAddr,
    process: Child,
}

impl Part {
    /// Starts this program with `arguments`, which make it serve and print its address.
    pub fn start(arguments: &[&str]) -> anyhow::Result<Self> {
        let program = std::env::current_exe()?;
        let mut process = Command::new(program).args(arguments).stdout(Stdio::piped()).spawn()?;
        let mut line = String::new();
        BufReader::new(process.stdout.take().context("no output")?).read_line(&mut line)?;
        let address =
            line.trim().parse().with_context(|| format!("{} did not start", arguments.join(" ")))?;
        Ok(Self { address, process })
    }

    pub fn id(&self) -> u32 {
        self.process.id()
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Serves and prints the address, until the process is killed.
pub async fn serve(router: Router) -> anyhow::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    print(&listener.local_addr()?.to_string());
    let listener = listener.tap_io(|stream| {
        let _ = stream.set_nodelay(true);
    });
    Ok(axum::serve(listener, router).await?)
}
