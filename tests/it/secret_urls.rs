//! Tests of secrets in URLs: no line of the log contains one at any level, and the responses are neither cached nor do they send
//! a referrer.

use std::fs::{self, File};

use reqwest::{Method, StatusCode};
use serde_json::json;

use crate::{
    client::Client,
    process::{Process, command},
};

/// Part of each secret.
const MARKER: &str = "Zqx7marker";

#[tokio::test]
async fn no_log_line_contains_a_secret_of_a_url() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    let mut serve = command(folder.path());
    serve.args(["serve", "--listen", "127.0.0.1:0", "--log", "trace"]);
    serve.stderr(File::create(&log).expect("a file"));
    let hub = Process::serve_by(serve).await;
    let (visitor, ada) = (Client::new(&hub.origin), Client::new(&hub.origin));
    ada.sign_up("ada").await;
    let mut paths: Vec<String> = plexus_server::SECRET_ROUTES.iter().map(|route| filled(route)).collect();
    let queries = ["token", "invite", "admin", "code", "state", "next", "key", "name"];
    let queried: Vec<String> =
        paths.iter().flat_map(|path| queries.map(|query| format!("{path}?{query}={MARKER}"))).collect();
    paths.extend(queried);
    for client in [&visitor, &ada] {
        for path in &paths {
            let answer = client.get(path).await;
            assert!(answer.header("cache-control").contains("no-store"), "{path}: {:?}", answer.headers);
            assert_eq!(answer.header("referrer-policy"), "no-referrer", "{path}");
            client
                .post(path, &[("token", MARKER), ("password", MARKER), ("name", MARKER), ("invite", MARKER)])
                .await;
        }
        // Mistyped paths, and paths of the API.
        for path in
            ["/shared/", "/s/x/", "/join/a/", "/api/v1/shares/", "/api/v1/none/", "/rest/", "/v1/none/"]
        {
            client.get(&format!("{path}{MARKER}")).await;
        }
    }
    visitor.with_token(&format!("plx_{MARKER}")).get("/api/v1/chats").await.expect(StatusCode::UNAUTHORIZED);
    ada.call(Method::POST, "/invitations/join", &json!({ "link": format!("{}/join/{MARKER}", hub.origin) }))
        .await;
    hub.kill().await;
    let log = fs::read_to_string(&log).expect("text");
    assert!(log.contains("TRACE") || log.contains("DEBUG"), "the lines of the hub are there");
    assert!(log.contains("/share/{id}"), "lines name the route");
    let leak = log.lines().find(|line| line.contains(MARKER));
    assert!(leak.is_none(), "{}", leak.unwrap_or_default());
}

/// Returns the path of a route with the marker as each parameter.
fn filled(route: &str) -> String {
    let parts = route.split('/').map(|part| if part.starts_with('{') { MARKER } else { part });
    parts.collect::<Vec<_>>().join("/")
}
