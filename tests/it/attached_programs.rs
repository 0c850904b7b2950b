//! Tests of attached programs: `plexus agent run` connects local programs as agents.

use std::{
    path::{Path, PathBuf},
    process::Stdio,
};

use axum::{Router, routing::post};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt as _, BufReader, Lines},
    process::{Child, ChildStderr},
    time::timeout,
};

use crate::{
    acp_programs::{acp_agent, decide},
    agent::{Agent, card},
    chat::seq,
    client::{Client, text_of},
    events::{TIMEOUT, answer_after, text_in},
    http_endpoints,
    hub::{Hub, on_both},
    process::{Process, command, plexus, stderr, stdout},
    tokens::make,
};

/// Running `plexus agent run` with its log lines, killed on drop.
pub struct Joined {
    child: Child,
    lines: Lines<BufReader<ChildStderr>>,
}

impl Joined {
    /// Starts `plexus agent run` and waits until the program is attached.
    pub async fn with(folder: &Path, arguments: &[&str]) -> Self {
        let mut joined = Self::start(folder, arguments);
        joined.until("Attached.").await;
        joined
    }

    fn start(folder: &Path, arguments: &[&str]) -> Self {
        let mut command = command(folder);
        command.args(["agent", "run"]).args(arguments).stdout(Stdio::null());
        command.env("PATH", std::env::var("PATH").unwrap_or_default());
        let mut child = command.spawn().expect("the program starts");
        let lines = BufReader::new(child.stderr.take().expect("it is piped")).lines();
        Self { child, lines }
    }

    /// Reads lines until one contains `words`.
    async fn until(&mut self, words: &str) -> String {
        loop {
            let line = timeout(TIMEOUT, self.lines.next_line()).await.expect("in time").expect("text");
            let line = line.unwrap_or_else(|| panic!("it ended before it said {words}"));
            if line.contains(words) {
                return line;
            }
        }
    }

    async fn ended(mut self) -> i32 {
        let status = timeout(TIMEOUT, self.child.wait()).await.expect("it ends").expect("a status");
        status.code().expect("it ended by itself")
    }

    fn interrupt(&self) {
        let id = self.child.id().expect("it runs").to_string();
        let sent = std::process::Command::new("kill").args(["-INT", &id]).status().expect("kill");
        assert!(sent.success());
    }
}

async fn asked(client: &Client, agent: &str, text: &str) -> Value {
    let said = client.begin(agent, text).await;
    answer_after(client, &said.chat, 0).await
}

async fn is_online(client: &Client, agent: &str) -> bool {
    client.api(&format!("/agents/{agent}")).await["online"] == json!(true)
}

on_both! {
    async fn any_program_joins_and_leaves(hub: &Hub) {
        let folder = tempfile::tempdir().expect("a folder");
        let ada = hub.person("ada").await;
        let token = make(&ada, &["agents", "read"]).await;
        let arguments = ["@ada/shout", "--hub", hub.origin(), "--token", &token, "--title", "Shout", "--", "tr", "a-z", "A-Z"];
        let mut joined = Joined::start(folder.path(), &arguments);
        let said = joined.until("was created").await;
        assert!(said.contains("/@ada/shout"), "{said}");
        joined.until("Attached.").await;
        assert_eq!(text_in(&asked(&ada, "@ada/shout", "quiet").await).trim(), "QUIET");
        let shown = ada.api("/agents/ada/shout").await;
        assert_eq!((&shown["kind"], &shown["title"], &shown["visibility"]), (&json!("attached"), &json!("Shout"), &json!("private")));
        assert!(is_online(&ada, "ada/shout").await);
        ada.get("/@ada/shout").await.says("Shout");
        // Private by default.
        hub.person("eve").await.get("/@ada/shout").await.expect(StatusCode::NOT_FOUND);

        joined.interrupt();
        assert_eq!(joined.ended().await, 0);
        let answer = asked(&ada, "@ada/shout", "quiet").await;
        assert_eq!(answer["state"], "failed", "{answer}");
        assert!(answer.to_string().contains("not connected now"), "{answer}");
        assert!(!is_online(&ada, "ada/shout").await);
        ada.get("/@ada/shout").await.says("Not connected");
    }

    async fn a_program_that_speaks_acp_joins_and_asks_for_leave(hub: &Hub) {
        let folder = tempfile::tempdir().expect("a folder");
        let ada = hub.person("ada").await;
        let token = make(&ada, &["agents", "read"]).await;
        let (python, agent) = acp_agent();
        let [python, agent] = [python, agent].map(|path| path.to_str().expect("text").to_owned());
        let arguments = ["parrot", "--hub", hub.origin(), "--token", &token, "--protocol", "acp", "--", &python, "-u", &agent];
        let joined = Joined::with(folder.path(), &arguments).await;
        let said = ada.begin("@ada/parrot", "one two").await;
        let first = answer_after(&ada, &said.chat, 0).await;
        assert!(text_in(&first).starts_with("one two (turn 1"), "{first}");
        let so_far = seq(&ada, &said.chat).await;
        ada.say(&said.chat, "three").await;
        let second = answer_after(&ada, &said.chat, so_far).await;
        assert!(text_in(&second).starts_with("three (turn 2"), "the same program goes on: {second}");
        for (allow, chosen) in [(true, "selected yes"), (false, "selected no")] {
            let said = ada.begin("@ada/parrot", "ask").await;
            decide(&ada, &said.chat, allow).await;
            let answer = answer_after(&ada, &said.chat, 0).await;
            assert!(answer["parts"].to_string().contains(chosen), "{answer}");
        }
        joined.interrupt();
        assert_eq!(joined.ended().await, 0);
    }

    async fn the_latest_program_takes_the_place(hub: &Hub) {
        let folder = tempfile::tempdir().expect("a folder");
        let ada = hub.person("ada").await;
        let token = make(&ada, &["agents", "read"]).await;
        let run = |script: &'static str| {
            let (origin, token) = (hub.origin().to_owned(), token.clone());
            let folder = folder.path().to_owned();
            async move { Joined::with(&folder, &["@ada/echo", "--hub", &origin, "--token", &token, "--", "echo", script]).await }
        };
        let mut first = run("first").await;
        let second = run("second").await;
        first.until("Another program has been attached as @ada/echo").await;
        assert_ne!(first.ended().await, 0);
        assert_eq!(text_in(&asked(&ada, "@ada/echo", "?").await).trim(), "second");
        // A token of another user is rejected, and deleting the agent disconnects its program.
        let eve = hub.person("eve").await;
        let hers = make(&eve, &["agents", "read"]).await;
        let refused = plexus(folder.path(), &["agent", "run", "@ada/echo", "--hub", hub.origin(), "--token", &hers, "--", "true"]).await;
        assert!(stderr(&refused).contains("the token belongs to @eve"), "{}", stderr(&refused));
        eve.get("/api/v1/agents/eve/echo").await.expect(StatusCode::NOT_FOUND);
        ada.call(Method::DELETE, "/agents/ada/echo", &json!({})).await.expect(StatusCode::NO_CONTENT);
        assert_ne!(second.ended().await, 0);
    }

    async fn a_browser_cannot_be_made_to_attach(hub: &Hub) {
        let ada = hub.person("ada").await;
        let new = json!({ "name": "mine", "attached": true, "summary": "A program." });
        ada.call(Method::POST, "/agents", &new).await.expect(StatusCode::CREATED);
        let upgrade = |client: &Client| {
            client
                .request(Method::GET, "/api/v1/agents/ada/mine/attach")
                .header("connection", "upgrade")
                .header("upgrade", "websocket")
                .header("sec-websocket-version", "13")
                .header("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ==")
                .header("origin", "https://evil.example.org")
        };
        ada.send(upgrade(&ada)).await.expect(StatusCode::UNAUTHORIZED);
        let program = ada.with_token(&make(&ada, &["agents", "read"]).await);
        assert_eq!(upgrade(&program).send().await.expect("an answer").status(), StatusCode::SWITCHING_PROTOCOLS);
        program.get("/api/v1/agents/plexus/calc/attach").await.expect(StatusCode::BAD_REQUEST);
    }
}

#[tokio::test]
async fn a_program_comes_back_when_its_hub_does() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut hub = Process::serve(folder.path()).await;
    let grace = hub.administrator("grace").await;
    let mut joined = Joined::with(folder.path(), &["late", "--", "cat"]).await;
    assert_eq!(text_in(&asked(&grace, "@grace/late", "one").await).trim(), "one");
    hub.kill().await;
    joined.until("Connecting again").await;
    let hub = Process::serve(folder.path()).await;
    joined.until("Attached.").await;
    assert_eq!(text_in(&asked(&grace.at(&hub.origin), "@grace/late", "two").await).trim(), "two");
    hub.kill().await;
}

#[tokio::test]
async fn a_stopped_answer_stops_the_program() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut hub = Process::serve(folder.path()).await;
    let grace = hub.administrator("grace").await;
    let script = "echo $$ > pid; echo working; sleep 1000";
    let _joined = Joined::with(folder.path(), &["slow", "--", "sh", "-c", script]).await;
    let said = grace.begin("@grace/slow", "go").await;
    let pid = folder.path().join("pid");
    while std::fs::read_to_string(&pid).unwrap_or_default().trim().is_empty() {
        tokio::task::yield_now().await;
    }
    let pid = std::fs::read_to_string(&pid).expect("written");
    grace.call(Method::POST, &format!("/runs/{}/stop", said.run), &json!({})).await;
    assert_eq!(answer_after(&grace, &said.chat, 0).await["state"], "stopped");
    let ended = async {
        while !std::fs::read(format!("/proc/{}/cmdline", pid.trim())).unwrap_or_default().is_empty() {
            tokio::task::yield_now().await;
        }
    };
    timeout(TIMEOUT, ended).await.expect("it ends");
    hub.kill().await;
}

/// Tests that a server reachable only from its owner's machine can be attached the same way.
#[tokio::test]
async fn servers_of_a_machine_join() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut hub = Process::serve(folder.path()).await;
    let grace = hub.administrator("grace").await;
    let origin = http_endpoints::serve(
        Router::new().route("/openai/chat/completions", post(http_endpoints::interpreter)),
    )
    .await;
    let over_http = ["oi", "--url", &origin, "--preset", "open-interpreter"];
    let _over_http = Joined::with(folder.path(), &over_http).await;
    assert_eq!(text_in(&asked(&grace, "@grace/oi", "one two").await), "one.two.");

    let mut agent = Agent::start().await;
    let _over_a2a = Joined::with(folder.path(), &["tide", "--url", &agent.url]).await;
    assert_eq!(grace.api("/agents/grace/tide").await["title"], card(&agent.url)["name"]);
    let said = grace.begin("@grace/tide", "high water?").await;
    let call = agent.called().await;
    call.begin_task().await;
    call.artifact("at noon").await;
    call.ask("Tomorrow as well?").await;
    let answer = answer_after(&grace, &said.chat, 0).await;
    assert!(answer.to_string().contains("at noon"), "{answer}");
    hub.kill().await;
}

/// Tests that the agents generated by `plexus agent new` work unchanged.
#[tokio::test]
async fn what_is_written_to_begin_from_works() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut hub = Process::serve(folder.path()).await;
    let grace = hub.administrator("grace").await;
    let built = |name: &str| {
        let tests = std::env::current_exe().expect("this program has a path");
        let program: PathBuf = tests.ancestors().nth(2).expect("target/debug").join(name);
        assert!(program.exists(), "{} is missing; `make test-rust` builds it", program.display());
        program.to_str().expect("text").to_owned()
    };
    let starts = [
        ("python", vec!["python3".to_owned(), "python-agent/agent.py".to_owned()]),
        ("javascript", vec!["node".to_owned(), "javascript-agent/agent.mjs".to_owned()]),
        ("rust", vec![built("my-agent")]),
    ];
    for (language, start) in starts {
        let name = format!("{language}-agent");
        let written = plexus(folder.path(), &["agent", "new", &name, "--language", language]).await;
        assert!(stdout(&written).contains("--protocol jsonl"), "{}", stderr(&written));
        let again = plexus(folder.path(), &["agent", "new", &name, "--language", language]).await;
        assert!(stderr(&again).contains("already exists"), "{}", stderr(&again));
        let line: Vec<&str> = start.iter().map(String::as_str).collect();
        let joined = Joined::with(
            folder.path(),
            &[&[name.as_str(), "--protocol", "jsonl", "--"], line.as_slice()].concat(),
        )
        .await;
        let answer = asked(&grace, &format!("@grace/{name}"), "Ebb and flood tide").await;
        assert_eq!(
            text_in(&answer),
            "**4** words, the longest of them “flood”. Reading it takes 0.0 minutes.",
            "{language}"
        );
        joined.interrupt();
        assert_eq!(joined.ended().await, 0);
    }
    let unknown = plexus(
        folder.path(),
        &["agent", "run", "@grace/x", "--protocol", "jsonl", "--question-suffix", "?", "--", "true"],
    )
    .await;
    assert!(text_of(&json!(stderr(&unknown))).contains("--question-suffix requires --protocol text"));
    hub.kill().await;
}
