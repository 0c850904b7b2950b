//! Tests of federated hubs: separate processes of the release program on loopback.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use axum::{Json, Router, http::header, response::IntoResponse, routing::post};
use plexus_store::testing::Database;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::{net::TcpListener, time::sleep};

use crate::{
    agent_lists::lists,
    client::{Client, text_of},
    crash::copy,
    database::postgres_url,
    events::{read_answer, text_in},
    process::{Process, plexus, stderr, stdout},
};

/// Generous timeout: far above the duration on an idle machine.
const TIMEOUT: Duration = Duration::from_secs(120);
const POLL: Duration = Duration::from_millis(50);
/// Default listen address of test hubs.
const LOOPBACK: [&str; 2] = ["--p2p-listen", "127.0.0.1:0"];

/// Hub process with its own folder.
pub struct Node {
    pub process: Process,
    /// Its administrator.
    pub admin: Client,
    pub id: String,
    /// Its libp2p address.
    pub address: String,
    pub folder: TempDir,
    database: Option<Database>,
}

impl Node {
    pub async fn start(model: &str, ways: &[&Self], database: Option<Database>) -> Self {
        Self::start_at(&LOOPBACK, model, ways, database).await
    }

    /// Starts a hub with these flags for its libp2p addresses.
    pub async fn start_at(place: &[&str], model: &str, ways: &[&Self], database: Option<Database>) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let process = serve(folder.path(), place, model, ways, database.as_ref()).await;
        Self::of(process, folder, database).await
    }

    /// Wraps a new hub process that serves this folder.
    pub async fn of(mut process: Process, folder: TempDir, database: Option<Database>) -> Self {
        let admin = process.administrator("grace").await;
        let (id, address) = itself(&admin).await;
        Self { process, admin, id, address, folder, database }
    }

    /// Kills the hub without a clean shutdown.
    pub async fn kill(self) -> Dead {
        self.process.kill().await;
        Dead { admin: self.admin, folder: self.folder, database: self.database }
    }

    pub async fn end(self) {
        self.process.kill().await;
        if let Some(database) = self.database {
            database.drop().await;
        }
    }

    /// Publishes a federated agent and returns its address at remote hubs.
    pub async fn publish(&self, name: &str, summary: &str) -> String {
        let agent = json!({ "name": name, "title": format!("The {name}"), "summary": summary,
                            "instructions": "Answer.", "visibility": "federated", "access": "open" });
        self.admin.call(Method::POST, "/agents", &agent).await.expect(StatusCode::CREATED);
        format!("@grace/{name}@{}", self.id)
    }

    /// Waits until a search for `words` finds the agent, or no longer finds it.
    pub async fn until_found(&self, words: &str, address: &str, is_found: bool) {
        let path = format!("/agents?q={words}");
        until(&format!("{address} is found: {is_found}"), async || {
            lists(&self.admin.api(&path).await, address) == is_found
        })
        .await;
    }

    /// Waits until the remote hub has sent its introduction. Before that its users are anonymous here.
    pub async fn until_knows(&self, other: &Self) {
        let id = text_of(&other.admin.api("/hubs").await["local"]["id"]);
        until("the other hub is known", async || self.knows(&id).await).await;
    }

    /// Returns true if the only remote hub has sent its introduction.
    pub async fn knows_by_name(&self) -> bool {
        let row = self.admin.api("/hubs").await["items"][0].clone();
        row["state"] == "fresh" && row["name"] != Value::Null
    }

    /// Returns true if that remote hub has sent its introduction.
    pub async fn knows(&self, id: &str) -> bool {
        let row = row_of(&self.admin, id).await;
        row["state"] == "fresh" && row["name"] != Value::Null
    }

    async fn rule(&self, subject: &str, action: &str) {
        let rule = json!({ "subject": subject, "action": action, "reason": "It is a test." });
        self.admin.call(Method::POST, "/hubs/rules", &rule).await.expect(StatusCode::NO_CONTENT);
    }
}

/// Returns the hub's record of a remote hub, or null if it is unknown.
pub async fn row_of(client: &Client, id: &str) -> Value {
    let hubs = client.api("/hubs").await;
    let row = hubs["items"].as_array().expect("a list").iter().find(|row| row["id"] == id);
    row.cloned().unwrap_or_default()
}

/// Data of a killed hub.
pub struct Dead {
    admin: Client,
    pub folder: TempDir,
    database: Option<Database>,
}

impl Dead {
    /// Copies a hub that stores its data in its folder.
    pub fn copied(&self) -> Self {
        assert!(self.database.is_none(), "a database is not copied");
        let folder = tempfile::tempdir().expect("a folder");
        copy(self.folder.path(), folder.path());
        Self { admin: self.admin.at("http://127.0.0.1"), folder, database: None }
    }

    pub async fn rise(self, model: &str, ways: &[&Node]) -> Node {
        let Self { admin, folder, database } = self;
        let process = serve(folder.path(), &LOOPBACK, model, ways, database.as_ref()).await;
        let admin = admin.at(&process.origin);
        let (id, address) = itself(&admin).await;
        Node { process, admin, id, address, folder, database }
    }
}

async fn serve(
    folder: &Path,
    place: &[&str],
    model: &str,
    ways: &[&Node],
    database: Option<&Database>,
) -> Process {
    let ways: Vec<&str> = ways.iter().map(|way| way.address.as_str()).collect();
    let ways = ways.join(",");
    let mut flags = vec![
        "--federation-mode",
        "open",
        "--allow-private-networks",
        "true",
        "--llm-base-url",
        model,
        "--llm-model",
        "small",
    ];
    flags.extend(place);
    if !ways.is_empty() {
        flags.extend(["--p2p-bootstrap", ways.as_str()]);
    }
    Process::serve_as(folder, &flags, database.map(postgres_url).as_deref()).await
}

/// Returns the hub's id and its announced address.
async fn itself(admin: &Client) -> (String, String) {
    until("others reach it", async || admin.api("/hubs").await["local"]["addresses"] != json!([])).await;
    let local = admin.api("/hubs").await["local"].clone();
    (text_of(&local["id"]), text_of(&local["addresses"][0]))
}

pub async fn until(what: &str, holds: impl AsyncFn() -> bool) {
    let begun = Instant::now();
    while !holds().await {
        assert!(begun.elapsed() < TIMEOUT, "not in time: {what}");
        sleep(POLL).await;
    }
}

/// Starts a model server that repeats the question.
pub async fn model() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let base = format!("http://{}/v1", listener.local_addr().expect("bound"));
    let models = json!({ "data": [{ "id": "small" }] });
    let router = Router::new()
        .route("/v1/models", axum::routing::get(move || async move { Json(models) }))
        .route("/v1/chat/completions", post(complete));
    tokio::spawn(async move { axum::serve(listener, router).await });
    base
}

async fn complete(Json(request): Json<Value>) -> impl IntoResponse {
    let messages = request["messages"].as_array().cloned().unwrap_or_default();
    let asked = messages.last().map(|message| text_of(&message["content"])).unwrap_or_default();
    let answer = json!({ "choices": [{ "delta": { "content": format!("You said: {asked}") } }] });
    let end = json!({ "choices": [{ "delta": {}, "finish_reason": "stop" }] });
    let body = format!("data: {answer}\n\ndata: {end}\n\ndata: [DONE]\n\n");
    ([(header::CONTENT_TYPE, "text/event-stream")], body)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite() {
    two_hubs(None, None).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres() {
    let (Some(one), Some(other)) = (Database::new().await, Database::new().await) else { return };
    two_hubs(Some(one), Some(other)).await;
}

async fn two_hubs(one: Option<Database>, other: Option<Database>) {
    let model = model().await;
    let near = Node::start(&model, &[], one).await;
    let far = Node::start(&model, &[&near], other).await;
    let tides = near.publish("tides", "Knows when the sea comes in.").await;
    far.until_found("tides", &tides, true).await;
    near.until_knows(&far).await;
    its_page_opens(&far, &near, &tides).await;
    it_answers(&far, &tides).await;
    both_are_listed(&far, &near).await;
    a_rule_holds_and_is_undone(&far, &near, &tides).await;

    let dead = far.kill().await;
    let moon = near.publish("moon", "Knows the phases.").await;
    let far = dead.rise(&model, &[&near]).await;
    far.until_found("moon", &moon, true).await;
    far.until_found("tides", &tides, true).await;

    let change = json!({ "visibility": "private" });
    near.admin.call(Method::PATCH, "/agents/grace/tides", &change).await.expect(StatusCode::OK);
    far.until_found("tides", &tides, false).await;
    far.admin.get(&format!("/{tides}")).await.expect(StatusCode::NOT_FOUND);
    near.admin.call(Method::DELETE, "/agents/grace/moon", &Value::Null).await;
    far.until_found("moon", &moon, false).await;
    far.end().await;
    near.end().await;
}

async fn its_page_opens(far: &Node, near: &Node, tides: &str) {
    let page = far.admin.get(&format!("/{tides}")).await.expect(StatusCode::OK);
    page.says("The tides");
    page.says("Knows when the sea comes in.");
    page.says("From ");
    Client::new(&far.process.origin).get(&format!("/{tides}")).await.expect(StatusCode::OK);
    // The local address of a page may also contain the name of this hub.
    near.admin.get(&format!("/{tides}")).await.expect(StatusCode::OK);
    let list = far.admin.get("/agents?scope=remote").await.expect(StatusCode::OK);
    list.says("The tides");
    let here = far.admin.get("/agents?scope=local").await.expect(StatusCode::OK);
    assert!(!here.body.contains("The tides"), "it is not of this hub");
}

pub async fn it_answers(far: &Node, tides: &str) {
    let said = far.admin.begin(tides, "Is the tide high?").await;
    let screen = read_answer(&far.admin, &said.chat, 0).await;
    let (id, shown) = screen.answer();
    let message = far.admin.api(&format!("/messages/{id}")).await;
    assert_eq!(shown.state, "done", "{message}");
    assert!(text_in(&message).contains("You said: Is the tide high?"), "{message}");
}

async fn both_are_listed(far: &Node, near: &Node) {
    until("the hub is listed with its agent", async || {
        let found = far.admin.api("/hubs").await;
        let row = &found["items"][0];
        row["id"] == near.id.as_str()
            && row["state"] == "fresh"
            && row["agents"] == 1
            && row["connected"] == true
    })
    .await;
    let page = far.admin.get("/network").await.expect(StatusCode::OK);
    page.says(&near.id);
    page.says(&far.id);
    let table = plexus(far.folder.path(), &["federation", "hubs"]).await;
    assert!(stdout(&table).contains(&near.id), "{}{}", stdout(&table), stderr(&table));
    let printed = plexus(far.folder.path(), &["federation", "hubs", "--json"]).await;
    let printed: Value = serde_json::from_str(&stdout(&printed)).expect("JSON");
    assert_eq!(printed["items"][0]["id"], near.id.as_str());
}

async fn a_rule_holds_and_is_undone(far: &Node, near: &Node, tides: &str) {
    far.rule(&near.id, "block").await;
    far.until_found("tides", tides, false).await;
    far.admin.get(&format!("/{tides}")).await.expect(StatusCode::NOT_FOUND);
    let rules = far.admin.api("/hubs/rules").await;
    assert_eq!(rules["items"][0]["subject"], format!("hub:{}", near.id));
    far.rule(&near.id, "remove").await;
    far.until_found("tides", tides, true).await;
    let fields = [("subject", near.id.as_str()), ("reason", "By a form.")];
    far.admin.post("/admin/network", &fields).await.expect(StatusCode::SEE_OTHER);
    far.until_found("tides", tides, false).await;
    far.admin.get("/admin/network").await.expect(StatusCode::OK).says("By a form.");
    let subject = format!("hub:{}", near.id);
    far.admin.post("/admin/network/remove", &[("subject", &subject)]).await.expect(StatusCode::SEE_OTHER);
    far.until_found("tides", tides, true).await;
    let out = plexus(far.folder.path(), &["federation", "block", tides, "--reason", "Too wet."]).await;
    assert!(out.status.success(), "{}", stderr(&out));
    far.until_found("tides", tides, false).await;
    let rules = far.admin.api("/hubs/rules").await;
    let subject = text_of(&rules["items"][0]["subject"]);
    let out = plexus(far.folder.path(), &["federation", "unblock", &subject]).await;
    assert!(out.status.success(), "{}", stderr(&out));
    far.until_found("tides", tides, true).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_one_hub_publishes_reaches_a_third_through_the_second() {
    let model = model().await;
    let first = Node::start(&model, &[], None).await;
    let second = Node::start(&model, &[&first], None).await;
    let third = Node::start(&model, &[&second], None).await;
    let tides = first.publish("tides", "Knows when the sea comes in.").await;
    third.until_found("tides", &tides, true).await;
    first.until_knows(&third).await;
    it_answers(&third, &tides).await;
    for node in [third, second, first] {
        node.end().await;
    }
}

#[tokio::test]
async fn a_hub_that_is_alone_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut process = Process::serve_with(folder.path(), &[]).await;
    let admin = process.administrator("grace").await;
    admin.get("/network").await.expect(StatusCode::OK).says("Federation is disabled");
    assert_eq!(admin.api("/hubs").await["mode"], Value::Null);
    process.kill().await;
}
