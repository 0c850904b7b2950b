//! Tests of live search at remote hubs, for agents that are not replicated here.

use std::time::{Duration, Instant};

use plexus_store::testing::Database;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::{
    client::{Client, text_of},
    federation::{Node, model, until},
    hub::{self, Hub, play_on_both},
    peer::{Habit, Peer, WEB, listing},
    remote_users::settings,
};

/// Upper bound of the slowest response: one second for the DHT, 1.5 s for hubs, and reserve for a busy
/// machine.
const IN_TIME: Duration = Duration::from_secs(10);
/// Address without a server: these tests call no model.
const NO_MODEL: &str = "http://127.0.0.1:9/v1";

/// Waits until the hub knows the peer.
async fn until_known(ada: &Client, peer: &Peer) {
    let id = peer.id.to_string();
    until("the hub knows the other", async || {
        let hubs = ada.api("/hubs").await;
        let mut rows = hubs["items"].as_array().expect("a list").iter();
        rows.any(|row| row["id"] == id.as_str() && row["state"] == "fresh")
    })
    .await;
}

async fn federated(client: &Client, query: &str) -> Value {
    client.api(&format!("/agents?{query}&federated=true")).await
}

/// Returns the report about the one remote hub that was queried.
fn asked(found: &Value) -> &Value {
    let asked = found["sources"]["queried_hubs"].as_array().expect("a list");
    assert_eq!(asked.len(), 1, "{found}");
    &asked[0]
}

/// Runs a test with a hub, its administrator and its bootstrap address.
async fn with_a_hub(database: Option<Database>, body: impl AsyncFnOnce(&Hub, Client, String)) {
    let run = async |hub: &Hub| {
        let admin = hub.administrator("grace").await;
        let bootstrap = text_of(&admin.api("/hubs").await["local"]["addresses"][0]);
        body(hub, admin, bootstrap).await;
    };
    hub::run(database, &settings(NO_MODEL, &[]), run).await;
}

play_on_both!(what_is_not_carried_is_found);

async fn what_is_not_carried_is_found(database: Option<Database>) {
    with_a_hub(database, async |hub, admin, bootstrap| {
        let peer = Peer::start(1, &bootstrap, Habit::Answers(vec![listing(1, "corals", "sea")]));
        let visitor = hub.visitor();
        until_known(&admin, &peer).await;
        let here = visitor.api("/agents?q=corals").await;
        assert_eq!((&here["total"], here.get("sources")), (&json!(0), None));
        let elsewhere = visitor.api("/agents?q=corals&scope=local&federated=true").await;
        assert_eq!(elsewhere["sources"]["queried_hubs"], json!([]), "who wants what is here asks nobody else");

        let found = federated(&visitor, "q=corals").await;
        let address = format!("@bob/corals@{}", peer.id);
        assert_eq!(
            (&found["items"][0]["address"], &found["items"][0]["has_page"]),
            (&json!(address), &json!(true))
        );
        assert_eq!((&found["sources"]["local"], &found["sources"]["replicated"]), (&json!(0), &json!(0)));
        let said =
            json!({ "id": peer.id.to_string(), "domain": null, "answered": true, "found": 1, "invalid_records": 0 });
        assert_eq!(asked(&found), &said);
        visitor.get(&format!("/{address}")).await.expect(StatusCode::OK).says("The corals");
        until("it is carried from now on", async || visitor.api("/agents?q=corals").await["total"] == 1)
            .await;
        let again = federated(&visitor, "q=corals").await;
        assert_eq!(again["items"].as_array().map(Vec::len), Some(1), "nothing comes twice");
        assert_eq!((&again["sources"]["replicated"], &asked(&again)["found"]), (&json!(1), &json!(0)));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hub_that_nobody_knew_is_found_by_a_tag() {
    with_a_hub(None, async |hub, _, bootstrap| {
        let found = listing(1, "moon", "phases");
        let peer = Peer::hidden(1, &bootstrap, Habit::Answers(vec![found]));
        peer.provide("phases").await;
        let visitor = hub.visitor();
        let address = format!("@bob/moon@{}", peer.id);
        until("the DHT names the hub", async || {
            let found = federated(&visitor, "tag=phases").await;
            found["items"][0]["address"] == address.as_str() && found["items"][0]["has_page"] == true
        })
        .await;
        visitor.get(&format!("/{address}")).await.expect(StatusCode::OK).says("The moon");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_hangs_and_who_forges_is_named_and_the_rest_is_shown() {
    with_a_hub(None, async |hub, admin, bootstrap| {
        let mut forged = listing(2, "corals-forged", "sea");
        let at = forged.len() - 1;
        forged[at] ^= 1;
        let junk = b"junk".to_vec();
        let honest = Peer::start(1, &bootstrap, Habit::Answers(vec![listing(1, "corals", "sea")]));
        let forger = Peer::start(2, &bootstrap, Habit::Answers(vec![forged, junk]));
        let hanging = Peer::start(3, &bootstrap, Habit::Hangs);
        let visitor = hub.visitor();
        for peer in [&honest, &forger, &hanging] {
            until_known(&admin, peer).await;
        }
        let began = Instant::now();
        let page = visitor.get("/agents?q=corals&federated=true").await.expect(StatusCode::OK);
        assert!(began.elapsed() < IN_TIME, "{:?}", began.elapsed());
        page.says(&format!("href=\"/@bob/corals@{}\"", honest.id));
        page.says("live search: 2 hubs answered, 1 timed out");
        page.says("0 results, 2 rejected (invalid signature)");
        page.says("no answer in time");
        assert!(!page.body.contains("corals-forged"), "nothing of it is shown");
        visitor.get(&format!("/@bob/corals-forged@{}", forger.id)).await.expect(StatusCode::NOT_FOUND);

        let found = federated(&visitor, "q=corals").await;
        let of = |peer: &Peer| {
            let mut asked = found["sources"]["queried_hubs"].as_array().expect("a list").iter();
            asked.find(|hub| hub["id"] == peer.id.to_string()).cloned().expect("it was asked")
        };
        assert_eq!((&of(&forger)["found"], &of(&forger)["invalid_records"]), (&json!(0), &json!(2)));
        assert_eq!((&of(&hanging)["answered"], &of(&honest)["answered"]), (&json!(false), &json!(true)));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_blocked_hub_is_not_asked() {
    with_a_hub(None, async |_, admin, bootstrap| {
        let peer = Peer::start(1, &bootstrap, Habit::Answers(vec![listing(1, "corals", "sea")]));
        until_known(&admin, &peer).await;
        let rule = json!({ "subject": peer.id.to_string(), "action": "block", "reason": "It is a test." });
        admin.call(Method::POST, "/hubs/rules", &rule).await.expect(StatusCode::NO_CONTENT);
        let found = federated(&admin, "q=corals").await;
        assert_eq!((&found["items"], &found["sources"]["queried_hubs"]), (&json!([]), &json!([])));
        assert_eq!(peer.asked(), 0);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_page_offers_to_ask_and_a_script_is_told_as_hubs_answer() {
    with_a_hub(None, async |hub, admin, bootstrap| {
        let peer = Peer::start(1, &bootstrap, Habit::Answers(vec![listing(1, "corals", "sea")]));
        let visitor = hub.visitor();
        until_known(&admin, &peer).await;
        let page = visitor.get("/agents?q=corals").await.expect(StatusCode::OK);
        page.says("href=\"/agents?q=corals&amp;federated=true\"");
        page.says("data-ask=\"/agents/live?q=corals\"");
        assert_eq!(peer.asked(), 0, "looking at a page asks nobody");
        for all in ["/agents", "/agents?q=corals&scope=local", "/agents?q=corals&online=true"] {
            let page = visitor.get(all).await.expect(StatusCode::OK);
            assert!(!page.body.contains("Search other hubs"), "{all}");
        }
        let events = visitor.get("/agents/live?q=corals").await.expect(StatusCode::OK);
        assert_eq!(events.header("content-type"), "text/event-stream");
        let told: Vec<(&str, String)> = events.body.split("\n\n").filter_map(event).collect();
        assert_eq!(told.iter().map(|(name, _)| *name).collect::<Vec<_>>(), ["found", "done"]);
        assert!(told[0].1.starts_with("<li>") && told[0].1.contains("The corals"), "{}", told[0].1);
        assert!(told[1].1.contains("live search: 1 hub answered."), "{}", told[1].1);
    })
    .await;
}

/// Returns the name of an event and its HTML.
fn event(text: &str) -> Option<(&str, String)> {
    let (name, data) = text.strip_prefix("event: ")?.split_once("\ndata: ")?;
    Some((name, serde_json::from_str(data).expect("a text")))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn registries_are_searched_along_or_named() {
    with_a_hub(None, async |hub, admin, bootstrap| {
        let peer = Peer::start(1, &bootstrap, Habit::Answers(vec![listing(1, "corals", "sea")]));
        let visitor = hub.visitor();
        until_known(&admin, &peer).await;
        let search = async |federation: &str| {
            let body = json!({ "query": { "text": "corals" }, "federation": federation });
            let request = visitor.request(Method::POST, "/ard/v1/search").json(&body);
            visitor.send(request).await.expect(StatusCode::OK).json()
        };
        let none = search("none").await;
        assert_eq!((&none["results"], none.get("referrals"), peer.asked()), (&json!([]), None, 0));
        let named = search("referrals").await;
        assert_eq!((&named["results"], peer.asked()), (&json!([]), 0));
        let referral = &named["referrals"][0];
        assert_eq!(
            (&referral["type"], &referral["displayName"]),
            (&json!("application/ai-registry+json"), &json!("Far: agents"))
        );
        assert_eq!(referral["url"], json!(format!("{WEB}ard/v1")));
        // Its domain is not verified, so the identifier contains its key.
        assert!(text_of(&referral["identifier"]).starts_with("urn:plexus:did.key."), "{referral}");

        for who in ["asked live", "carried by now"] {
            let auto = search("auto").await;
            assert_eq!(auto["results"].as_array().map(Vec::len), Some(1), "{who}: {auto}");
            let entry = &auto["results"][0];
            assert!(text_of(&entry["identifier"]).ends_with(":bob:corals"), "{entry}");
            assert_eq!((&entry["source"], &entry["score"]), (&json!(format!("{WEB}ard/v1")), &json!(100)));
            assert_eq!(entry["url"], json!(format!("{WEB}a2a/bob/corals/.well-known/agent-card.json")));
            until("it is carried", async || visitor.api("/agents?q=corals").await["total"] == 1).await;
        }
        assert_eq!(peer.asked(), 2, "one entry is few");
    })
    .await;
}

/// A hub on probation may replicate only a hundred agents here. Live search still finds the others.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_over_the_quota_is_found_and_not_kept() {
    const QUOTA: usize = 100;
    let model = model().await;
    let far = Node::start(&model, &[], None).await;
    let mut published = Vec::new();
    for n in 0..=QUOTA {
        published.push(far.publish(&format!("clerk{n}"), "Keeps a ledger.").await);
    }
    let given = [("PLEXUS_P2P_BOOTSTRAP", far.address.as_str()), ("PLEXUS_FEDERATION_MODE", "probation")];
    let mut given = settings(&model, &given);
    // The first of two equal settings takes precedence.
    given.reverse();
    hub::run(None, &given, async |near: &Hub| {
        let visitor = near.visitor();
        let carried = async || visitor.api("/agents?q=ledger&limit=100").await;
        until("as much is carried as may be", async || carried().await["total"] == QUOTA).await;
        let items = carried().await["items"].as_array().cloned().expect("a list");
        let missing =
            published.iter().find(|address| items.iter().all(|item| item["address"] != address.as_str()));
        let missing = missing.expect("one was left out");
        let name = missing.split(['/', '@']).nth(2).expect("a name");
        let found = federated(&visitor, &format!("q={name}")).await;
        let one = found["items"]
            .as_array()
            .expect("a list")
            .iter()
            .find(|item| item["address"] == missing.as_str());
        assert_eq!(one.expect("the other hub has it")["has_page"], json!(false), "{found}");
        visitor.get(&format!("/{missing}")).await.expect(StatusCode::NOT_FOUND);
        let page = visitor.get(&format!("/agents?q={name}&federated=true")).await.expect(StatusCode::OK);
        page.says("Not replicated");
        assert!(!page.body.contains(&format!("href=\"/{missing}\"")), "there is no page to open");
        assert_eq!(carried().await["total"], json!(QUOTA), "and it is not carried for that");
    })
    .await;
    far.end().await;
}
