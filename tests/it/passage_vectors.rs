//! Tests of embeddings of knowledge files, with a server of deterministic vectors that also lies and hangs.

use std::{
    future::pending,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use axum::{
    Json, Router,
    extract::State,
    http::StatusCode as Status,
    response::{IntoResponse as _, Response},
    routing::post,
};
use parking_lot::Mutex;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tokio::{net::TcpListener, sync::Notify};

use crate::{
    agent_lists::until,
    client::Client,
    hub::{Hub, on_both},
    knowledge::{GUIDE, ask, clerk_with, completions, put},
};

const FILES: &str = "/api/v1/agents/grace/clerk/files";
/// Words of the same meaning, with one dimension for each row.
const MEANINGS: [&[&str]; 3] = [&["berth", "liegeplatz"], &["tide", "gezeiten"], &["harbour", "hafen"]];

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Behavior {
    #[default]
    Honest,
    Hangs,
    Fails,
    OmitsOne,
    ChangesDimensions,
    SendsNan,
    SendsInfinity,
    SendsZeros,
    RepeatsIndex,
    SendsMuch,
}

/// Model server with chat completions and embeddings.
#[derive(Clone, Default)]
struct EmbeddingServer {
    behavior: Arc<Mutex<Behavior>>,
    requests: Arc<AtomicUsize>,
    requested: Arc<Notify>,
}

impl EmbeddingServer {
    /// Registers `@grace/clerk` on a new server.
    async fn start(grace: &Client) -> Self {
        let server = Self::default();
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let base = format!("http://{}/v1", listener.local_addr().expect("bound"));
        let embeddings = Router::new().route("/v1/embeddings", post(embed)).with_state(server.clone());
        let router = completions().merge(embeddings);
        tokio::spawn(async move { axum::serve(listener, router).await });
        clerk_with(grace, &base).await;
        server
    }

    fn set(&self, behavior: Behavior) {
        *self.behavior.lock() = behavior;
    }

    /// Returns the number of requests so far.
    fn requests(&self) -> usize {
        self.requests.load(Ordering::SeqCst)
    }

    /// Waits until there were so many requests.
    async fn wait_requests(&self, number: usize) {
        while self.requests() < number {
            self.requested.notified().await;
        }
    }
}

async fn embed(State(server): State<EmbeddingServer>, Json(request): Json<Value>) -> Response {
    assert_eq!(request["model"], "embed");
    server.requests.fetch_add(1, Ordering::SeqCst);
    server.requested.notify_one();
    let behavior = *server.behavior.lock();
    let texts = request["input"].as_array().expect("texts");
    let vector = |text: &Value| {
        let text = text.as_str().expect("a text").to_lowercase();
        let has = |words: &&[&str]| f32::from(u8::from(words.iter().any(|word| text.contains(word))));
        let mut vector: Vec<f32> = MEANINGS.iter().map(has).collect();
        vector.push(0.1);
        vector
    };
    let mut data: Vec<Value> = texts
        .iter()
        .enumerate()
        .map(|(index, text)| json!({ "index": index, "embedding": vector(text) }))
        .collect();
    data.reverse();
    match behavior {
        Behavior::Honest => {}
        Behavior::Hangs => pending().await,
        Behavior::Fails => return Status::INTERNAL_SERVER_ERROR.into_response(),
        Behavior::OmitsOne => drop(data.pop()),
        Behavior::ChangesDimensions => data[0]["embedding"] = json!(vec![1.0; 5_000]),
        Behavior::SendsNan => data[0]["embedding"][0] = json!("NaN"),
        Behavior::SendsInfinity => data[0]["embedding"][0] = json!(1e300),
        Behavior::SendsZeros => data[0]["embedding"] = json!([0, 0, 0, 0]),
        Behavior::RepeatsIndex => data[0]["index"] = json!(9_999_999),
        Behavior::SendsMuch => return Json(json!({ "data": " ".repeat(4 << 20) })).into_response(),
    }
    Json(json!({ "object": "list", "data": data, "usage": { "prompt_tokens": 7, "total_tokens": 7 } }))
        .into_response()
}

async fn wait_vectors(grace: &Client, number: u64) {
    until(grace, FILES, |files| files["vectors"]["vectors"] == number).await;
}

on_both! {
    async fn passages_are_found_by_meaning(hub: &Hub, [("PLEXUS_EMBEDDINGS_MODEL", "cellar/embed")]) {
        let grace = hub.administrator("grace").await;
        EmbeddingServer::start(&grace).await;
        put(&grace, "guide.md", GUIDE).await.expect(StatusCode::OK);
        wait_vectors(&grace, 3).await;
        let answer = ask(&grace, "Was kostet ein Liegeplatz?").await;
        assert!(answer.starts_with("A berth costs ten crowns a night. [1]"), "no word is shared: {answer}");
        assert!(ask(&grace, "When does the tide turn?").await.starts_with("The tide turns"), "words still count");
        grace.get("/@grace/clerk/manage").await.says("All 3 passages have vectors");

        // After another model was chosen, the vectors of the former one are replaced.
        hub.sql("update passage_vectors set model = 'cellar/former', dimensions = 1").await;
        put(&grace, "dogs.md", "Dogs are welcome.").await.expect(StatusCode::OK);
        wait_vectors(&grace, 4).await;
        assert!(ask(&grace, "Was kostet ein Liegeplatz?").await.starts_with("A berth costs ten"));
        assert_eq!(hub.number("select count(*) from passage_vectors where dimensions = 4").await, 4);
        grace.get("/@grace/clerk/manage").await.says("All 4 passages have vectors");
        assert!(hub.number("select count(*) from model_usage where tokens_in > 0").await > 0, "the use is counted");
    }

    async fn words_are_searched_while_the_model_does_not_answer(hub: &Hub, [("PLEXUS_EMBEDDINGS_MODEL", "cellar/embed")]) {
        let grace = hub.administrator("grace").await;
        let server = EmbeddingServer::start(&grace).await;
        put(&grace, "guide.md", GUIDE).await.expect(StatusCode::OK);
        wait_vectors(&grace, 3).await;
        // The second question finds the embeddings paused, and does not wait.
        for behavior in [Behavior::Hangs, Behavior::SendsNan] {
            server.set(behavior);
            assert!(ask(&grace, "What does a berth cost?").await.starts_with("A berth costs ten"));
        }
        assert_eq!(ask(&grace, "Was kostet ein Liegeplatz?").await, "I do not know.");
    }

    async fn files_change_while_the_model_does_not_answer(hub: &Hub, [("PLEXUS_EMBEDDINGS_MODEL", "cellar/embed")]) {
        let grace = hub.administrator("grace").await;
        let server = EmbeddingServer::start(&grace).await;
        server.set(Behavior::Hangs);
        put(&grace, "guide.md", GUIDE).await.expect(StatusCode::OK);
        // The worker now waits for the model, for up to a minute.
        server.wait_requests(1).await;
        put(&grace, "dogs.md", "Dogs are welcome.").await.expect(StatusCode::OK);
        assert!(ask(&grace, "What does a berth cost?").await.starts_with("A berth costs ten"));
        grace.send(grace.request(Method::DELETE, &format!("{FILES}/guide.md"))).await.expect(StatusCode::NO_CONTENT);
        grace.get("/@grace/clerk/manage").await.says("0 of 1 passages have vectors");
        assert_eq!(ask(&grace, "What does a berth cost?").await, "I do not know.");
        assert!(ask(&grace, "Are dogs welcome?").await.starts_with("Dogs are welcome."));
    }

    async fn vectors_that_cannot_be_right_are_not_stored(hub: &Hub, [("PLEXUS_EMBEDDINGS_MODEL", "cellar/embed")]) {
        let grace = hub.administrator("grace").await;
        let server = EmbeddingServer::start(&grace).await;
        server.set(Behavior::Fails);
        put(&grace, "guide.md", GUIDE).await.expect(StatusCode::OK);
        for behavior in [
            Behavior::OmitsOne, Behavior::ChangesDimensions, Behavior::SendsNan, Behavior::SendsInfinity,
            Behavior::SendsZeros, Behavior::RepeatsIndex, Behavior::SendsMuch,
        ] {
            server.set(behavior);
            let before = server.requests();
            put(&grace, "dogs.md", format!("Dogs are welcome ({behavior:?}).")).await.expect(StatusCode::OK);
            // The batch is tried, then each of its passages.
            server.wait_requests(before + 2).await;
            assert_eq!(hub.number("select count(*) from passage_vectors").await, 0, "{behavior:?}");
        }
        grace.get("/@grace/clerk/manage").await.says("0 of 4 passages have vectors");
        assert!(ask(&grace, "What does a berth cost?").await.starts_with("A berth costs ten"));
        server.set(Behavior::Honest);
        put(&grace, "dogs.md", "Dogs are welcome.").await.expect(StatusCode::OK);
        wait_vectors(&grace, 4).await;
    }
}
