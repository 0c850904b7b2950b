//! Tests of API keys of users for model providers.

use axum::{
    Json, Router,
    http::{HeaderMap, StatusCode as Status, header},
    response::{IntoResponse as _, Response},
    routing::{get, post},
};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::{
    client::{Answer, Client},
    http_endpoints::serve,
    hub::{Hub, on_both},
    model_settings::{ask, connect, create_agent, set_model},
};

/// Keys that the model server accepts.
const KEYS: [&str; 3] = ["key-of-hub", "key-of-ada", "key-of-bob"];

/// Starts a model server that accepts the keys, and whose answers name the owner of the key. Returns its base URL.
async fn model_server() -> String {
    let models = json!({ "object": "list", "data": [{ "id": "small" }] });
    let list = move |headers: HeaderMap| async move {
        if key(&headers).is_none() {
            return Status::UNAUTHORIZED.into_response();
        }
        Json(models).into_response()
    };
    let router = Router::new().route("/v1/models", get(list)).route("/v1/chat/completions", post(completion));
    format!("{}/v1", serve(router).await)
}

fn key(headers: &HeaderMap) -> Option<&'static str> {
    let sent = headers.get(header::AUTHORIZATION)?.to_str().ok()?.strip_prefix("Bearer ")?;
    KEYS.into_iter().find(|key| *key == sent)
}

async fn completion(headers: HeaderMap, Json(_): Json<Value>) -> Response {
    let Some(key) = key(&headers) else { return Status::UNAUTHORIZED.into_response() };
    let owner = key.replace("key-of-", "paid by ");
    let chunk = json!({ "choices": [{ "delta": { "content": owner }, "finish_reason": "stop" }] });
    let usage = json!({ "choices": [], "usage": { "prompt_tokens": 100, "completion_tokens": 20 } });
    let events = format!("data: {chunk}\n\ndata: {usage}\n\ndata: [DONE]\n\n");
    ([(header::CONTENT_TYPE, "text/event-stream")], events).into_response()
}

async fn save_key(client: &Client, key: &str) -> Answer {
    let fields = [("action", "save"), ("provider", "cellar"), ("api_key", key)];
    client.post("/settings/model-keys", &fields).await
}

async fn connect_with(admin: &Client, policy: &str) {
    let fields = [("api_key", "key-of-hub"), ("own_keys", policy), ("price", "1000/1000")];
    connect(admin, "cellar", &model_server().await, &fields).await;
}

on_both! {
    async fn answers_use_the_key_of_the_person_who_asks(hub: &Hub) {
        let (grace, ada, bob) = (hub.administrator("grace").await, hub.person("ada").await, hub.person("bob").await);
        connect_with(&grace, "allowed").await;
        create_agent(&grace, "scribe", "cellar/small").await.expect(StatusCode::CREATED);
        assert_eq!(ask(&ada, "@grace/scribe").await, "paid by hub");
        ada.get("/settings/usage").await.says("/settings/model-keys");

        save_key(&ada, "key-of-ada").await.expect(StatusCode::SEE_OTHER);
        assert_eq!(ask(&ada, "@grace/scribe").await, "paid by ada");
        assert_eq!(ask(&bob, "@grace/scribe").await, "paid by hub");
        let page = ada.get("/settings/model-keys").await.expect(StatusCode::OK);
        assert!(!page.body.contains("key-of-ada"), "a key is never shown");

        // What ada pays for is neither in the limits nor in the budget of the hub.
        let used = ada.api("/usage").await;
        let providers: Vec<&str> =
            used["by_provider"].as_array().expect("a list").iter().filter_map(|row| row["name"].as_str()).collect();
        assert_eq!(providers, ["cellar", "cellar (own keys)"]);
        let budget = grace.get("/admin/usage").await.expect(StatusCode::OK);
        budget.says("0.24");

        let fields = [("action", "remove"), ("provider", "cellar")];
        ada.post("/settings/model-keys", &fields).await.expect(StatusCode::SEE_OTHER);
        assert_eq!(ask(&ada, "@grace/scribe").await, "paid by hub");
    }

    async fn a_provider_can_require_keys_of_users(hub: &Hub) {
        let (grace, ada) = (hub.administrator("grace").await, hub.person("ada").await);
        connect_with(&grace, "required").await;
        set_model(&grace, "small", &[("direct", "yes"), ("account_tokens", "1")]).await.expect(StatusCode::SEE_OTHER);
        let refused = ask(&ada, "@models/small").await;
        assert!(refused.contains("Add your key for cellar under Settings, Model keys"), "{refused}");
        save_key(&ada, "key-of-ada").await.expect(StatusCode::SEE_OTHER);
        assert_eq!(ask(&ada, "@models/small").await, "paid by ada");
        assert_eq!(ask(&ada, "@models/small").await, "paid by ada", "the limit of the hub does not count it");
    }

    async fn a_key_is_checked_before_it_is_stored(hub: &Hub) {
        let (grace, ada) = (hub.administrator("grace").await, hub.person("ada").await);
        connect_with(&grace, "allowed").await;
        for (key, words) in [
            ("wrong", "The server does not accept the API key"),
            ("", "Enter the API key."),
            ("two words", "An API key has no spaces"),
        ] {
            save_key(&ada, key).await.expect(StatusCode::UNPROCESSABLE_ENTITY).says(words);
        }
        let missing = [("action", "save"), ("provider", "attic"), ("api_key", "key-of-ada")];
        ada.post("/settings/model-keys", &missing).await.expect(StatusCode::NOT_FOUND);
        assert_eq!(ada.api("/model-keys").await["items"][0]["added_at"], Value::Null);
    }

    async fn keys_are_managed_by_programs(hub: &Hub) {
        let (grace, ada) = (hub.administrator("grace").await, hub.person("ada").await);
        connect_with(&grace, "allowed").await;
        let set = ada.call(Method::PUT, "/model-keys/cellar", &json!({ "api_key": "key-of-ada" })).await;
        set.expect(StatusCode::NO_CONTENT);
        let listed = ada.api("/model-keys").await;
        assert_eq!((&listed["items"][0]["provider"], &listed["items"][0]["policy"]), (&json!("cellar"), &json!("allowed")));
        assert!(listed["items"][0]["added_at"].is_i64() && !listed.to_string().contains("key-of-ada"), "{listed}");
        let gone = ada.call(Method::DELETE, "/model-keys/cellar", &json!({})).await;
        gone.expect(StatusCode::NO_CONTENT);
        let again = ada.call(Method::DELETE, "/model-keys/cellar", &json!({})).await;
        again.expect(StatusCode::NOT_FOUND);
    }

    async fn a_key_is_not_sent_to_another_server(hub: &Hub) {
        let (grace, ada) = (hub.administrator("grace").await, hub.person("ada").await);
        connect_with(&grace, "allowed").await;
        save_key(&ada, "key-of-ada").await.expect(StatusCode::SEE_OTHER);
        create_agent(&grace, "scribe", "cellar/small").await.expect(StatusCode::CREATED);
        let moved = model_server().await;
        let fields = [
            ("action", "save"), ("base_url", moved.as_str()), ("api_key", "key-of-bob"), ("own_keys", "allowed"),
        ];
        grace.post("/admin/models/cellar", &fields).await.expect(StatusCode::SEE_OTHER);
        assert_eq!(ask(&ada, "@grace/scribe").await, "paid by bob", "the key of the provider, not that of ada");
    }
}
