//! Test of secrets in what a hub stores and shows: keys, tokens, passwords and secrets of links are in no table and in no file in
//! clear, and in no page and no API answer, except for the page that shows a new one to its owner.

use axum::{
    Json, Router,
    http::{HeaderMap, StatusCode as Status, header},
    response::{IntoResponse as _, Response},
    routing::{get, post},
};
use reqwest::{Method, StatusCode};
use serde_json::json;

use crate::{
    client::{Client, PASSWORD, text_of},
    events::answer_after,
    http_endpoints::serve,
    hub::{Hub, on_both},
    model_settings::{connect, create_agent},
    rooms,
    stored_bytes::{contains, find, find_in_files},
    tokens::make,
    tool_credentials::Guarded,
};

const PROVIDER_KEY: &str = "Zq1provider-key-of-the-hub";
const USER_KEY: &str = "Zq2key-of-ada-for-a-provider";
const TOOL_TOKEN: &str = "Zq3token-of-a-tool-server";

/// Starts a model server that refuses each question and quotes the request's key in its error.
async fn quoting_server() -> String {
    let models = json!({ "object": "list", "data": [{ "id": "small" }] });
    let list = move || async move { Json(models) };
    let router = Router::new().route("/v1/models", get(list)).route("/v1/chat/completions", post(refuse));
    format!("{}/v1", serve(router).await)
}

async fn refuse(headers: HeaderMap) -> Response {
    let sent = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let body = json!({ "error": { "message": format!("No such model for {sent}.") } });
    (Status::INTERNAL_SERVER_ERROR, Json(body)).into_response()
}

on_both! {
    async fn no_secret_is_stored_in_clear_or_shown(hub: &Hub) {
        let (grace, ada, bob) = (hub.administrator("grace").await, hub.person("ada").await, hub.person("bob").await);
        let provider = [("api_key", PROVIDER_KEY), ("own_keys", "allowed")];
        connect(&grace, "cellar", &quoting_server().await, &provider).await;
        create_agent(&grace, "scribe", "cellar/small").await.expect(StatusCode::CREATED);
        let key = [("action", "save"), ("provider", "cellar"), ("api_key", USER_KEY)];
        ada.post("/settings/model-keys", &key).await.expect(StatusCode::SEE_OTHER);
        let tools = Guarded::start("Authorization", &format!("Bearer {TOOL_TOKEN}")).await;
        let agent = json!({ "name": "guarded", "summary": "Uses tools.", "instructions": "Use tools.", "visibility": "public",
                            "model": "cellar/small",
                            "tools": [{ "url": tools.url(), "credentials": { "secret": TOOL_TOKEN } }] });
        grace.call(Method::POST, "/agents", &agent).await.expect(StatusCode::CREATED);
        let mut chats = Vec::new();
        for (client, agent) in [(&ada, "@grace/scribe"), (&bob, "@grace/scribe"), (&grace, "@grace/guarded")] {
            let said = client.begin(agent, "Hello?").await;
            let answer = answer_after(client, &said.chat, 0).await;
            assert_eq!(answer["state"], "failed", "{answer}");
            chats.push((client, said.chat));
        }
        let room = rooms::begin(&ada).await;
        let mut secrets: Vec<(&str, String)> = vec![
            ("provider key", PROVIDER_KEY.to_owned()),
            ("key of a user", USER_KEY.to_owned()),
            ("token of a tool", TOOL_TOKEN.to_owned()),
            ("password", PASSWORD.to_owned()),
            ("API token", make(&ada, &["read"]).await),
            ("session cookie", ada.cookie_values().into_iter().max_by_key(String::len).expect("a session")),
        ];
        let shown_to_owner = secrets.len();
        let path = format!("/chats/{room}/share");
        let link = ada.call(Method::POST, &path, &json!({})).await.expect(StatusCode::CREATED).json();
        secrets.push(("share link", text_of(&link["id"])));
        ada.get(&format!("/share/{}", text_of(&link["id"]))).await.expect(StatusCode::OK);
        let join = rooms::invite(&ada, &room, json!({})).await;
        let url = text_of(&join["link"]);
        let url = if url.is_empty() { text_of(&join["url"]) } else { url };
        secrets.push(("join link", url.rsplit('/').next().expect("a token").to_owned()));
        let page = grace.post("/admin/invites", &[("days", "3")]).await.body;
        secrets.push(("invitation", after(&page, "invite=")));
        let reset = [("action", "reset")];
        let page = grace.post(&format!("/admin/users/{}", hub.account("bob").await), &reset).await.body;
        secrets.push(("reset link", after(&page, "/reset?token=")));

        let mut needles: Vec<(&str, Vec<u8>)> =
            secrets.iter().map(|(name, secret)| (*name, secret.clone().into_bytes())).collect();
        assert!(needles.iter().all(|(_, needle)| needle.len() > 15), "{secrets:?}");
        assert_eq!(find_in_files(hub.folder(), &needles), Vec::<String>::new());
        needles.push(("vault key", std::fs::read(hub.folder().join("secret.key")).expect("the key")));
        assert_eq!(find(&hub.database(), &needles).await, Default::default());

        let visitor = hub.visitor();
        for (client, chat) in &chats {
            for path in [format!("/chat/{chat}"), format!("/api/v1/chats/{chat}"), format!("/api/v1/chats/{chat}/export")] {
                shows_nothing(client, &path, &secrets).await;
            }
        }
        for client in [&grace, &ada, &bob, &visitor] {
            for path in [
                "/@grace/scribe", "/@grace/guarded", "/@grace/guarded/versions", "/@grace/guarded/credentials", "/settings/model-keys",
                "/settings/tokens", "/settings/sessions", "/admin/models", "/admin/models/cellar", "/admin/audit", "/admin/invites",
                "/api/v1/agents/grace/guarded", "/api/v1/agents/grace/guarded/export", "/api/v1/model-keys", "/a2a/grace/guarded/.well-known/agent-card.json",
            ] {
                shows_nothing(client, path, &secrets[..shown_to_owner]).await;
            }
        }
    }
}

async fn shows_nothing(client: &Client, path: &str, secrets: &[(&str, String)]) {
    let answer = client.get(path).await;
    for (name, secret) in secrets {
        assert!(!contains(answer.body.as_bytes(), secret.as_bytes()), "{path} shows the {name}");
    }
}

/// Returns the token after a word of a page.
fn after(page: &str, word: &str) -> String {
    let rest = page.split(word).nth(1).unwrap_or_else(|| panic!("no {word} in {page}"));
    rest.chars().take_while(|one| one.is_ascii_alphanumeric() || matches!(one, '_' | '-')).collect()
}
