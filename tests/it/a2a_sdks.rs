//! Tests with the official A2A SDK clients: they verify the card signature, send, stream, resubscribe, list
//! and cancel, over both bindings.

use std::{path::PathBuf, process::Stdio, time::Duration};

use serde_json::{Value, json};
use tokio::{process::Command, time::timeout};

use crate::{
    client::text_of,
    hub::{Hub, on_both},
    tokens::make,
};

const TIMEOUT: Duration = Duration::from_secs(240);

/// Runs a client script and returns the JSON that it prints.
async fn tour(hub: &Hub, program: &str, script: &str) -> Value {
    let ada = hub.person("ada").await;
    let token = make(&ada, &["chat", "read"]).await;
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    let python = root.join(".cache/venv/bin/python");
    let program = if program == "python" { python.as_os_str() } else { program.as_ref() };
    let url = format!("{}/a2a/plexus/calc/", hub.origin());
    let mut command = Command::new(program);
    command.arg(root.join("tests/agents").join(script)).arg(url).arg(token);
    let output = command.stdin(Stdio::null()).kill_on_drop(true).output();
    let output = timeout(TIMEOUT, output).await.expect("it ends in time");
    let output = output.expect("the program is there; `scripts/setup test` installs it");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn assert_tour(seen: &Value) {
    for binding in ["JSONRPC", "HTTP+JSON"] {
        let seen = &seen[binding];
        for (what, state) in [
            (&seen["sent"], "TASK_STATE_COMPLETED"),
            (&seen["streamed"]["state"], "TASK_STATE_COMPLETED"),
            (&seen["followed"]["state"], "TASK_STATE_COMPLETED"),
            (&seen["canceled"], "TASK_STATE_CANCELED"),
        ] {
            assert_eq!(what, &json!(state), "{binding}: {seen}");
        }
        assert!(text_of(&seen["streamed"]["text"]).contains("20"), "{binding}: {seen}");
        assert!(text_of(&seen["got"]).contains('5'), "{binding}: {seen}");
        assert_eq!(seen["listed"][1], json!(1), "one on a page");
        assert!(seen["listed"][0].as_i64() >= Some(2), "{binding}: {seen}");
        let kinds = seen["streamed"]["kinds"].as_array().expect("a list");
        assert!(kinds.len() > 2 && kinds[0] == json!("task"), "{binding}: {kinds:?}");
    }
}

on_both! {
    // Slow: the SDK takes seconds to load, and its tour waits for timers of the hub.
    async fn the_python_sdk_finds_its_way(hub: &Hub) {
        assert_tour(&tour(hub, "python", "python/client.py").await);
    }

    // Slow: its tour waits for timers of the hub.
    async fn the_javascript_sdk_finds_its_way(hub: &Hub) {
        assert_tour(&tour(hub, "node", "js/client.mjs").await);
    }
}
