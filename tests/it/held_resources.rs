//! Clients that hold what the hub gives them: bodies that never end, idle connections, streams that are not read.

use std::time::{Duration, Instant};

use reqwest::{Method, StatusCode, header};
use serde_json::json;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    time::timeout,
};

use crate::{
    client::{Client, new_id},
    hub,
    process::Process,
};

const MIB: usize = 1 << 20;
/// Memory that forty unfinished bodies of callers without an account may add.
const MOST_HELD: u64 = 64 << 20;
/// Time within which a refusal that needs no body arrives, on a busy machine.
const AT_ONCE: Duration = Duration::from_secs(5);

fn host(origin: &str) -> &str {
    origin.trim_start_matches("http://")
}

/// Sends the head of a request and some of its body, and keeps the connection.
async fn begin(origin: &str, head: &str, length: usize, sent: usize) -> TcpStream {
    let mut stream = TcpStream::connect(host(origin)).await.unwrap();
    let head = format!("{head}\r\nHost: {}\r\nContent-Length: {length}\r\n\r\n", host(origin));
    stream.write_all(head.as_bytes()).await.unwrap();
    let piece = vec![b'x'; 64 << 10];
    let mut left = sent;
    while left > 0 {
        let count = left.min(piece.len());
        // The hub may close the connection, which is the point.
        if !matches!(timeout(AT_ONCE, stream.write_all(&piece[..count])).await, Ok(Ok(()))) {
            break;
        }
        left -= count;
    }
    stream
}

/// Returns the status of the response, if one arrives in time.
async fn status(stream: &mut TcpStream) -> Option<u16> {
    let mut head = [0_u8; 12];
    match timeout(AT_ONCE, stream.read_exact(&mut head)).await {
        Ok(Ok(_)) => std::str::from_utf8(&head[9..]).ok()?.parse().ok(),
        _ => None,
    }
}

#[tokio::test]
async fn what_needs_an_account_is_refused_before_its_body() {
    hub::run(None, &[], async |hub| {
        const MULTIPART: &str = "Content-Type: multipart/form-data; boundary=b";
        for (path, kind) in [
            ("/chat", MULTIPART),
            ("/chat/01890000-0000-7000-8000-000000000000", MULTIPART),
            ("/@plexus/calc/files", MULTIPART),
            ("/settings/chats/import", MULTIPART),
            ("/register/import", MULTIPART),
            ("/teams", "Content-Type: application/x-www-form-urlencoded"),
            ("/api/v1/uploads", "Content-Type: image/png"),
            ("/api/v1/chats/import", "Content-Type: application/zip"),
            ("/api/v1/agents/plexus/calc/files/a.pdf", "Content-Type: application/pdf"),
        ] {
            let method = if path.ends_with(".pdf") { "PUT" } else { "POST" };
            let head = format!("{method} {path} HTTP/1.1\r\n{kind}");
            let mut stream = begin(hub.origin(), &head, 15 * MIB, 0).await;
            let status = status(&mut stream).await;
            assert!(matches!(status, Some(401 | 404)), "{path}: {status:?}");
        }
    })
    .await;
}

#[tokio::test]
async fn rate_limits_and_quotas_are_checked_before_a_large_body() {
    let settings = [
        ("PLEXUS_RATE_LIMIT_SCALE", "1"),
        ("PLEXUS_LIMIT_IMPORTS", "1/1h"),
        ("PLEXUS_QUOTA_BYTES", "20 MiB"),
    ];
    hub::run(None, &settings, async |hub| {
        let ada = hub.person("ada").await;
        let import = |bytes: usize| {
            ada.request(Method::POST, "/api/v1/chats/import")
                .header(header::CONTENT_TYPE, "application/json")
                .body(vec![b'['; bytes])
        };
        let first = ada.send(import(100)).await;
        assert_eq!(first.status, StatusCode::UNPROCESSABLE_ENTITY, "it is read: {}", first.body);
        let (code, _) = ada.send(import(MIB)).await.refusal(StatusCode::TOO_MANY_REQUESTS);
        assert_eq!(code, "rate_limited");
        let upload = ada.request(Method::POST, "/api/v1/uploads?name=a.bin").body(vec![0; 15 * MIB]);
        ada.send(upload).await.expect(StatusCode::CREATED);
        let (code, words) = ada
            .send(ada.request(Method::POST, "/api/v1/uploads?name=b.bin").body(vec![0; 15 * MIB]))
            .await
            .refusal(StatusCode::TOO_MANY_REQUESTS);
        assert_eq!(code, "over_quota", "{words}");
    })
    .await;
}

/// Forty anonymous clients send large bodies and do not finish them, to every kind of endpoint.
#[tokio::test]
async fn unfinished_bodies_hold_little_memory() {
    let folder = tempfile::tempdir().unwrap();
    let process = Process::serve(folder.path()).await;
    let before = process.resident_memory();
    let mut held = Vec::new();
    for head in [
        "POST /chat HTTP/1.1\r\nContent-Type: multipart/form-data; boundary=b",
        "POST /login HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded",
        "POST /rpc HTTP/1.1\r\nContent-Type: application/json",
        "POST /a2a/plexus/calc HTTP/1.1\r\nContent-Type: application/json",
        "POST /mcp HTTP/1.1\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream",
        "POST /v1/chat/completions HTTP/1.1\r\nContent-Type: application/json",
        "POST /v1/messages HTTP/1.1\r\nContent-Type: application/json",
        "POST /oauth/token HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded",
    ] {
        for _ in 0..5 {
            held.push(begin(&process.origin, head, 32 * MIB, 3 * MIB / 2).await);
        }
    }
    assert_eq!(held.len(), 40);
    let after = process.resident_memory();
    let grown = after.saturating_sub(before);
    assert!(grown <= MOST_HELD, "{} MiB more", grown >> 20);
    // Small bodies of other clients are read meanwhile.
    let client = Client::new(&process.origin);
    let refused = client.post("/login", &[("name", "ada"), ("password", "wrong")]).await;
    assert!(refused.status.is_client_error() && refused.status != StatusCode::TOO_MANY_REQUESTS);
    drop(held);
    process.kill().await;
}

/// A hub with few open files serves others while one client holds as many idle connections as it can.
#[tokio::test]
async fn idle_connections_make_room() {
    let folder = tempfile::tempdir().unwrap();
    let process = Process::serve_with_open_files(folder.path(), 400).await;
    let mut idle = Vec::new();
    for _ in 0..600 {
        if let Ok(Ok(stream)) = timeout(AT_ONCE, TcpStream::connect(host(&process.origin))).await {
            idle.push(stream);
        }
    }
    assert!(idle.len() > 400, "{} connections", idle.len());
    for _ in 0..5 {
        let begun = Instant::now();
        let answer = timeout(AT_ONCE, Client::new(&process.origin).get("/healthz")).await;
        assert_eq!(answer.expect("an answer").status, StatusCode::OK);
        assert!(begun.elapsed() < AT_ONCE);
    }
    drop(idle);
    process.kill().await;
}

/// An account has a bounded number of streams; those whose client reads nothing hold little.
#[tokio::test]
async fn streams_that_are_not_read_hold_little_memory() {
    let folder = tempfile::tempdir().unwrap();
    let mut process = Process::serve(folder.path()).await;
    let ada = process.administrator("ada").await;
    let text = "tide table ".repeat(MIB / 12);
    let body =
        json!({ "id": new_id(), "to": "@plexus/text", "text": format!("How many words are in \"{text}\"?") });
    let begun = ada.call(Method::POST, "/chats", &body).await.expect(StatusCode::CREATED);
    let chat = begun.json()["chat"].as_str().unwrap().to_owned();
    let before = process.resident_memory();
    let (mut open, mut refused) = (Vec::new(), 0);
    for _ in 0..300 {
        let request = ada.request(Method::GET, &format!("/api/v1/events?chat={chat}&after=0"));
        let response = timeout(AT_ONCE, request.send()).await.expect("in time").expect("a response");
        match response.status() {
            StatusCode::OK => open.push(response),
            StatusCode::TOO_MANY_REQUESTS => refused += 1,
            other => panic!("{other}"),
        }
    }
    assert!(open.len() <= plexus_hub::streaming::MAX_STREAMS && refused >= 100, "{} open", open.len());
    let grown = process.resident_memory().saturating_sub(before);
    assert!(grown <= 2 * MOST_HELD, "{} MiB more", grown >> 20);
    drop(open);
    process.kill().await;
}
