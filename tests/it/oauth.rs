//! Tests of the OAuth authorisation server: from the first 401 to the revocation of the grant.

use axum::{Json, Router, routing::get};
use reqwest::{Method, StatusCode, header};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use url::Url;

use crate::{
    client::{Answer, Client, text_of},
    hub::{Hub, on_both},
    mcp::BOTH,
};

/// Example values of RFC 7636 appendix B.
pub const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
pub const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
const REDIRECT: &str = "http://127.0.0.1/back";

/// Serves a client metadata document. Returns the client id, which is its URL.
pub async fn publish(change: impl FnOnce(&mut Value)) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let id = format!("http://{}/client.json", listener.local_addr().expect("an address"));
    let mut document = json!({ "client_id": id, "client_name": "Tide Desk", "redirect_uris": [REDIRECT] });
    change(&mut document);
    let router = Router::new().route("/client.json", get(async move || Json(document)));
    tokio::spawn(async move { axum::serve(listener, router).await });
    id
}

pub fn request(hub: &Hub, client: &str) -> Vec<(&'static str, String)> {
    vec![
        ("response_type", "code".to_owned()),
        ("client_id", client.to_owned()),
        ("redirect_uri", "http://127.0.0.1:4711/back".to_owned()),
        ("state", "s t&te".to_owned()),
        ("scope", "chat read".to_owned()),
        ("code_challenge", CHALLENGE.to_owned()),
        ("code_challenge_method", "S256".to_owned()),
        ("resource", format!("{}/mcp", hub.origin())),
    ]
}

pub fn with(
    mut pairs: Vec<(&'static str, String)>,
    name: &'static str,
    value: &str,
) -> Vec<(&'static str, String)> {
    pairs.retain(|(key, _)| *key != name);
    pairs.push((name, value.to_owned()));
    pairs
}

pub fn page(pairs: &[(&'static str, String)]) -> String {
    let query = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish();
    format!("/oauth/authorize?{query}")
}

fn borrowed<'a>(pairs: &'a [(&'static str, String)]) -> Vec<(&'a str, &'a str)> {
    pairs.iter().map(|(name, value)| (*name, value.as_str())).collect()
}

/// Submits the consent page and returns the redirect URL.
pub async fn decide(person: &Client, pairs: Vec<(&'static str, String)>, decision: &str) -> Url {
    let pairs = with(pairs, "decision", decision);
    let sent = person.post("/oauth/authorize", &borrowed(&pairs)).await.expect(StatusCode::SEE_OTHER);
    sent.location().parse().expect("an address")
}

pub fn said(url: &Url, name: &str) -> String {
    let found: Vec<String> =
        url.query_pairs().filter(|(key, _)| key == name).map(|(_, value)| value.into_owned()).collect();
    assert!(found.len() < 2, "{name} comes twice: {url}");
    found.into_iter().next().unwrap_or_default()
}

pub async fn tokens(hub: &Hub, pairs: &[(&str, &str)]) -> Answer {
    let body: String = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish();
    let visitor = hub.visitor();
    let request =
        visitor.request(Method::POST, "/oauth/token").header(header::ORIGIN, "https://app.example.org");
    visitor.send(request.header(header::CONTENT_TYPE, "application/x-www-form-urlencoded").body(body)).await
}

pub async fn exchange(hub: &Hub, client: &str, code: &str) -> Answer {
    tokens(
        hub,
        &[
            ("grant_type", "authorization_code"),
            ("client_id", client),
            ("code", code),
            ("code_verifier", VERIFIER),
            ("redirect_uri", "http://127.0.0.1:4711/back"),
        ],
    )
    .await
}

async fn refused(answer: Answer, error: &str) {
    assert_eq!(text_of(&answer.expect(StatusCode::BAD_REQUEST).json()["error"]), error);
}

/// Returns an authorization code of a user who consented.
async fn code(hub: &Hub, person: &Client, client: &str) -> String {
    said(&decide(person, request(hub, client), "allow").await, "code")
}

/// Asserts that the error is shown on a page. It is sent to the client only when the user follows the link
/// back.
async fn told_on_a_page(hub: &Hub, person: &Client, pairs: &[(&'static str, String)], error: &str) {
    let shown = person.get(&page(pairs)).await.expect(StatusCode::BAD_REQUEST);
    shown.says("Tide Desk");
    let back = shown
        .body
        .split("href=\"")
        .find(|rest| rest.starts_with("http://127.0.0.1:4711/back?"))
        .expect("a way back");
    let back: Url =
        back.split('"').next().unwrap_or_default().replace("&amp;", "&").parse().expect("an address");
    assert_eq!(
        (said(&back, "error").as_str(), said(&back, "iss").as_str()),
        (error, hub.origin()),
        "{pairs:?}"
    );
    assert_eq!(said(&back, "state"), "s t&te");
    let pressed = with(pairs.to_vec(), "decision", "allow");
    person.post("/oauth/authorize", &borrowed(&pressed)).await.expect(StatusCode::BAD_REQUEST);
}

pub async fn list_tools(client: &Client, path: &str) -> Answer {
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {} });
    let request = client.request(Method::POST, path).header(header::ACCEPT, BOTH);
    client.send(request.json(&body)).await
}

on_both! {
    async fn a_program_is_let_in_and_put_out_again(hub: &Hub, [("PLEXUS_ALLOW_PRIVATE_NETWORKS", "true")]) {
        let (ada, client) = (hub.person("ada").await, publish(|_| {}).await);
        let visitor = hub.visitor();
        let challenge = list_tools(&visitor.with_token("plx_made-up"), "/mcp").await.expect(StatusCode::UNAUTHORIZED);
        let (_, at) = challenge.header("www-authenticate").split_once("resource_metadata=\"").expect("where to read on");
        let at = at.trim_end_matches('"').strip_prefix(hub.origin()).expect("at this hub");
        let resource = visitor.get(at).await.expect(StatusCode::OK);
        assert_eq!(resource.header("access-control-allow-origin"), "*");
        assert_eq!(text_of(&resource.json()["resource"]), format!("{}/mcp", hub.origin()));
        assert_eq!(resource.json()["authorization_servers"], json!([hub.origin()]));
        let server = visitor.get("/.well-known/oauth-authorization-server").await.expect(StatusCode::OK).json();
        assert_eq!(text_of(&server["issuer"]), hub.origin());
        assert_eq!(server["code_challenge_methods_supported"], json!(["S256"]));
        assert_eq!(server["client_id_metadata_document_supported"], json!(true));

        let asked = page(&request(hub, &client));
        let login = visitor.get(&asked).await.expect(StatusCode::SEE_OTHER);
        assert!(login.location().starts_with("/login?next=%2Foauth%2Fauthorize"), "{}", login.location());
        let consent = ada.get(&asked).await.expect(StatusCode::OK);
        consent.says("Tide Desk");
        consent.says("127.0.0.1");
        assert!(consent.header("content-security-policy").contains("form-action 'self' http://127.0.0.1:4711;"));
        let sent = decide(&ada, request(hub, &client), "allow").await;
        assert!(sent.as_str().starts_with("http://127.0.0.1:4711/back?"), "{sent}");
        assert_eq!((said(&sent, "state"), said(&sent, "iss")), ("s t&te".to_owned(), hub.origin().to_owned()));

        let given = exchange(hub, &client, &said(&sent, "code")).await.expect(StatusCode::OK);
        assert_eq!((given.header("cache-control"), given.header("access-control-allow-origin")), ("no-store", "*"));
        let given = given.json();
        assert_eq!((&given["token_type"], &given["scope"]), (&json!("Bearer"), &json!("chat read")));
        let program = visitor.with_token(&text_of(&given["access_token"]));
        list_tools(&program, "/mcp").await.expect(StatusCode::OK);
        list_tools(&program, "/mcp/plexus/calc").await.expect(StatusCode::OK);
        for (path, status) in [("/api/v1/chats", StatusCode::UNAUTHORIZED), ("/a2a/plexus/calc/.well-known/agent-card.json", StatusCode::UNAUTHORIZED)] {
            program.get(path).await.expect(status);
        }

        let settings = ada.get("/settings/tokens").await.expect(StatusCode::OK);
        settings.says("Tide Desk");
        settings.says("You have not created any tokens yet.");
        let (_, id) = settings.body.split_once("/settings/tokens/end").and_then(|(_, form)| form.split_once("value=\"")).expect("a button");
        let id = id.split('"').next().expect("an id");
        hub.person("eve").await.post("/settings/tokens/end", &[("id", id)]).await.expect(StatusCode::NOT_FOUND);
        ada.post("/settings/tokens/end", &[("id", id)]).await.expect(StatusCode::SEE_OTHER);
        list_tools(&program, "/mcp").await.expect(StatusCode::UNAUTHORIZED);
        let refresh = text_of(&given["refresh_token"]);
        refused(tokens(hub, &[("grant_type", "refresh_token"), ("client_id", &client), ("refresh_token", &refresh)]).await, "invalid_grant").await;
    }

    async fn a_code_is_good_once_and_for_who_asked(hub: &Hub, [("PLEXUS_ALLOW_PRIVATE_NETWORKS", "true")]) {
        let (ada, client) = (hub.person("ada").await, publish(|_| {}).await);
        let first = code(hub, &ada, &client).await;
        let given = exchange(hub, &client, &first).await.expect(StatusCode::OK).json();
        let program = hub.visitor().with_token(&text_of(&given["access_token"]));
        list_tools(&program, "/mcp").await.expect(StatusCode::OK);
        refused(exchange(hub, &client, &first).await, "invalid_grant").await;
        list_tools(&program, "/mcp").await.expect(StatusCode::UNAUTHORIZED);

        for (name, wrong) in [
            ("code_verifier", "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXX"), ("code_verifier", ""), ("code", "x"),
            ("client_id", "http://127.0.0.1/other"), ("redirect_uri", "http://127.0.0.1:4712/back"), ("resource", "https://other.example/mcp"),
            ("grant_type", "password"),
        ] {
            let next = code(hub, &ada, &client).await;
            let good = vec![
                ("grant_type", "authorization_code".to_owned()), ("client_id", client.clone()), ("code", next.clone()),
                ("code_verifier", VERIFIER.to_owned()), ("redirect_uri", "http://127.0.0.1:4711/back".to_owned()),
            ];
            let error = match name {
                "resource" => "invalid_target",
                "grant_type" => "unsupported_grant_type",
                _ => "invalid_grant",
            };
            refused(tokens(hub, &borrowed(&with(good, name, wrong))).await, error).await;
            if name == "code_verifier" {
                refused(exchange(hub, &client, &next).await, "invalid_grant").await;
            }
        }
        let late = code(hub, &ada, &client).await;
        hub.sql("update oauth_grants set expires_at = 1 where refresh_hash is null").await;
        refused(exchange(hub, &client, &late).await, "invalid_grant").await;
    }

    async fn a_refresh_token_is_good_once(hub: &Hub, [("PLEXUS_ALLOW_PRIVATE_NETWORKS", "true")]) {
        let (ada, client) = (hub.person("ada").await, publish(|_| {}).await);
        let given = exchange(hub, &client, &code(hub, &ada, &client).await).await.expect(StatusCode::OK).json();
        let refresh = async |client: &str, token: &str| {
            tokens(hub, &[("grant_type", "refresh_token"), ("client_id", client), ("refresh_token", token)]).await
        };
        let second = refresh(&client, &text_of(&given["refresh_token"])).await.expect(StatusCode::OK).json();
        assert_ne!(second["refresh_token"], given["refresh_token"]);
        let program = hub.visitor().with_token(&text_of(&second["access_token"]));
        list_tools(&program, "/mcp").await.expect(StatusCode::OK);
        refused(refresh(&client, &text_of(&given["refresh_token"])).await, "invalid_grant").await;
        list_tools(&program, "/mcp").await.expect(StatusCode::UNAUTHORIZED);
        refused(refresh(&client, &text_of(&second["refresh_token"])).await, "invalid_grant").await;

        let third = exchange(hub, &client, &code(hub, &ada, &client).await).await.expect(StatusCode::OK).json();
        let token = text_of(&third["refresh_token"]);
        let visitor = hub.visitor();
        let program = visitor.with_token(&text_of(&third["access_token"]));
        refused(visitor.post("/oauth/revoke", &[("token", &token), ("client_id", "http://127.0.0.1/x")]).await, "invalid_grant").await;
        refused(visitor.post("/oauth/revoke", &[]).await, "invalid_request").await;
        visitor.post("/oauth/revoke", &[("token", "none")]).await.expect(StatusCode::OK);
        list_tools(&program, "/mcp").await.expect(StatusCode::OK);
        visitor.post("/oauth/revoke", &[("token", &token), ("client_id", &client)]).await.expect(StatusCode::OK);
        refused(refresh(&client, &token).await, "invalid_grant").await;
        list_tools(&program, "/mcp").await.expect(StatusCode::UNAUTHORIZED);

        let fourth = exchange(hub, &client, &code(hub, &ada, &client).await).await.expect(StatusCode::OK).json();
        let access = text_of(&fourth["access_token"]);
        visitor.post("/oauth/revoke", &[("token", &access), ("token_type_hint", "access_token")]).await.expect(StatusCode::OK);
        list_tools(&visitor.with_token(&access), "/mcp").await.expect(StatusCode::UNAUTHORIZED);
        let fifth = refresh(&client, &text_of(&fourth["refresh_token"])).await.expect(StatusCode::OK).json();
        list_tools(&visitor.with_token(&text_of(&fifth["access_token"])), "/mcp").await.expect(StatusCode::OK);
        let own = crate::tokens::make(&ada, &["read"]).await;
        visitor.post("/oauth/revoke", &[("token", &own)]).await.expect(StatusCode::OK);
        visitor.with_token(&own).get("/api/v1/chats").await.expect(StatusCode::OK);
        hub.sql("update oauth_grants set expires_at = 1").await;
        hub.tidy().await;
    }

    async fn a_program_that_was_let_in_allows_nothing_on_its_own(hub: &Hub, [("PLEXUS_ALLOW_PRIVATE_NETWORKS", "true")]) {
        let (ada, client) = (hub.person("ada").await, publish(|_| {}).await);
        let all = with(request(hub, &client), "resource", hub.origin());
        let code = said(&decide(&ada, all, "allow").await, "code");
        let granted = exchange(hub, &client, &code).await.expect(StatusCode::OK).json();
        let program = hub.visitor().with_token(&text_of(&granted["access_token"]));
        program.get("/api/v1/chats").await.expect(StatusCode::OK);
        let own = hub.visitor().with_token(&crate::tokens::make(&ada, &["chat"]).await);
        let (path, yes) = ("/approvals/01a1f7fe-8f58-789b-93e8-e4574687b706", json!({ "allow": true }));
        program.call(Method::POST, path, &yes).await.expect(StatusCode::FORBIDDEN);
        own.call(Method::POST, path, &yes).await.expect(StatusCode::NOT_FOUND);
        let asked = json!({ "approval": "01a1f7fe-8f58-789b-93e8-e4574687b706", "allow": true });
        assert_eq!(crate::rpc::code(&program, "approvals.decide", asked.clone()).await, -32_003);
        assert_eq!(crate::rpc::code(&own, "approvals.decide", asked).await, -32_004);
    }

    async fn every_edge_says_how_to_be_let_in(hub: &Hub) {
        let stranger = hub.visitor().with_token("plx_made-up");
        for (method, path, resource) in [
            (Method::GET, "/v1/models", "/v1"), (Method::POST, "/v1/responses", "/v1"), (Method::GET, "/ard/v1/agents", "/ard/v1"),
            (Method::GET, "/a2a/plexus/calc/.well-known/agent-card.json", "/a2a/plexus/calc"), (Method::POST, "/a2a/plexus/calc/", "/a2a/plexus/calc"),
            (Method::POST, "/a2a/plexus/calc/rest/message:send", "/a2a/plexus/calc"), (Method::POST, "/rpc", "/rpc"), (Method::GET, "/rpc", "/rpc"),
            (Method::POST, "/mcp", "/mcp"), (Method::POST, "/mcp/plexus/calc", "/mcp/plexus/calc"),
            (Method::GET, "/.well-known/ard.json", ""), (Method::GET, "/api/v1/chats", "/api/v1"), (Method::GET, "/api/v1/events?chat=x", "/api/v1"),
        ] {
            let request = stranger.request(method, path).header(header::ACCEPT, BOTH);
            let answer = stranger.send(request.header(header::CONTENT_TYPE, "application/json")).await;
            let at = format!("resource_metadata=\"{}/.well-known/oauth-protected-resource{resource}\"", hub.origin());
            let challenge = answer.header("www-authenticate");
            assert!(challenge.starts_with("Bearer error=\"invalid_token\", ") && challenge.ends_with(&at), "{path}: {answer:?}");
            answer.expect(StatusCode::UNAUTHORIZED);
        }
        let silent = hub.visitor().get("/api/v1/chats").await.expect(StatusCode::UNAUTHORIZED);
        assert!(silent.header("www-authenticate").starts_with("Bearer scope="), "{:?}", silent.headers);
    }

    async fn nobody_is_sent_where_the_document_does_not_say(hub: &Hub, [("PLEXUS_ALLOW_PRIVATE_NETWORKS", "true")]) {
        let (ada, client) = (hub.person("ada").await, publish(|_| {}).await);
        let good = || request(hub, &client);
        let other = publish(|document| document["client_id"] = json!("https://app.example.org/client.json")).await;
        for pairs in [
            with(good(), "redirect_uri", "https://evil.example/back"), with(good(), "redirect_uri", "http://127.0.0.1:4711/other"),
            with(good(), "redirect_uri", ""), with(good(), "client_id", "x"), with(good(), "client_id", &other),
            with(good(), "client_id", "http://127.0.0.1:9/client.json"), with(good(), "client_id", "https://127.0.0.1/"),
            [good(), vec![("redirect_uri", REDIRECT.to_owned())]].concat(),
        ] {
            ada.get(&page(&pairs)).await.expect(StatusCode::UNPROCESSABLE_ENTITY);
            ada.post("/oauth/authorize", &borrowed(&with(pairs, "decision", "allow"))).await.expect(StatusCode::UNPROCESSABLE_ENTITY);
        }
        for (name, wrong, error) in [
            ("response_type", "token", "unsupported_response_type"), ("code_challenge_method", "plain", "invalid_request"),
            ("code_challenge", "short", "invalid_request"), ("code_challenge", "", "invalid_request"),
            ("resource", "https://other.example/mcp", "invalid_target"), ("scope", "admin", "invalid_scope"),
        ] {
            told_on_a_page(hub, &ada, &with(good(), name, wrong), error).await;
        }
        told_on_a_page(hub, &ada, &[good(), vec![("scope", "read".to_owned())]].concat(), "invalid_request").await;
        let visitor = hub.visitor();
        for (name, wrong) in [("client_id", ""), ("client_id", "x"), ("redirect_uri", ""), ("redirect_uri", "javascript:x")] {
            visitor.get(&page(&with(good(), name, wrong))).await.expect(StatusCode::UNPROCESSABLE_ENTITY);
        }
        for broken in ["", "?", "?%ff=%zz&&&=", "?client_id"] {
            visitor.get(&format!("/oauth/authorize{broken}")).await.expect(StatusCode::UNPROCESSABLE_ENTITY);
        }
        let denied = decide(&ada, good(), "deny").await;
        assert_eq!((said(&denied, "error").as_str(), said(&denied, "code").as_str()), ("access_denied", ""));
        // A cross-site page cannot submit the consent form (CSRF).
        let body: String = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(with(good(), "decision", "allow")).finish();
        let foreign = ada.request(Method::POST, "/oauth/authorize").header(header::ORIGIN, "https://evil.example").header("sec-fetch-site", "cross-site");
        ada.send(foreign.header(header::CONTENT_TYPE, "application/x-www-form-urlencoded").body(body)).await.expect(StatusCode::FORBIDDEN);
    }
}
