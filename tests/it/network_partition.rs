//! Tests of a network partition between two hubs in the middle of a team. Both hubs continue during the
//! partition. The expected outcomes are the second table of `docs/teams.md`.

use std::{fs, path::PathBuf, sync::Arc};

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tempfile::tempdir;
use tokio::sync::Semaphore;

use crate::{
    agent_lists::until_listed,
    attached_programs::Joined,
    client::text_of,
    database::Sql,
    federation::{self, Node},
    namespace::Namespace,
    p2p_calls::{self, FIRST},
    process::Process,
    team::until,
    team_across_hubs::{PARTS, Way, assert_told, ended, launch, row, work},
};

/// Idle timeout in seconds, after which silence counts as a failure.
const IDLE: &str = "8";

struct Two {
    /// Hub that launches the teams. Its agent emits one word, and the rest after a permit.
    home: Node,
    go_on: Arc<Semaphore>,
    far: Node,
    /// Agent of the far hub: a program that behaves the same.
    boats: String,
    /// File whose existence makes that program continue.
    file: PathBuf,
    /// Network namespace of the far hub.
    network: Namespace,
    _program: Joined,
}

/// Starts both hubs. Returns `None` if namespaces are not available.
async fn two(way: Way) -> Option<Two> {
    let network = Namespace::new()?;
    let (model, go_on) = p2p_calls::model().await;
    let home = home(&network, way, &model).await;
    let far = far(&network, &home).await;
    let file = far.folder.path().join("go-on");
    let script = "printf 'One '; while [ ! -e go-on ]; do sleep 0.05; done; echo two.";
    let program = ["@grace/boats", "--summary", "Frobnicates quibbles.", "--", "sh", "-c", script];
    let program = Joined::with(far.folder.path(), &program).await;
    let change = json!({ "visibility": "federated", "access": "open" });
    far.admin.call(Method::PATCH, "/agents/grace/boats", &change).await.expect(StatusCode::OK);
    home.publish("tides", "Gathers zorbulations.").await;
    until_listed(&home.admin, "@grace/tides").await;
    let boats = format!("@grace/boats@{}", far.id);
    federation::until("the agent is found", async || {
        home.admin.api("/agents?q=quibbles").await["items"][0]["address"] == boats.as_str()
    })
    .await;
    federation::until("the hubs know each other", async || far.knows(&home.id).await).await;
    Some(Two { home, go_on, far, boats, file, network, _program: program })
}

async fn home(network: &Namespace, way: Way, model: &str) -> Node {
    let folder = tempdir().expect("a folder");
    let place = format!("{}:0", network.here);
    let flags = [
        ["--federation-mode", "open"],
        ["--p2p-listen", &place],
        ["--allow-private-networks", way.may_call_them()],
        ["--llm-base-url", model],
        ["--llm-model", "small"],
        ["--run-idle-timeout-seconds", IDLE],
    ];
    let process = Process::serve_with(folder.path(), &flags.concat()).await;
    Node::of(process, folder, None).await
}

async fn far(network: &Namespace, home: &Node) -> Node {
    let folder = tempdir().expect("a folder");
    let place = format!("{}:0", network.address);
    let flags = [
        ["--federation-mode", "open"],
        ["--p2p-listen", &place],
        ["--p2p-bootstrap", &home.address],
        ["--allow-private-networks", "true"],
        ["--allow-insecure-http", "true"],
    ];
    let process = Process::serve_within(network, folder.path(), &flags.concat()).await;
    Node::of(process, folder, None).await
}

impl Two {
    /// Launches a team and waits until both agents have emitted their first word.
    async fn half_done(&self) -> String {
        let team = launch(&self.home.admin, PARTS, &[]).await;
        self.until(&team, |team| work(team).filter(|work| text_of(&work["text"]) == FIRST).count() == 2)
            .await;
        team
    }

    async fn until(&self, team: &str, done: impl Fn(&Value) -> bool) {
        until(&self.home.admin, team, done).await;
    }

    async fn ends(&self, team: &str, fault: &str) -> Value {
        let shown = ended(&self.home.admin, team).await;
        assert_told(&row(fault, &shown, &self.boats), &shown);
        shown
    }

    /// Waits until the far hub has ended all requested runs.
    async fn nothing_is_left_there(&self) {
        let sql = Sql::of(None, &self.far.folder.path().join("data"));
        sql.until_at_least(1, "select count(*) from runs").await;
        let open = "select count(*) from runs where state in ('queued', 'working')";
        federation::until("its runs end", async || sql.number(open).await == 0).await;
    }

    /// Cuts the link until the team has ended: its hub gives up on the member, and no other member has that skill.
    async fn falls_apart_in_the_middle(&self) {
        let team = self.half_done().await;
        self.network.cut();
        self.go_on.add_permits(1);
        let shown =
            self.ends(&team, "the network between falls apart, and is whole again after the end").await;
        self.network.heal();
        let failed = work(&shown).find(|work| work["state"] == "failed").expect("it was given up");
        let silence = format!("{IDLE} s");
        assert!(text_of(&failed["text"]).contains(&silence), "{failed:#}");
        fs::write(&self.file, "").expect("it goes on");
        self.nothing_is_left_there().await;
    }

    async fn is_whole_for_the_next(&self) {
        self.go_on.add_permits(1);
        let team = launch(&self.home.admin, PARTS, &[]).await;
        self.ends(&team, "the network between is whole again for the next team").await;
        fs::remove_file(&self.file).expect("it is there");
    }

    /// Cuts the link for less than the idle timeout.
    async fn falls_apart_for_a_while(&self) {
        let team = self.half_done().await;
        self.network.cut();
        self.go_on.add_permits(1);
        self.until(&team, |team| work(team).any(|work| work["state"] == "completed")).await;
        self.network.heal();
        fs::write(&self.file, "").expect("it goes on");
        self.ends(&team, "the network between falls apart for a while").await;
    }
}

async fn the_network_falls_apart(way: Way) {
    let Some(two) = two(way).await else { return };
    two.falls_apart_in_the_middle().await;
    two.is_whole_for_the_next().await;
    two.falls_apart_for_a_while().await;
    two.nothing_is_left_there().await;
    two.home.end().await;
    two.far.end().await;
}

// Slow: connections break and return in real time.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn between_hubs_on_the_web() {
    Box::pin(the_network_falls_apart(Way::Web)).await;
}

// Slow: connections break and return in real time.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn between_hubs_without_an_address() {
    Box::pin(the_network_falls_apart(Way::Network)).await;
}
