//! Load test: twenty accounts attack a hub with default limits concurrently while one account chats. The long
//! form takes two minutes. The short form takes ten seconds, enough to reach the rate limits.

use std::{
    fs,
    path::Path,
    time::{Duration, Instant},
};

use reqwest::{Method, StatusCode, header};
use serde_json::json;

use crate::{
    client::{Client, new_id},
    events::answer_after,
    process::{Process, command},
};

const ATTACKERS: u8 = 20;
/// Invalid tokens in a round: more than the limit of a client address, since a slow machine does only one round.
const GUESSES: u8 = 40;
const MEBIBYTE: u64 = 1 << 20;
/// Limits of the 99th percentile of health checks and of the honest user's answers, in an unoptimised build
/// with both cores busy with attacks and other tests.
const SLOWEST_HEALTH: Duration = Duration::from_secs(1);
const SLOWEST_ANSWER: Duration = Duration::from_secs(10);

/// Responses to one attacker.
#[derive(Default)]
struct Outcome {
    taken: u32,
    refused: u32,
    /// Requests answered with a 5xx status.
    faults: Vec<String>,
}

impl Outcome {
    fn note(&mut self, what: &str, status: StatusCode) {
        match status.as_u16() {
            429 | 413 => self.refused += 1,
            500.. => self.faults.push(format!("{what}: {status}")),
            _ => self.taken += 1,
        }
    }
}

/// Runs one account at its own client address that sends expensive requests until `until`.
async fn attack(origin: String, number: u8, until: Instant) -> Outcome {
    let client = Client::from_address(&origin, &format!("198.51.100.{number}"));
    client.sign_up(&format!("attacker{number}")).await;
    let mut outcome = Outcome::default();
    let texts = [
        ">".repeat(140_000),
        format!("```r\n{}\n```\n", "a$b([".repeat(20_000)),
        format!("```cpp\n{}\n```\n", "a<b<c(".repeat(15_000)),
        "&".repeat(190_000),
        "x ".repeat(500_000),
    ];
    let mut round = 0_usize;
    while Instant::now() < until {
        let text = &texts[round % texts.len()];
        let begun = client
            .call(Method::POST, "/chats", &json!({ "id": new_id(), "to": "@plexus/calc", "text": text }))
            .await;
        outcome.note("chat", begun.status);
        if begun.status == StatusCode::CREATED {
            let path = format!("/chat/{}", begun.json()["chat"].as_str().expect("an id"));
            for _ in 0..3 {
                outcome.note("page", client.get(&path).await.status);
            }
        }
        let new = json!({ "name": format!("a{round}"), "attached": true, "title": "Calculator", "summary": "calculator" });
        outcome.note("agent", client.call(Method::POST, "/agents", &new).await.status);
        for method in [Method::PUT, Method::DELETE] {
            outcome.note("star", client.call(method, "/agents/plexus/calc/star", &json!({})).await.status);
        }
        outcome.note("search", client.get(&format!("/agents?q=calc{round}")).await.status);
        for number in 0..GUESSES {
            let guess = client.with_token(&format!("guess{round}-{number}"));
            outcome.note("token", guess.get("/api/v1/account").await.status);
        }
        let code = client
            .request(Method::POST, "/oauth/token")
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded");
        let code = code.body("grant_type=authorization_code&client_id=x&code=y");
        outcome.note("code", client.send(code).await.status);
        round += 1;
    }
    outcome
}

/// Latencies of health checks and the honest user's requests.
#[derive(Default)]
struct Times {
    health: Vec<Duration>,
    /// Time until a message was acknowledged.
    sent: Vec<Duration>,
    /// Time until its answer was complete.
    answers: Vec<Duration>,
}

async fn chat_honestly(origin: String, until: Instant) -> Times {
    let ada = Client::from_address(&origin, "203.0.113.1");
    ada.sign_up("ada").await;
    let mut times = Times::default();
    let mut asked = 0_u32;
    // The rate limit is one message per second.
    let mut pace = tokio::time::interval(Duration::from_millis(1_050));
    while Instant::now() < until {
        pace.tick().await;
        let start = Instant::now();
        ada.get("/healthz").await.expect(StatusCode::OK);
        times.health.push(start.elapsed());
        let start = Instant::now();
        let said = ada.begin("@plexus/calc", &format!("{asked} + 1")).await;
        times.sent.push(start.elapsed());
        let answer = answer_after(&ada, &said.chat, 0).await;
        times.answers.push(start.elapsed());
        asked += 1;
        assert_eq!(answer["state"], "done", "{answer}");
        let expected = format!("{asked}");
        assert!(crate::events::text_in(&answer).contains(&expected), "{answer}");
    }
    times
}

fn percentile_99(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times.get((times.len() * 99).div_ceil(100).saturating_sub(1)).copied().unwrap_or_default()
}

fn size_of(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| match entry.metadata() {
            Ok(metadata) if metadata.is_dir() => size_of(&entry.path()),
            Ok(metadata) => metadata.len(),
            Err(_) => 0,
        })
        .sum()
}

async fn a_hub_holds_for(seconds: u64) {
    let folder = tempfile::tempdir().expect("a folder");
    let mut serve = command(folder.path());
    serve.args(["serve", "--listen", "127.0.0.1:0", "--trusted-proxies", "127.0.0.1"]);
    for changed in [
        "PLEXUS_RATE_LIMIT_SCALE",
        "PLEXUS_QUOTA_AGENTS",
        "PLEXUS_QUOTA_VERSIONS",
        "PLEXUS_MAX_RUNS_PER_ACCOUNT",
        "PLEXUS_SQLITE_DURABILITY",
    ] {
        serve.env_remove(changed);
    }
    let hub = Process::serve_by(serve).await;
    let until = Instant::now() + Duration::from_secs(seconds);
    let honest = tokio::spawn(chat_honestly(hub.origin.clone(), until));
    let attacks: Vec<_> =
        (1..=ATTACKERS).map(|number| tokio::spawn(attack(hub.origin.clone(), number, until))).collect();
    let mut sum = Outcome::default();
    for attack in attacks {
        let outcome = attack.await.expect("an attack ends");
        sum.taken += outcome.taken;
        sum.refused += outcome.refused;
        sum.faults.extend(outcome.faults);
    }
    let mut times = honest.await.expect("the honest account is served");
    let [health, sent, answers] =
        [&mut times.health, &mut times.sent, &mut times.answers].map(|times| percentile_99(times));
    let stored = size_of(&folder.path().join("data")) / MEBIBYTE;
    println!(
        "{seconds} s, {} requests taken, {} refused, {} honest answers; p99: health {health:?}, sent {sent:?}, answers {answers:?}; {stored} MiB stored",
        sum.taken,
        sum.refused,
        times.answers.len()
    );
    assert_eq!(sum.faults, Vec::<String>::new(), "an attack is refused, and is no fault of the hub");
    assert!(sum.refused > 0, "the attack runs into limits");
    assert!(health < SLOWEST_HEALTH && answers < SLOWEST_ANSWER, "health {health:?}, answers {answers:?}");
    assert!(stored < u64::from(ATTACKERS) * 1_024, "{stored} MiB are more than the quotas of all accounts");
    hub.kill().await;
}

// Slow: the attack lasts 10 s.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn twenty_attackers_do_not_stop_a_hub() {
    a_hub_holds_for(10).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "two minutes: scripts/test-long runs it"]
async fn twenty_attackers_do_not_stop_a_hub_for_two_minutes() {
    a_hub_holds_for(120).await;
}
