//! Tests of a team of agents on the official SDKs, with a real small model as decision maker. The model is
//! too weak to decide well, so the rules must end the team regardless. `make interop` runs the same with
//! third-party agents and twenty goals.
//!
//! Slow: the model runs on the processor.

use std::{collections::BTreeSet, path::Path};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use plexus_a2a::keys::PublicKey;
use plexus_domain::{
    Digest,
    team::{LogEntry, Team},
};
use plexus_store::testing::Database;
use serde_json::{Value, json};

use crate::{
    clerk,
    client::{Client, text_of},
    hub::{self, Given, Hub, play_on_both},
    mcp_tools::{self, Server, start},
    team,
};

const MODEL: &str = "smollm2";
/// The model gets half of a turn for each decision, and shares the cores with other tests.
const LIMITS: &str =
    r#"{"seconds": 25, "turn_seconds": 24, "assignment_seconds": 20, "turns": 8, "max_subteam_depth": 0}"#;
const TERMINAL: [&str; 5] = ["completed", "failed", "cancelled", "rejected", "timed_out"];

play_on_both!(on);

async fn on(database: Option<Database>) {
    let python = mcp_tools::python();
    let flags = ["--name", MODEL, "--threads", "1", "--longest-answer", "64"];
    let model = start(&python, "model/serve.py", &flags).await;
    let agents = [
        ("keeper", start(&python, "python/agent.py", &["--protocol", "0.3", "--delay", "0"]).await),
        ("weaver", start(Path::new("node"), "js/agent.mjs", &["--delay", "0"]).await),
    ];
    hub::run(database, &deciding(&model), async |hub: &Hub| {
        let grace = hub.administrator("grace").await;
        for (name, agent) in &agents {
            clerk::register(&grace, &agent.url, name).await;
        }
        let limits: Value = serde_json::from_str(LIMITS).expect("JSON");
        let members = agents.each_ref().map(|(name, _)| format!("@grace/{name}"));
        let goal = "Count to 12 as a lighthouse flashes, and weave 3 rows of cloth.";
        let id = team::launch(&grace, &json!({ "goal": goal, "members": members, "limits": limits })).await;
        let team = team::ended(&grace, &id).await;
        has_ended(&team);
        is_one_signed_chain(hub, &team).await;
        let log = grace.api(&format!("/teams/{id}/log")).await["items"].as_array().cloned().expect("a list");
        the_model_was_asked(&log);
        nobody_spoke_out_of_turn(&grace, &team, &log).await;
    })
    .await;
}

fn deciding(model: &Server) -> [Given; 3] {
    let base: &'static str = model.url.clone().leak();
    [("PLEXUS_LLM_BASE_URL", base), ("PLEXUS_LLM_MODEL", MODEL), ("PLEXUS_TEAM_MODEL", MODEL)]
}

/// Asserts that the team ended with an answer or a reason for its failure, and without open work.
fn has_ended(team: &Value) {
    let (answer, failure) = (&team["answer"], &team["failure"]);
    match team["state"].as_str() {
        Some("closed") => assert!(!text_of(answer).is_empty() && failure.is_null(), "{team:#}"),
        Some("failed") => assert!(!text_of(failure).is_empty() && answer.is_null(), "{team:#}"),
        _ => panic!("it has not ended: {team:#}"),
    }
    let deadline = team["deadline"].as_i64().zip(team["ended"].as_i64());
    assert!(deadline.is_some_and(|(deadline, ended)| ended < deadline + 60_000), "{team:#}");
    for work in team["assignments"].as_array().expect("a list") {
        assert!(TERMINAL.contains(&text_of(&work["state"]).as_str()), "{team:#}");
    }
}

/// Asserts that each log entry contains the hash of its predecessor and a valid signature of the hub's
/// published key, and that replaying the log yields the team's state.
async fn is_one_signed_chain(hub: &Hub, team: &Value) {
    let key = hub.visitor().get("/.well-known/jwks.json").await.json()["keys"][0]["x"].clone();
    let key = URL_SAFE_NO_PAD.decode(text_of(&key)).expect("base64");
    let key = PublicKey::from_bytes(&key.try_into().expect("32 bytes")).expect("a key");
    let written = hub.team_log().await;
    let (mut log, mut before) = (Vec::new(), Digest::of(b""));
    for (number, (body, signature)) in (0..).zip(written) {
        assert!(key.verifies(&body, &signature.try_into().expect("64 bytes")), "entry {number}");
        let entry = LogEntry::read(String::from_utf8(body).expect("text")).expect("an entry");
        assert!(entry.seq() == number && entry.follows(before), "entry {number}");
        before = entry.digest();
        log.push(entry);
    }
    let replayed = Team::replay(&log).expect("a log by the rules");
    assert_eq!(json!(replayed.log_head().0), team["log_seq"], "{team:#}");
    assert_eq!(replayed.phase().as_str(), text_of(&team["phase"]), "{team:#}");
    assert_eq!(json!(replayed.turn()), team["turn"], "{team:#}");
}

/// Asserts that the model was asked. Its input counts even if its answer came too late.
fn the_model_was_asked(log: &[Value]) {
    let mut decided = log.iter().map(|entry| &entry["event"]).filter(|event| event["kind"] == "decided");
    assert!(decided.any(|event| event["usage"]["tokens_in"].as_u64() > Some(100)), "{log:#?}");
}

/// Asserts that each member spoke in its own turn, and only once in it.
async fn nobody_spoke_out_of_turn(client: &Client, team: &Value, log: &[Value]) {
    let path = format!("/teams/{}", text_of(&team["id"]));
    assert_eq!(log.last().map(|entry| &entry["seq"]), Some(&team["log_seq"]), "{team:#}");
    let mut spoken = BTreeSet::new();
    for (number, entry) in log.iter().enumerate().filter(|(_, entry)| entry["event"]["kind"] == "said") {
        let before = client.api(&format!("{path}?log_seq={}", number - 1)).await;
        let (seat, turn) = (&entry["by"]["seat"], &entry["event"]["turn"]);
        assert_eq!((seat, turn), (&before["speaker"], &before["turn"]), "{entry} after {before:#}");
        assert!(["discussing", "concluding"].contains(&text_of(&before["phase"]).as_str()), "{before:#}");
        assert!(spoken.insert(turn.as_u64().expect("a number")), "two spoke in turn {turn}: {log:#?}");
    }
}
