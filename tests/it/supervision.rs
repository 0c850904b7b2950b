//! Tests that panicked background workers are restarted and complete their work.

use std::time::Duration;

use plexus_hub::federation;
use plexus_store::testing::Database;
use reqwest::{Method, StatusCode, header};
use serde_json::{Value, json};
use tokio::{task::yield_now, time::timeout};

use crate::{
    agent::Agent,
    agent_lists,
    client::{Client, text_of},
    events::{Events, Screen, TIMEOUT, answer_after, read_text},
    hub::{self, Hub, on_both},
    kit::message,
    team,
    tokens::make,
    webhooks::Webhook,
};

/// Time limit, longer than the restart backoff after a few failures.
const RESTARTED: Duration = Duration::from_secs(30);

async fn within(what: &str, work: impl Future<Output = ()>) {
    timeout(RESTARTED, work).await.unwrap_or_else(|_| panic!("{what}: not in time"));
}

fn is_down(hub: &Hub, worker: &str) -> bool {
    hub.inner().workers_down().iter().any(|(down, cause)| *down == worker && cause == "injected fault")
}

/// Makes a worker panic and waits until it runs again.
async fn crash(hub: &Hub, worker: &'static str) {
    let faults = hub.inner().env().faults();
    faults.inject(worker);
    within(worker, async {
        while !is_down(hub, worker) {
            yield_now().await;
        }
    })
    .await;
    faults.clear(worker);
    within(worker, async {
        while is_down(hub, worker) {
            yield_now().await;
        }
    })
    .await;
}

async fn until_number(hub: &Hub, query: &str, done: impl Fn(i64) -> bool) {
    within(query, async { while !done(hub.number(query).await) {} }).await;
}

/// Registers a scripted agent as `@grace/puppet`.
async fn puppet(hub: &Hub) -> (Client, Agent) {
    let grace = hub.administrator("grace").await;
    let agent = Agent::start().await;
    let new = json!({ "url": agent.url, "name": "puppet", "trust_origins": true });
    grace.call(Method::POST, "/agents", &new).await.expect(StatusCode::CREATED);
    (grace, agent)
}

on_both! {
    async fn readiness_names_the_worker_that_waits_for_its_restart(hub: &Hub) {
        let (client, faults) = (hub.visitor(), hub.inner().env().faults().clone());
        faults.inject("webhook delivery");
        within("not ready", async {
            loop {
                let ready = client.get("/readyz").await;
                if ready.status == StatusCode::SERVICE_UNAVAILABLE {
                    assert_eq!(ready.body, "waiting to restart: webhook delivery\n");
                    return;
                }
            }
        })
        .await;
        client.get("/healthz").await.expect(StatusCode::OK);
        faults.clear("webhook delivery");
        within("ready", async { while client.get("/readyz").await.status != StatusCode::OK {} }).await;
    }

    async fn text_is_written_after_the_flusher_panicked(hub: &Hub) {
        let (grace, mut agent) = puppet(hub).await;
        let said = grace.begin("@grace/puppet", "Go.").await;
        let call = agent.called().await;
        call.begin_task().await;
        call.artifact("Before. ").await;
        until_number(hub, "select count(*) from stream_journal", |pieces| pieces > 0).await;
        crash(hub, "text flusher").await;
        let before = hub.number("select max(seq) from stream_journal").await;
        call.artifact("After. ").await;
        let (mut events, mut screen) = (Events::open(&grace, &said.chat, 0).await, Screen::default());
        read_text(&mut events, &mut screen, "Before. After. ".len()).await;
        until_number(hub, "select max(seq) from stream_journal", |last| last > before).await;
        call.complete().await;
        let answer = answer_after(&grace, &said.chat, 0).await;
        assert_eq!(answer["state"], "done", "{answer:#}");
    }

    async fn a_search_finds_what_was_published_after_the_index_panicked(hub: &Hub) {
        crash(hub, "search index").await;
        let (grace, _agent) = puppet(hub).await;
        let patched = json!({ "visibility": "public" });
        grace.call(Method::PATCH, "/agents/grace/puppet", &patched).await.expect(StatusCode::OK);
        agent_lists::until(&grace, "/api/v1/agents?q=puppet", |found| {
            found["items"].as_array().is_some_and(|items| items.iter().any(|one| one["address"] == "@grace/puppet"))
        })
        .await;
    }

    async fn housekeeping_goes_on_after_a_panic_and_past_a_chore_that_panics(hub: &Hub) {
        let ada = hub.person("ada").await;
        let said = ada.begin("@plexus/calc", "1 + 1").await;
        answer_after(&ada, &said.chat, 0).await;
        hub.sql("update chats set expires_at = 1").await;
        crash(hub, "housekeeping").await;
        until_number(hub, "select count(*) from chats", |chats| chats == 0).await;

        let said = ada.begin("@plexus/calc", "1 + 1").await;
        answer_after(&ada, &said.chat, 0).await;
        hub.sql("update chats set expires_at = 1").await;
        let faults = hub.inner().env().faults();
        faults.inject("account erasure");
        let failed = hub.inner().tidy().await.expect_err("a chore panics").to_string();
        assert_eq!(failed, "account erasure panicked: injected fault");
        assert_eq!(hub.number("select count(*) from chats").await, 0, "the chores after it ran");
        faults.clear("account erasure");
        hub.tidy().await;
    }

    async fn a_webhook_is_called_after_delivery_panicked(hub: &Hub, [("PLEXUS_ALLOW_PRIVATE_NETWORKS", "true")]) {
        let mut hook = Webhook::start(&[]).await;
        crash(hub, "webhook delivery").await;
        let person = hub.person("ada").await;
        let ada = person.with_token(&make(&person, &["chat", "read"]).await);
        let mut asked = message("m-1");
        asked["message"]["parts"] = json!([{ "text": "1 + 1" }]);
        asked["configuration"] = json!({ "taskPushNotificationConfig": { "url": hook.url } });
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": asked }).to_string();
        let request = ada.request(Method::POST, "/a2a/plexus/calc/").header("A2A-Version", "1.0");
        let answer = ada.send(request.header(header::CONTENT_TYPE, "application/json").body(body)).await.json();
        assert!(answer["result"].is_object(), "{answer:#}");
        let told = async {
            loop {
                let (_, told) = hook.called().await;
                if told["task"]["status"]["state"] == "TASK_STATE_COMPLETED" {
                    return;
                }
            }
        };
        timeout(TIMEOUT, told).await.expect("the webhook is called");
    }

    async fn a_team_goes_on_after_its_conductor_panicked(hub: &Hub) {
        let ada = hub.person("ada").await;
        let faults = hub.inner().env().faults();
        faults.inject("team conductor");
        let new = json!({ "goal": "17 * 23", "members": ["@plexus/calc"] });
        let launched = ada.call(Method::POST, "/teams", &new).await.expect(StatusCode::CREATED).json();
        assert_eq!(launched["state"], "forming", "{launched:#}");
        faults.clear("team conductor");
        let ended = |team: &Value| !["forming", "working"].contains(&text_of(&team["state"]).as_str());
        let team = team::until(&ada, &text_of(&launched["id"]), ended).await;
        assert_eq!(team["state"], "closed", "{team:#}");
        assert!(hub.inner().workers_down().is_empty(), "a team does not make the hub unready");
    }

    async fn edges_serve_after_their_listeners_panicked(hub: &Hub) {
        crash(hub, "http listener").await;
        hub.visitor().get("/readyz").await.expect(StatusCode::OK);
        crash(hub, "command socket").await;
        let socket = hub.folder().join("plexus.sock");
        within("command socket", async {
            while tokio::net::UnixStream::connect(&socket).await.is_err() {
                yield_now().await;
            }
        })
        .await;
    }

    async fn a_hub_takes_part_again_after_the_federation_driver_panicked(hub: &Hub, [
        ("PLEXUS_P2P_LISTEN", "127.0.0.1:0"), ("PLEXUS_FEDERATION_MODE", "open"),
    ]) {
        let is_there = async || {
            let itself = federation::overview(hub.inner()).await.expect("the store answers").itself;
            !itself.addresses.is_empty()
        };
        assert!(is_there().await);
        crash(hub, "federation driver").await;
        within("federation", async { while !is_there().await {} }).await;
    }
}

/// Tests the workers that coordinate several instances on one database.
// Slow: each worker panics, and restarts after a delay that doubles.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn processes_work_together_after_what_joins_them_panicked() {
    let Some(database) = Database::new().await else { return };
    hub::run(Some(database), &[], async |one: &Hub| {
        let other = one.another_process().await;
        let ada = one.person("ada").await;
        let there = ada.at(other.origin());
        let said = ada.begin("@plexus/calc", "1 + 1").await;
        answer_after(&ada, &said.chat, 0).await;
        let mut events = Events::open(&there, &said.chat, 0).await;
        for (number, (at, worker)) in [
            (one, "hint sender"),
            (&other, "notification listener"),
            (&other, "chat mirror"),
            (one, "process watch"),
            (one, "heartbeat"),
        ]
        .into_iter()
        .enumerate()
        {
            crash(at, worker).await;
            ada.say(&said.chat, &format!("{number} + 1000")).await;
            let answer = (1000 + number).to_string();
            let shown = async {
                loop {
                    let event = events.next().await.expect("the stream goes on");
                    if event.data.to_string().replace(['.', ',', ' '], "").contains(&answer) {
                        return;
                    }
                }
            };
            timeout(TIMEOUT, shown).await.unwrap_or_else(|_| panic!("{worker}: not shown elsewhere"));
        }
        let beats = "select min(last_heartbeat_at) from instances";
        let before = one.number(beats).await;
        until_number(one, beats, |now| now > before).await;
        // Failure detection removes an instance without heartbeats.
        let dead = "insert into instances (id, started_at, last_heartbeat_at, runs_federation) \
                    values (gen_random_uuid(), 1, 1, false)";
        one.sql(dead).await;
        until_number(one, "select count(*) from instances", |processes| processes == 2).await;
        other.end().await;
    })
    .await;
}
