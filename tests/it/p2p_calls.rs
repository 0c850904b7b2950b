//! Tests of calls to agents of a hub without a public URL, over libp2p.

use std::{convert::Infallible, sync::Arc, time::Instant};

use axum::{
    Json, Router,
    body::Body,
    http::header,
    response::IntoResponse,
    routing::{get, post},
};
use futures::{StreamExt as _, stream};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tokio::{net::TcpListener, sync::Semaphore};

use crate::{
    client::{Client, text_of},
    database::Sql,
    events::{Events, Screen, TIMEOUT, read_text, read_to_end},
    federation::{Node, until},
    hub::{self, Hub},
    process::{plexus, stderr, stdout},
    remote_users::settings,
};

pub const FIRST: &str = "One ";
const DIAL_ONLY: [&str; 2] = ["--p2p-listen", "dial-only"];

/// Starts a model server whose answers pause after the first word until the test adds a permit.
pub async fn model() -> (String, Arc<Semaphore>) {
    let (listener, go_on) = (TcpListener::bind("127.0.0.1:0").await.expect("a port"), Semaphore::new(0));
    let base = format!("http://{}/v1", listener.local_addr().expect("bound"));
    let (go_on, models) = (Arc::new(go_on), json!({ "data": [{ "id": "small" }] }));
    let waits = Arc::clone(&go_on);
    let router = Router::new()
        .route("/v1/models", get(move || async move { Json(models) }))
        .route("/v1/chat/completions", post(move || complete(Arc::clone(&waits))));
    tokio::spawn(async move { axum::serve(listener, router).await });
    (base, go_on)
}

async fn complete(waits: Arc<Semaphore>) -> impl IntoResponse {
    let word = |word: &str| {
        let event = json!({ "choices": [{ "delta": { "content": word } }] });
        Ok::<_, Infallible>(format!("data: {event}\n\n"))
    };
    let end = json!({ "choices": [{ "delta": {}, "finish_reason": "stop" }] });
    let rest = [word("two."), Ok(format!("data: {end}\n\ndata: [DONE]\n\n"))];
    let pause = stream::once(async move {
        waits.acquire().await.expect("it is never closed").forget();
        stream::iter(rest)
    });
    let words = stream::iter([word(FIRST)]).chain(pause.flatten());
    ([(header::CONTENT_TYPE, "text/event-stream")], Body::from_stream(words))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_said_streams_over_the_network_stops_and_breaks_off() {
    let (model, go_on) = model().await;
    let near = Node::start(&model, &[], None).await;
    let way = near.address.clone();
    ask_from_afar(&model, &way, near, &go_on).await;
}

// Slow: the hub has an address only when its checks of reachability have failed and a relay has accepted it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_same_through_another_hub_to_one_that_only_dials() {
    let (model, go_on) = model().await;
    let lends = ["--p2p-listen", "127.0.0.1:0", "--p2p-relay", "true"];
    let relay = Node::start_at(&lends, &model, &[], None).await;
    let near = Node::start_at(&DIAL_ONLY, &model, &[&relay], None).await;
    it_says_how_it_is_reached(&near, &relay).await;
    ask_from_afar(&model, &relay.address, near, &go_on).await;
    relay.end().await;
}

/// Calls an agent of `near` as a user of a hub that bootstraps from `way`.
async fn ask_from_afar(model: &str, way: &str, near: Node, go_on: &Semaphore) {
    let given = [("PLEXUS_P2P_BOOTSTRAP", way), ("PLEXUS_ALLOW_PRIVATE_NETWORKS", "false")];
    let mut given = settings(model, &given);
    // The first of two equal settings takes precedence.
    given.reverse();
    hub::run(None, &given, async move |far: &Hub| {
        let ada = far.person("ada").await;
        let far_id = text_of(&ada.api("/hubs").await["local"]["id"]);
        let tides = near.publish("tides", "Knows when the sea comes in.").await;
        until("the agent is carried", async || ada.get(&format!("/{tides}")).await.status == StatusCode::OK)
            .await;
        until("the hubs know each other", async || near.knows(&far_id).await).await;
        it_streams(&ada, &tides, go_on).await;
        it_stops(&ada, &tides, &near).await;
        it_breaks_off(&ada, &tides, near).await;
    })
    .await;
}

async fn it_says_how_it_is_reached(near: &Node, relay: &Node) {
    let local = near.admin.api("/hubs").await["local"].clone();
    assert_eq!((&local["reachability"], &local["relays"]), (&json!("no"), &json!([relay.id])), "{local}");
    assert!(near.address.contains("/p2p-circuit"), "{local}");
    let words = format!("through {}", relay.id);
    near.admin.get("/network").await.expect(StatusCode::OK).says(&words);
    let doctor = [&["doctor"][..], &DIAL_ONLY].concat();
    for command in [&["federation", "hubs"][..], &doctor] {
        let printed = plexus(near.folder.path(), command).await;
        assert!(stdout(&printed).contains(&words), "{}{}", stdout(&printed), stderr(&printed));
    }
    let lent = text_of(&relay.admin.api("/hubs").await["local"]["reachability_text"]);
    assert!(lent.contains("relay (hubs: 1"), "{lent}");
}

async fn begun(ada: &Client, tides: &str) -> (Events, Screen, String) {
    let said = ada.begin(tides, "Count.").await;
    let (mut events, mut screen) = (Events::open(ada, &said.chat, 0).await, Screen::from(0));
    read_text(&mut events, &mut screen, FIRST.len()).await;
    assert_eq!(screen.text(), FIRST);
    (events, screen, said.run)
}

async fn it_streams(ada: &Client, tides: &str, go_on: &Semaphore) {
    let (mut events, mut screen, _) = begun(ada, tides).await;
    go_on.add_permits(1);
    read_to_end(&mut events, &mut screen).await;
    assert_eq!(screen.answer().1.state, "done");
    assert_eq!(kept(ada, &screen).await["parts"][0]["text"], "One two.");
}

async fn it_stops(ada: &Client, tides: &str, near: &Node) {
    let (mut events, mut screen, run) = begun(ada, tides).await;
    ada.call(Method::POST, &format!("/runs/{run}/stop"), &Value::Null).await;
    read_to_end(&mut events, &mut screen).await;
    assert_eq!(screen.answer().1.state, "stopped");
    let sql = Sql::of(None, &near.folder.path().join("data"));
    sql.until_at_least(1, "select count(*) from runs where state = 'stopped'").await;
}

async fn it_breaks_off(ada: &Client, tides: &str, near: Node) {
    let (mut events, mut screen, _) = begun(ada, tides).await;
    let at = Instant::now();
    near.kill().await;
    read_to_end(&mut events, &mut screen).await;
    assert!(at.elapsed() < TIMEOUT);
    let message = kept(ada, &screen).await;
    assert_eq!(message["state"], "failed", "{message}");
    let words = message["run"]["failure"]["message"].as_str().unwrap_or_default();
    assert!(words.contains("over the federation"), "{message}");
}

async fn kept(ada: &Client, screen: &Screen) -> Value {
    ada.api(&format!("/messages/{}", screen.answer().0)).await
}
