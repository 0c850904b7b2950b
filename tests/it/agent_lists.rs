//! Tests of agent lists over `/api/v1`, and of a hub that serves requests while it builds its index.

use std::{collections::BTreeSet, fs, time::Duration};

use plexus_search::Index;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::{
    chat::seq,
    client::{Client, text_of},
    events::answer_after,
    hub::{Hub, on_both},
    process::Process,
};

/// Number of agents that the test adds to the two built-in ones.
const MADE: usize = 5;
/// Timeout for the index to reflect a write.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Model settings. No server listens there, but the configured model is listed anyway.
const MODEL: [(&str, &str); 2] =
    [("PLEXUS_LLM_BASE_URL", "http://127.0.0.1:9/v1"), ("PLEXUS_LLM_MODEL", "small")];

on_both! {
    async fn a_search_answers_page_by_page_and_counts_only_when_asked(hub: &Hub, [MODEL[0], MODEL[1]]) {
        let ada = made(hub, "public").await;
        let visitor = hub.visitor();
        let found = until_found(&visitor, "/agents?q=lighthouse", MADE).await;
        assert_eq!(found.get("facets"), None, "facets are counted where they are shown");
        assert_eq!((&found["index_complete"], &found["next"]), (&json!(true), &Value::Null));
        assert_eq!(found["items"][0]["kind"], "llm");

        let counted = visitor.api("/agents?q=lighthouse&facets=true&limit=1").await;
        assert_eq!(counted["facets"]["kind"], json!([{ "value": "llm", "count": MADE }]));
        assert_eq!(counted["facets"]["owner"], json!([{ "value": "ada", "count": MADE }]));

        let pages = pages(&visitor, "/agents?q=lighthouse&sort=newest&limit=2").await;
        assert_eq!(pages.iter().map(Vec::len).collect::<Vec<_>>(), [2, 2, 1]);
        assert_eq!(pages.concat(), newest_first());
        assert_eq!(visitor.api("/agents?owner=plexus").await["total"], 4, "a filter alone is a search");
        assert_eq!(ada.api("/agents?q=lighthouse&kind=a2a").await["total"], 0);
        assert_eq!(visitor.api("/agents?q=lighthose").await["did_you_mean"], "lighthouse");
    }

    async fn your_own_agents_come_page_by_page(hub: &Hub, [MODEL[0], MODEL[1]]) {
        let ada = made(hub, "private").await;
        assert_eq!(pages(&ada, "/agents?limit=2").await.concat(), newest_first());
        assert_eq!(ada.api("/agents").await["items"].as_array().map(Vec::len), Some(MADE));
        assert_eq!(hub.person("bob").await.api("/agents").await["items"], json!([]));
        hub.visitor().get("/api/v1/agents").await.refusal(StatusCode::UNAUTHORIZED);
        assert_eq!(hub.visitor().api("/agents?q=lighthouse").await["total"], 0, "what is private is not found");
    }

    async fn a_list_names_what_it_cannot_read(hub: &Hub) {
        let ada = hub.person("ada").await;
        for (query, field) in [
            ("limit=0", "limit"),
            ("limit=101&q=a", "limit"),
            ("limit=many", "limit"),
            ("after=x", "after"),
            ("q=a&after=12-x", "after"),
            ("q=a&after=-1", "after"),
            ("page=2", "page"),
        ] {
            let answer = ada.get(&format!("/api/v1/agents?{query}")).await;
            let answer = answer.expect(StatusCode::UNPROCESSABLE_ENTITY).json();
            assert_eq!(answer["error"]["field"], field, "{query}");
        }
        let far = "q=a&after=18446744073709551615-01890000-0000-7000-8000-000000000000";
        assert_eq!(ada.api(&format!("/agents?{far}")).await["items"], json!([]));
    }
}

/// Creates Ada with her agents `light-0`, `light-1` and so on.
async fn made(hub: &Hub, visibility: &str) -> Client {
    let ada = hub.person("ada").await;
    for n in 0..MADE {
        let body = json!({ "name": format!("light-{n}"), "instructions": "Be brief.", "visibility": visibility,
                           "summary": "Knows each lighthouse." });
        ada.call(Method::POST, "/agents", &body).await.expect(StatusCode::CREATED);
    }
    ada
}

fn newest_first() -> Vec<String> {
    (0..MADE).rev().map(|n| format!("@ada/light-{n}")).collect()
}

/// Returns the addresses of each page, up to the last page.
async fn pages(client: &Client, path: &str) -> Vec<Vec<String>> {
    let (mut pages, mut after) = (Vec::new(), String::new());
    loop {
        let page = client.api(&format!("{path}{after}")).await;
        let items = page["items"].as_array().expect("a list");
        pages.push(items.iter().map(|item| text_of(&item["address"])).collect());
        match page["next"].as_str() {
            Some(next) => after = format!("&after={next}"),
            None => return pages,
        }
    }
}

async fn until_found(client: &Client, path: &str, total: usize) -> Value {
    until(client, &format!("/api/v1{path}"), |found| found["total"] == total).await
}

/// Polls until a search finds the agent by name. Only then can it be chosen for teams.
pub async fn until_listed(client: &Client, address: &str) {
    let name = address.rsplit('/').next().unwrap_or(address);
    until(client, &format!("/api/v1/agents?q={name}"), |found| lists(found, address)).await;
}

/// Returns true if search results contain an agent.
pub fn lists(found: &Value, address: &str) -> bool {
    found["items"].as_array().expect("a list").iter().any(|item| item["address"] == address)
}

/// Polls until the index reflects a write.
pub async fn until(client: &Client, path: &str, is_there: impl Fn(&Value) -> bool) -> Value {
    let all = async {
        loop {
            let found = client.get(path).await.expect(StatusCode::OK).json();
            if is_there(&found) {
                return found;
            }
        }
    };
    tokio::time::timeout(TIMEOUT, all).await.expect("the index follows")
}

#[tokio::test]
async fn a_hub_serves_before_its_index_is_whole_and_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let index = folder.path().join("data/index");
    drop(Index::open(&index).expect("an empty index"));
    // The index cannot be built while a folder has this name.
    let obstacle = index.join("current.new");
    fs::create_dir(&obstacle).expect("a folder");

    let hub = Process::start(folder.path(), &[]).await;
    let ada = Client::new(&hub.origin);
    for path in ["/", "/agents", "/agents?q=calculator"] {
        ada.get(path).await.expect(StatusCode::OK).says("The search index is being built");
    }
    let found = ada.api("/agents?q=calculator").await;
    assert_eq!((&found["index_complete"], &found["total"]), (&json!(false), &json!(0)));
    let ready = ada.get("/readyz").await.expect(StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(ready.body, "the search index is being built\n");
    ada.get("/healthz").await.expect(StatusCode::OK);

    // Features without search work meanwhile. The first answer of an agent changes its listing, so the hub
    // retries.
    fs::remove_dir(&obstacle).expect("it is empty");
    ada.sign_up("ada").await;
    let said = ada.begin("@plexus/calc", "1 + 1").await;
    assert_eq!(answer_after(&ada, &said.chat, 0).await["state"], "done");
    assert!(seq(&ada, &said.chat).await > 0);
    hub.until_ready().await;
    let found = ada.api("/agents?q=calculator").await;
    assert_eq!(found["index_complete"], true);
    let addresses: BTreeSet<String> =
        found["items"].as_array().expect("a list").iter().map(|item| text_of(&item["address"])).collect();
    assert!(addresses.contains("@plexus/calc"), "{addresses:?}");
    assert!(!ada.get("/").await.body.contains("The search index is being built"));
}
