//! Tests of the OpenAPI description of `/api/v1`: it lists exactly the served operations, its documentation
//! page renders, and a third-party tester (Schemathesis) finds no fault.

use std::{collections::HashSet, path::PathBuf, process::Stdio, time::Duration};

use reqwest::{Method, StatusCode};
use serde_json::Value;
use tokio::{process::Command, time::timeout};

use crate::{
    client::{Client, text_of},
    hub::{Hub, on_both},
    tokens::make,
};

const METHODS: [Method; 5] = [Method::GET, Method::POST, Method::PUT, Method::PATCH, Method::DELETE];
const NAMED: &str = include_str!("../../docs/api.md");

on_both! {
    async fn what_is_described_is_served_and_the_other_way_round(hub: &Hub) {
        let visitor = hub.visitor();
        let document = document(&visitor).await;
        assert!(text_of(&document["openapi"]).starts_with("3.1"), "{}", document["openapi"]);
        for (path, item) in document["paths"].as_object().expect("paths") {
            for method in METHODS {
                let operation = &item[method.as_str().to_lowercase()];
                let place = format!("{method} {path}");
                let answer = visitor.send(visitor.request(method, &format!("/api/v1{}", filled(path)))).await;
                if path.ends_with("/attach") && !operation.is_null() {
                    answer.refusal(StatusCode::BAD_REQUEST);
                    continue;
                }
                if operation.is_null() {
                    answer.refusal(StatusCode::METHOD_NOT_ALLOWED);
                } else if operation["security"][0]["token"].is_array() {
                    assert_eq!(answer.status, StatusCode::UNAUTHORIZED, "{place}: {answer:?}");
                } else {
                    assert_eq!(answer.status, StatusCode::OK, "{place}: {answer:?}");
                }
            }
        }
        let (_, words) = visitor.get("/api/v1/nothing").await.refusal(StatusCode::NOT_FOUND);
        assert!(words.contains("/docs/api"), "{words}");
    }

    async fn people_read_the_same(hub: &Hub) {
        let visitor = hub.visitor();
        let document = document(&visitor).await;
        let page = visitor.get("/docs/api").await.expect(StatusCode::OK);
        page.says("Make a token under <strong>Settings</strong>");
        let mut scopes = HashSet::new();
        for (path, item) in document["paths"].as_object().expect("paths") {
            for (method, operation) in item.as_object().expect("operations") {
                let method = method.to_uppercase();
                page.says(&format!("{method} {path}</h3>"));
                let row = NAMED.lines().find(|line| {
                    let named = [format!("{path}`"), format!("{path}?")].iter().any(|end| line.contains(end));
                    line.starts_with("| `") && line.contains(&method) && named
                });
                let row = row.or_else(|| (path == "/openapi.json").then_some("| | |"));
                let row = row.unwrap_or_else(|| panic!("docs/api.md has no row for {method} {path}"));
                for scope in operation["security"][0]["token"].as_array().into_iter().flatten() {
                    let scope = scope.as_str().expect("a word").to_owned();
                    assert!(row.contains(&format!("`{scope}`")), "{row} does not name {scope}");
                    scopes.insert(scope);
                }
            }
        }
        assert_eq!(scopes, HashSet::from(["read", "chat", "agents", "team", "admin"].map(str::to_owned)));
    }

    // Slow: the tester makes several calls of each operation.
    async fn a_tester_that_goes_by_the_description_finds_no_fault(hub: &Hub) {
        let boss = hub.administrator("boss").await;
        let token = make(&boss, &["read", "chat", "agents", "team", "admin"]).await;
        let chat = boss.begin("@plexus/calc", "1 + 1").await.chat;
        let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut command = Command::new(root.join(".cache/venv/bin/schemathesis"));
        command
            .arg("run")
            .arg(format!("{}/api/v1/openapi.json", hub.origin()))
            .args(["--header", &format!("Authorization: Bearer {token}")])
            .args(["--max-examples", "12", "--generation-deterministic", "--no-color"])
            .args(["--checks", "all", "--exclude-checks", UNFIT, "--exclude-operation-id", "events.subscribe", "--exclude-operation-id", "agents.attach"])
            .args(["--request-timeout", "10", "--max-time", "45", "--no-shrink"])
            .current_dir(hub.folder())
            .stdin(Stdio::null())
            .kill_on_drop(true);
        let output = timeout(TIMEOUT, command.output()).await.expect("it ends in time");
        let output = output.expect("the program is there; `scripts/setup test` installs it");
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
        boss.get(&format!("/api/v1/chats/{chat}")).await.expect(StatusCode::OK);
    }
}

/// Excluded checks. A valid string may still be no agent address. The tester also mistakes the id of the
/// first message for the id of its chat.
const UNFIT: &str = "positive_data_acceptance,ensure_resource_availability";
const TIMEOUT: Duration = Duration::from_secs(120);

async fn document(client: &Client) -> Value {
    client.api("/openapi.json").await
}

fn filled(path: &str) -> String {
    path.split('/')
        .map(|step| if step.starts_with('{') { NOBODYS } else { step })
        .collect::<Vec<_>>()
        .join("/")
}

const NOBODYS: &str = "01a1f7fe-8f58-789b-93e8-e4574687b706";
