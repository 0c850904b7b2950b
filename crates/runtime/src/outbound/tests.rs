use std::{
    io,
    net::IpAddr,
    sync::atomic::{AtomicUsize, Ordering},
};

use async_trait::async_trait;
use axum::{Router, body::Body, response::Redirect, routing::get};
use futures::stream;
use http::{StatusCode, header};

use super::*;
use crate::testing::{nowhere, serve, serve_bytes};

const CARD: &str = r#"{"name":"Echo","url":"http://127.0.0.1/","skills":[]}"#;

fn network() -> HttpClients {
    HttpClients::new().unwrap()
}

fn strict() -> OutboundClient {
    network().for_untrusted(OutboundPolicy::default())
}

fn lenient() -> OutboundClient {
    network().for_untrusted(OutboundPolicy { allow_private: true, ports: None })
}

fn class_of(outbound: &OutboundClient, url: &str) -> Option<FailureClass> {
    outbound.check(&url.parse().unwrap()).err().map(|failure| failure.class)
}

#[test]
fn private_addresses_are_refused_in_every_spelling() {
    let strict = strict();
    for url in [
        "https://127.0.0.1/",
        "https://2130706433/",
        "https://0x7f000001/",
        "https://0x7f.1/",
        "https://0177.0.0.1/",
        "https://127.1/",
        "https://[::1]/",
        "https://[::ffff:127.0.0.1]/",
        "https://[64:ff9b::7f00:1]/",
        "https://169.254.169.254/latest/meta-data",
        "https://0/",
        "https://\u{ff11}\u{ff12}\u{ff17}.0.0.1/",
    ] {
        let failure = strict.check(&url.parse().unwrap()).unwrap_err();
        assert_eq!(failure, private(), "{url}");
    }
    assert_eq!(class_of(&strict, "https://1.1.1.1:8443/a2a"), None);
    assert_eq!(class_of(&strict, "https://agents.example/"), None);
}

#[test]
fn what_no_agent_needs_is_refused() {
    for url in
        ["http://1.1.1.1/", "https://me:secret@agents.example/", "ftp://agents.example/", "data:text/plain,x"]
    {
        assert_eq!(class_of(&strict(), url), Some(FailureClass::Policy), "{url}");
    }
    let ports = network().for_untrusted(OutboundPolicy { allow_private: false, ports: Some(vec![443]) });
    assert_eq!(class_of(&ports, "https://agents.example/"), None);
    assert_eq!(class_of(&ports, "https://agents.example:22/"), Some(FailureClass::Policy));
}

#[test]
fn an_operators_client_calls_one_origin() {
    let outbound = network().for_operator(&"http://127.0.0.1:9/v1".parse().unwrap()).unwrap();
    assert_eq!(class_of(&outbound, "http://127.0.0.1:9/v1/chat/completions"), None);
    for other in ["http://127.0.0.1:10/", "https://127.0.0.1:9/", "http://localhost:9/"] {
        assert_eq!(class_of(&outbound, other), Some(FailureClass::Policy), "{other}");
    }
}

/// Resolves every name to loopback, and counts the lookups.
struct Here(AtomicUsize);

#[async_trait]
impl NameResolver for Here {
    async fn lookup(&self, _host: &str) -> io::Result<Vec<IpAddr>> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Ok(vec![[127, 0, 0, 1].into()])
    }
}

#[tokio::test]
async fn a_name_with_a_private_address_is_refused_where_it_is_resolved() {
    let here = Arc::new(Here(AtomicUsize::new(0)));
    let network = HttpClients::with_lookup(&(Arc::clone(&here) as Arc<dyn NameResolver>)).unwrap();
    let url = "https://agents.example/".parse().unwrap();
    let failure = network.for_untrusted(OutboundPolicy::default()).fetch_card(&url).await.unwrap_err();
    assert_eq!(failure, private());
    assert_eq!(here.0.load(Ordering::Relaxed), 1);

    let base = serve(Router::new().route("/", get(CARD))).await;
    let url = format!("http://agents.example:{}/", base.port().unwrap()).parse().unwrap();
    let policy = OutboundPolicy { allow_private: true, ports: None };
    assert_eq!(network.for_untrusted(policy).fetch_card(&url).await.unwrap().body, CARD);
}

#[tokio::test]
async fn a_card_is_found_at_its_usual_places() {
    for place in ["/", "/.well-known/agent-card.json", "/.well-known/agent.json"] {
        let base = serve(Router::new().route(place, get(CARD))).await;
        let found = lenient().fetch_card(&base).await.unwrap();
        assert_eq!((found.url.path(), found.body.as_ref()), (place, CARD.as_bytes()));
    }
}

#[tokio::test]
async fn what_is_not_a_card_is_described_for_each_place() {
    let router = Router::new()
        .route("/", get("<html>"))
        .route("/.well-known/agent-card.json", get(r#"{"status":"ok"}"#));
    let failure = lenient().fetch_card(&serve(router).await).await.unwrap_err();
    assert_eq!(failure.class, FailureClass::Garbage);
    for words in
        ["/: it is not a JSON object", "agent-card.json: it is JSON, but not an agent card", "404 Not Found"]
    {
        assert!(failure.message.contains(words), "{failure}");
    }
}

#[tokio::test]
async fn a_hostile_card_is_bounded() {
    let huge = format!(r#"{{"name":"{}"}}"#, "x".repeat(10 << 20));
    let deep = "[".repeat(100_000);
    let flood =
        || async { Body::from_stream(stream::repeat_with(|| Ok::<_, io::Error>("x".repeat(1 << 16)))) };
    let router = Router::new()
        .route("/huge.json", get(|| async move { huge }))
        .route("/deep.json", get(|| async move { deep }))
        .route("/flood.json", get(flood))
        .route("/packed.json", get(|| async { ([(header::CONTENT_ENCODING, "gzip")], CARD) }));
    let base = serve(router).await;
    for (path, class) in [
        ("huge.json", FailureClass::TooLarge),
        ("deep.json", FailureClass::Garbage),
        ("flood.json", FailureClass::TooLarge),
        ("packed.json", FailureClass::Garbage),
    ] {
        let failure = lenient().fetch_card(&base.join(path).unwrap()).await.unwrap_err();
        assert_eq!(failure.class, class, "{failure}");
    }
}

#[tokio::test]
async fn each_redirect_is_checked_like_the_first_address() {
    let reached = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&reached);
    let card = move || async move {
        count.fetch_add(1, Ordering::Relaxed);
        CARD
    };
    let inside = serve(Router::new().route("/card.json", get(card))).await;
    let target = inside.join("card.json").unwrap().to_string();
    let outside =
        serve(Router::new().route("/card.json", get(|| async move { Redirect::temporary(&target) }))).await;
    let url = outside.join("card.json").unwrap();

    let failure = network().for_operator(&outside).unwrap().fetch_card(&url).await.unwrap_err();
    assert_eq!((failure.class, reached.load(Ordering::Relaxed)), (FailureClass::Policy, 0));
    let ports = OutboundPolicy { allow_private: true, ports: outside.port().map(|port| vec![port]) };
    let failure = network().for_untrusted(ports).fetch_card(&url).await.unwrap_err();
    assert_eq!((failure.class, reached.load(Ordering::Relaxed)), (FailureClass::Policy, 0));

    assert_eq!(lenient().fetch_card(&url).await.unwrap().url.port(), inside.port());
    assert_eq!(reached.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn redirects_end() {
    let router = Router::new().route("/card.json", get(|| async { Redirect::temporary("/card.json") }));
    let url = serve(router).await.join("card.json").unwrap();
    let failure = lenient().fetch_card(&url).await.unwrap_err();
    assert!(failure.message.ends_with("redirects more than 3 times."), "{failure}");
    let nowhere = serve_bytes("HTTP/1.1 302 Found\r\ncontent-length: 0\r\n\r\n").await;
    let failure = lenient().fetch_card(&nowhere).await.unwrap_err();
    assert!(failure.message.contains("redirects without a location"), "{failure}");
}

#[tokio::test]
async fn a_peer_that_is_not_there_or_not_http_is_named() {
    let failure = lenient().fetch_card(&nowhere().await).await.unwrap_err();
    assert_eq!(failure.class, FailureClass::Unreachable);
    assert!(failure.message.starts_with("No connection to 127.0.0.1:"), "{failure}");
    let failure = lenient().fetch_card(&serve_bytes("SSH-2.0-OpenSSH\r\n").await).await.unwrap_err();
    assert_eq!(failure.class, FailureClass::Unreachable);
    let cut = serve_bytes("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{").await;
    let failure = lenient().fetch_card(&cut).await.unwrap_err();
    assert!(failure.message.contains("ended early"), "{failure}");
}

#[tokio::test]
async fn an_error_page_keeps_its_status() {
    let router = Router::new().route("/card.json", get(|| async { (StatusCode::FORBIDDEN, "no") }));
    let url = serve(router).await.join("card.json").unwrap();
    let failure = lenient().fetch_card(&url).await.unwrap_err();
    assert_eq!(failure.class, FailureClass::Refused);
    assert!(failure.message.contains("403 Forbidden"), "{failure}");
}
