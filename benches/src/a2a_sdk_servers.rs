//! Third-party A2A servers as child processes: the agents of the tests, without a pause between pieces.

use std::{
    io::{BufRead as _, BufReader},
    net::SocketAddr,
    path::Path,
    process::{Child, Command, Stdio},
};

use anyhow::Context as _;

use crate::print;

/// Command of a server, and the path that must exist to run it.
pub struct Program {
    name: &'static str,
    needs: &'static str,
    command: &'static [&'static str],
}

pub const JAVASCRIPT: Program = Program {
    name: "@a2a-js/sdk",
    needs: "tests/agents/js/node_modules",
    command: &["node", "tests/agents/js/agent.mjs", "--delay", "0"],
};
pub const PYTHON: Program = Program {
    name: "a2a-sdk",
    needs: ".cache/venv/bin/python",
    command: &[".cache/venv/bin/python", "tests/agents/python/agent.py", "--protocol", "1.0", "--delay", "0"],
};

pub struct Sdk {
    pub address: SocketAddr,
    process: Child,
}

impl Sdk {
    /// Starts the server. Returns `None` if it is not installed.
    pub fn start(program: &Program) -> anyhow::Result<Option<Self>> {
        if !Path::new(program.needs).exists() {
            print(&format!("{}: skipped, {} is missing (scripts/setup demo)", program.name, program.needs));
            return Ok(None);
        }
        let [name, arguments @ ..] = program.command else { anyhow::bail!("a command without a name") };
        let mut process = Command::new(name).args(arguments).stdout(Stdio::piped()).spawn()?;
        let mut line = String::new();
        BufReader::new(process.stdout.take().context("no output")?).read_line(&mut line)?;
        let address = line.trim().trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        let address = address.parse().with_context(|| format!("{} said {line:?}", program.name))?;
        Ok(Some(Self { address, process }))
    }

    pub fn id(&self) -> u32 {
        self.process.id()
    }
}

impl Drop for Sdk {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
