//! A2A benchmark: messages and streams over one and over many connections, compared with servers on
//! third-party SDKs.

use std::time::Duration;

use anyhow::Context as _;
use hyper::Method;
use serde_json::{Value, json};

use crate::{
    a2a_sdk_servers::{JAVASCRIPT, PYTHON, Sdk},
    client::{Client, Target},
    http,
    hub::Hub,
    load, print, process, users,
};

const TIME: Duration = Duration::from_secs(4);
const CONNECTIONS: [usize; 2] = [1, 64];
/// Pieces of a streamed answer.
const PIECES: usize = 20;

/// A server under test and the messages for its agent.
struct Way<'a> {
    name: &'a str,
    process: u32,
    target: Target,
    path: &'a str,
    /// Answered by a message without a task; the hub stores nothing.
    message: Option<Ask>,
    task: Option<Ask>,
    stream: Option<Ask>,
}

struct Ask {
    id: &'static str,
    words: String,
}

pub async fn run() -> anyhow::Result<()> {
    let kits = Hub::for_kits().await?;
    let hub = Hub::start(tempfile::tempdir()?).await?;
    let person = users::sign_up(&hub, 1).await?.pop().context("nobody signed up")?;
    let (javascript, python) = (Sdk::start(&JAVASCRIPT)?, Sdk::start(&PYTHON)?);
    let mut ways = vec![of_kits(&kits), of_hub(&hub, users::with_token(&person).await?)];
    ways.extend(javascript.as_ref().map(|server| of_sdk("@a2a-js/sdk", server, "weave")));
    ways.extend(python.as_ref().map(|server| of_sdk("a2a-sdk", server, "count")));
    sends(&ways).await?;
    streams(&ways).await
}

/// Returns the conformance agent, which answers one particular message without a task.
fn of_kits(kits: &Hub) -> Way<'_> {
    let message = Ask { id: "tck-message-response", words: "hello".to_owned() };
    Way {
        name: "hub, its agent for kits",
        process: kits.id(),
        target: Target { address: kits.address, credential: None },
        path: "/a2a/test/tck/",
        message: Some(message),
        task: None,
        stream: None,
    }
}

/// Returns the calculator for an account. All its tasks are stored.
fn of_hub(hub: &Hub, target: Target) -> Way<'_> {
    Way {
        name: "hub, `@plexus/calc`",
        process: hub.id(),
        target,
        path: "/a2a/plexus/calc/",
        message: None,
        task: Some(Ask::new("6 * 7")),
        stream: Some(Ask::new((0..PIECES).map(|n| format!("{n} * 7\n")).collect::<String>())),
    }
}

/// Returns an agent of a third-party SDK. It greets with a message and performs `verb` a given number of
/// times.
fn of_sdk<'a>(name: &'a str, server: &Sdk, verb: &str) -> Way<'a> {
    Way {
        name,
        process: server.id(),
        target: Target { address: server.address, credential: None },
        path: "/",
        message: Some(Ask::new("hello")),
        task: Some(Ask::new(format!("{verb} 1"))),
        stream: Some(Ask::new(format!("{verb} {PIECES}"))),
    }
}

async fn sends(ways: &[Way<'_>]) -> anyhow::Result<()> {
    print(&format!("\nA2A 1.0 over JSON-RPC, SendMessage, {} s each", TIME.as_secs()));
    print("| server | answer | connections | answers/s | p50 ms | p99 ms | µs of processor an answer |");
    print("|---|---|---|---|---|---|---|");
    for way in ways {
        for (answer, ask) in [("message", &way.message), ("task", &way.task)] {
            let Some(ask) = ask else { continue };
            way.check(ask, answer).await?;
            for connections in CONNECTIONS {
                way.send(ask, answer, connections).await?;
            }
        }
    }
    Ok(())
}

async fn streams(ways: &[Way<'_>]) -> anyhow::Result<()> {
    print(&format!("\nThe same, SendStreamingMessage, a task with {PIECES} pieces"));
    print("| server | connections | streams/s | first event ms p50 | p99 | events each |");
    print("|---|---|---|---|---|---|");
    for way in ways {
        let Some(ask) = &way.stream else { continue };
        for connections in CONNECTIONS {
            way.stream(ask, connections).await?;
        }
    }
    Ok(())
}

impl Ask {
    fn new(words: impl Into<String>) -> Self {
        Self { id: "bench", words: words.into() }
    }

    fn call(&self, method: &str) -> Value {
        let message = json!({ "messageId": self.id, "role": "ROLE_USER", "parts": [{ "text": self.words }] });
        json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": { "message": message } })
    }
}

impl Way<'_> {
    fn request(&self, ask: &Ask, method: &str) -> Vec<u8> {
        http::post(&self.target, self.path, "A2A-Version: 1.0\r\n", &ask.call(method))
    }

    /// Fails unless the answer has the kind that the table states.
    async fn check(&self, ask: &Ask, answer: &str) -> anyhow::Result<()> {
        let mut request = self.target.json(Method::POST, self.path, &ask.call("SendMessage"))?;
        request.headers_mut().insert("a2a-version", "1.0".parse()?);
        let said = Client::open(self.target.address).await?.call(request).await?;
        anyhow::ensure!(said["result"][answer].is_object(), "{} answered {said}", self.name);
        Ok(())
    }

    async fn send(&self, ask: &Ask, answer: &str, connections: usize) -> anyhow::Result<()> {
        let requests = [self.request(ask, "SendMessage")];
        let before = process::cpu(self.process)?;
        let sent = load::steady(self.target.address, connections, TIME, &requests).await?;
        let spent = process::cpu(self.process)?.saturating_sub(before);
        print(&format!(
            "| {} | {answer} | {connections} | {:.0} | {:.2} | {:.2} | {:.0} |",
            self.name,
            sent.per_second(),
            sent.percentile(50.0),
            sent.percentile(99.0),
            spent.as_secs_f64() * 1e6 / sent.took.len() as f64
        ));
        Ok(())
    }

    async fn stream(&self, ask: &Ask, connections: usize) -> anyhow::Result<()> {
        let request = self.request(ask, "SendStreamingMessage");
        let heard = load::streams(self.target.address, connections, TIME, &request).await?;
        print(&format!(
            "| {} | {connections} | {:.0} | {:.2} | {:.2} | {:.1} |",
            self.name,
            heard.first.per_second(),
            heard.first.percentile(50.0),
            heard.first.percentile(99.0),
            heard.events as f64 / heard.first.took.len() as f64
        ));
        Ok(())
    }
}
