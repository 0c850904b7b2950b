//! `docs/federation.md`, followed literally: its settings make a network of three hubs, with a relay and a private
//! hub. Addresses on loopback stand in for the domains.

use std::path::Path;

use reqwest::StatusCode;
use tokio::net::TcpListener;

use crate::{
    federation::{Node, it_answers, model, until},
    process::{Process, command, plexus, stdout},
};

const GUIDE: &str = include_str!("../../docs/federation.md");
const FIRST: &str = "/dns4/first.example/tcp/4001/p2p/12D3KooW…";

/// Returns the blocks of settings in the section about starting a network.
fn blocks() -> Vec<Vec<(String, String)>> {
    let (_, section) = GUIDE.split_once("\n## Start or join a network\n").expect("the section");
    let section = section.split("\n## ").next().expect("text");
    let settings = |block: &str| {
        let lines = block.lines().filter_map(|line| line.split_once('='));
        lines.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
    };
    section.split("```").skip(1).step_by(2).map(settings).collect()
}

/// Starts a hub with these settings. A free port of this machine stands in for each listen address, and `first`
/// for the address that the first hub printed.
async fn follow(settings: &[(String, String)], first: &str, model: &str, folder: &Path) -> Process {
    let mut command = command(folder);
    command.args(["serve", "--listen", "127.0.0.1:0", "--llm-base-url", model, "--llm-model", "small"]);
    for (name, value) in settings.iter().filter(|(name, _)| name != "PLEXUS_PUBLIC_URL") {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let place = listener.local_addr().expect("bound").to_string();
        let value = value.replace("0.0.0.0:4001", &place).replace(FIRST, first);
        assert!(!value.contains("example") && !value.contains('…'), "{name}={value} has a placeholder");
        command.env(name, value);
    }
    Process::serve_by(command).await
}

async fn start(settings: &[(String, String)], first: &str, model: &str) -> Node {
    let folder = tempfile::tempdir().expect("a folder");
    let process = follow(settings, first, model, folder.path()).await;
    Node::of(process, folder, None).await
}

async fn says(node: &Node, words: &str) {
    until(&format!("doctor says: {words}"), async || {
        stdout(&plexus(node.folder.path(), &["federation", "hubs"]).await).contains(words)
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_guide_leads_to_three_hubs_with_a_relay_and_a_private_one() {
    let blocks = blocks();
    let [relay, second, private] = &blocks[..] else { panic!("three hubs: {blocks:?}") };
    let model = model().await;
    let first = start(relay, "", &model).await;
    let second = start(second, &first.address, &model).await;
    let private = start(private, &first.address, &model).await;
    says(&first, "directly, confirmed by").await;
    says(&first, "relay (hubs: 1").await;
    says(&second, "directly, confirmed by").await;
    says(&private, &format!("through {}", first.id)).await;

    let hubs = [(&first, "harbour"), (&second, "bakery"), (&private, "attic")];
    for (node, name) in hubs {
        let address = node.publish(name, &format!("Knows the {name}.")).await;
        for (other, _) in hubs.iter().filter(|(other, _)| other.id != node.id) {
            other.until_found(name, &address, true).await;
            other.until_knows(node).await;
        }
    }
    it_answers(&second, &format!("@grace/attic@{}", private.id)).await;
    it_answers(&private, &format!("@grace/bakery@{}", second.id)).await;
    first.admin.get("/admin/network").await.expect(StatusCode::OK);
    for node in [private, second, first] {
        node.end().await;
    }
}
