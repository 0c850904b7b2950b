//! Tests of model agents with tools: a scripted model server and an MCP server as separate processes.

use std::{
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use plexus_store::testing::Database;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt as _, BufReader},
    process::{Child, Command},
    time::timeout,
};

use crate::{
    client::{Client, text_of},
    events::{Events, answer_after, question, text_in},
    hub::{self, Hub, play_on_both},
    process::Process,
};

/// Timeout for starting, generous for slow machines.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Server process that prints its URL, killed with the test.
pub struct Server {
    pub url: String,
    child: Child,
}

impl Server {
    /// Kills the process without a clean shutdown.
    pub async fn kill(mut self) {
        self.child.kill().await.expect("it can be killed");
    }
}

pub async fn start(program: &Path, script: &str, flags: &[&str]) -> Server {
    let mut command = Command::new(program);
    command
        .arg(root().join("tests/agents").join(script))
        .args(flags)
        .stdout(Stdio::piped())
        .kill_on_drop(true);
    let mut child = command.spawn().expect("it starts");
    let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
    let line = timeout(TIMEOUT, lines.next_line()).await.expect("in time").expect("text").expect("a line");
    let url = line.strip_prefix("listening on ").expect("where it listens").to_owned();
    Server { url, child }
}

/// Returns the Python interpreter with the packages of the test agents.
pub fn python() -> PathBuf {
    let python = root().join(".cache/venv/bin/python");
    assert!(python.exists(), "{} is missing; run `scripts/setup test`", python.display());
    python
}

/// Starts an MCP server with a few tools.
pub async fn tools() -> Server {
    start(&python(), "python/tools.py", &[]).await
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

play_on_both!(on);

async fn on(database: Option<Database>) {
    let (model, tools) = (start(Path::new("node"), "model/scripted.mjs", &[]).await, tools().await);
    let model: &'static str = model.url.clone().leak();
    let shared = tempfile::tempdir().expect("a folder");
    let programs: &'static str = filesystem(shared.path()).leak();
    let settings = [
        ("PLEXUS_LLM_BASE_URL", model),
        ("PLEXUS_LLM_MODEL", "scripted"),
        ("PLEXUS_LLM_PRICE_PER_MTOK", "0.5/2"),
        ("PLEXUS_PROGRAMS", programs),
    ];
    hub::run(database, &settings, async |hub: &Hub| {
        let grace = hub.administrator("grace").await;
        let url = json!({ "url": tools.url });
        register(&grace, "free", &url, false).await;
        register(&grace, "asking", &url, true).await;
        register(&grace, "clerk", &json!({ "program": "files" }), false).await;
        refused_tools(&grace, &tools.url).await;
        tools_are_called_and_shown(&grace).await;
        each_call_waits_for_leave(hub, &grace).await;
        a_question_is_there_after_a_reload_and_without_javascript(&grace).await;
        a_person_wants_to_be_asked(hub).await;
        strangers_cannot_be_asked(hub, &grace).await;
        a_tool_asks_the_user(hub, &grace).await;
        a_task_is_done_with_files(&grace, shared.path()).await;
        a_tool_that_hangs_is_stopped(&grace).await;
        edited_through_the_page(&grace, &tools.url).await;
    })
    .await;
}

/// Returns the setting that lists the filesystem server of npm for this folder.
fn filesystem(folder: &Path) -> String {
    let root = root().canonicalize().expect("the project");
    let server =
        root.join("tests/agents/js/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js");
    assert!(server.exists(), "{} is missing; run `scripts/setup test`", server.display());
    let modules = server.ancestors().find(|above| above.ends_with("node_modules")).expect("the packages");
    format!(
        "{{ files = {{ protocol = \"mcp\", command = \"node\", args = [{server:?}, \"/work\"], working_dir = {folder:?}, \
         read_only = [{modules:?}], allowed_accounts = [\"everyone\"] }} }}"
    )
}

async fn register(grace: &Client, name: &str, at: &Value, require_approval: bool) {
    let mut tool = at.clone();
    tool["require_approval"] = json!(require_approval);
    let new = json!({ "name": name, "summary": "Uses tools.", "instructions": "Use tools.", "visibility": "public",
                      "access": "open", "tools": [tool], "limits": { "turns": 4 } });
    grace.call(Method::POST, "/agents", &new).await.expect(StatusCode::CREATED);
}

async fn refused_tools(grace: &Client, url: &str) {
    let nowhere = url.replace("/mcp", "/nothing");
    for (tools, words) in [
        (json!([{ "url": nowhere }]), "The MCP server 127.0.0.1:"),
        (json!([{ "url": "mcp" }]), "mcp is not a valid URL"),
        (json!([{ "program": "shell" }]), "MCP server “shell” not found"),
        (json!(vec![json!({ "url": url }); 9]), "at most 8 servers"),
    ] {
        let new = json!({ "name": "wrong", "summary": "x", "instructions": "x", "tools": tools });
        let refused =
            grace.call(Method::POST, "/agents", &new).await.expect(StatusCode::UNPROCESSABLE_ENTITY).json();
        assert_eq!(refused["error"]["field"], "tools", "{refused}");
        assert!(text_of(&refused["error"]["message"]).contains(words), "{refused}");
    }
    let new = json!({ "name": "wrong", "summary": "x", "instructions": "x", "limits": { "turns": 99 } });
    let refused = grace.call(Method::POST, "/agents", &new).await;
    assert!(!refused.status.is_success(), "a limit beyond all limits");
}

async fn tools_are_called_and_shown(grace: &Client) {
    let said = grace.begin("@grace/free", "call=add {\"a\": 40, \"b\": 2}\ncall=fail {}\ncall=none {}").await;
    let answer = answer_after(grace, &said.chat, 0).await;
    let parts = answer["parts"].as_array().expect("parts");
    assert_eq!(parts.len(), 4, "{answer}");
    assert!(text_of(&parts[0]["tool"]).ends_with("/add"), "whose it is, and its name: {answer}");
    assert_eq!(parts[0]["arguments"], json!({ "a": 40, "b": 2 }));
    assert!(parts[0]["result"].to_string().contains("42") && parts[0]["took_ms"].is_u64(), "{answer}");
    assert!(parts[1]["result"]["error"].to_string().contains("fail"), "{answer}");
    assert!(parts[2]["result"]["error"].to_string().contains("no such tool"), "{answer}");
    assert!(text_of(&parts[3]["text"]).starts_with("The tools said: 42;"), "{answer}");
    // 200 tokens at half a millionth of a unit, and 20 at two millionths.
    assert_eq!(answer["run"]["usage"], json!({ "tokens_in": 200, "tokens_out": 20, "cost_micro": 140 }));
    let page = grace.get(&format!("/chat/{}", said.chat)).await;
    page.says("<details class=\"fold\"");
    page.says("20 tokens, cost 0.00014");

    let again = grace.begin("@grace/free", "call=add {\"a\": 1, \"b\": 1}\nagain").await;
    let answer = answer_after(grace, &again.chat, 0).await;
    assert_eq!(
        (&answer["state"], &answer["run"]["failure"]["class"]),
        (&json!("failed"), &json!("budget")),
        "{answer}"
    );
    assert_eq!(answer["parts"].as_array().map(Vec::len), Some(3), "one card for each turn but the last");
}

const ASK: &str = "call=note {\"text\": \"milk\"}";

async fn each_call_waits_for_leave(hub: &Hub, grace: &Client) {
    let ada = hub.person("ada").await;
    let said = ada.begin("@grace/asking", ASK).await;
    let id = question(&ada, &said.chat).await;
    let waiting = ada.api("/approvals").await["items"].clone();
    assert_eq!(
        (&waiting[0]["id"], &waiting[0]["arguments"]),
        (&json!(id), &json!({ "text": "milk" })),
        "{waiting}"
    );
    assert_eq!(grace.api("/approvals").await, json!({ "items": [], "next": null, "approvals": [] }));
    let listed = ada.api("/chats").await["items"][0].clone();
    assert_eq!((&listed["running"], &listed["waiting"]), (&json!(true), &json!(true)), "{listed}");

    let path = format!("/chat/{}/approve", said.chat);
    let form = [("approval", id.as_str()), ("decision", "yes")];
    grace.post(&path, &form).await.expect(StatusCode::NOT_FOUND);
    ada.post(&path, &[("approval", &id), ("decision", "maybe")])
        .await
        .expect(StatusCode::UNPROCESSABLE_ENTITY);
    let answered = ada.post(&path, &form).await.expect(StatusCode::SEE_OTHER);
    assert_eq!(answered.location(), format!("/chat/{}?follow", said.chat));
    ada.post(&path, &form).await.expect(StatusCode::SEE_OTHER);
    let answer = answer_after(&ada, &said.chat, 0).await;
    let parts = &answer["parts"];
    assert_eq!(
        (&parts[0]["kind"], &parts[0]["decision"]),
        (&json!("approval"), &json!("allowed")),
        "{answer}"
    );
    assert_eq!(
        (&parts[0]["arguments"], &parts[1]["arguments"]),
        (&json!({ "text": "milk" }), &json!({ "text": "milk" }))
    );
    assert!(text_of(&parts[2]["text"]).contains("Kept note"), "{answer}");
    ada.get(&format!("/chat/{}", said.chat)).await.says("Allowed.");
    ada.post(&path, &[("approval", &id), ("decision", "no")]).await.expect(StatusCode::CONFLICT);
    let listed = ada.api("/chats").await["items"][0].clone();
    assert_eq!((&listed["running"], &listed["waiting"]), (&json!(false), &json!(false)), "{listed}");

    let said = ada.begin("@grace/asking", ASK).await;
    let id = question(&ada, &said.chat).await;
    let decide = format!("/approvals/{id}");
    grace.call(Method::POST, &decide, &json!({ "allow": true })).await.expect(StatusCode::NOT_FOUND);
    ada.call(Method::POST, &decide, &json!({ "allow": false })).await.expect(StatusCode::NO_CONTENT);
    let answer = answer_after(&ada, &said.chat, 0).await;
    assert_eq!(answer["parts"].as_array().map(Vec::len), Some(2), "{answer}");
    assert_eq!(answer["parts"][0]["decision"], "refused");
    assert!(!answer["parts"][1].to_string().contains("Kept"), "{answer}");
}

async fn a_question_is_there_after_a_reload_and_without_javascript(grace: &Client) {
    let said = grace.begin("@grace/asking", ASK).await;
    let id = question(grace, &said.chat).await;
    let form = format!("name=\"approval\" value=\"{id}\"");
    grace.get(&format!("/chat/{}", said.chat)).await.says(&form);
    // The page that is still streaming shows the approval as well, and its end after the decision.
    let request = grace.request(Method::GET, &format!("/chat/{}?follow", said.chat));
    let mut page = request.send().await.expect("a page");
    let mut text = String::new();
    let mut read_until = async |words: &str| {
        while !text.contains(words) {
            let piece = timeout(TIMEOUT, page.chunk()).await.expect("in time").expect("text");
            text.push_str(&String::from_utf8_lossy(&piece.expect("the page goes on")));
        }
    };
    read_until(&form).await;
    let stop = format!("/runs/{}/stop", said.run);
    grace.call(Method::POST, &stop, &Value::Null).await.expect(StatusCode::ACCEPTED);
    read_until("</html>").await;
    assert_eq!(text.matches(&form).count(), 1, "what is written is not written again");
    grace.get(&format!("/chat/{}", said.chat)).await.says("Not answered in time");
    let late = grace.call(Method::POST, &format!("/approvals/{id}"), &json!({ "allow": true })).await;
    late.expect(StatusCode::CONFLICT);
    assert_eq!(grace.api("/approvals").await, json!({ "items": [], "next": null, "approvals": [] }));
}

async fn a_person_wants_to_be_asked(hub: &Hub) {
    let bob = hub.person("bob").await;
    let set =
        async |ask| bob.post("/settings/account/tools", &[("ask", ask)]).await.expect(StatusCode::SEE_OTHER);
    set("yes").await;
    bob.get("/settings/account").await.says("Agents ask for your approval");
    let said = bob.begin("@grace/free", ASK).await;
    let id = question(&bob, &said.chat).await;
    bob.call(Method::POST, &format!("/approvals/{id}"), &json!({ "allow": true }))
        .await
        .expect(StatusCode::NO_CONTENT);
    let answer = answer_after(&bob, &said.chat, 0).await;
    assert_eq!(answer["parts"][0]["decision"], "allowed", "{answer}");
    set("no").await;
    let said = bob.begin("@grace/free", ASK).await;
    assert_eq!(answer_after(&bob, &said.chat, 0).await["parts"][0]["kind"], "tool");
}

async fn strangers_cannot_be_asked(hub: &Hub, grace: &Client) {
    let asked = json!({ "jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": { "message": {
        "messageId": "m1", "role": "ROLE_USER", "parts": [{ "text": ASK }] } } });
    let request =
        hub.visitor().request(Method::POST, "/a2a/grace/asking/").header("A2A-Version", "1.0").json(&asked);
    let answer = hub.visitor().send(request).await.expect(StatusCode::OK).json();
    assert_eq!(answer["result"]["task"]["status"]["state"], "TASK_STATE_COMPLETED", "{answer}");
    assert!(answer.to_string().contains("no person who can be asked"), "{answer}");
    assert!(!grace.get("/healthz").await.body.is_empty());
}

async fn a_tool_asks_the_user(hub: &Hub, grace: &Client) {
    const BOOK: &str = "call=book {}";
    let said = grace.begin("@grace/free", BOOK).await;
    let id = question(grace, &said.chat).await;
    let waiting = grace.api("/approvals").await;
    let asked = &waiting["items"][0]["question"];
    assert_eq!(asked["message"], "Which boat needs a berth?", "{waiting}");
    assert_eq!(
        asked["inputs"][1]["kind"],
        json!({ "type": "number", "is_integer": true, "min": 1.0, "max": 30.0 })
    );
    let path = format!("/approvals/{id}");
    for (answer, words) in [
        (json!({ "boat": "Hai" }), "“Nights” needs a value."),
        (json!({ "boat": "Hai", "nights": 31 }), "“Nights” must be between 1 and 30."),
        (json!({ "boat": "Hai", "nights": 2, "crew": 4 }), "The question has no input"),
    ] {
        let wrong = grace.call(Method::POST, &path, &json!({ "allow": true, "answer": answer })).await;
        let (_, said) = wrong.refusal(StatusCode::UNPROCESSABLE_ENTITY);
        assert!(said.contains(words), "{said}");
    }
    let bob = hub.person("bob-asks").await;
    let reply = json!({ "allow": true, "answer": { "boat": "Hai", "nights": 2, "power": true } });
    bob.call(Method::POST, &path, &reply).await.expect(StatusCode::NOT_FOUND);
    grace.call(Method::POST, &path, &reply).await.expect(StatusCode::NO_CONTENT);
    let answer = answer_after(grace, &said.chat, 0).await;
    let expected = json!({ "outcome": "given", "values": { "boat": "Hai", "nights": 2, "power": true } });
    let parts = answer["parts"].as_array().expect("parts");
    assert!(parts.iter().any(|part| part["kind"] == "question" && part["answer"] == expected), "{answer}");
    assert!(answer.to_string().contains("Booked 2 nights for Hai, power: True."), "{answer}");

    // On the page, without a script.
    let said = grace.begin("@grace/free", BOOK).await;
    let id = question(grace, &said.chat).await;
    let chat = format!("/chat/{}", said.chat);
    let page = grace.get(&chat).await;
    page.says("name=\"input.boat\"");
    page.says("Do not enter passwords");
    let form =
        [("approval", id.as_str()), ("decision", "yes"), ("input.boat", "Otter"), ("input.nights", "x")];
    grace
        .post(&format!("{chat}/question"), &form)
        .await
        .expect(StatusCode::UNPROCESSABLE_ENTITY)
        .says("“Nights”");
    let form =
        [("approval", id.as_str()), ("decision", "yes"), ("input.boat", "Otter"), ("input.nights", "3")];
    grace.post(&format!("{chat}/question"), &form).await.expect(StatusCode::SEE_OTHER);
    let answer = answer_after(grace, &said.chat, 0).await;
    assert!(answer.to_string().contains("Booked 3 nights for Otter, power: False."), "{answer}");
    grace.get(&chat).await.says("Otter");

    let said = grace.begin("@grace/free", BOOK).await;
    let id = question(grace, &said.chat).await;
    let form = [("approval", id.as_str()), ("decision", "no")];
    grace.post(&format!("/chat/{}/question", said.chat), &form).await.expect(StatusCode::SEE_OTHER);
    let answer = answer_after(grace, &said.chat, 0).await;
    assert!(answer.to_string().contains("Nothing is booked: decline."), "{answer}");

    // Visitors have no chat in which they could be asked.
    let asked = json!({ "jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": { "message": {
        "messageId": "m2", "role": "ROLE_USER", "parts": [{ "text": BOOK }] } } });
    let request =
        hub.visitor().request(Method::POST, "/a2a/grace/free/").header("A2A-Version", "1.0").json(&asked);
    let answer = hub.visitor().send(request).await.expect(StatusCode::OK).json();
    assert!(answer.to_string().contains("Nothing is booked: decline."), "{answer}");
}

async fn a_task_is_done_with_files(grace: &Client, folder: &Path) {
    std::fs::write(folder.join("notes.txt"), "milk, bread").expect("a file");
    let at = |name: &str| format!("/work/{name}");
    let task = [
        format!("call=read_text_file {}", json!({ "path": at("notes.txt") })),
        "then".to_owned(),
        format!("call=write_file {}", json!({ "path": at("list.md"), "content": "- milk\n- bread\n" })),
        format!("call=read_text_file {}", json!({ "path": "/etc/passwd" })),
    ];
    let said = grace.begin("@grace/clerk", &task.join("\n")).await;
    let answer = answer_after(grace, &said.chat, 0).await;
    assert_eq!(
        (&answer["state"], &answer["run"]["usage"]["tokens_in"]),
        (&json!("done"), &json!(300)),
        "{answer}"
    );
    assert!(answer["parts"][0]["result"].to_string().contains("milk, bread"), "{answer}");
    assert_eq!(std::fs::read_to_string(folder.join("list.md")).expect("it was written"), "- milk\n- bread\n");
    assert!(answer["parts"][2]["result"]["error"].to_string().contains("Access denied"), "{answer}");
}

async fn a_tool_that_hangs_is_stopped(grace: &Client) {
    let said = grace.begin("@grace/free", "call=sleep {}").await;
    let mut events = Events::open(grace, &said.chat, 0).await;
    let running = async {
        while !events.next().await.expect("the stream goes on").data.to_string().contains("running") {}
    };
    timeout(TIMEOUT, running).await.expect("the call is shown while it goes on");
    grace
        .call(Method::POST, &format!("/runs/{}/stop", said.run), &Value::Null)
        .await
        .expect(StatusCode::ACCEPTED);
    let answer = answer_after(grace, &said.chat, 0).await;
    assert_eq!(answer["state"], "stopped", "{answer}");
    assert!(text_of(&answer["parts"][0]["tool"]).ends_with("/sleep"), "{answer}");
    grace.get(&format!("/chat/{}", said.chat)).await.says("not finished");
}

async fn edited_through_the_page(grace: &Client, url: &str) {
    let page = grace.get("/@grace/asking/edit").await.expect(StatusCode::OK);
    page.says(&format!("{url} ask"));
    page.says("a program of this hub: files.");
    let fields = [
        ("title", "Asking"),
        ("summary", "Uses tools."),
        ("instructions", "Use tools."),
        ("model", "scripted"),
    ];
    let with = |tools: &'static str, cost: &'static str| {
        let more = [("tools", tools), ("turns", "3"), ("tokens", "5000"), ("seconds", "60"), ("cost", cost)];
        [&fields[..], &more].concat()
    };
    let edit = async |tools, cost| grace.post("/@grace/asking/edit", &with(tools, cost)).await;
    edit("https://a.example/mcp always", "")
        .await
        .expect(StatusCode::UNPROCESSABLE_ENTITY)
        .says("f-tools-error");
    edit("", "cheap").await.expect(StatusCode::UNPROCESSABLE_ENTITY).says("f-cost-error");
    edit("files", "0.5").await.expect(StatusCode::SEE_OTHER);
    grace.get("/@grace/asking/edit").await.expect(StatusCode::OK).says("value=\"0.5\"");
    let said = grace.begin("@grace/asking", "tokens=3 rate=0").await;
    assert_eq!(text_in(&answer_after(grace, &said.chat, 0).await), "t1 t2 t3 ");
}

#[tokio::test]
async fn a_question_that_waits_when_the_hub_ends_is_answered_by_nobody() {
    let (model, tools) = (start(Path::new("node"), "model/scripted.mjs", &[]).await, tools().await);
    let folder = tempfile::tempdir().expect("a folder");
    let flags = ["--llm-base-url", &model.url, "--llm-model", "scripted"];
    let mut hub = Process::serve_with(folder.path(), &flags).await;
    let grace = hub.administrator("grace").await;
    register(&grace, "asking", &json!({ "url": tools.url }), true).await;
    let (killed, ended) = (grace.begin("@grace/asking", ASK).await, grace.begin("@grace/asking", ASK).await);
    question(&grace, &ended.chat).await;
    let id = question(&grace, &killed.chat).await;
    hub.kill().await;

    let hub = Process::serve_with(folder.path(), &flags).await;
    let grace = grace.at(&hub.origin);
    assert_eq!(grace.api("/approvals").await, json!({ "items": [], "next": null, "approvals": [] }));
    let late = grace.call(Method::POST, &format!("/approvals/{id}"), &json!({ "allow": true })).await;
    late.expect(StatusCode::CONFLICT);
    let answer = grace.api(&format!("/chats/{}", killed.chat)).await["messages"][1].clone();
    assert_eq!(answer["run"]["failure"]["class"], "interrupted", "{answer}");
    let part = &answer["parts"][0];
    assert_eq!(
        (&part["decision"], &part["arguments"]),
        (&json!("unanswered"), &json!({ "text": "milk" })),
        "{answer}"
    );

    // The retry asks again, and a clean stop of the hub leaves the same state.
    let retry = format!("/messages/{}/retry", text_of(&answer["id"]));
    grace.call(Method::POST, &retry, &json!({})).await.expect(StatusCode::ACCEPTED);
    let again = timeout(TIMEOUT, async {
        loop {
            if let Some(id) = grace.api("/approvals").await["items"][0]["id"].as_str() {
                return id.to_owned();
            }
        }
    });
    assert_ne!(again.await.expect("it asks in time"), id);
    hub.terminate();
    assert_eq!(hub.ended().await, 0);
    let hub = Process::serve_with(folder.path(), &flags).await;
    let grace = grace.at(&hub.origin);
    let page = grace.get(&format!("/chat/{}", killed.chat)).await;
    page.says("Not answered in time; the call was not made.");
}
