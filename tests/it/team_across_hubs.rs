//! Tests of teams with members on three hubs, and of the failure of one of the hubs. The expected outcomes
//! are the second table of `docs/teams.md`.

use std::sync::Arc;

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use crate::{
    agent::Agent,
    client::{Client, text_of},
    database::Sql,
    federation::{self, Node},
    hub::{self, Hub},
    p2p_calls::{self, FIRST},
    remote_users::settings,
    team::{self, until},
};

const DOCS: &str = include_str!("../../docs/teams.md");
/// Maximum milliseconds between a team's deadline and its end.
const GRACE_MS: i64 = 60_000;
/// Goal for teams with named members.
const GOAL: &str = "17 * 23";
/// Goal in two concurrent parts, each matched by an agent of one of the other hubs.
pub const PARTS: &str = "Gather zorbulations, and frobnicate quibbles, at the same time.";

/// Transport by which the team's hub reaches the members' hubs.
#[derive(Clone, Copy)]
pub enum Way {
    /// HTTP with signed requests, at their public URLs.
    Web,
    /// libp2p, since private addresses may not be called.
    Network,
}

impl Way {
    /// Returns the setting that allows private addresses.
    pub const fn may_call_them(self) -> &'static str {
        match self {
            Self::Web => "true",
            Self::Network => "false",
        }
    }
}

/// Two remote hubs with one agent each.
struct Others {
    near: Node,
    far: Node,
    /// Agent of the near hub, which answers at once.
    tides: String,
    /// Agent of the far hub, which emits one word, and the rest after a permit.
    boats: String,
    go_on: Arc<Semaphore>,
}

async fn on_three_hubs(way: Way, play: impl AsyncFnOnce(&Hub, &Client, Others)) {
    let (gated, go_on) = p2p_calls::model().await;
    let near = Node::start(&federation::model().await, &[], None).await;
    let far = Node::start(&gated, &[&near], None).await;
    let tides = near.publish("tides", "Gathers zorbulations.").await;
    let boats = far.publish("boats", "Frobnicates quibbles.").await;
    let others = Others { near, far, tides, boats, go_on };
    let given = [
        ("PLEXUS_P2P_BOOTSTRAP", others.near.address.as_str()),
        ("PLEXUS_ALLOW_PRIVATE_NETWORKS", way.may_call_them()),
        ("PLEXUS_RUN_IDLE_TIMEOUT_SECONDS", "20"),
    ];
    let mut given = settings(&gated, &given);
    // The first of two equal settings takes precedence.
    given.reverse();
    hub::run(None, &given, async move |home: &Hub| {
        let ada = home.person("ada").await;
        let home_id = text_of(&ada.api("/hubs").await["local"]["id"]);
        for (node, words, agent) in
            [(&others.near, "zorbulations", &others.tides), (&others.far, "quibbles", &others.boats)]
        {
            federation::until(&format!("{agent} is found"), async || {
                let found = ada.api(&format!("/agents?q={words}")).await;
                found["items"][0]["address"] == agent.as_str()
            })
            .await;
            federation::until("the hubs know each other", async || node.knows(&home_id).await).await;
            // This hub may not dial private addresses, so the remote hub dials it.
            federation::until("the hubs are connected", async || {
                federation::row_of(&ada, &node.id).await["connected"] == true
            })
            .await;
        }
        play(home, &ada, others).await;
    })
    .await;
}

/// Launches a team of these members, or of members that the hub finds. Returns its id.
pub async fn launch(ada: &Client, goal: &str, members: &[&str]) -> String {
    team::launch(ada, &json!({ "goal": goal, "members": members })).await
}

/// Waits until the far agent has emitted its first word.
pub async fn half_done(ada: &Client, team: &str) {
    let says_it = |work: &Value| text_of(&work["text"]) == FIRST;
    until(ada, team, |team| work(team).any(says_it)).await;
}

pub fn work(team: &Value) -> impl Iterator<Item = &Value> {
    team["assignments"].as_array().into_iter().flatten()
}

pub async fn ended(ada: &Client, team: &str) -> Value {
    let team = team::ended(ada, team).await;
    let time = |name: &str| team[name].as_i64().expect("a time");
    assert!(time("ended") <= time("deadline") + GRACE_MS, "it ends in time");
    let is_open = |work: &Value| ["offered", "working", "asking"].contains(&text_of(&work["state"]).as_str());
    assert!(!work(&team).any(is_open), "no work is left open");
    team
}

/// Returns a row of the table: the outcome of the far member's work and of the goal.
pub fn row(fault: &str, team: &Value, boats: &str) -> String {
    let seats = team["members"].as_array().expect("a list");
    let seat = seats.iter().position(|member| member["name"] == boats).expect("it takes part");
    let is_its = |work: &&Value| work["to"] == seat;
    let title = &work(team).find(is_its).expect("it was asked")["title"];
    let done = work(team).filter(|work| work["state"] == "completed" && work["title"] == *title);
    let done: Vec<&Value> = done.collect();
    let answer = if team["answer"].is_null() { "no answer" } else { "an answer" };
    let part = if done.is_empty() {
        "without that part"
    } else if done.iter().any(is_its) {
        "with its member's part"
    } else {
        "with the part done by another member"
    };
    format!("| {fault} | {answer}, {part} |")
}

pub fn assert_told(row: &str, team: &Value) {
    assert!(DOCS.contains(row), "docs/teams.md lacks this row: {row}\n{team:#}");
}

async fn it_comes_to_an_answer(home: &Hub, ada: &Client, others: Others) {
    let team = launch(ada, GOAL, &["@plexus/calc", &others.tides, &others.boats]).await;
    half_done(ada, &team).await;
    others.go_on.add_permits(1);
    let shown = ended(ada, &team).await;
    for part in ["391", "You said: 17 * 23", "One two."] {
        assert!(text_of(&shown["answer"]).contains(part), "{part}: {shown:#}");
    }
    others_see_nothing_of_it(home, &others, &team).await;
    // Without named members, remote agents are found like local ones.
    others.go_on.add_permits(1);
    let team = launch(ada, PARTS, &[]).await;
    let shown = ended(ada, &team).await;
    let members = shown["members"].as_array().expect("a list").iter().map(|member| text_of(&member["name"]));
    assert!(members.collect::<Vec<_>>().contains(&others.tides), "{shown:#}");
    assert_told(&row("nothing", &shown, &others.boats), &shown);
    others.near.end().await;
    others.far.end().await;
}

/// Asserts that the members' hubs know their requested work but not the team, and that other users have no
/// access.
async fn others_see_nothing_of_it(home: &Hub, others: &Others, team: &str) {
    let path = format!("/api/v1/teams/{team}");
    for node in [&others.near, &others.far] {
        assert_eq!(node.admin.api("/teams").await["items"], json!([]));
        assert_eq!(node.admin.api("/chats").await["items"], json!([]));
        node.admin.get(&path).await.expect(StatusCode::NOT_FOUND);
        // A session of the remote hub is not valid here.
        node.admin.at(home.origin()).get(&path).await.expect(StatusCode::UNAUTHORIZED);
    }
    let eve = home.person("eve").await;
    eve.get(&path).await.expect(StatusCode::NOT_FOUND);
    let message = json!({ "action": "message", "text": "Hello" });
    eve.call(Method::POST, &format!("/teams/{team}"), &message).await.expect(StatusCode::NOT_FOUND);
}

async fn it_survives_a_hub(_: &Hub, ada: &Client, others: Others) {
    let team = launch(ada, PARTS, &[]).await;
    half_done(ada, &team).await;
    let Others { near, far, boats, .. } = others;
    far.kill().await;
    let shown = ended(ada, &team).await;
    assert_told(&row("it is killed with the work half done", &shown, &boats), &shown);
    near.end().await;
}

async fn it_survives_silence(_: &Hub, ada: &Client, others: Others) {
    let team = launch(ada, PARTS, &[]).await;
    half_done(ada, &team).await;
    others.far.process.freeze();
    let shown = ended(ada, &team).await;
    assert_told(&row("nothing comes through to it any more", &shown, &others.boats), &shown);
    others.far.process.thaw();
    others.go_on.add_permits(Semaphore::MAX_PERMITS / 2);
    let team = launch(ada, PARTS, &[]).await;
    let shown = ended(ada, &team).await;
    assert_told(&row("it is back for the next team", &shown, &others.boats), &shown);
    others.near.end().await;
    others.far.end().await;
}

/// Asserts that members stop working for a hub that is gone, once the team's deadline has passed.
// Slow: the deadline of the team and the grace after it pass in real time.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn work_for_a_hub_that_is_gone_ends() {
    let (gated, _go_on) = p2p_calls::model().await;
    let far = Node::start(&gated, &[], None).await;
    let home = Node::start(&gated, &[&far], None).await;
    let boats = far.publish("boats", "Frobnicates quibbles.").await;
    federation::until("the agent is carried", async || {
        home.admin.get(&format!("/{boats}")).await.status == StatusCode::OK
    })
    .await;
    federation::until("the hubs know each other", async || far.knows(&home.id).await).await;
    let new = json!({ "goal": GOAL, "members": [boats], "limits": { "seconds": 5 } });
    let made = home.admin.call(Method::POST, "/teams", &new).await.expect(StatusCode::CREATED);
    until(&home.admin, &text_of(&made.json()["id"]), |team| {
        text_of(&team["assignments"][0]["text"]) == FIRST
    })
    .await;
    home.kill().await;
    let sql = Sql::of(None, &far.folder.path().join("data"));
    sql.until_at_least(1, "select count(*) from runs where state = 'failed'").await;
    far.end().await;
}

/// Runs a team with a local member, one at a URL, and one on a remote hub over libp2p. The remote hub is
/// unreachable for less than the idle timeout.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn members_reached_in_three_ways() {
    let (gated, go_on) = p2p_calls::model().await;
    let far = Node::start(&gated, &[], None).await;
    let boats = far.publish("boats", "Frobnicates quibbles.").await;
    let given = [
        ("PLEXUS_P2P_BOOTSTRAP", far.address.as_str()),
        ("PLEXUS_ALLOW_PRIVATE_NETWORKS", "auto"),
        ("PLEXUS_RUN_IDLE_TIMEOUT_SECONDS", "60"),
    ];
    let mut given = settings(&gated, &given);
    given.reverse();
    hub::run(None, &given, async |home: &Hub| {
        let grace = home.administrator("grace").await;
        let mut agent = Agent::start().await;
        let new = json!({ "url": agent.url, "name": "tide", "trust_origins": true });
        grace.call(Method::POST, "/agents", &new).await.expect(StatusCode::CREATED);
        let home_id = text_of(&grace.api("/hubs").await["local"]["id"]);
        federation::until("the agent is carried", async || {
            grace.get(&format!("/{boats}")).await.status == StatusCode::OK
        })
        .await;
        federation::until("the hubs know each other", async || far.knows(&home_id).await).await;
        let team = launch(&grace, GOAL, &["@plexus/calc", "@grace/tide", &boats]).await;
        half_done(&grace, &team).await;
        let call = agent.called().await;
        far.process.freeze();
        call.begin_task().await;
        call.artifact("High water at 12:04.").await;
        call.complete().await;
        let done = |team: &Value| work(team).filter(|work| work["state"] == "completed").count();
        until(&grace, &team, |team| done(team) == 2).await;
        far.process.thaw();
        go_on.add_permits(1);
        let shown = ended(&grace, &team).await;
        for part in ["391", "12:04", "One two."] {
            assert!(text_of(&shown["answer"]).contains(part), "{part}: {shown:#}");
        }
        assert_told(&row("nothing comes through to it for a while", &shown, &boats), &shown);
    })
    .await;
    far.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn members_at_addresses_on_the_web() {
    Box::pin(on_three_hubs(Way::Web, it_comes_to_an_answer)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn members_without_an_address() {
    Box::pin(on_three_hubs(Way::Network, it_comes_to_an_answer)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hub_on_the_web_is_killed() {
    Box::pin(on_three_hubs(Way::Web, it_survives_a_hub)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hub_without_an_address_is_killed() {
    Box::pin(on_three_hubs(Way::Network, it_survives_a_hub)).await;
}

// Slow: the idle timeout of the silent member passes in real time.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hub_on_the_web_falls_silent() {
    Box::pin(on_three_hubs(Way::Web, it_survives_silence)).await;
}

// Slow: the idle timeout of the silent member passes in real time.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hub_without_an_address_falls_silent() {
    Box::pin(on_three_hubs(Way::Network, it_survives_silence)).await;
}
