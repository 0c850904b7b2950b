//! Tests of failover: an instance is killed or frozen, and another takes over its work.

use std::time::{Duration, Instant};

use plexus_testing::free_port;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tokio::{net::TcpStream, time::timeout};

use crate::{
    client::{Client, text_of},
    events::{Events, Screen, read_text, read_to_end, text_in},
    fleet::{Fleet, SOON, TAKEN, last, within},
};

// Slow: an instance counts as dead 14 s after its last heartbeat.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn runs_of_a_process_that_is_killed_end_and_what_waited_is_answered() {
    let Some(fleet) = Fleet::new(&["--max-runs-per-agent", "1"]).await else { return };
    let (one, other, here, there, mut agent) = fleet.two().await;
    let works = here.begin("@grace/puppet", "Go.").await;
    let call = agent.called().await;
    call.begin_task().await;
    call.artifact("So far, so good.").await;
    let waits = here.begin("@grace/puppet", "And then?").await;
    let (mut events, mut screen) = (Events::open(&there, &works.chat, 0).await, Screen::default());
    read_text(&mut events, &mut screen, "So far, so good.".len()).await;

    one.kill().await;
    let killed = Instant::now();
    timeout(TAKEN, read_to_end(&mut events, &mut screen))
        .await
        .expect("whoever reads elsewhere is told the end");
    let answer = last(&there, &works.chat).await;
    assert_eq!((&answer["state"], text_in(&answer)), (&json!("failed"), "So far, so good."));
    assert_eq!(answer["run"]["failure"]["class"], "interrupted");
    let next = agent.called().await;
    assert!(killed.elapsed() < TAKEN, "what waited goes on after {:?}", killed.elapsed());
    next.begin_task().await;
    next.artifact("Then this.").await;
    next.complete().await;
    within(SOON, "it is answered", async || last(&there, &waits.chat).await["state"] == "done").await;
    let left = "select (select count(*) from instances) + (select count(*) from stream_journal)";
    within(SOON, "the dead one is forgotten", async || fleet.sql().number(left).await == 1).await;
    other.kill().await;
    fleet.end().await;
}

// Slow: an instance counts as dead 14 s after its last heartbeat.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_that_stood_still_gives_up_what_others_took() {
    let Some(fleet) = Fleet::new(&[]).await else { return };
    let (one, other, here, there, mut agent) = fleet.two().await;
    let said = here.begin("@grace/puppet", "Go.").await;
    let call = agent.called().await;
    call.begin_task().await;
    call.artifact("So far.").await;
    let (mut events, mut screen) = (Events::open(&there, &said.chat, 0).await, Screen::default());
    read_text(&mut events, &mut screen, "So far.".len()).await;
    one.freeze();
    timeout(TAKEN, read_to_end(&mut events, &mut screen)).await.expect("it is taken for dead");
    one.thaw();
    let living = "select count(*) from instances";
    within(SOON, "it is back", async || fleet.sql().number(living).await == 2).await;
    // Its output for the failed answer is discarded, and it handles new requests as before.
    let again = here.begin("@grace/puppet", "Again.").await;
    let call = agent.called().await;
    call.begin_task().await;
    call.artifact("Here.").await;
    call.complete().await;
    within(SOON, "it is answered", async || last(&there, &again.chat).await["state"] == "done").await;
    for reader in [&here, &there] {
        let answer = last(reader, &said.chat).await;
        assert_eq!((&answer["state"], text_in(&answer)), (&json!("failed"), "So far."));
        assert_eq!(answer["run"]["failure"]["class"], "interrupted");
    }
    one.kill().await;
    other.kill().await;
    fleet.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_that_ends_as_it_should_leaves_what_waits_at_once() {
    let Some(fleet) = Fleet::new(&["--max-runs-per-agent", "1"]).await else { return };
    let (one, other, here, there, mut agent) = fleet.two().await;
    let works = here.begin("@grace/puppet", "Go.").await;
    let call = agent.called().await;
    call.begin_task().await;
    let waits = here.begin("@grace/puppet", "And then?").await;
    one.terminate();
    assert_eq!(one.ended().await, 0);
    let next = timeout(SOON, agent.called()).await.expect("another takes it at once");
    next.begin_task().await;
    next.complete().await;
    within(SOON, "it is answered", async || last(&there, &waits.chat).await["state"] == "done").await;
    assert_eq!(last(&there, &works.chat).await["run"]["failure"]["class"], "interrupted");
    other.kill().await;
    fleet.end().await;
}

// Slow: an instance counts as dead 14 s after its last heartbeat.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_process_is_the_hub_among_others_and_another_takes_its_place() {
    let port = free_port();
    let listen = format!("127.0.0.1:{port}");
    let flags = ["--p2p-listen", &listen, "--federation-mode", "open", "--allow-private-networks", "true"];
    let Some(fleet) = Fleet::new(&flags).await else { return };
    let mut one = fleet.serve("one").await;
    let here = one.administrator("grace").await;
    let other = fleet.serve("other").await;
    let there = here.at(&other.origin);
    let listens = async || TcpStream::connect(("127.0.0.1", port)).await.is_ok();
    assert!(listens().await);
    // A rule created on a follower applies on the leader, and is persistent.
    let rule = json!({ "subject": "domain:spam.example", "action": "block", "reason": "It is a test." });
    there.call(Method::POST, "/hubs/rules", &rule).await.expect(StatusCode::NO_CONTENT);

    let id = |shown: &Value| text_of(&shown["local"]["id"]);
    let before = id(&here.api("/hubs").await);
    one.kill().await;
    let took = within(TAKEN, "the other listens in its place", async || listens().await).await;
    assert!(took > Duration::ZERO);
    assert_eq!(id(&there.api("/hubs").await), before, "it is the same hub");
    within(TAKEN, "the dead one is forgotten", async || {
        fleet.sql().number("select count(*) from instances").await == 1
    })
    .await;

    // The restarted instance finds the leader lock taken.
    let again = fleet.serve("one").await;
    let locks = "from pg_locks where locktype = 'advisory' and granted \
                 and database = (select oid from pg_database where datname = current_database())";
    let holder = format!("select coalesce(max(pid), 0)::bigint {locks}");
    let held_by = fleet.sql().number(&holder).await;
    // Postgres terminates the connection that holds the lock: leadership is lost and reacquired.
    assert_eq!(fleet.sql().number(&format!("select count(pg_terminate_backend(pid)) {locks}")).await, 1);
    within(TAKEN, "one of them takes part again", async || {
        let now = fleet.sql().number(&holder).await;
        now != 0 && now != held_by && listens().await
    })
    .await;
    again.kill().await;
    other.kill().await;
    fleet.end().await;
}

async fn launch(client: &Client, goal: &str) -> String {
    let new = json!({ "goal": goal, "members": ["@grace/puppet"] });
    text_of(&client.call(Method::POST, "/teams", &new).await.expect(StatusCode::CREATED).json()["id"])
}

async fn act(client: &Client, team: &str, what: &Value) {
    client.call(Method::POST, &format!("/teams/{team}"), what).await.expect(StatusCode::OK);
}

// Slow: an instance counts as dead 14 s after its last heartbeat.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_team_goes_on_when_the_process_that_conducts_it_is_killed() {
    let Some(fleet) = Fleet::new(&[]).await else { return };
    let (one, other, here, there, mut agent) = fleet.two().await;
    let team = launch(&here, "Count the boats.").await;
    let path = format!("/teams/{team}");
    let call = agent.called().await;
    call.begin_task().await;
    call.artifact("One boat").await;
    let conducted = "select count(*) from team_orchestrators";
    assert_eq!(fleet.sql().number(conducted).await, 1);
    // Owner actions on an instance without the orchestrator reach the orchestrator.
    act(&there, &team, &json!({ "action": "message", "text": "Red ones, too." })).await;
    within(SOON, "the remark is read here", async || here.get(&path).await.body.contains("Red ones, too."))
        .await;

    one.kill().await;
    let killed = Instant::now();
    let call = agent.called().await;
    assert!(killed.elapsed() < TAKEN, "the work is asked for again after {:?}", killed.elapsed());
    call.begin_task().await;
    call.artifact("Three boats.").await;
    call.complete().await;
    within(SOON, "it comes to its answer", async || !there.api(&path).await["ended"].is_null()).await;
    there.get(&path).await.expect(StatusCode::OK).says("Three boats.");
    within(SOON, "nobody conducts it", async || fleet.sql().number(conducted).await == 0).await;
    other.kill().await;
    fleet.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_team_is_cancelled_on_another_process_than_its_conductors() {
    let Some(fleet) = Fleet::new(&[]).await else { return };
    let (one, other, here, there, mut agent) = fleet.two().await;
    let team = launch(&here, "Count the boats.").await;
    let call = agent.called().await;
    call.begin_task().await;
    act(&there, &team, &json!({ "action": "cancel_team" })).await;
    let unfinished = "select count(*) from runs where state in ('queued', 'working')";
    within(SOON, "its work is stopped", async || fleet.sql().number(unfinished).await == 0).await;
    within(SOON, "its conductor leaves", async || {
        fleet.sql().number("select count(*) from team_orchestrators").await == 0
    })
    .await;
    let shown = here.api(&format!("/teams/{team}")).await;
    assert!(!shown["ended"].is_null(), "{shown:#}");
    one.kill().await;
    other.kill().await;
    fleet.end().await;
}
