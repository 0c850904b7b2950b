//! Test helper: a js-libp2p peer, controlled by JSON lines (`tests/js-libp2p/peer.mjs`).

use std::{collections::HashSet, path::PathBuf, process::Stdio, time::Duration};

use data_encoding::BASE64;
use libp2p::{Multiaddr, PeerId, kad::RecordKey};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines},
    process::{Child, ChildStdin, ChildStdout, Command},
    time::timeout,
};

use crate::measure::say;

/// Timeout of a command; the peer itself needs at most 5 s.
const TIMEOUT: Duration = Duration::from_secs(60);

pub struct Js {
    pub peer: PeerId,
    input: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
    /// Gossip messages received while waiting for another event.
    heard: Vec<Vec<u8>>,
    _child: Child,
}

impl Js {
    /// Starts the peer; prints a notice and returns `None` when its packages are not installed.
    pub async fn start() -> Option<Self> {
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/js-libp2p");
        if !folder.join("node_modules").is_dir() {
            say("SKIPPED: js-libp2p, which scripts/setup test installs");
            return None;
        }
        let mut command = Command::new("node");
        command.arg("peer.mjs").current_dir(folder).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.kill_on_drop(true).spawn().unwrap();
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let mut js = Self {
            peer: PeerId::random(),
            input,
            lines: BufReader::new(output).lines(),
            heard: Vec::new(),
            _child: child,
        };
        let ready = js.read().await;
        assert_eq!(ready["event"], "ready");
        js.peer = ready["peer"].as_str().unwrap().parse().unwrap();
        Some(js)
    }

    /// Dials `address`, which must end with a peer id.
    pub async fn dial(&mut self, address: &Multiaddr) {
        self.tell(json!({ "do": "dial", "address": address.to_string() })).await;
    }

    pub async fn provide(&mut self, key: &RecordKey) {
        self.tell(json!({ "do": "provide", "key": hex(key) })).await;
    }

    pub async fn find(&mut self, key: &RecordKey) -> HashSet<PeerId> {
        let answer = self.tell(json!({ "do": "find", "key": hex(key), "enough": 1 })).await;
        let found = answer["found"].as_array().unwrap();
        found.iter().map(|peer| peer.as_str().unwrap().parse().unwrap()).collect()
    }

    pub async fn subscribe(&mut self, topic: &str) {
        self.tell(json!({ "do": "subscribe", "topic": topic })).await;
    }

    /// Publishes by gossip; returns the number of receiving peers.
    pub async fn publish(&mut self, topic: &str, data: &[u8]) -> u64 {
        let answer = self.tell(json!({ "do": "publish", "topic": topic, "data": BASE64.encode(data) })).await;
        answer["recipients"].as_u64().unwrap()
    }

    /// Sends raw bytes. Returns the response, or `None` when the stream was reset.
    pub async fn send(&mut self, peer: PeerId, protocol: &str, data: &[u8]) -> Option<Vec<u8>> {
        let errand = json!({ "do": "send", "peer": peer.to_string(), "protocol": protocol, "data": BASE64.encode(data) });
        let answer = self.tell(errand).await;
        answer["reply"].as_str().map(|reply| BASE64.decode(reply.as_bytes()).unwrap())
    }

    /// Returns the next gossip message.
    pub async fn hear(&mut self) -> Vec<u8> {
        while self.heard.is_empty() {
            let event = self.read().await;
            self.note(&event);
        }
        self.heard.remove(0)
    }

    /// Sends one command and waits for its completion.
    async fn tell(&mut self, errand: Value) -> Value {
        self.input.write_all(format!("{errand}\n").as_bytes()).await.unwrap();
        loop {
            let event = self.read().await;
            if !self.note(&event) {
                assert_eq!(event["event"], "done", "{errand}: {event}");
                return event;
            }
        }
    }

    fn note(&mut self, event: &Value) -> bool {
        let data = event["data"].as_str().filter(|_| event["event"] == "message");
        self.heard.extend(data.map(|data| BASE64.decode(data.as_bytes()).unwrap()));
        data.is_some()
    }

    async fn read(&mut self) -> Value {
        let line = timeout(TIMEOUT, self.lines.next_line()).await.unwrap().unwrap().unwrap();
        serde_json::from_str(&line).unwrap()
    }
}

fn hex(key: &RecordKey) -> String {
    data_encoding::HEXLOWER.encode(key.as_ref())
}
