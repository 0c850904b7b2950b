//! Tests of faulty agents that lie, hang, flood or disconnect: the answer names the cause, and the hub stays
//! available.

use std::io;

use axum::{
    Json, Router,
    body::Body,
    http::header,
    response::{IntoResponse as _, Response},
    routing::{get, post},
};
use futures::{StreamExt as _, stream};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::{
    agent::card,
    client::{Client, PASSWORD, text_of},
    events::{answer_after, text_in},
    hub::{Hub, on_both},
};

const EVENTS: [(header::HeaderName, &str); 1] = [(header::CONTENT_TYPE, "text/event-stream")];
const PIECE: usize = 64 << 10;

on_both! {
    async fn an_agent_that_misbehaves_is_named_and_what_it_said_is_kept(
        hub: &Hub,
        [("PLEXUS_RUN_IDLE_TIMEOUT_SECONDS", "2"), ("PLEXUS_RUN_TIMEOUT_SECONDS", "4"), ("PLEXUS_MAX_ANSWER_BYTES", "1000000")]
    ) {
        let admin = administrator(hub).await;
        for (name, answer, class, words, kept) in misbehaviours() {
            let at = serve(Router::new().route("/", post(async move |Json(call): Json<Value>| only_to_messages(&call, answer)))).await;
            register(&admin, &at, name).await;
            let said = admin.begin(&format!("@grace/{name}"), "Hello?").await;
            let answer = answer_after(&admin, &said.chat, 0).await;
            assert_eq!(answer["state"], "failed", "{name}: {answer}");
            let failure = &answer["run"]["failure"];
            assert_eq!(failure["class"], class, "{name}: {failure}");
            let message = text_of(&failure["message"]);
            assert!(message.contains(words), "{name}: {message}");
            assert!(kept.contains(&text_in(&answer).len()), "{name} kept {} bytes", text_in(&answer).len());
            admin.get(&format!("/chat/{}", said.chat)).await.expect(StatusCode::OK).says("class=\"state bad\"");
        }
        still_serves(&admin).await;
    }

    async fn a_wrong_card_is_refused_with_the_place_named(hub: &Hub) {
        let admin = administrator(hub).await;
        for (name, body, words) in wrong_cards() {
            let at = serve_card(body.clone()).await;
            let (code, message) = admin.call(Method::POST, "/agents", &json!({ "url": at })).await.refusal(StatusCode::UNPROCESSABLE_ENTITY);
            assert_eq!(code, "invalid", "{name}");
            assert!(message.contains(words), "{name}: {message}");
            assert!(message.len() < 4_000 && !message.contains(['\u{202e}', '\u{0}', '\n']), "{name}: {message:?}");
            let page = admin.post("/register/address", &[("url", &at)]).await;
            assert!(matches!(page.status.as_u16(), 200 | 422), "{name}: {}", page.status);
            page.says(&at);
            for live in ["href=\"javascript:", "\u{202e}", "<script>alert"] {
                assert!(!page.body.contains(live), "{name}: the page has {live:?}");
            }
        }
        still_serves(&admin).await;
    }

    async fn a_card_with_what_is_not_seen_is_shown_without_it(hub: &Hub) {
        let admin = administrator(hub).await;
        let mut wrong = card("http://127.0.0.1:9/");
        wrong["name"] = json!("Cle\u{202e}rk\u{0}\u{200b}");
        wrong["description"] = json!("<script>alert(1)</script> \u{2066}left\u{2069} [x](javascript:alert(1))");
        let at = serve_card(wrong.to_string()).await;
        let new = json!({ "url": at, "name": "clerk", "visibility": "public", "trust_origins": true });
        let made = admin.call(Method::POST, "/agents", &new).await.expect(StatusCode::CREATED).json();
        assert_eq!(made["title"], "Clerk");
        let page = admin.get("/@grace/clerk").await.expect(StatusCode::OK);
        page.says("Clerk");
        for live in ["\u{202e}", "\u{2066}", "<script>alert", "href=\"javascript:"] {
            assert!(!page.body.contains(live), "the page has {live:?}");
        }
    }

    async fn a_private_address_is_refused_in_any_spelling(hub: &Hub, [("PLEXUS_ALLOW_PRIVATE_NETWORKS", "false")]) {
        let admin = administrator(hub).await;
        for url in ["http://127.0.0.1:9/", "https://[::1]/", "https://0x7f.1/", "https://169.254.169.254/", "https://10.0.0.1/"] {
            let answer = admin.call(Method::POST, "/agents", &json!({ "url": url })).await.expect(StatusCode::UNPROCESSABLE_ENTITY).json();
            assert_eq!(answer["error"]["field"], "url", "{url}: {answer}");
        }
        still_serves(&admin).await;
    }
}

type Misbehaviour = (&'static str, fn() -> Response, &'static str, &'static str, std::ops::Range<usize>);

/// Returns faulty behaviours, each with the failure class, text of the failure, and size of the stored
/// output.
fn misbehaviours() -> [Misbehaviour; 7] {
    let text = "Once upon".len();
    [
        ("silent", || hangs(String::new()), "timed_out", "4 s", 0..1),
        ("halting", || hangs(says("Once upon")), "timed_out", "127.0.0.1:", text..text + 1),
        ("babbling", || (EVENTS, "data: {{{ nonsense\n\n").into_response(), "garbage", "127.0.0.1:", 0..1),
        ("webpage", || "<h1>It works!</h1>".into_response(), "garbage", "127.0.0.1:", 0..1),
        ("dropping", drops, "unreachable", "127.0.0.1:", text..text + 1),
        ("flooding", || floods(100 << 20), "too_large", "1000000 bytes", 900_000..1_000_001),
        ("endless", drips, "timed_out", "4 s", 1..1_000),
    ]
}

/// Applies the behaviour to messages only. All other calls break the connection.
fn only_to_messages(call: &Value, answer: fn() -> Response) -> Response {
    if call["method"] == "SendStreamingMessage" {
        return answer();
    }
    let broken = stream::once(async { Err::<String, _>(io::Error::other("broken")) });
    ([(header::CONTENT_TYPE, "application/json")], Body::from_stream(broken)).into_response()
}

fn says(text: &str) -> String {
    let artifact = json!({ "artifactId": "a", "parts": [{ "text": text }] });
    let update = json!({ "artifactUpdate": { "taskId": "t", "contextId": "c", "artifact": artifact, "append": true } });
    format!("data: {}\n\n", json!({ "jsonrpc": "2.0", "id": 1, "result": update }))
}

pub fn streams(pieces: impl stream::Stream<Item = io::Result<String>> + Send + 'static) -> Response {
    (EVENTS, Body::from_stream(pieces)).into_response()
}

fn hangs(first: String) -> Response {
    streams(stream::iter([Ok(first)]).chain(stream::pending()))
}

fn drops() -> Response {
    let broken = async {
        // Ensures that the earlier data is sent before the connection breaks.
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        Err(io::Error::other("broken"))
    };
    streams(stream::iter([Ok(says("Once upon"))]).chain(stream::once(broken)))
}

fn floods(bytes: usize) -> Response {
    let piece = says(&"x".repeat(PIECE));
    streams(stream::repeat_with(move || Ok(piece.clone())).take(bytes / PIECE))
}

/// Streams a word every 200 ms, without end.
fn drips() -> Response {
    let word = async |()| {
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
        Some((Ok(says("and ")), ()))
    };
    streams(stream::unfold((), word))
}

/// Returns invalid agent cards, each with text of the expected error.
fn wrong_cards() -> Vec<(&'static str, String, &'static str)> {
    let with = |change: &dyn Fn(&mut Value)| {
        let mut card = card("http://127.0.0.1:9/");
        change(&mut card);
        card.to_string()
    };
    let at = |url: &str| with(&|card| card["supportedInterfaces"][0]["url"] = json!(url));
    vec![
        ("an unspecified address", at("http://0.0.0.0:3000/"), "unspecified address"),
        ("an unspecified address in hexadecimal", at("http://0x0:3000/"), "unspecified address"),
        ("an unspecified address of IPv6", at("http://[::]:3000/"), "unspecified address"),
        ("an unspecified address in IPv6", at("http://[::ffff:0.0.0.0]:3000/"), "unspecified address"),
        ("loopback in disguise", at("http://[::ffff:127.0.0.1]:9/"), "No agent can be called at"),
        ("loopback behind NAT64", at("http://[64:ff9b::7f00:1]:9/"), "No agent can be called at"),
        ("loopback behind 6to4", at("http://[2002:7f00:1::]:9/"), "No agent can be called at"),
        ("a link-local address", at("http://169.254.169.254/latest"), "No agent can be called at"),
        ("a multicast address", at("http://224.0.0.1/"), "No agent can be called at"),
        ("the broadcast address", at("http://255.255.255.255/"), "No agent can be called at"),
        ("a page", "<!doctype html><h1>It works!</h1>".to_owned(), "not a JSON object"),
        ("10 MB", format!("{{\"name\":\"{}\"}}", "x".repeat(10 << 20)), "262144 bytes"),
        ("nesting", format!("{{\"name\":\"x\",\"skills\":{}", "[".repeat(100_000)), "not a JSON object"),
        ("nesting that closes", with(&|card| card["skills"] = nested(60)), "nested"),
        ("a list", "[]".to_owned(), "not a JSON object"),
        ("other JSON", "{\"status\":\"ok\"}".to_owned(), "not an agent card"),
        ("a number for a name", with(&|card| card["name"] = json!(7)), "/name"),
        ("no name", with(&|card| card["name"] = json!("\u{202e}\u{200b}")), "/name"),
        (
            "text for a list",
            with(&|card| card["supportedInterfaces"] = json!("here")),
            "/supportedInterfaces",
        ),
        (
            "a script for a URL",
            with(&|card| card["supportedInterfaces"][0]["url"] = json!("javascript:alert(1)")),
            "/supportedInterfaces/0/url",
        ),
        (
            "a URL with a secret",
            with(&|card| card["supportedInterfaces"][0]["url"] = json!("https://me:pw@a.example/")),
            "/supportedInterfaces/0/url",
        ),
    ]
}

fn nested(depth: usize) -> Value {
    (0..depth).fold(json!([]), |inner, _| json!([inner]))
}

pub async fn serve(router: Router) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let url = format!("http://{}/", listener.local_addr().expect("an address"));
    let card = card(&url).to_string();
    let router = router.route("/.well-known/agent-card.json", get(async move || card));
    tokio::spawn(async move { axum::serve(listener, router).await });
    url
}

/// Serves only this card.
async fn serve_card(card: String) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let url = format!("http://{}/card.json", listener.local_addr().expect("an address"));
    let router = Router::new().route("/card.json", get(async move || card));
    tokio::spawn(async move { axum::serve(listener, router).await });
    url
}

/// Signs up through the first administrator link. Administrators may register agents on this machine.
pub async fn administrator(hub: &Hub) -> Client {
    let link = hub.first_administrator_link().await.expect("nobody is one yet");
    let token = link.rsplit_once('=').expect("a link with a token").1;
    let admin = hub.visitor();
    let fields = [("name", "grace"), ("password", PASSWORD), ("admin", token)];
    admin.post("/signup", &fields).await.expect(StatusCode::SEE_OTHER);
    admin
}

pub async fn register(admin: &Client, url: &str, name: &str) {
    let new = json!({ "url": url, "name": name, "trust_origins": true });
    admin.call(Method::POST, "/agents", &new).await.expect(StatusCode::CREATED);
}

async fn still_serves(client: &Client) {
    client.get("/readyz").await.expect(StatusCode::OK);
    let said = client.begin("@plexus/calc", "1 + 1").await;
    assert_eq!(text_in(&answer_after(client, &said.chat, 0).await), "`1 + 1` = **2**");
}
