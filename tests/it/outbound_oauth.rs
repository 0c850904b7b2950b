//! Tests of agents that require OAuth: the hub obtains tokens by client credentials and by user consent, from
//! a test server.

use std::{collections::BTreeMap, sync::Arc};

use axum::{
    Form, Json, Router,
    body::Bytes,
    extract::{Query, State},
    http::{HeaderMap, StatusCode as Status, header},
    response::{IntoResponse, Redirect, Response},
    routing::{get, post},
};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use parking_lot::Mutex;
use plexus_domain::Digest;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use url::Url;

use crate::{
    chat::seq,
    client::{Answer, Client, new_id, text_of},
    events::{answer_after, text_in},
    http_endpoints::serve,
    hub::{Hub, on_both},
};

type Pairs = BTreeMap<String, String>;

/// Authorization server, and an agent at the same origin that requires its tokens.
#[derive(Clone)]
struct Guarded {
    origin: String,
    state: Arc<Mutex<Standing>>,
}

type Served = State<Arc<Mutex<Standing>>>;

#[derive(Default)]
struct Standing {
    origin: String,
    /// Requests to the token endpoint, each with its `Authorization` header.
    asked: Vec<(Pairs, String)>,
    /// Tokens that the agent accepts.
    good: Vec<String>,
    /// True if the agent rejects every token.
    refuses: bool,
    minted: usize,
    lives: u64,
    manners: Manners,
    /// PKCE challenge and redirect URI, by code.
    codes: BTreeMap<String, (String, String)>,
    refresh: String,
    iss: Option<String>,
    /// Issuer in the discovery document, if it is not the right one.
    issuer: Option<String>,
}

#[derive(Clone, Copy, Default)]
enum Manners {
    #[default]
    Good,
    Hangs,
    Floods,
    Garbage,
    Refuses(&'static str),
}

impl Guarded {
    async fn start(flows: impl FnOnce(&str) -> Value) -> Self {
        Self::with_scheme(|origin| json!({ "oauth2SecurityScheme": { "flows": flows(origin) } })).await
    }

    async fn with_scheme(scheme: impl FnOnce(&str) -> Value) -> Self {
        let state = Arc::new(Mutex::new(Standing { lives: 3_600, ..Standing::default() }));
        let router = Router::new()
            .route("/authorize", get(authorize))
            .route("/token", post(token))
            .route("/t/.well-known/openid-configuration", get(discovery_document))
            .route("/a2a", post(answer))
            .route("/ask", post(answer_plainly))
            .with_state(Arc::clone(&state));
        // The card contains the URL, which is only known once the server is bound.
        let card = Arc::new(Mutex::new(Value::Null));
        let shown = Arc::clone(&card);
        let router = router.route(
            "/.well-known/agent-card.json",
            get(async move || {
                let card = shown.lock().clone();
                Json(card)
            }),
        );
        let origin = serve(router).await;
        state.lock().origin.clone_from(&origin);
        *card.lock() = json!({
            "name": "Echo", "description": "Says what it hears.", "version": "1.0.0",
            "supportedInterfaces":
                [{ "url": format!("{origin}/a2a"), "protocolBinding": "JSONRPC", "protocolVersion": "1.0" }],
            "capabilities": {}, "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
            "skills": [{ "id": "echo", "name": "Echo", "description": "Echoes.", "tags": ["echo"] }],
            "securitySchemes": { "o": scheme(&origin) },
            "securityRequirements": [{ "schemes": { "o": { "list": ["read", "write"] } } }],
        });
        Self { origin, state }
    }

    /// Starts a server with the client credentials flow.
    async fn client() -> Self {
        Self::start(
            |origin| json!({ "clientCredentials": { "tokenUrl": format!("{origin}/token"), "scopes": {} } }),
        )
        .await
    }

    /// Starts a server with the authorization code flow.
    async fn person() -> Self {
        Self::start(|origin| {
            let (ask, token) = (format!("{origin}/authorize?tenant=t"), format!("{origin}/token"));
            json!({ "authorizationCode": { "authorizationUrl": ask, "tokenUrl": token, "scopes": {} } })
        })
        .await
    }

    /// Starts a server whose card names an OpenID Connect discovery document.
    async fn openid() -> Self {
        Self::with_scheme(|origin| {
            let document = format!("{origin}/t/.well-known/openid-configuration");
            json!({ "openIdConnectSecurityScheme": { "openIdConnectUrl": document } })
        })
        .await
    }

    async fn register(&self, admin: &Client, credentials: Value) {
        let mut new =
            json!({ "url": self.origin, "name": "echo", "visibility": "public", "trust_origins": true });
        if !credentials.is_null() {
            new["credentials"] = credentials;
        }
        admin.call(Method::POST, "/agents", &new).await.expect(StatusCode::CREATED);
    }

    fn behave(&self, manners: Manners) {
        self.state.lock().manners = manners;
    }

    /// Revokes all issued tokens.
    fn revoke(&self) {
        self.state.lock().good.clear();
    }

    fn asked(&self) -> usize {
        self.state.lock().asked.len()
    }

    fn last(&self) -> (Pairs, String) {
        self.state.lock().asked.last().expect("it was asked for a token").clone()
    }
}

async fn discovery_document(State(state): Served) -> Json<Value> {
    let state = state.lock();
    let origin = &state.origin;
    let issuer = state.issuer.clone().unwrap_or_else(|| format!("{origin}/t"));
    Json(json!({
        "issuer": issuer, "authorization_endpoint": format!("{origin}/authorize?tenant=t"),
        "token_endpoint": format!("{origin}/token"), "jwks_uri": format!("{origin}/keys"),
    }))
}

/// Authorization endpoint: grants consent at once.
async fn authorize(State(state): Served, Query(asked): Query<Pairs>) -> Redirect {
    let mut state = state.lock();
    assert_eq!((asked["response_type"].as_str(), asked["code_challenge_method"].as_str()), ("code", "S256"));
    let code = format!("code-{}", state.codes.len());
    state.codes.insert(code.clone(), (asked["code_challenge"].clone(), asked["redirect_uri"].clone()));
    let mut back: Url = asked["redirect_uri"].parse().expect("an address");
    let iss = state.iss.clone().unwrap_or_else(|| state.origin.clone());
    back.query_pairs_mut().extend_pairs([("code", code), ("state", asked["state"].clone()), ("iss", iss)]);
    Redirect::to(back.as_str())
}

async fn token(State(state): Served, headers: HeaderMap, Form(asked): Form<Pairs>) -> Response {
    let manners = {
        let mut state = state.lock();
        let shown = headers.get(header::AUTHORIZATION).map(|value| value.to_str().expect("text").to_owned());
        state.asked.push((asked.clone(), shown.unwrap_or_default()));
        state.manners
    };
    match manners {
        Manners::Good => give(&mut state.lock(), &asked),
        Manners::Hangs => std::future::pending().await,
        Manners::Floods => "x".repeat(10 << 20).into_response(),
        Manners::Garbage => Json(json!({ "access_token": "a\nb", "token_type": "mac" })).into_response(),
        Manners::Refuses(word) => refuse(word),
    }
}

fn refuse(word: &str) -> Response {
    (Status::BAD_REQUEST, Json(json!({ "error": word, "error_description": "Not you." }))).into_response()
}

fn give(state: &mut Standing, asked: &Pairs) -> Response {
    let is_good = match asked["grant_type"].as_str() {
        "client_credentials" => true,
        "refresh_token" => asked["refresh_token"] == state.refresh,
        _ => {
            let known = state.codes.remove(&asked["code"]);
            let proof = URL_SAFE_NO_PAD.encode(Digest::of(&asked["code_verifier"]).as_bytes());
            known.is_some_and(|known| known == (proof, asked["redirect_uri"].clone()))
        }
    };
    if !is_good {
        return refuse("invalid_grant");
    }
    state.minted += 1;
    let access = format!("token-{}", state.minted);
    state.refresh = format!("refresh-{}", state.minted);
    state.good = vec![access.clone()];
    let mut given = json!({ "access_token": access, "token_type": "Bearer", "expires_in": state.lives });
    if asked["grant_type"] != "client_credentials" {
        given["refresh_token"] = json!(state.refresh);
    }
    Json(given).into_response()
}

/// Returns the number of a token: the hub removes the token itself from answers.
fn number(token: &str) -> &str {
    token.trim_start_matches("token-")
}

/// Returns the bearer token of a request if it is valid.
fn shown(state: &Standing, headers: &HeaderMap) -> Option<String> {
    let token = headers.get(header::AUTHORIZATION)?.to_str().ok()?.strip_prefix("Bearer ")?.to_owned();
    (!state.refuses && state.good.contains(&token)).then_some(token)
}

async fn answer(State(state): Served, headers: HeaderMap, body: Bytes) -> Response {
    let Some(token) = shown(&state.lock(), &headers) else { return Status::UNAUTHORIZED.into_response() };
    let request: Value = serde_json::from_slice(&body).expect("JSON");
    let said = text_of(&request["params"]["message"]["parts"][0]["text"]);
    let parts = json!([{ "text": format!("{said} with {}", number(&token)) }]);
    let message = json!({ "messageId": "m", "role": "ROLE_AGENT", "parts": parts });
    Json(json!({ "jsonrpc": "2.0", "id": request["id"], "result": { "message": message } })).into_response()
}

async fn answer_plainly(State(state): Served, headers: HeaderMap, Json(body): Json<Value>) -> Response {
    match shown(&state.lock(), &headers) {
        Some(token) => Json(json!({ "said": format!("{} with {}", text_of(&body["q"]), number(&token)) }))
            .into_response(),
        None => Status::UNAUTHORIZED.into_response(),
    }
}

async fn asked(client: &Client, text: &str) -> Value {
    let said = client.begin("@grace/echo", text).await;
    answer_after(client, &said.chat, 0).await
}

async fn failed(client: &Client, words: &str) -> String {
    let said = client.begin("@grace/echo", "hi").await;
    let answer = answer_after(client, &said.chat, 0).await;
    let message = text_of(&answer["run"]["failure"]["message"]);
    assert!(message.contains(words), "{message}");
    said.chat
}

/// Asserts that the hub refuses to start a run before the user has connected an account.
async fn not_yet(client: &Client) {
    let body = json!({ "id": new_id(), "to": "@grace/echo", "text": "hi" });
    let (_, words) = client.call(Method::POST, "/chats", &body).await.refusal(StatusCode::FORBIDDEN);
    assert!(words.contains("/@grace/echo/credentials"), "{words}");
}

const PAGE: &str = "/@grace/echo/credentials";

/// Presses the connect button and returns the authorization URL.
async fn press(client: &Client) -> Url {
    let sent = client.post(PAGE, &[("action", "connect")]).await.expect(StatusCode::SEE_OTHER);
    sent.location().parse().expect("an address")
}

/// Visits the authorization URL and returns path and query of the redirect back to the hub.
async fn agree(to: &Url) -> String {
    let origin = to.origin().ascii_serialization();
    let elsewhere = Client::new(&origin);
    let sent = elsewhere.get(&to[url::Position::BeforePath..]).await.expect(StatusCode::SEE_OTHER);
    let back: Url = sent.location().parse().expect("an address");
    back[url::Position::BeforePath..].to_owned()
}

async fn connect(client: &Client) -> Answer {
    let back = agree(&press(client).await).await;
    client.get(&back).await
}

fn said(url: &Url, name: &str) -> String {
    let found: Vec<_> = url.query_pairs().filter(|(key, _)| key == name).collect();
    assert_eq!(found.len(), 1, "{name} in {url}");
    found[0].1.clone().into_owned()
}

on_both! {
    async fn a_client_gets_tokens_and_keeps_them(hub: &Hub) {
        let (guarded, grace) = (Guarded::client().await, hub.administrator("grace").await);
        let given = json!({ "user": "hub", "secret": "s3cret:+", "shared": true });
        guarded.register(&grace, given).await;
        let shown = grace.api("/agents/grace/echo/credentials").await;
        assert_eq!((&shown["scheme"]["kind"], &shown["stored"]), (&json!("oauth2"), &json!(true)));
        assert_eq!(shown["scheme"]["scopes"], json!(["read", "write"]));
        grace.get(PAGE).await.expect(StatusCode::OK).says("Client secret");

        let (ada, bob) = (hub.person("ada").await, hub.person("bob").await);
        let (one, two) = tokio::join!(asked(&ada, "hi"), asked(&bob, "hi"));
        assert_eq!((text_in(&one), text_in(&two)), ("hi with 1", "hi with 1"));
        assert_eq!(guarded.asked(), 1, "one token is got for all who wait");
        let (form, client) = guarded.last();
        assert_eq!(client, "Basic aHViOnMzY3JldCUzQSUyQg==");
        assert_eq!((form["grant_type"].as_str(), form["scope"].as_str()), ("client_credentials", "read write"));
        assert_eq!(form["resource"], format!("{}/a2a", guarded.origin));

        guarded.revoke();
        assert_eq!(text_in(&asked(&ada, "hi").await), "hi with 2", "another token replaces a refused one");
        guarded.state.lock().refuses = true;
        failed(&ada, "did not accept the token").await;
        assert_eq!(guarded.asked(), 3, "it is tried once more, and not for ever");
        guarded.state.lock().refuses = false;
        guarded.state.lock().lives = 0;
        grace.post(PAGE, &[("action", "save"), ("user", "hub"), ("secret", "new")]).await.expect(StatusCode::SEE_OTHER);
        for _ in 0..2 {
            assert_eq!(asked(&ada, "hi").await["state"], "done");
        }
        assert_eq!(guarded.asked(), 5, "a token that has ended is not shown");
    }

    async fn a_server_that_misbehaves_is_named(hub: &Hub, [("PLEXUS_RUN_IDLE_TIMEOUT_SECONDS", "1")]) {
        let (guarded, grace) = (Guarded::client().await, hub.administrator("grace").await);
        guarded.register(&grace, json!({ "user": "hub", "secret": "s", "shared": true })).await;
        for (manners, words) in [
            (Manners::Hangs, "sent nothing for 10 s"),
            (Manners::Floods, "sent more than the limit of 65536 bytes"),
            (Manners::Garbage, "without a bearer token"),
            (Manners::Refuses("invalid_client"), "refused: invalid_client, Not you.. Its owner can enter the client again at /@grace/echo/credentials."),
        ] {
            guarded.behave(manners);
            failed(&grace, words).await;
        }
        guarded.behave(Manners::Good);
        assert_eq!(text_in(&asked(&grace, "hi").await), "hi with 1");
    }

    async fn an_endpoint_is_shown_a_token(hub: &Hub) {
        let (guarded, grace) = (Guarded::client().await, hub.administrator("grace").await);
        let auth = json!({ "kind": "oauth2", "token_url": format!("{}/token", guarded.origin), "scopes": ["ask"] });
        let url = format!("{}/ask?v=1", guarded.origin);
        let request = json!({ "url": url, "body": { "q": "{{message}}" }, "response_path": "/said", "auth": auth });
        let given = json!({ "user": "mine", "secret": "s" });
        let new = json!({ "request": request, "name": "echo", "visibility": "public", "trust_origins": true,
                          "credentials": given });
        grace.call(Method::POST, "/agents", &new).await.expect(StatusCode::CREATED);
        let said = grace.begin("@grace/echo", "hi").await;
        let answer = answer_after(&grace, &said.chat, 0).await;
        assert_eq!(text_in(&answer), "hi with 1");
        assert_eq!(guarded.last().0["resource"], format!("{}/ask", guarded.origin));
        guarded.revoke();
        let so_far = seq(&grace, &said.chat).await;
        grace.say(&said.chat, "again").await;
        assert_eq!(text_in(&answer_after(&grace, &said.chat, so_far).await), "again with 2");

        let ada = hub.person("ada").await;
        not_yet(&ada).await;
        let own = json!({ "user": "ada", "secret": "a" });
        ada.call(Method::PUT, "/agents/grace/echo/credentials", &own).await.expect(StatusCode::NO_CONTENT);
        assert_eq!(text_in(&asked(&ada, "hi").await), "hi with 3", "hers is another client");
        grace.get("/@grace/echo/edit").await.says(&format!("{}/token", guarded.origin));
    }

    async fn a_token_is_not_asked_for_at_a_private_address(hub: &Hub) {
        let ada = hub.person("ada").await;
        for (token, words) in [
            ("http://127.0.0.1:9/token", "private"),
            ("http://agents.example.org/token", "Only https"),
            ("https://agents.example.org/#x", "without a #"),
        ] {
            let auth = json!({ "kind": "oauth2", "token_url": token });
            let request = json!({ "url": "https://agents.example.org/ask", "body": { "q": "{{message}}" }, "auth": auth });
            let new = json!({ "request": request, "name": "echo" });
            let (_, said) = ada.call(Method::POST, "/agents", &new).await.refusal(StatusCode::UNPROCESSABLE_ENTITY);
            assert!(said.contains(words), "{said}");
        }
    }

    async fn a_person_connects_and_disconnects(hub: &Hub) {
        let (guarded, grace) = (Guarded::person().await, hub.administrator("grace").await);
        guarded.register(&grace, Value::Null).await;
        let ada = hub.person("ada").await;
        not_yet(&ada).await;
        let page = ada.get(PAGE).await.expect(StatusCode::OK);
        page.says("value=\"connect\"");
        assert!(page.header("content-security-policy").contains(&format!("form-action 'self' {};", guarded.origin)));
        assert!(!page.body.contains("OAuth client of this hub"), "that is for the owner");

        let to = press(&ada).await;
        let document = ada.get("/oauth/client.json").await.expect(StatusCode::OK).json();
        assert_eq!(said(&to, "client_id"), text_of(&document["client_id"]));
        assert_eq!(said(&to, "client_id"), format!("{}/oauth/client.json", hub.origin()));
        assert_eq!(document["redirect_uris"], json!([said(&to, "redirect_uri")]));
        assert_eq!((said(&to, "tenant").as_str(), said(&to, "scope").as_str()), ("t", "read write"));
        assert_eq!(said(&to, "resource"), format!("{}/a2a", guarded.origin));
        let done = ada.get(&agree(&to).await).await.expect(StatusCode::SEE_OTHER);
        assert_eq!(done.location(), PAGE);
        ada.get(PAGE).await.says("You are connected.");
        assert_eq!(guarded.last().0["client_id"], text_of(&document["client_id"]));
        assert_eq!(text_in(&asked(&ada, "hi").await), "hi with 1");
        assert_eq!(guarded.asked(), 1);
        let shown = ada.api("/agents/grace/echo/credentials").await;
        assert_eq!((&shown["stored"], text_of(&shown["connect_url"])), (&json!(true), format!("{}{PAGE}", hub.origin())));
        not_yet(&hub.person("bob").await).await;

        ada.post(PAGE, &[("action", "delete")]).await.expect(StatusCode::SEE_OTHER);
        not_yet(&ada).await;
        assert_eq!(ada.api("/agents/grace/echo/credentials").await["stored"], json!(false));
    }

    async fn endpoints_come_from_a_discovery_document(hub: &Hub) {
        let (guarded, grace) = (Guarded::openid().await, hub.administrator("grace").await);
        guarded.register(&grace, Value::Null).await;
        let ada = hub.person("ada").await;
        not_yet(&ada).await;

        guarded.state.lock().issuer = Some("https://evil.example".to_owned());
        ada.post(PAGE, &[("action", "connect")]).await.expect(StatusCode::CONFLICT).says("its issuer is another one");
        guarded.state.lock().issuer = None;

        let page = ada.get(PAGE).await.expect(StatusCode::OK);
        assert!(page.header("content-security-policy").contains(&format!("form-action 'self' {};", guarded.origin)));
        connect(&ada).await.expect(StatusCode::SEE_OTHER);
        ada.get(PAGE).await.says("You are connected.");
        assert_eq!(text_in(&asked(&ada, "hi").await), "hi with 1");
        let shown = ada.api("/agents/grace/echo/credentials").await;
        assert_eq!(text_of(&shown["scheme"]["token_url"]), format!("{}/token", guarded.origin));

        guarded.revoke();
        assert_eq!(text_in(&asked(&ada, "again").await), "again with 2", "the endpoint for refreshing is kept");
    }

    async fn tokens_of_people_are_refreshed_until_that_is_refused(hub: &Hub) {
        let (guarded, grace) = (Guarded::person().await, hub.administrator("grace").await);
        guarded.register(&grace, Value::Null).await;
        let ada = hub.person("ada").await;
        guarded.state.lock().lives = 0;
        connect(&ada).await.expect(StatusCode::SEE_OTHER);
        assert_eq!(text_in(&asked(&ada, "hi").await), "hi with 2");
        let (one, two) = tokio::join!(asked(&ada, "hi"), asked(&ada, "hi"));
        assert_eq!((&one["state"], &two["state"]), (&json!("done"), &json!("done")), "each refresh token is used once");
        // One of the two may have found its token already replaced and obtained another one.
        let minted = guarded.state.lock().minted;
        let with = |more: usize| format!("hi with {}", minted + more);
        guarded.state.lock().lives = 3_600;
        assert_eq!(text_in(&asked(&ada, "hi").await), with(1));
        guarded.revoke();
        assert_eq!(text_in(&asked(&ada, "hi").await), with(2), "a refused token is refreshed");

        guarded.revoke();
        guarded.behave(Manners::Garbage);
        failed(&ada, "without a bearer token").await;
        assert_eq!(ada.api("/agents/grace/echo/credentials").await["stored"], json!(true), "that ends no connection");
        guarded.behave(Manners::Refuses("invalid_grant"));
        let chat = failed(&ada, "Connect again at /@grace/echo/credentials.").await;
        ada.get(&format!("/chat/{chat}")).await.says(&format!("<a href=\"{PAGE}\""));
        not_yet(&ada).await;
        guarded.behave(Manners::Good);
        connect(&ada).await.expect(StatusCode::SEE_OTHER);
        assert_eq!(text_in(&asked(&ada, "hi").await), with(3));
    }

    async fn a_wrong_answer_connects_nobody(hub: &Hub) {
        let (guarded, grace) = (Guarded::person().await, hub.administrator("grace").await);
        guarded.register(&grace, Value::Null).await;
        let (ada, bob) = (hub.person("ada").await, hub.person("bob").await);
        let refuses = async |client: &Client, path: &str, status: StatusCode, words: &str| {
            client.get(path).await.expect(status).says(words);
        };
        let unknown = "This connection attempt is unknown";
        refuses(&ada, "/oauth/callback?code=code-0&state=made-up", StatusCode::FORBIDDEN, unknown).await;
        refuses(&ada, "/oauth/callback", StatusCode::FORBIDDEN, unknown).await;
        let back = agree(&press(&ada).await).await;
        let visited = hub.visitor().get(&back).await.expect(StatusCode::SEE_OTHER);
        assert!(visited.location().starts_with("/login?next="), "{visited:?}");
        let same_person = hub.visitor();
        same_person.sign_in("ada", crate::client::PASSWORD).await.expect(StatusCode::SEE_OTHER);
        refuses(&same_person, &back, StatusCode::FORBIDDEN, unknown).await;
        refuses(&ada, &back, StatusCode::FORBIDDEN, unknown).await;
        refuses(&bob, &agree(&press(&ada).await).await, StatusCode::FORBIDDEN, unknown).await;

        let declined = format!("/oauth/callback?error=access_denied&state={}", said(&press(&ada).await, "state"));
        refuses(&ada, &declined, StatusCode::FORBIDDEN, "You declined").await;
        let empty = format!("/oauth/callback?state={}", said(&press(&ada).await, "state"));
        refuses(&ada, &empty, StatusCode::CONFLICT, "returned no code").await;
        guarded.state.lock().iss = Some("https://evil.example".to_owned());
        refuses(&ada, &agree(&press(&ada).await).await, StatusCode::FORBIDDEN, "another authorization \
            server").await;
        guarded.state.lock().iss = None;
        assert_eq!(guarded.asked(), 0, "no code was brought to anybody");
        let guessed = format!("/oauth/callback?code=guessed&state={}", said(&press(&ada).await, "state"));
        refuses(&ada, &guessed, StatusCode::CONFLICT, "invalid_grant").await;
        not_yet(&ada).await;

        let back = agree(&press(&ada).await).await;
        ada.get(&back).await.expect(StatusCode::SEE_OTHER);
        refuses(&ada, &back, StatusCode::FORBIDDEN, unknown).await;
        assert_eq!(text_in(&asked(&ada, "hi").await), "hi with 1");
    }

    async fn the_owner_enters_the_client_that_the_hub_is(hub: &Hub) {
        let (guarded, grace) = (Guarded::person().await, hub.administrator("grace").await);
        guarded.register(&grace, json!({ "user": "known", "secret": "s", "shared": true })).await;
        let ada = hub.person("ada").await;
        let to = press(&ada).await;
        assert_eq!(said(&to, "client_id"), "known");
        ada.get(&agree(&to).await).await.expect(StatusCode::SEE_OTHER);
        let (form, client) = guarded.last();
        assert_eq!((client.as_str(), form.get("client_id")), ("Basic a25vd246cw==", None));
        assert_eq!(text_in(&asked(&ada, "hi").await), "hi with 1");
        ada.post(PAGE, &[("user", "other"), ("secret", "x")]).await.expect(StatusCode::CONFLICT);

        let page = grace.get(PAGE).await.expect(StatusCode::OK);
        page.says("value=\"known\"");
        page.says(&format!("{}/oauth/callback", hub.origin()));
        grace.post(PAGE, &[("user", "public")]).await.expect(StatusCode::SEE_OTHER);
        assert_eq!(said(&press(&ada).await, "client_id"), "public");
        grace.post(PAGE, &[("user", ""), ("secret", "")]).await.expect(StatusCode::SEE_OTHER);
        let document = format!("{}/oauth/client.json", hub.origin());
        assert_eq!(said(&press(&ada).await, "client_id"), document);
        assert_eq!(text_in(&asked(&ada, "hi").await), "hi with 1", "who is connected stays so");
    }
}
