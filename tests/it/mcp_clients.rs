//! Tests with unmodified third-party MCP clients.

use std::path::{Path, PathBuf};

use serde_json::Value;
use tokio::process::Command;

use crate::{
    client::text_of,
    hub::{Hub, on_both},
};

/// Script for the Python client. It starts with revision 2026-07-28, or with `initialize` if `mode` requests
/// it.
const SCRIPT: &str = r#"
import asyncio, json, sys
from mcp import Client

async def main(url, mode):
    heard = []
    async def progress(done, total, message):
        heard.append(done)
    async with Client(url, mode=mode) as client:
        tools = await client.list_tools()
        cards = await client.list_resources()
        answer = await client.call_tool("send_message", {"agent": "@plexus/calc", "message": "6 * 7"}, progress_callback=progress)
        print(json.dumps({
            "version": client.protocol_version, "tools": [tool.name for tool in tools.tools],
            "cards": [str(card.uri) for card in cards.resources],
            "answer": answer.structured_content, "heard": len(heard)}))

asyncio.run(main(sys.argv[1], sys.argv[2]))
"#;

on_both! {
    async fn the_python_client_asks_an_agent_in_both_revisions(hub: &Hub) {
        for (mode, version) in [("auto", "2026-07-28"), ("legacy", "2025-11-25")] {
            let said = python(&["-c", SCRIPT, &format!("{}/mcp", hub.origin()), mode]).await;
            let said: Value = serde_json::from_str(&said).expect("JSON");
            assert_eq!(text_of(&said["version"]), version);
            assert_eq!(said["tools"].as_array().map(Vec::len), Some(4), "{said}");
            assert!(said["cards"].to_string().contains("/calc/"), "{said}");
            assert!(text_of(&said["answer"]["text"]).contains("42"), "{said}");
            assert!(said["heard"].as_u64() > Some(0), "it heard of progress: {said}");
        }
    }
}

/// Runs Python with the test packages and returns its output.
pub async fn python(arguments: &[&str]) -> String {
    let python = root().join(".cache/venv/bin/python");
    assert!(python.exists(), "{} is missing; run `scripts/setup test`", python.display());
    let output = Command::new(python).args(arguments).kill_on_drop(true).output().await.expect("python runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}
