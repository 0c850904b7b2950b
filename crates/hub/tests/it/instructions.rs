use axum::{
    Json, Router,
    extract::State,
    http::{HeaderMap, StatusCode, header},
    response::IntoResponse,
    routing::{get, post},
};
use parking_lot::Mutex;
use plexus_domain::{
    Error as Refusal,
    agent::{AgentAccess, Visibility},
};
use plexus_hub::{
    agents::{
        self, RegistrationKind,
        model_agent::{self, ModelAgentForm},
    },
    config::{Models, OwnKeyPolicy, Prices, Provider, ProviderSource, Secret},
    model_providers,
};
use serde_json::{Value, json};
use std::sync::Arc;

use super::common::{World, refusal, serve};

type Asked = Arc<Mutex<Vec<Value>>>;

/// Starts a model server with two models, which always answers with one sentence.
async fn model(asked: &Asked) -> Provider {
    let list = json!({ "object": "list", "data": [{ "id": "small" }, { "id": "large" }] });
    let router = Router::new()
        .route("/v1/models", get(async move || Json(list)))
        .route("/v1/chat/completions", post(complete))
        .with_state(Arc::clone(asked));
    let base_url = format!("{}v1", serve(router).await).parse().unwrap();
    Provider {
        base_url,
        api_key: None,
        models: vec!["large".to_owned()],
        context_tokens: 8_192,
        prices: Prices::default(),
        source: ProviderSource::Configuration,
        own_keys: OwnKeyPolicy::Refused,
    }
}

/// Opens a hub with one model server.
async fn world(first: Provider) -> World {
    World::with_models(Models { first: Some(first), ..Models::default() }).await
}

async fn complete(State(asked): State<Asked>, Json(body): Json<Value>) -> impl IntoResponse {
    asked.lock().push(body);
    let delta = json!({ "choices": [{ "delta": { "content": "High at noon." }, "finish_reason": "stop" }] });
    ([(header::CONTENT_TYPE, "text/event-stream")], format!("data: {delta}\n\ndata: [DONE]\n\n"))
}

fn tides() -> ModelAgentForm {
    ModelAgentForm {
        title: "Tide clerk".to_owned(),
        summary: "Knows the tides.".to_owned(),
        instructions: "You are a tide clerk.".to_owned(),
        model: "small".to_owned(),
        starters: vec!["When is high water?".to_owned(), "  ".to_owned()],
        tags: vec!["sea".to_owned()],
        ..ModelAgentForm::default()
    }
}

#[tokio::test]
async fn instructions_run_on_the_hubs_model_and_a_change_is_a_version() {
    let asked = Asked::default();
    let world = world(model(&asked).await).await;
    let (hub, ada) = (&world.hub, &world.ada);
    assert_eq!(model_providers::models(hub).await.unwrap(), ["large", "small"]);
    let draft = model_agent::write(hub, ada, "tides", tides(), &[]).await.unwrap();
    assert_eq!(model_agent::write(hub, ada, "tides", tides(), &[]).await.unwrap(), draft, "sent twice");
    assert_eq!(agents::publish_step(hub, ada, draft).await.unwrap().way, RegistrationKind::Model);
    let address = agents::publish(hub, ada, draft, Visibility::Public, AgentAccess::Accounts).await.unwrap();
    assert_eq!(world.answer(&world.bob, &address, "When?").await, "High at noon.");
    let sent = asked.lock()[0].clone();
    assert_eq!(sent["model"], "small");
    assert!(sent["messages"].to_string().contains("You are a tide clerk."));

    let kept = model_agent::instructions(hub, ada, &address).await.unwrap();
    assert_eq!(kept.starters, ["When is high water?"]);
    model_agent::rewrite(hub, ada, &address, kept.clone(), &[]).await.unwrap();
    let changed = ModelAgentForm { instructions: "Be brief.".to_owned(), ..kept };
    model_agent::rewrite(hub, ada, &address, changed, &[]).await.unwrap();
    let view = agents::get(hub, ada, &address).await.unwrap().unwrap();
    let numbers: Vec<&str> = view.versions.iter().map(|version| version.semver.as_str()).collect();
    assert_eq!(numbers, ["1.0.1", "1.0.0"], "what did not change is no version");
    let theirs = model_agent::instructions(hub, &world.bob, &address).await;
    assert!(matches!(refusal(theirs), Refusal::Forbidden { .. }));
}

#[tokio::test]
async fn a_hub_without_a_model_says_so() {
    let world = World::new().await;
    let refused = refusal(model_agent::write(&world.hub, &world.ada, "tides", tides(), &[]).await);
    assert!(
        matches!(refused, Refusal::Unavailable { .. })
            && refused.to_string().contains("Administration, Models")
    );
}

#[tokio::test]
async fn each_field_is_checked() {
    let world = world(model(&Asked::default()).await).await;
    for (field, filled) in [
        ("title", ModelAgentForm { title: " \u{202e} ".to_owned(), ..tides() }),
        ("summary", ModelAgentForm { summary: "x".repeat(301), ..tides() }),
        ("instructions", ModelAgentForm { instructions: "x".repeat(32_001), ..tides() }),
        ("model", ModelAgentForm { model: "huge".to_owned(), ..tides() }),
        ("starters", ModelAgentForm { starters: vec!["x".to_owned(); 6], ..tides() }),
        ("tags", ModelAgentForm { tags: vec!["x".repeat(31)], ..tides() }),
    ] {
        let refused = refusal(model_agent::write(&world.hub, &world.ada, "tides", filled, &[]).await);
        assert_eq!(refused.field(), Some(field));
    }
}

#[tokio::test]
async fn a_model_server_is_shown_its_key_when_it_lists_its_models() {
    let list = json!({ "data": [{ "id": "guarded" }] });
    let router = Router::new().route(
        "/v1/models",
        get(async move |headers: HeaderMap| match headers.get(header::AUTHORIZATION) {
            Some(key) if key == "Bearer sk-1" => Ok(Json(list)),
            _ => Err(StatusCode::UNAUTHORIZED),
        }),
    );
    let base_url: url::Url = format!("{}v1", serve(router).await).parse().unwrap();
    let server = Provider { models: Vec::new(), ..model(&Asked::default()).await };
    for (key, models) in [(Some("sk-1"), vec!["guarded"]), (Some("sk-2"), vec![]), (None, vec![])] {
        let api_key = key.map(|key| Secret::new(key.to_owned()));
        let world = world(Provider { base_url: base_url.clone(), api_key, ..server.clone() }).await;
        assert_eq!(model_providers::models(&world.hub).await.unwrap(), models);
    }
}
