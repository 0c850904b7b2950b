//! Tests of the CPU cost of a single request: texts that took seconds to render in the past, and clients that
//! disconnect early.

use std::time::{Duration, Instant};

use plexus_store::testing::Database;
use reqwest::{Method, StatusCode};

use crate::{
    client::{Client, Said},
    database::postgres_url,
    events::answer_after,
    hub::play_on_both,
    process::Process,
};

/// CPU time limit of one page in an unoptimised build. Rendering may take 150 ms. The rest is reading the
/// messages and writing some megabytes.
const PAGE: Duration = Duration::from_millis(1_600);
/// Response time limit of the hub while such pages are rendered.
const ALIVE: Duration = Duration::from_millis(500);
/// Maximum bytes of a message.
const LARGEST: usize = 1 << 20;

fn texts() -> Vec<(&'static str, String)> {
    let quotes = ">".repeat(190_000);
    let code = |language: &str, unit: &str| {
        let line = unit.repeat(450 / unit.len());
        format!("```{language}\n{}```\n", format!("{line}\n").repeat(115 * 1024 / line.len()))
    };
    let mut worst =
        [quotes.as_str(), &code("r", "a$b(["), &"&".repeat(190_000), &"[a]: b\n\n".repeat(20_000)]
            .join("\n\n");
    worst.push_str(&format!("\n\n{quotes}\n\n{quotes}"));
    worst.truncate(LARGEST);
    vec![
        ("140,000 quotes", ">".repeat(140_000)),
        ("three blocks of quotes", [quotes.as_str(); 3].join("\n\n")),
        ("R", code("r", "a$b([")),
        ("C++", code("cpp", "a<b<c(")),
        ("ampersands", "&".repeat(190_000)),
        ("the worst blocks of 1 MiB", worst),
        ("a URL before closing brackets", format!("http://a{}", ")".repeat(400_000))),
        ("URLs in a URL", "http://a.".repeat(100_000)),
        ("URLs in brackets", "http://a(".repeat(100_000)),
        ("many URLs", "http://a ".repeat(100_000)),
    ]
}

/// Returns the hub's CPU time for one page.
async fn cost(hub: &Process, ada: &Client, chat: &str) -> Duration {
    let before = hub.cpu_time();
    ada.get(&format!("/chat/{chat}")).await.expect(StatusCode::OK);
    hub.cpu_time().saturating_sub(before)
}

async fn costs(database: Option<Database>) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let url = database.as_ref().map(postgres_url);
    let mut hub = Process::serve_on(folder.path(), url.as_deref()).await;
    let ada = hub.administrator("ada").await;
    let mut chats = Vec::new();
    for (name, text) in texts() {
        let said = ada.begin("@plexus/calc", &text).await;
        answer_after(&ada, &said.chat, 0).await;
        chats.push((name, said));
    }
    // Restart to drop the render cache.
    hub.kill().await;
    let hub = Process::serve_on(folder.path(), url.as_deref()).await;
    let ada = ada.at(&hub.origin);
    for (name, said) in &chats {
        let spent = [cost(&hub, &ada, &said.chat).await, cost(&hub, &ada, &said.chat).await];
        println!("GET /chat/ID, {name}: {spent:?}");
        assert!(spent.iter().all(|spent| *spent < PAGE), "{name}: {spent:?}");
    }
    leave(&ada, &chats).await;
    let begun = Instant::now();
    ada.get("/healthz").await.expect(StatusCode::OK);
    println!("GET /healthz, while pages are made: {:?}", begun.elapsed());
    assert!(begun.elapsed() < ALIVE, "{:?}", begun.elapsed());
    hub.kill().await;
    if let Some(database) = database {
        database.drop().await;
    }
}

/// Requests two of the pages twice and disconnects before the responses.
async fn leave(ada: &Client, chats: &[(&str, Said)]) {
    for (_, said) in chats.iter().rev().take(2).cycle().take(4) {
        let page = ada.request(Method::GET, &format!("/chat/{}", said.chat)).send();
        assert!(tokio::time::timeout(Duration::from_millis(1), page).await.is_err(), "it is made in no time");
    }
}

mod a_page_of_the_worst_messages_is_cheap {
    use super::*;

    play_on_both!(costs);
}
